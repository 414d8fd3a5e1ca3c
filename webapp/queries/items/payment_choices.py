"""What bank lines may pay: the open items that they may be for, weighed, and who else wants them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.money import Money, total
from webapp.ledger.open_items.payment_sets import SetVerdict
from webapp.ledger.open_items.payments import (
    INEXACT,
    Basis,
    ChosenPart,
    PaymentChoice,
    PaymentRates,
)
from webapp.models import (
    PaymentPart,
    Posting,
    Transaction,
    of_same_organization,
)
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.currencies import exchange_rates
from webapp.queries.items import listings, returned_payments
from webapp.queries.items.likely_payments import PayingLine, WeighedPayments
from webapp.queries.items.listings import OwedItemRecord

# What leaves no doubt that the line is a payment of open items, and brings none back.
EXACT = frozenset({Basis.IDENTIFICATION, Basis.NUMBERS, Basis.EXACT_RESIDUAL, Basis.ALL_OPEN})
# The digits of a rate that is worked out.
RATE_DIGITS = 6


@dataclass(frozen=True, slots=True)
class WantedItem:
    """An item that other bank lines are to pay, too."""

    item_id: int
    transaction_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LinePayments:
    """What a line may pay, the best first, with the items of the choices and the other lines that are to pay them.

    `charges_account_id` is the account of the bank's charges, where the line has some.
    """

    verdict: SetVerdict
    candidates: int
    choices: tuple[PaymentChoice, ...]
    items: tuple[OwedItemRecord, ...]
    wanted: tuple[WantedItem, ...]
    charges_account_id: int | None = None

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
    organization_id = line.organization_id
    paying = PayingLine.of(line, _merchants_of(line))
    weighed = WeighedPayments(organization_id, [paying], is_wide=True)
    evidence, choices = weighed.evidence(paying)
    if not any(each.basis in EXACT for each in choices):
        choices = [*_with_charges(line, paying, weighed), *choices]
        choices += [_returned(row) for row in returned_payments.rows(line, weighed.party(paying))]
    chosen = sorted({each for choice in choices for each in choice.item_ids})
    items = listings.as_of(organization_id)
    rows = db.session.execute(sa.select(items).where(items.c.id.in_(chosen))).all() if chosen else []
    records = listings.records(organization_id, sorted(rows, key=lambda row: row.id), line.booked_on)
    return LinePayments(
        evidence.verdict,
        evidence.candidates,
        tuple(_with_rates(line, each) for each in choices),
        tuple(records),
        tuple(WantedItem(item_id, lines) for item_id, lines in _wanted(line, chosen).items()),
        accounts.by_role(organization_id, Role.BANK_CHARGES).id if line.charges else None,
    )


def _with_charges(line: Transaction, paying: PayingLine, weighed: WeighedPayments) -> list[PaymentChoice]:
    """Propose the items that are the line without the charges that its bank states within it."""
    charges = line.charges
    if charges is None:
        return []
    _, choices = weighed.evidence(replace(paying, amount=line.amount + charges))
    reason = f"The line has {charges.formatted} of charges."
    return [
        replace(each, reason=f"{each.reason} {reason}", unused=-charges, charges=charges)
        for each in choices
        if each.basis not in INEXACT
    ]


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


def _merchants_of(line: Transaction) -> Sequence[int | None]:
    return db.session.scalars(
        sa.select(Posting.org_merchant_id).where(
            of_same_organization(Posting, line),
            Posting.journal_entry_id == line.journal_entry_id,
            ~Posting.is_bank_leg,
            Posting.org_merchant_id.is_not(None),
        )
    ).all()


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
