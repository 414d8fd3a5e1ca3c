"""Editing a line's entry: a draft at once, a posted one by its correction marker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import NotRequired, TypedDict

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.chart import Role
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal import sides
from webapp.ledger.journal.corrections import is_same
from webapp.ledger.journal.entries import AccountCurrencyError, Leg
from webapp.ledger.journal.merchants import kept
from webapp.ledger.journal.splits import Split, split_legs
from webapp.ledger.money import Money, money_at
from webapp.models import Account, FeedAccount, JournalEntry, Merchant, Project, Transaction
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups, merchants
from webapp.queries.journal import entries, target_legs
from webapp.queries.matching import transfer_pairs
from webapp.services.audit import entry_facts, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, TouchedIds
from webapp.services.journal import counter_legs, line_drafts
from webapp.services.journal import entries as journal_entries
from webapp.services.rules import writes
from webapp.services.transactions import unpairing
from webapp.services.transactions.states import LineStateError


class SplitInput(TypedDict):
    """A part of a line's amount, with the line's sign."""

    account_id: int
    amount: Decimal
    project_id: NotRequired[int | None]
    org_merchant_id: NotRequired[int | None]


class LineChanges(TypedDict, total=False):
    """The fields of a line's entry that were sent; what is not sent stays."""

    account_id: int | None
    project_id: int | None
    org_merchant_id: int | None
    description: str
    splits: list[SplitInput] | None


class BulkLineChanges(LineChanges):
    """The same of one line among several."""

    id: int


# What a rule may have set of a line that somebody sets anew.
SET_BY_RULES: Mapping[str, tuple[str, ...]] = {
    "account_id": ("SET_ACCOUNT", "SET_CURRENCY"),
    "splits": ("SET_ACCOUNT", "SET_MERCHANT", "SET_PROJECT", "SET_CURRENCY"),
    "org_merchant_id": ("SET_MERCHANT",),
    "project_id": ("SET_PROJECT",),
}


class NothingToEditError(UnprocessableError):
    """Send what to change: accountId, projectId, orgMerchantId, description or splits."""

    code = "nothing_to_edit"


class AccountOrSplitsError(UnprocessableError):
    """A line goes to one account or is split; send one of the two."""

    code = "account_or_splits"


class UseTransfersAccountError(UnprocessableError):
    """Only its own lines post to a bank account; use "Transfers between own accounts" here."""

    code = "use_transfers_account"


class ArchivedAccountError(UnprocessableError):
    """This account is archived; choose another one."""

    code = "archived"


class TransferError(LedgerError):
    """A transfer between two banks has no project or merchant. Undo the pair, or give this line another account."""

    code = "transfer"


class PostedDescriptionError(LedgerError):
    """The entry is posted, so its description cannot be changed; void it to write another one."""

    code = "posted"


def edit(transaction: Transaction, changes: LineChanges, *, actor: Actor, now: datetime) -> ActionResult:
    """Change the entry of a line, all or nothing; `changes` holds the fields that were sent.

    The result names the changed draft, or the correction marker of a posted entry.
    """
    title = titles.of_edit(transaction, changes)
    target = ("transaction", transaction.id)
    with act(
        actor, now, "edit_transaction", target, title=title, payload=entry_facts.jsonable(changes)
    ) as doing:
        if not changes:
            raise NothingToEditError
        entry = transaction.journal_entry
        if transaction.status not in IN_BOOKS or entry is None:
            raise LineStateError(transaction.status)
        if changes.get("account_id") is not None and changes.get("splits") is not None:
            raise AccountOrSplitsError
        is_paired = False
        if _ends_transfer(transaction, entry, changes):
            is_paired = transfer_pairs.active(transaction.organization_id, transaction.id) is not None
            unpairing.unpair(transaction, now=now, is_refused=True)
            entry = transaction.journal_entry or entry
        if entry.status == "DRAFT":
            touched = _edit_draft(transaction, entry, changes, doing)
        else:
            touched = _edit_posted(transaction, entry, changes, doing)
        settings = {(transaction.id, kind) for name in changes for kind in SET_BY_RULES.get(name, ())}
        is_same_as_before = doing.before == doing.after and not is_paired
        if is_same_as_before and not writes.stand(transaction.organization_id, settings):
            doing.nothing_to_do()
        if not doing.is_void:
            writes.supersede(transaction.organization_id, settings, doing.id)
    return ActionResult(
        action_request_id=None if doing.is_void else doing.id,
        changed=not doing.is_void,
        result=touched,
        title="" if doing.is_void else title,
    )


def discard_correction(entry: JournalEntry, *, actor: Actor, now: datetime) -> None:
    """Delete the marker of a posted entry, so that what is in force stays; without one nothing is done."""
    lines = entries.transactions_of(entries.legs_of(entry))
    target = ("transaction", lines[0]) if lines else ("journal_entry", entry.id)
    title = f"Discarded the correction of {titles.of_entry(entry)}"
    with act(actor, now, "discard_correction", target, title=title) as doing:
        marker = entries.marker_of(entry)
        if marker is None:
            doing.nothing_to_do()
            return
        doing.before = entry_facts.of_legs(entries.legs_of(marker), marker.description)
        doing.result = TouchedIds(deleted_journal_entry_ids=[marker.id]).as_json()
        journal_entries.delete_draft(marker)


def _ends_transfer(line: Transaction, entry: JournalEntry, changes: LineChanges) -> bool:
    """Return whether a change takes a line out of the transfer that it may be paired as."""
    splits = changes.get("splits")
    if splits is not None:
        return not _keeps_part(line, splits)
    if "account_id" not in changes:
        return False
    transfers_id = accounts.by_role(line.organization_id, Role.TRANSFERS).id
    return changes["account_id"] != transfers_id or sides.is_shared(target_legs.of(entry))


