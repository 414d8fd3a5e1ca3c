"""Editing a line's entry: a draft at once, a posted one by its correction marker."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import cast

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal import sides
from webapp.ledger.journal.corrections import is_same
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.models import JournalEntry, Transaction
from webapp.queries.accounts import accounts
from webapp.queries.journal import entries, target_legs
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions import doubts
from webapp.services.audit import field_changes, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, TouchedIds, WarnedResult, facts_of, warned
from webapp.services.items import paid_lines, payments
from webapp.services.items.payments import ItemPayment
from webapp.services.items.refusals import (
    PaymentFitError,
    SeveralAccountsError,
    SeveralPartiesError,
    ShortAloneError,
)
from webapp.services.journal import counter_legs
from webapp.services.journal import entries as journal_entries
from webapp.services.rules import writes
from webapp.services.tax.coding import TaxOnSettlementError
from webapp.services.transactions import changed_legs, unpairing
from webapp.services.transactions.changed_legs import LineChanges, SplitInput
from webapp.services.transactions.states import LineStateError

# What a rule may have set of a line that somebody sets anew.
SET_BY_RULES: Mapping[str, tuple[str, ...]] = {
    "account_id": ("SET_ACCOUNT", "SET_TAX_CODE", "SET_CURRENCY", "SETTLE_BY_REFERENCE"),
    "tax_code_id": ("SET_TAX_CODE",),
    "splits": (
        *("SET_ACCOUNT", "SET_TAX_CODE", "SET_MERCHANT", "SET_PROJECT"),
        *("SET_CURRENCY", "SETTLE_BY_REFERENCE"),
    ),
    "org_merchant_id": ("SET_MERCHANT", "SETTLE_BY_REFERENCE"),
    "project_id": ("SET_PROJECT",),
    "settles": ("SET_ACCOUNT", "SET_TAX_CODE", "SET_MERCHANT", "SETTLE_BY_REFERENCE"),
}


class NothingToEditError(UnprocessableError):
    """Send what to change: accountId, taxCodeId, projectId, orgMerchantId, description, splits or settles."""

    code = "nothing_to_edit"


class AccountOrSplitsError(UnprocessableError):
    """A line goes to one account with one tax code, or is split; send one of the two."""

    code = "account_or_splits"


class TransferError(LedgerError):
    """A transfer has no project, customer or supplier. Undo the pair, or give this line another account."""

    code = "transfer"


class PostedPaymentError(LedgerError):
    """The line is posted; settle its item with POST /api/settlements."""

    code = "posted"


class PostedDescriptionError(LedgerError):
    """The entry is posted, so its description cannot be changed; void it to write another one."""

    code = "posted"


def edit(
    transaction: Transaction,
    changes: LineChanges,
    *,
    actor: Actor,
    now: datetime,
    warns: bool = True,
) -> ActionResult:
    """Change the entry of a line, all or nothing; `changes` holds the fields that were sent.

    The result names the changed draft, or the correction marker of a posted entry. It warns about a draft that is put
    on an account although it pays or moves something, unless the caller asks about that itself.
    """
    done = _edit(transaction, changes, actor=actor, now=now)
    if not warns or not done.changed or not puts_elsewhere(changes):
        return done
    return warned(done, doubts.elsewhere([transaction]).get(transaction.id, ()))


def puts_elsewhere(changes: LineChanges) -> bool:
    """Return whether changes put a line on an account without letting it pay."""
    has_account = changes.get("account_id") is not None or changes.get("splits") is not None
    return has_account and not changes.get("settles")


def _edit(transaction: Transaction, changes: LineChanges, *, actor: Actor, now: datetime) -> ActionResult:
    title = titles.of_edit(transaction, changes)
    target = ("transaction", transaction.id)
    with act(
        actor, now, "edit_transaction", target, title=title, payload=field_changes.jsonable(changes)
    ) as doing:
        _check_complete(changes)
        entry = transaction.journal_entry
        if transaction.status not in IN_BOOKS or entry is None:
            raise LineStateError(transaction.status)
        is_whole = changes.get("account_id") is not None or changes.get("tax_code_id") is not None
        if is_whole and changes.get("splits") is not None:
            raise AccountOrSplitsError
        paying, changes = _payments(transaction, entry, changes)
        if paying:
            words = "; ".join(each.words for each in paying)
            doing.title = title = f"Booked {transaction.label}: it {words}"
        is_paired = False
        if _ends_transfer(transaction, entry, changes):
            is_paired = transfer_pairs.active(transaction.organization_id, transaction.id) is not None
            unpairing.unpair(transaction, now=now, is_refused=True)
            entry = transaction.journal_entry or entry
        if entry.status == "DRAFT":
            touched = _edit_draft(transaction, entry, changes, paying, doing)
        else:
            touched = _edit_posted(transaction, entry, changes, doing)
        settings = {(transaction.id, kind) for name in changes for kind in SET_BY_RULES.get(name, ())}
        is_same_as_before = doing.before == doing.after and not is_paired
        if is_same_as_before and not writes.stand(transaction.organization_id, settings):
            doing.nothing_to_do()
        if not doing.is_void:
            writes.supersede(transaction.organization_id, settings, doing.id)
    done = ActionResult(
        action_request_id=None if doing.is_void else doing.id,
        changed=not doing.is_void,
        result=touched,
        title="" if doing.is_void else title,
    )
    found = [each.warning(transaction) for each in paying] if not doing.is_void else []
    warnings = [each for each in found if each is not None]
    if not warnings:
        return done
    return WarnedResult(
        **facts_of(done), warnings=warnings, warning_codes=["large_shortfall"] * len(warnings)
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
        doing.before = field_changes.of_legs(entries.legs_of(marker), marker.description)
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


def _check_complete(changes: LineChanges) -> None:
    """Refuse what changes nothing: what is short of items says nothing without these."""
    is_short = changes.get("short") is not None
    if is_short > bool(changes.get("settles")) or ("short" in changes) > ("settles" in changes):
        raise ShortAloneError(fields={"short": [str(ShortAloneError.__doc__)]})
    if not changes.keys() - {"short", "force"}:
        raise NothingToEditError


def _payments(
    line: Transaction, entry: JournalEntry, changes: LineChanges
) -> tuple[Sequence[ItemPayment], LineChanges]:
    """Read what a change lets a line pay, if anything, and book the line there."""
    if "settles" not in changes:
        return (), changes
    if entry.status != "DRAFT":
        raise PostedPaymentError
    if not changes["settles"]:
        return (), changes
    paying = payments.chosen(line, changes["settles"], changes.get("short"))
    return paying, _booked(line, entry, changes, paying)


def _booked(
    line: Transaction, entry: JournalEntry, changes: LineChanges, paying: Sequence[ItemPayment]
) -> LineChanges:
    """Book a line where what it pays is: as a whole, or the parts of a split that are there already."""
    splits = changes.get("splits")
    if splits is not None:
        _check_place(changes, paying)
        return cast("LineChanges", {**changes, "splits": [_named(each, paying) for each in splits]})
    own = sides.counter_legs(target_legs.of(entry), line.id)
    is_split = len(own) > 1 and all(payments.paying_legs(line.organization_id, own, each) for each in paying)
    if len(paying) > 1 and not is_split:
        raise SeveralPartiesError if len({each.party_id for each in paying}) > 1 else SeveralAccountsError
    _check_place(changes, paying)
    if is_split:
        return changes
    (payment,) = paying
    where = {"account_id": payment.account.id, "org_merchant_id": payment.party_id}
    return cast("LineChanges", {**changes, **where})


def _check_place(changes: LineChanges, paying: Sequence[ItemPayment]) -> None:
    """Refuse an account or a merchant for the whole line that is not that of all that it pays."""
    for name, field, values in (
        ("account_id", "accountId", {each.account.id for each in paying}),
        ("org_merchant_id", "orgMerchantId", {each.party_id for each in paying}),
    ):
        if changes.get(name) is not None and {changes.get(name)} != values:
            places = ", ".join(sorted({each.account.name for each in paying}))
            sentence = f"What it pays is on {places}, each part with its party; leave {field} out."
            raise PaymentFitError(sentence, fields={field: [sentence]})


def _named(split: SplitInput, paying: Sequence[ItemPayment]) -> SplitInput:
    """Name the party in a part of a split, where what the line pays on its account is of one party."""
    parties = {each.party_id for each in paying if each.account.id == split["account_id"]}
    if len(parties) != 1:
        return split
    return {**split, "org_merchant_id": parties.pop()}


def _edit_draft(
    line: Transaction, entry: JournalEntry, changes: LineChanges, paying: Sequence[ItemPayment], doing: Act
) -> TouchedIds:
    legs = entries.legs_of(entry)
    doing.before = {**field_changes.of_legs(legs, entry.description), **paid_lines.facts(line)}
    if changes.get("description") is not None:
        entry.description = changes["description"]
    own = _own_legs(line, legs, changes)
    if own and changes.keys() - {"description"}:
        counter = changed_legs.of_line(line, own, changes)
        if paying:
            counter = paid_lines.put(line, counter, paying, force=changes.get("force", False))
        elif "settles" in changes:
            counter = paid_lines.in_its_currency(line, counter)
            paid_lines.drop(line)
        else:
            counter = paid_lines.keep(line, counter)
        _check_taxes(line, counter)
        counter_legs.write_own(line, entry, counter, document_id=changes.get("document_id"))
        legs = entries.legs_of(entry)
    doing.after = {**field_changes.of_legs(legs, entry.description), **paid_lines.facts(line)}
    db.session.flush()
    return TouchedIds([entry.id])


def _check_taxes(line: Transaction, counter: Sequence[Leg]) -> None:
    """Refuse a tax code on what settles an item: a part of an account that has no other one than it."""
    coded = {leg.account_id for leg in counter if leg.tax_code_id is not None}
    coded -= {leg.account_id for leg in counter if leg.tax_code_id is None}
    if coded and any(payment.account.id in coded for payment in payments.stored(line)):
        raise TaxOnSettlementError(fields={"taxCodeId": [str(TaxOnSettlementError.__doc__)]})


def _edit_posted(line: Transaction, entry: JournalEntry, changes: LineChanges, doing: Act) -> TouchedIds:
    if changes.get("description") is not None:
        raise PostedDescriptionError
    present, earlier = target_legs.of(entry), entries.marker_of(entry)
    earlier_ids = [earlier.id] if earlier else []
    doing.before = field_changes.of_legs(present, entry.description)
    counter = changed_legs.of_line(line, _own_legs(line, present, changes), changes)
    target = counter_legs.correct_counters(entry, {line.id: counter}, now=doing.now) if counter else present
    doing.after = field_changes.of_legs(target, entry.description)
    if is_same(target, present):
        doing.nothing_to_do()
    marker = entries.marker_of(entry)
    return TouchedIds([marker.id]) if marker else TouchedIds(deleted_journal_entry_ids=earlier_ids)
