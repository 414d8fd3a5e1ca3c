"""What a bank line may pay: the open items that it may be for, weighed, and who else wants them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money, total
from webapp.ledger.open_items.payable_items import AFTER, BEFORE, BankPayment, PayableItem
from webapp.ledger.open_items.payment_sets import SetVerdict
from webapp.ledger.open_items.payments import Basis, ChosenPart, PaymentChoice, PaymentRates, payment_evidence
from webapp.ledger.texts import remittances
from webapp.models import (
    Account,
    Document,
    JournalEntry,
    Merchant,
    OwedItem,
    PaymentPart,
    Posting,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.common import merchants
from webapp.queries.common.made_once import made_once
from webapp.queries.currencies import exchange_rates
from webapp.queries.items import listings, returned_payments
from webapp.queries.items.items import PARTY
from webapp.queries.items.listings import OwedItemRecord

# One more than are looked through for sets, and some that are named beside them.
MOST_READ = 200
# An opening item has no day: it is older than all others.
_BEGINNING = date.min
# What leaves no doubt that the line is a payment of open items, and brings none back.
EXACT = frozenset({Basis.IDENTIFICATION, Basis.NUMBERS, Basis.EXACT_RESIDUAL, Basis.ALL_OPEN})
# What makes a single item of exactly the amount the one that is paid.
CERTAIN = frozenset({Basis.IDENTIFICATION, Basis.EXACT_RESIDUAL})
# The digits of a rate that is worked out.
RATE_DIGITS = 6
# What people and banks put between the characters of a number.
_APART = " -/._%#:"


@dataclass(frozen=True, slots=True)
class WantedItem:
    """An item that other bank lines are to pay, too."""

    item_id: int
    transaction_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LinePayments:
    """What a line may pay, the best first, with the items of the choices and the other lines that are to pay them."""

    verdict: SetVerdict
    candidates: int
    choices: tuple[PaymentChoice, ...]
    items: tuple[OwedItemRecord, ...]
    wanted: tuple[WantedItem, ...]

    @property
    def by_id(self) -> dict[int, OwedItemRecord]:
        """The items by their ids."""
        return {each.id: each for each in self.items}

    @property
    def others(self) -> dict[int, tuple[int, ...]]:
        """The other lines that want an item, by its id."""
        return {each.item_id: each.transaction_ids for each in self.wanted}


def of_line(line: Transaction) -> LinePayments:
    """Weigh the open items for a bank line as they are now."""
    party = _party(line)
    payment = _payment(line, party)
    rows = {row.id: row for row in _rows(line, payment)}
    references = _references(line, rows)
    evidence = payment_evidence(payment, [_payable(row, references) for row in rows.values()])
    choices = [each for each in evidence.choices if _is_one_payment(each, rows)]
    if not any(each.basis in EXACT for each in choices):
        back = {row.id: row for row in returned_payments.rows(line, party)}
        rows |= back
        choices += [_returned(row) for row in back.values()]
    chosen = {each for choice in choices for each in choice.item_ids}
    records = listings.records(line.organization_id, [rows[each] for each in sorted(chosen)], line.booked_on)
    return LinePayments(
        evidence.verdict,
        evidence.candidates,
        tuple(_with_rates(line, each) for each in choices),
        tuple(records),
        tuple(WantedItem(item_id, lines) for item_id, lines in _wanted(line, chosen).items()),
    )


def exactly_open(organization_id: str, lines: Sequence[Transaction]) -> dict[int, PayableItem]:
    """Find, by line, the item that is open by exactly its amount: named in the text, or the payer's only such one.

    Without an open item of these amounts this takes one statement.
    """
    rows = db.session.execute(
        *_of_amounts(organization_id, sorted({line.amount_minor for line in lines}))
    ).all()
    found = {}
    for line in lines:
        same = {
            row.id: row
            for row in rows
            if (row.open_minor, row.currency) == (line.amount_minor, line.currency)
        }
        if not same:
            continue
        references = _references(line, same)
        items = {row.id: _payable(row, references) for row in same.values()}
        evidence = payment_evidence(_payment(line, _party(line)), list(items.values()))
        certain = [each for each in evidence.choices if each.basis in CERTAIN]
        if certain:
            found[line.id] = items[certain[0].item_ids[0]]
    return found


@made_once
def _of_amounts(organization_id: str, amounts: Sequence[int]) -> sa.Select[*tuple[Any, ...]]:
    keeping = sa.select(Account.id).where(Account.organization_id == organization_id, Account.keeps_items)
    open_minor = OwedItem.amount_minor - OwedItem.settled_minor
    return (
        sa.select(
            *(OwedItem.id, OwedItem.currency, OwedItem.reference, OwedItem.journal_entry_id),
            *(OwedItem.day, OwedItem.due_on, open_minor.label("open_minor"), PARTY.label("party")),
        )
        .outerjoin(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))
        .where(
            OwedItem.organization_id == organization_id,
            OwedItem.account_id.in_(keeping),
            listings.is_open_now(OwedItem),
            open_minor.in_(amounts),
        )
    )


def _payment(line: Transaction, party: int | None) -> BankPayment:
    text = " ".join(part for part in (line.description, line.counterparty, line.reference) if part)
    return BankPayment(Money(line.amount_minor, line.currency), party, line.booked_on, text)


def _with_rates(line: Transaction, choice: PaymentChoice) -> PaymentChoice:
    """Say at which rate a line would pay items of another currency: its whole amount for all the parts."""
    paid = total((part.amount for part in choice.parts), choice.left_open.currency)
    if paid.currency == line.currency or not paid.minor or not line.amount_minor:
        return choice
    base = organizations.get(line.organization_id).base_currency
    theirs, own = (
        exchange_rates.rate_on(line.organization_id, currency, base, line.booked_on)
        for currency in (paid.currency, line.currency)
    )
    of_day = None if theirs is None or own is None else _rounded(theirs / own)
    return replace(choice, rates=PaymentRates(_rounded(abs(paid.decimal / line.amount.decimal)), of_day))


def _rounded(rate: Decimal) -> Decimal:
    return rate.quantize(Decimal(1).scaleb(rate.adjusted() - RATE_DIGITS + 1))


def _returned(row: Any) -> PaymentChoice:
    """Propose that a line brings a payment back, whose settlement is then undone."""
    amount, nothing = Money(int(row.amount_minor), row.currency), Money.zero(row.currency)
    reason = f"Brings back the payment of {row.day:%-d %b %Y}."
    return PaymentChoice(Basis.RETURNED_PAYMENT, reason, (ChosenPart(row.id, amount),), nothing, nothing)


def _is_one_payment(choice: PaymentChoice, rows: Mapping[int, Any]) -> bool:
    """Return whether a line may pay a choice: its items are of one account, one currency and one party."""
    chosen = [rows[each] for each in choice.item_ids]
    return len({(each.account_id, each.currency, each.party) for each in chosen}) == 1


def _party(line: Transaction) -> int | None:
    """Give the merchant of a line's entry, else the one that is called as the line's counterparty."""
    found = set(
        db.session.scalars(
            sa.select(Posting.org_merchant_id).where(
                of_same_organization(Posting, line),
                Posting.journal_entry_id == line.journal_entry_id,
                ~Posting.is_bank_leg,
                Posting.org_merchant_id.is_not(None),
            )
        )
    )
    if not found and line.counterparty:
        return merchants.called(line.organization_id, [line.counterparty]).get(line.counterparty)
    counting = {merchants.counting_id(line.organization_id, each) for each in found}
    return counting.pop() if len(counting) == 1 else None


def _rows(line: Transaction, payment: BankPayment) -> Sequence[Any]:
    """Read the open items of the payer, or those that an unknown one may pay, and those that the text names."""
    items = listings.as_of(line.organization_id)
    statement = sa.select(items).where(
        items.c.account_id.in_(
            sa.select(Account.id).where(of_same_organization(Account, line), Account.keeps_items)
        ),
        items.c.open_minor != 0,
    )
    oldest = (items.c.due_on.nulls_first(), items.c.id)
    likely = statement.where(*_may_be_paid(items, payment)).order_by(*oldest).limit(MOST_READ)
    named = statement.where(_is_in_text(items.c.reference, payment.text)).order_by(*oldest).limit(MOST_READ)
    referenced = statement.where(items.c.journal_entry_id.in_(_referenced(line, payment))).limit(MOST_READ)
    return [row for each in (likely, named, referenced) for row in db.session.execute(each)]


def _referenced(line: Transaction, payment: BankPayment) -> sa.Select[Any]:
    """Select the entries of documents whose payment reference the text may have."""
    return (
        sa.select(JournalEntry.id)
        .join(Document, refers_to(JournalEntry.document_id, Document))
        .where(
            of_same_organization(JournalEntry, line),
            Document.remittance.is_not(None),
            _is_in_text(Document.remittance, payment.text),
        )
    )


def _references(line: Transaction, rows: Mapping[int, Any]) -> dict[int, str]:
    """Give the payment reference of the document that each item is owed for, where it states one."""
    found = db.session.execute(
        sa.select(JournalEntry.id, Document.remittance)
        .join(Document, refers_to(JournalEntry.document_id, Document))
        .where(
            of_same_organization(JournalEntry, line),
            JournalEntry.id.in_({row.journal_entry_id for row in rows.values()} - {None}),
            Document.remittance.is_not(None),
        )
    )
    stated = {row.id: row.remittance for row in found}
    return {row.id: stated[row.journal_entry_id] for row in rows.values() if row.journal_entry_id in stated}


def _may_be_paid(items: sa.Subquery, payment: BankPayment) -> Sequence[sa.ColumnElement[bool]]:
    is_same_currency = items.c.currency == payment.amount.currency
    if payment.party_id is not None:
        return is_same_currency, items.c.party == payment.party_id
    first, last = payment.day - BEFORE, payment.day + AFTER
    is_same_side = items.c.open_minor > 0 if payment.amount.minor > 0 else items.c.open_minor < 0
    is_about_then = sa.or_(items.c.day.between(first, last), items.c.due_on.between(first, last))
    return is_same_currency, is_same_side, is_about_then


def _is_in_text(number: Any, text: str) -> sa.ColumnElement[bool]:
    """Build the condition that a text may have a number, however it is set apart; `remittances` decides."""
    compact = sa.func.lower(number)
    for each in _APART:
        compact = sa.func.replace(compact, each, "")
    return sa.and_(
        sa.func.length(compact) >= remittances.SHORTEST_NUMBER,
        sa.literal(remittances.compacted(text)).contains(compact),
    )


def _payable(row: Any, references: Mapping[int, str]) -> PayableItem:
    return PayableItem(
        row.id,
        Money(int(row.open_minor), row.currency),
        row.party,
        row.day or row.due_on or _BEGINNING,
        row.due_on or row.day or _BEGINNING,
        number=row.reference,
        remittance=references.get(row.id),
    )


def _wanted(line: Transaction, item_ids: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Give the other lines that are to pay each of some items."""
    rows = db.session.execute(
        sa.select(PaymentPart.item_id, PaymentPart.transaction_id)
        .where(
            of_same_organization(PaymentPart, line),
            PaymentPart.item_id.in_(item_ids),
            PaymentPart.transaction_id != line.id,
        )
        .order_by(PaymentPart.transaction_id)
    )
    found: dict[int, tuple[int, ...]] = {}
    for item_id, line_id in rows:
        found[item_id] = (*found.get(item_id, ()), line_id)
    return found
