"""What bank lines are to pay when they are confirmed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import dimensions
from webapp.ledger.chart import Role
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.mirrors import share
from webapp.ledger.money import Money
from webapp.models import LinePayment, OwedItem, PaymentPart, refers_to
from webapp.models.base import table_of
from webapp.queries.accounts import accounts
from webapp.queries.common import merchants
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once


@dataclass(frozen=True, slots=True)
class PaidPart:
    """How much of an item a line is to pay, with the item's sign, and the reference that the item has.

    `place` is where the item is: its account, and its merchant. `in_line_minor` is how much of the line that is, where
    it is known.
    """

    item_id: int
    amount: Money
    reference: str | None
    place: tuple[int, int | None] = (0, None)
    in_line_minor: int | None = None


@dataclass(frozen=True, slots=True)
class LinePaymentRecord:
    """What a line is to pay; `short` is as it was stored: `amount`, `as` and `splits`, in minor units."""

    parts: tuple[PaidPart, ...]
    short: Mapping[str, Any] | None

    @property
    def short_currency(self) -> str:
        """The currency of what is short: the one that was stored with it, or that of the items."""
        currency: str = (self.short or {}).get("currency") or self.parts[0].amount.currency
        return currency


def of_line(organization_id: str, line_id: int) -> LinePaymentRecord | None:
    """Give what a line is to pay; None where it pays nothing."""
    return of_lines(organization_id, [line_id]).get(line_id)


def of_lines(organization_id: str, line_ids: Sequence[int]) -> dict[int, LinePaymentRecord]:
    """Give what lines are to pay, by line, in two statements; most pay nothing and take one."""
    return of_paying(organization_id, paying(organization_id, line_ids))


def of_paying(organization_id: str, paying_ids: Collection[int]) -> dict[int, LinePaymentRecord]:
    """Give what lines are to pay of which it is known that they pay something, by line."""
    if not paying_ids:
        return {}
    rows = db.session.execute(
        sa.select(PaymentPart, OwedItem, LinePayment.short)
        .join(OwedItem, refers_to(PaymentPart.item_id, OwedItem))
        .join(
            LinePayment,
            sa.and_(
                LinePayment.organization_id == PaymentPart.organization_id,
                LinePayment.transaction_id == PaymentPart.transaction_id,
            ),
        )
        .where(PaymentPart.organization_id == organization_id, PaymentPart.transaction_id.in_(paying_ids))
        .order_by(PaymentPart.transaction_id, PaymentPart.item_id)
    )
    found: dict[int, LinePaymentRecord] = {}
    for part, item, short in rows:
        amount, place = Money(part.amount_minor, item.currency), (item.account_id, item.org_merchant_id)
        paid = PaidPart(item.id, amount, item.reference, place, part.in_line_minor)
        earlier = found.get(part.transaction_id, LinePaymentRecord((), short)).parts
        found[part.transaction_id] = LinePaymentRecord((*earlier, paid), short)
    return found


def in_line(organization_id: str, record: LinePaymentRecord, legs: Sequence[Leg]) -> dict[int, int]:
    """Give how much of a line its counter legs are that pay in other currencies, where that is stored, by their places.

    A leg is that of the same account, currency and party, or else of the same amount.
    """
    groups: dict[tuple[int, int | None, str], list[PaidPart]] = {}
    stored = [part for part in record.parts if part.in_line_minor is not None]
    merged = merchants.merged(organization_id) if stored else {}
    for part in stored:
        account_id, merchant_id = part.place
        key = account_id, dimensions.counting(merchant_id, merged), part.amount.currency
        groups.setdefault(key, []).append(part)
    found: dict[int, int] = {}
    for (account_id, party_id, currency), parts in groups.items():
        amount = sum(part.amount.minor for part in parts)
        free = [
            place
            for place, leg in enumerate(legs)
            if place not in found and (leg.account_id, leg.currency) == (account_id, currency)
        ]
        own = [place for place in free if dimensions.counting(legs[place].merchant_id, merged) == party_id]
        own = own or [place for place in free if legs[place].amount_minor == -amount][:1]
        if own:
            minor = -sum(part.in_line_minor or 0 for part in parts)
            found |= dict(zip(own, share(minor, [legs[place].amount_minor for place in own]), strict=True))
    if found:
        # What the entry realises is no part of the line.
        differences_id = accounts.by_role(organization_id, Role.REALISED_EXCHANGE).id
        found |= {place: 0 for place, leg in enumerate(legs) if leg.account_id == differences_id}
    return found


def short_of(payment: LinePaymentRecord) -> dict[str, Any] | None:
    """Give what a payment is short of its items as it was sent: in amounts without a sign."""
    if payment.short is None:
        return None
    currency = payment.short_currency
    splits = [
        {
            "account_id": each["accountId"],
            "project_id": each["projectId"],
            "amount": abs(Money(each["amount"], currency)),
        }
        for each in payment.short["splits"]
    ]
    is_one = len(splits) == 1
    return {
        "amount": abs(Money(payment.short["amount"], currency)),
        "currency": currency,
        "as": payment.short["as"],
        "account_id": splits[0]["account_id"] if is_one else None,
        "splits": None if is_one and splits[0]["project_id"] is None else splits,
    }


def paying(organization_id: str, line_ids: Collection[int]) -> set[int]:
    """Give those of some lines that are to pay something."""
    return {line_id for (line_id,) in db.session.execute(*_paying(organization_id, list(line_ids))).all()}


@made_once
def _paying(organization_id: str, line_ids: Sequence[int]) -> sa.Select[Any]:
    payment = table_of(LinePayment).c
    return sa.select(payment.transaction_id).where(
        payment.organization_id == organization_id, among(payment.transaction_id, line_ids)
    )
