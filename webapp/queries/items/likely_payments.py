"""What bank lines likely pay: the open items of their parties and those that they name, weighed for many lines."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.money import Money, total
from webapp.ledger.open_items.payable_items import AFTER, BEFORE, BankPayment, NumberedItems, PayableItem
from webapp.ledger.open_items.payments import Basis, PaymentChoice, PaymentEvidence, payment_evidence
from webapp.ledger.texts import remittances
from webapp.ledger.titles import joined
from webapp.models import (
    Account,
    Document,
    JournalEntry,
    LinePayment,
    Merchant,
    OwedItem,
    PaymentPart,
    Transaction,
    refers_to,
)
from webapp.queries.common import merchants
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.items import listings
from webapp.queries.items.items import PARTY

# The oldest open items of a party that are weighed, beside those of exactly the payment.
MOST_READ = 200
# The choices of which one may be the payment that are named.
MOST_CHOICES = 3
# The length of the runs of words of a text by which numbers are looked up.
LONGEST_SPAN = 35
# An opening item has no day: it is older than all others.
_BEGINNING = date.min
# What people and banks put between the characters of a number.
_APART = " /-._%#:"
_Into = orm.aliased(Merchant)


@dataclass(frozen=True, slots=True)
class PayingLine:
    """A bank line that may pay, with the merchants of its entry."""

    id: int
    amount: Money
    booked_on: date
    counterparty: str | None
    text: str
    merchant_ids: frozenset[int]

    @classmethod
    def of(cls, line: Any, merchant_ids: Iterable[int | None]) -> Self:
        """Read a line or its record."""
        text = " ".join(part for part in (line.description, line.counterparty, line.reference) if part)
        known = frozenset(each for each in merchant_ids if each is not None)
        return cls(line.id, line.amount, line.booked_on, line.counterparty, text, known)


@dataclass(frozen=True, slots=True)
class LikelyPart:
    """An item that a line likely pays, with what it is called, its party, and how much of it."""

    item_id: int
    reference: str
    party_name: str | None
    amount: Money


@dataclass(frozen=True, slots=True)
class LikelyPayment:
    """What a line likely pays, and why; without `parts` only a person can tell which of the `choices` it is."""

    basis: Basis
    reason: str
    parts: tuple[LikelyPart, ...]
    choices: tuple[tuple[LikelyPart, ...], ...] = ()

    @property
    def names(self) -> str:
        """The numbers of what it pays or may pay, for a sentence."""
        if self.parts:
            return joined([each.reference for each in self.parts])
        return joined([joined([part.reference for part in each]) for each in self.choices], "or")

    def warning(self, line_id: int) -> str:
        """Say what becomes of the items if the line is put elsewhere."""
        if not self.parts:
            return f"{self.reason} Match it to that, or it stays open (line {line_id})."
        paid = total((each.amount for each in self.parts), self.parts[0].amount.currency).formatted
        return (
            f"{paid} is the open amount of {self.names} (line {line_id}). Match it to that, or it stays open."
        )

    @property
    def item_ids(self) -> list[int]:
        """All items that it pays or may pay."""
        parts = [part for each in (self.parts, *self.choices) for part in each]
        return list(dict.fromkeys(part.item_id for part in parts))


def likely(organization_id: str, lines: Sequence[PayingLine]) -> dict[int, LikelyPayment]:
    """Give what lines likely pay, by line; without open items of their parties or numbers this takes one statement.

    An item that another draft is to pay already is never said for sure.
    """
    weighed = WeighedPayments(organization_id, lines)
    if not weighed.rows:
        return {}
    found = {}
    for line in lines:
        evidence, choices = weighed.evidence(line)
        if evidence.is_likely and choices:
            is_sure = evidence.is_sure and choices[0] is evidence.choices[0]
            found[line.id] = (is_sure, choices)
    payers = _payers(organization_id, {part for _, choices in found.values() for part in choices[0].item_ids})
    return {
        line_id: weighed.likely(choices, is_sure=is_sure, payers=payers, line_id=line_id)
        for line_id, (is_sure, choices) in found.items()
    }


class WeighedPayments:
    """The open items that some lines may pay, and what each line may pay of them."""

    def __init__(self, organization_id: str, lines: Sequence[PayingLine], *, is_wide: bool = False) -> None:
        self.rows = _open_items(organization_id, lines, is_wide=is_wide)
        self.items = {row.id: _payable(row) for row in self.rows.values()}
        self._numbers = NumberedItems(self.items.values())
        self._is_wide = is_wide
        self._merged = merchants.merged(organization_id) if self.rows else {}
        unknown = {line.counterparty for line in lines if line.counterparty and not line.merchant_ids}
        self._called = merchants.called(organization_id, unknown) if self.rows and unknown else {}
        self._by_party: defaultdict[int | None, list[PayableItem]] = defaultdict(list)
        for item in sorted(self.items.values(), key=lambda each: (each.due_on, each.id)):
            self._by_party[item.party_id].append(item)

    def party(self, line: PayingLine) -> int | None:
        """Return the merchant of a line's entry, else the one that is called as the line's counterparty."""
        known = {self._merged.get(each, each) for each in line.merchant_ids}
        if not known and line.counterparty:
            return self._called.get(line.counterparty)
        return known.pop() if len(known) == 1 else None

    def evidence(self, line: PayingLine) -> tuple[PaymentEvidence, list[PaymentChoice]]:
        """Weigh the items for a line; the choices are those that one line can pay."""
        party = self.party(line)
        payment = BankPayment(line.amount, party, line.booked_on, line.text)
        named = {item.id: item for item in self._numbers.possible(line.text)}
        others = self.items.values() if party is None and self._is_wide else self._of_party(party, line)
        possible = {**{item.id: item for item in others}, **named}
        evidence = payment_evidence(payment, list(possible.values()), named)
        return evidence, [each for each in evidence.choices if _is_one_payment(each, self.rows)]

    def _of_party(self, party: int | None, line: PayingLine) -> list[PayableItem]:
        items = [] if party is None else self._by_party[party]
        return [each for at, each in enumerate(items) if at < MOST_READ or each.amount == line.amount]

    def likely(
        self, choices: Sequence[PaymentChoice], *, is_sure: bool, payers: Mapping[int, set[int]], line_id: int
    ) -> LikelyPayment:
        """Say what a line likely pays."""
        best = choices[0]
        others = set().union(*(payers.get(each, set()) for each in best.item_ids)) - {line_id}
        if is_sure and not others:
            return LikelyPayment(best.basis, best.reason, self._parts(best))
        if others:
            taken = f" Another line is matched to it already (line {min(others)})."
            only = LikelyPayment(best.basis, "", (), (self._parts(best),))
            return replace(only, reason=f"May pay {only.names}.{taken}")
        some = tuple(self._parts(each) for each in choices[:MOST_CHOICES])
        unsure = LikelyPayment(best.basis, "", (), some)
        return replace(unsure, reason=f"May pay {unsure.names}. {best.reason}")

    def _parts(self, choice: PaymentChoice) -> tuple[LikelyPart, ...]:
        return tuple(
            LikelyPart(
                part.item_id,
                self.items[part.item_id].label,
                self.rows[part.item_id].party_name,
                part.amount,
            )
            for part in choice.parts
        )


def _open_items(organization_id: str, lines: Sequence[PayingLine], *, is_wide: bool) -> dict[int, Any]:
    """Read the open items of the parties of lines, and those that their texts may name; or all about a line's days."""
    names = {line.counterparty.lower() for line in lines if line.counterparty and not line.merchant_ids}
    known = {each for line in lines for each in line.merchant_ids}
    words = {each for line in lines for each in remittances.spans(line.text, LONGEST_SPAN)}
    references = {each for line in lines for each in remittances.creditor_references(line.text)}
    keys = {each for each in words | references if len(each) >= remittances.SHORTEST_NUMBER}
    within = {each[4:].lstrip("0") for each in references}
    text = "\n".join(remittances.compacted(line.text) for line in lines)
    # Nothing is read for a single line that is to pay something already, however much its party owes.
    lone = [line.id for line in lines] if len(lines) == 1 and not is_wide else []
    found = db.session.execute(
        *_of_parties(
            organization_id, known=known, names=names, keys=keys, within=within, text=text, lone=lone
        )
    )
    rows = {row.id: row for row in found}
    if is_wide:
        (line,) = lines
        first, last = line.booked_on - BEFORE, line.booked_on + AFTER
        rows |= {row.id: row for row in db.session.execute(*_about(organization_id, first, last))}
    return rows


