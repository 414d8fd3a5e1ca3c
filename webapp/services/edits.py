"""Editing a line's entry: a draft at once, a posted one by its correction marker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.corrections import is_same
from webapp.ledger.entries import AccountCurrencyError, Leg
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.mirrors import share
from webapp.ledger.money import Money
from webapp.ledger.splits import Split, split_legs
from webapp.models import Account, FeedAccount, JournalEntry, Merchant, Project, Transaction
from webapp.queries import journal_entries as entries
from webapp.queries import lookups, organizations
from webapp.queries.transactions import counter_legs
from webapp.services import corrections, drafts, journal_entries
from webapp.services.action_requests import Act, act
from webapp.services.actors import Actor
from webapp.services.transactions import STATES, LineStateError

Changes = Mapping[str, Any]


class NothingToEditError(UnprocessableError):
    """Say what to change: accountId, projectId, orgMerchantId, description or splits."""

    code = "nothing_to_edit"


class AccountOrSplitsError(UnprocessableError):
    """A line goes to one account or is split; send one of the two."""

    code = "account_or_splits"


class UseTransfersAccountError(UnprocessableError):
    """A bank's account is posted to by its own lines only; use "Transfers between own accounts" here."""

    code = "use_transfers_account"


class ArchivedAccountError(UnprocessableError):
    """This account is archived; choose another one."""

    code = "archived"


class PostedDescriptionError(LedgerError):
    """The entry is posted and its description stays; void it to write another one."""

    code = "posted"


def edit(transaction: Transaction, changes: Changes, *, actor: Actor, now: datetime) -> Transaction:
    """Change what a line's entry says, all or nothing; `changes` holds the fields that were sent."""
    title = f"Edited {transaction.description or 'a line'}"
    target = ("transaction", transaction.id)
    with act(actor, now, "edit_transaction", target, title=title, payload=jsonable(changes)) as doing:
        if not changes:
            raise NothingToEditError
        entry = transaction.journal_entry
        if transaction.status not in ("BOOKED", "SET_ASIDE") or entry is None:
            raise LineStateError(STATES[transaction.status], code=transaction.status.lower())
        if changes.get("account_id") is not None and changes.get("splits") is not None:
            raise AccountOrSplitsError
        if entry.status == "DRAFT":
            _edit_draft(transaction, entry, changes, doing)
        else:
            _edit_posted(transaction, entry, changes, doing)
        transaction.updated_at = now
        db.session.flush()
    return transaction


def _edit_draft(line: Transaction, entry: JournalEntry, changes: Changes, doing: Act) -> None:
    legs = entries.legs_of(entry)
    doing.before = summary(legs, entry.description)
    if changes.get("description") is not None:
        entry.description = changes["description"]
    if changes.keys() - {"description"}:
        bank = [leg for leg in legs if leg.is_bank_leg]
        counter = changed_legs(line, counter_legs(legs), changes)
        organization = organizations.get(line.organization_id)
        fresh = [replace(leg, amount_base_minor=None) for leg in (*bank, *counter)]
        legs = list(drafts.mirror_legs(organization, fresh, line.booked_on))
        journal_entries.write_legs(entry, legs)
    doing.after = summary(legs, entry.description)
    db.session.flush()


def _edit_posted(line: Transaction, entry: JournalEntry, changes: Changes, doing: Act) -> None:
    if changes.get("description") is not None:
        raise PostedDescriptionError
    marker = entries.marker_of(entry)
    standing = corrections.standing_legs(entry)
    present = entries.legs_of(marker) if marker is not None else list(standing)
    doing.before = summary(present, entry.description)
    bank = [leg for leg in present if leg.is_bank_leg]
    counter = changed_legs(line, counter_legs(present), changes)
    target = _as_known([*bank, *_mirrored_as(line, bank, counter)], standing, present)
    corrections.aim(entry, target, now=doing.now)
    doing.after = summary(target, entry.description)
    if is_same(target, present):
        doing.nothing_to_do()


def _as_known(target: Sequence[Leg], *states: Sequence[Leg]) -> Sequence[Leg]:
    """Give the state that the target names already, or the target.

    Equal parts share the spare cents of a mirror by their order, which is no difference that anybody meant.
    """
    amounts = _amounts(target)
    return next((state for state in states if _amounts(state) == amounts), target)