def _keeps_part(line: Transaction, splits: Sequence[SplitInput]) -> bool:
    """Return whether new splits leave the part that is a transfer as it is."""
    mine = transfer_pairs.active(line.organization_id, line.id)
    if mine is None or mine.part_minor is None:
        return False
    transfers_id = accounts.by_role(line.organization_id, Role.TRANSFERS).id
    part = sum((each["amount"] for each in splits if each["account_id"] == transfers_id), Decimal(0))
    return part == Money(mine.part_minor, line.currency).decimal


def _own_legs(line: Transaction, legs: Sequence[Leg], changes: LineChanges) -> Sequence[Leg]:
    """Give the counter legs of a line, or raise TransferError for a field that two bank legs alone cannot hold."""
    own = sides.counter_legs(legs, line.id)
    if not own and (changes.get("project_id") or changes.get("org_merchant_id")):
        raise TransferError
    return own


def _edit_draft(line: Transaction, entry: JournalEntry, changes: LineChanges, doing: Act) -> TouchedIds:
    legs = entries.legs_of(entry)
    doing.before = entry_facts.of_legs(legs, entry.description)
    if changes.get("description") is not None:
        entry.description = changes["description"]
    own = _own_legs(line, legs, changes)
    if own and changes.keys() - {"description"}:
        counter_legs.write_own(line, entry, changed_legs(line, own, changes))
        legs = entries.legs_of(entry)
    doing.after = entry_facts.of_legs(legs, entry.description)
    db.session.flush()
    return TouchedIds([entry.id])


def _edit_posted(line: Transaction, entry: JournalEntry, changes: LineChanges, doing: Act) -> TouchedIds:
    if changes.get("description") is not None:
        raise PostedDescriptionError
    present, earlier = target_legs.of(entry), entries.marker_of(entry)
    earlier_ids = [earlier.id] if earlier else []
    doing.before = entry_facts.of_legs(present, entry.description)
    counter = changed_legs(line, _own_legs(line, present, changes), changes)
    target = counter_legs.correct_counters(entry, {line.id: counter}, now=doing.now) if counter else present
    doing.after = entry_facts.of_legs(target, entry.description)
    if is_same(target, present):
        doing.nothing_to_do()
    marker = entries.marker_of(entry)
    return TouchedIds([marker.id]) if marker else TouchedIds(deleted_journal_entry_ids=earlier_ids)


def changed_legs(line: Transaction, legs: Sequence[Leg], changes: LineChanges) -> list[Leg]:
    """Give a line's counter legs after a change; what was not sent stays, and so do merchants that count alike."""
    organization_id, present = line.organization_id, legs
    splits = changes.get("splits")
    if splits is not None:
        legs = _split(line, splits)
    elif "account_id" in changes or ("splits" in changes and len(legs) > 1):
        legs = [_one_leg(line, legs, changes.get("account_id"))]
    if "project_id" in changes:
        if changes["project_id"] is not None:
            lookups.refer(Project, organization_id, changes["project_id"], "projectId")
        legs = [replace(leg, project_id=changes["project_id"]) for leg in legs]
    if "org_merchant_id" in changes:
        if changes["org_merchant_id"] is not None:
            lookups.refer(Merchant, organization_id, changes["org_merchant_id"], "orgMerchantId")
        legs = [replace(leg, merchant_id=changes["org_merchant_id"]) for leg in legs]
    return kept(legs, present, merchants.merged(organization_id))


def _one_leg(line: Transaction, legs: Sequence[Leg], account_id: int | None) -> Leg:
    kept = legs[0] if len(legs) == 1 else line_drafts.uncategorised_leg(line)
    amount = -line.amount_minor
    if account_id is None:
        chosen = line_drafts.uncategorised_leg(line).account_id
    else:
        chosen = counter_account(line.organization_id, account_id, line.currency, "accountId").id
    return replace(
        kept, account_id=chosen, amount_minor=amount, currency=line.currency, amount_base_minor=None
    )


def _split(line: Transaction, splits: Sequence[SplitInput]) -> list[Leg]:
    organization_id = line.organization_id
    parts = []
    for index, split in enumerate(splits):
        path = f"splits.{index}"
        account = counter_account(organization_id, split["account_id"], line.currency, f"{path}.accountId")
        project_id, merchant_id = split.get("project_id"), split.get("org_merchant_id")
        if project_id is not None:
            lookups.refer(Project, organization_id, project_id, f"{path}.projectId")
        if merchant_id is not None:
            lookups.refer(Merchant, organization_id, merchant_id, f"{path}.orgMerchantId")
        amount = money_at(split["amount"], line.currency, f"{path}.amount")
        parts.append(Split(account.id, amount.minor, project_id, merchant_id))
    return list(split_legs(line.amount, parts))


def counter_account(organization_id: str, account_id: int, currency: str, path: str) -> Account:
    """Find an account that a counter leg may go to, or say at `path` why not."""
    account = lookups.refer(Account, organization_id, account_id, path)
    if account.is_archived:
        raise ArchivedAccountError(fields={path: ["This account is archived; choose another one."]})
    backed = sa.select(FeedAccount.id).where(
        FeedAccount.organization_id == organization_id, FeedAccount.account_id == account_id
    )
    if db.session.scalar(backed) is not None:
        raise UseTransfersAccountError(
            f"{account.name} is a bank account: only its own lines post to it. "
            'Use "Transfers between own accounts" here, on both lines.',
            fields={path: ['Use "Transfers between own accounts" instead.']},
        )
    if account.currency is not None and account.currency != currency:
        sentence = f"{account.name} takes {account.currency} only, and this is in {currency}."
        raise AccountCurrencyError(sentence, fields={path: [sentence]})
    return account