@made_once
def _of_parties(
    organization_id: str,
    *,
    known: Collection[int],
    names: Collection[str],
    keys: Collection[str],
    within: Collection[str],
    text: str,
    lone: Collection[int],
) -> sa.Select[*tuple[Any, ...]]:
    parties = sa.select(sa.func.coalesce(_Into.merged_into_id, _Into.id)).where(
        _Into.organization_id == organization_id,
        sa.or_(among(_Into.id, known), among(fold(_Into.name), names)),
    )
    named = (_is_named(each, keys, within, text) for each in (OwedItem.reference, Document.remittance))
    is_paying = sa.exists().where(
        LinePayment.organization_id == organization_id, among(LinePayment.transaction_id, lone)
    )
    return _opened(organization_id).where(
        sa.not_(is_paying.correlate(None)), sa.or_(PARTY.in_(parties), *named)
    )


@made_once
def _about(organization_id: str, first: date, last: date) -> sa.Select[*tuple[Any, ...]]:
    is_about_then = sa.or_(OwedItem.day.between(first, last), OwedItem.due_on.between(first, last))
    return _opened(organization_id).where(is_about_then).limit(MOST_READ)


def _opened(organization_id: Any) -> sa.Select[*tuple[Any, ...]]:
    keeping = sa.select(Account.id).where(Account.organization_id == organization_id, Account.keeps_items)
    into = orm.aliased(Merchant)
    open_minor = OwedItem.amount_minor - OwedItem.settled_minor
    return (
        sa.select(
            *(OwedItem.id, OwedItem.account_id, OwedItem.currency, OwedItem.reference, Document.remittance),
            *(OwedItem.day, OwedItem.due_on, open_minor.label("open_minor"), PARTY.label("party")),
            sa.func.coalesce(into.name, Merchant.name).label("party_name"),
        )
        .select_from(OwedItem)
        .outerjoin(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))
        .outerjoin(
            into,
            sa.and_(into.organization_id == Merchant.organization_id, into.id == Merchant.merged_into_id),
        )
        .outerjoin(JournalEntry, refers_to(OwedItem.journal_entry_id, JournalEntry))
        .outerjoin(Document, refers_to(JournalEntry.document_id, Document))
        .where(
            OwedItem.organization_id == organization_id,
            OwedItem.account_id.in_(keeping),
            listings.is_open_now(OwedItem),
            open_minor != 0,
        )
        .order_by(OwedItem.due_on.nulls_first(), OwedItem.id)
    )


