"""The open item of exactly a line's amount that the line's text names, for many lines at once."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.open_items.payable_items import BankPayment, NumberedItems, PayableItem
from webapp.ledger.open_items.payments import identified
from webapp.ledger.rules.line_outcomes import NAMES_NOTHING, Books, NamedItem, unpayable
from webapp.models import (
    Account,
    Document,
    JournalEntry,
    Merchant,
    OwedItem,
    PaymentPart,
    Transaction,
    refers_to,
)
from webapp.queries.common import merchants
from webapp.queries.items.items import PARTY
from webapp.queries.rules.candidates import CandidateLine, LineState

POSTED = "This line is posted; what it paid is settled where its party's items are."


OPEN_MINOR = OwedItem.amount_minor - OwedItem.settled_minor


class NameableItem(NamedTuple):
    """An open item as it is kept, with what is left of it, its party, and the payment reference of its document."""

    id: int
    account_id: int
    currency: str
    merchant_id: int | None
    day: Any
    due_on: Any
    number: str | None
    open_minor: int
    party: int | None
    remittance: str | None

    @property
    def payable(self) -> PayableItem:
        """The item as a payment meets it; its days tell nothing here."""
        left = Money(self.open_minor, self.currency)
        return PayableItem(self.id, left, self.party, self.day, self.due_on, self.number, self.remittance)


@dataclass(frozen=True, slots=True)
class _Paying:
    """A line that may pay what its text names, in the name of its entry's merchant."""

    line: CandidateLine
    merchant_id: int | None

    @property
    def text(self) -> str:
        """All that the bank says of the payment."""
        parts = (self.line.description, self.line.counterparty, self.line.reference)
        return " ".join(part for part in parts if part)


def of_lines(
    organization_id: str, books: Books, lines: Sequence[CandidateLine], states: Mapping[int, LineState]
) -> dict[int, NamedItem | str]:
    """Return the item that each line names, or a sentence on why there is none; the first of two lines gets an item.

    All open items are read at once, and only where one of them has a line's amount and its text may name it.
    """
    found: dict[int, NamedItem | str] = {}
    paying: list[_Paying] = []
    for line in lines:
        state = states[line.id]
        reason = state.closed or (POSTED if state.is_posted else None)
        if reason is None and state.leg is not None:
            paying.append(_Paying(line, state.leg.merchant_id))
        found[line.id] = reason or NAMES_NOTHING
    amounts = {each.line.amount_minor for each in paying}
    exact = NumberedItems(_open_items(organization_id, OPEN_MINOR.in_(amounts)) if amounts else [])
    likely = [each for each in paying if exact.possible(each.text)]
    if not likely:
        return found
    for line, item in _first_come(organization_id, _identified(organization_id, likely)):
        leg = states[line.id].leg
        problem = unpayable(item, leg, line.currency, books) if leg and isinstance(item, NamedItem) else None
        found[line.id] = problem or item
    return found


def _identified(organization_id: str, paying: Sequence[_Paying]) -> list[tuple[CandidateLine, NameableItem]]:
    numbers = NumberedItems(_open_items(organization_id))
    called = merchants.called(
        organization_id, {each.line.counterparty or "" for each in paying if each.merchant_id is None}
    )
    chosen: list[tuple[CandidateLine, NameableItem]] = []
    for each in paying:
        line, possible = each.line, {item.id: item for item in numbers.possible(each.text)}
        party = merchants.counting_id(organization_id, each.merchant_id) or called.get(
            line.counterparty or ""
        )
        payment = BankPayment(Money(line.amount_minor, line.currency), party, line.booked_on, each.text)
        item = identified(payment, [item.payable for item in possible.values()])
        if item is not None:
            chosen.append((line, possible[item.id]))
    return chosen


def _first_come(
    organization_id: str, chosen: Sequence[tuple[CandidateLine, NameableItem]]
) -> Iterator[tuple[CandidateLine, NamedItem | str]]:
    """Give each item to the first line that names it, or to the draft that is to pay it already."""
    payers = _payers(organization_id, {item.id for _, item in chosen})
    for line, item in chosen:
        payer = payers.setdefault(item.id, line.id)
        yield (
            line,
            NamedItem(item.id, item.account_id, item.merchant_id)
            if payer == line.id
            else f"Another line is to pay {item.payable.label} already (line {payer}).",
        )


def _open_items(organization_id: str, *conditions: sa.ColumnElement[bool]) -> list[NameableItem]:
    kept = sa.select(Account.id).where(Account.organization_id == organization_id, Account.keeps_items)
    rows = db.session.execute(
        sa.select(
            OwedItem.id,
            OwedItem.account_id,
            OwedItem.currency,
            OwedItem.org_merchant_id,
            OwedItem.day,
            OwedItem.due_on,
            OwedItem.reference,
            OPEN_MINOR,
            PARTY,
            Document.remittance,
        )
        .outerjoin(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))
        .outerjoin(JournalEntry, refers_to(OwedItem.journal_entry_id, JournalEntry))
        .outerjoin(Document, refers_to(JournalEntry.document_id, Document))
        .where(
            OwedItem.organization_id == organization_id,
            OwedItem.account_id.in_(kept),
            OPEN_MINOR != 0,
            sa.or_(OwedItem.reference.is_not(None), Document.remittance.is_not(None)),
            *conditions,
        )
        .order_by(OwedItem.id)
    )
    return [NameableItem._make(row) for row in rows]


def _payers(organization_id: str, item_ids: Collection[int]) -> dict[int, int]:
    """Return the first draft that is to pay each of some items."""
    rows = db.session.execute(
        sa.select(PaymentPart.item_id, sa.func.min(PaymentPart.transaction_id).label("payer"))
        .join(Transaction, refers_to(PaymentPart.transaction_id, Transaction))
        .join(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(
            PaymentPart.organization_id == organization_id,
            PaymentPart.item_id.in_(item_ids),
            JournalEntry.status == "DRAFT",
        )
        .group_by(PaymentPart.item_id)
    )
    return {row.item_id: row.payer for row in rows}