def _amounts(legs: Sequence[Leg]) -> Counter[tuple[int, str, int | None, int | None]]:
    amounts: Counter[tuple[int, str, int | None, int | None]] = Counter()
    for leg in legs:
        amounts[leg.account_id, leg.currency, leg.project_id, leg.merchant_id] += leg.amount_minor
    return amounts


def _mirrored_as(line: Transaction, bank: Sequence[Leg], counter: Sequence[Leg]) -> list[Leg]:
    """Mirror a target as the original was: its bank leg's mirror stays, the others share the opposite."""
    if line.currency == organizations.get(line.organization_id).base_currency:
        return [replace(leg, amount_base_minor=leg.amount_minor) for leg in counter]
    opposite = -sum(leg.amount_base_minor or 0 for leg in bank)
    weights = [leg.amount_minor for leg in counter]
    if not any(weights):
        return [replace(leg, amount_base_minor=0) for leg in counter]
    if sum(weights) == 0:
        # The bank's leg of nothing tells no rate; its day's does.
        return list(
            drafts.mirror_legs(organizations.get(line.organization_id), [*bank, *counter], line.booked_on)
        )[len(bank) :]
    return [
        replace(leg, amount_base_minor=part)
        for leg, part in zip(counter, share(opposite, weights), strict=True)
    ]


def changed_legs(line: Transaction, legs: Sequence[Leg], changes: Changes) -> list[Leg]:
    """Give a line's counter legs after a change; what was not sent stays."""
    organization_id = line.organization_id
    if changes.get("splits") is not None:
        legs = _split(line, changes["splits"])
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
    return list(legs)


def _one_leg(line: Transaction, legs: Sequence[Leg], account_id: int | None) -> Leg:
    kept = legs[0] if len(legs) == 1 else drafts.uncategorised_leg(line)
    amount = -line.amount_minor
    if account_id is None:
        chosen = drafts.uncategorised_leg(line).account_id
    else:
        chosen = counter_account(line.organization_id, account_id, line.currency, "accountId").id
    return replace(
        kept, account_id=chosen, amount_minor=amount, currency=line.currency, amount_base_minor=None
    )


def _split(line: Transaction, splits: Sequence[Mapping[str, Any]]) -> list[Leg]:
    organization_id = line.organization_id
    parts = []
    for index, split in enumerate(splits):
        path = f"splits.{index}"
        account = counter_account(organization_id, split["account_id"], line.currency, f"{path}.accountId")
        if split.get("project_id") is not None:
            lookups.refer(Project, organization_id, split["project_id"], f"{path}.projectId")
        if split.get("org_merchant_id") is not None:
            lookups.refer(Merchant, organization_id, split["org_merchant_id"], f"{path}.orgMerchantId")
        amount = money_at(split["amount"], line.currency, f"{path}.amount")
        parts.append(Split(account.id, amount.minor, split.get("project_id"), split.get("org_merchant_id")))
    return list(split_legs(line.amount, parts))


def money_at(amount: Any, currency: str, path: str) -> Money:
    """Make money of an amount that a body names at `path`, or say at that path why it is none."""
    try:
        return Money.of(amount, currency)
    except UnprocessableError as error:
        raise UnprocessableError(str(error), fields={path: [str(error)]}, code=error.code) from error


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
            f"{account.name} is a bank's account: its own lines post to it. "
            'Use "Transfers between own accounts" here, on both lines.',
            fields={path: ['Use "Transfers between own accounts" instead.']},
        )
    if account.currency is not None and account.currency != currency:
        sentence = f"{account.name} takes {account.currency} only, and this is in {currency}."
        raise AccountCurrencyError(sentence, fields={path: [sentence]})
    return account


def summary(legs: Sequence[Leg], description: str) -> dict[str, Any]:
    """Say in JSON what an entry says, for the audit trail."""
    return {
        "description": description,
        "postings": [
            {
                "accountId": leg.account_id,
                "amount": str(Money(leg.amount_minor, leg.currency)),
                "currency": leg.currency,
                "projectId": leg.project_id,
                "orgMerchantId": leg.merchant_id,
            }
            for leg in legs
        ],
    }


def jsonable(value: Any) -> Any:
    """Give what a schema read as plain JSON again, for the audit trail."""
    if isinstance(value, Mapping):
        return {key: jsonable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(inner) for inner in value]
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)