def _is_one_payment(choice: PaymentChoice, rows: Mapping[int, Any]) -> bool:
    """Return whether a line may pay a choice: its items are of one account, one currency and one party."""
    chosen = [rows[each] for each in choice.item_ids]
    return len({(each.account_id, each.currency, each.party) for each in chosen}) == 1


def _is_named(number: Any, keys: Any, within: Any, text: Any) -> sa.ColumnElement[bool]:
    """Build the condition that a text may have a number, however it is set apart; `remittances` decides.

    A text is looked up by its runs of words; only a number that is longer than these is looked for in the whole. What
    the text has nowhere is in no run either: that is found out first, since it holds for nearly all numbers.
    """
    compact = sa.func.lower(number)
    for each in _APART:
        compact = sa.func.replace(compact, each, "", type_=sa.Text())
    without_zeros = sa.func.ltrim(compact, "0", type_=sa.Text())
    whole, is_long = sa.type_coerce(text, sa.Text()), sa.func.length(compact) > LONGEST_SPAN
    return sa.and_(
        whole.contains(without_zeros),
        sa.or_(among(compact, keys), among(without_zeros, within), sa.and_(is_long, whole.contains(compact))),
    )


def _payable(row: Any) -> PayableItem:
    return PayableItem(
        row.id,
        Money(int(row.open_minor), row.currency),
        row.party,
        row.day or row.due_on or _BEGINNING,
        row.due_on or row.day or _BEGINNING,
        number=row.reference,
        remittance=row.remittance,
    )


def _payers(organization_id: str, item_ids: Collection[int]) -> dict[int, set[int]]:
    """Give the drafts that are to pay each of some items."""
    if not item_ids:
        return {}
    found: defaultdict[int, set[int]] = defaultdict(set)
    for item_id, line_id in db.session.execute(*_paying_drafts(organization_id, item_ids)):
        found[item_id].add(line_id)
    return found


@made_once
def _paying_drafts(organization_id: str, item_ids: Collection[int]) -> sa.Select[int, int]:
    return (
        sa.select(PaymentPart.item_id, PaymentPart.transaction_id)
        .join(Transaction, refers_to(PaymentPart.transaction_id, Transaction))
        .join(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(
            PaymentPart.organization_id == organization_id,
            among(PaymentPart.item_id, item_ids),
            JournalEntry.status == "DRAFT",
        )
    )
