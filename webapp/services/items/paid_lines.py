"""Lines that pay: what they are to pay is stored with their draft, and settled when they are posted."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import dimensions
from webapp.ledger.chart import Role
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.mirrors import share
from webapp.ledger.journal.sides import counter_legs
from webapp.ledger.journal.transfer_fits import MOST_PERCENT
from webapp.ledger.money import Money
from webapp.ledger.references import Kind, Ref
from webapp.ledger.texts.legible import cited
from webapp.models import Account, JournalEntry, LinePayment, OwedItem, PaymentPart, Transaction
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import merchants
from webapp.queries.currencies import exchange_rates
from webapp.queries.items import items, line_payments, settlements
from webapp.queries.items.line_payments import PaidPart
from webapp.queries.journal import entries
from webapp.queries.tax import parts as item_taxes
from webapp.services.items import payments, shortfalls
from webapp.services.items.payments import ItemPayment
from webapp.services.items.refusals import ItemTakenError, PaymentFitError, RatesApartError
from webapp.services.journal import line_drafts
from webapp.services.journal.settlements import Shortfall, note, part_of, settle_items, undo

RETURNED = "The payment came back."
REOPENED = "Money came for what was written off."
MOST_NAMED = 3


def put(
    line: Transaction, legs: Sequence[Leg], paying: Sequence[ItemPayment], *, force: bool = False
) -> list[Leg]:
    """Let a draft pay something when it is confirmed; answers its counter legs as they then are.

    Raises RatesApartError where it pays at a rate far from its day's, unless that is forced.
    """
    legs, in_line = payments.fitted(line, in_its_currency(line, legs), paying)
    for payment, share_minor in zip(paying, in_line, strict=True):
        if payment.currency != line.currency and not force:
            _check_rate(line, payment, share_minor)
    _keep_shares(line, paying, in_line)
    return legs


def _keep_shares(line: Transaction, paying: Sequence[ItemPayment], in_line: Sequence[int]) -> None:
    """Store what a line pays, with how much of it each part is where several are in other currencies than its own."""
    is_shared = sum(payment.currency != line.currency for payment in paying) > 1
    drop(line)
    kept = [payments.kept(*each) for each in zip(paying, in_line, strict=True)]
    parts = []
    for payment, minor in zip(kept, in_line, strict=True):
        is_stored = is_shared and payment.currency != line.currency
        shares = share(minor, [amount for _, amount in payment.taken])
        parts += [
            (item.id, amount, own if is_stored else None)
            for (item, amount), own in zip(payment.taken, shares, strict=True)
        ]
    _store(line, parts, next((payment.short for payment in kept), None))


def keep(line: Transaction, legs: Sequence[Leg]) -> list[Leg]:
    """Keep what a line is to pay as long as its changed legs have it, else forget it; answers the legs."""
    if line_payments.of_line(line.organization_id, line.id) is None:
        return list(legs)
    own = in_its_currency(line, legs)
    try:
        paying = payments.stored(line)
        changed, in_line = payments.fitted(line, own, paying)
    except LedgerError:
        drop(line)
        return own
    if sum(payment.currency != line.currency for payment in paying) > 1:
        _keep_shares(line, paying, in_line)
    return changed


def in_its_currency(line: Transaction, legs: Sequence[Leg]) -> list[Leg]:
    """Give a line's counter legs in its own currency again."""
    differences_id = accounts.by_role(line.organization_id, Role.REALISED_EXCHANGE).id
    return payments.in_line(line, line_drafts.unshared(line, legs), differences_id)


def drop(line: Transaction) -> None:
    """Let a line pay nothing."""
    _drop(line.organization_id, [line.id])


def put_whole(organization_id: str, paying: Mapping[int, PaidPart | None]) -> None:
    """Let each of some lines, by id, pay one item alone with all that it is, or nothing; their legs have it already."""
    _drop(organization_id, paying)
    parts = [
        {
            "organization_id": organization_id,
            "transaction_id": line_id,
            "item_id": part.item_id,
            "amount_minor": part.amount.minor,
        }
        for line_id, part in paying.items()
        if part is not None
    ]
    if parts:
        of_lines = [{key: each[key] for key in ("organization_id", "transaction_id")} for each in parts]
        db.session.execute(sa.insert(table_of(LinePayment)), of_lines)
        db.session.execute(sa.insert(table_of(PaymentPart)), parts)


def _drop(organization_id: str, line_ids: Collection[int]) -> None:
    for table in (table_of(PaymentPart), table_of(LinePayment)):
        is_of_line = (table.c.organization_id == organization_id, table.c.transaction_id.in_(line_ids))
        db.session.execute(sa.delete(table).where(*is_of_line))


def facts(line: Transaction) -> dict[str, object]:
    """Give what a line is to pay as JSON, for the audit trail; nothing where it pays nothing."""
    record = line_payments.of_line(line.organization_id, line.id)
    if record is None:
        return {}
    parts = [
        {"itemId": Ref(Kind.POSTING, each.item_id), "amount": str(each.amount)}
        | ({} if each.in_line_minor is None else {"inLine": str(Money(each.in_line_minor, line.currency))})
        for each in record.parts
    ]
    short = record.short and {
        **record.short,
        "splits": [
            {
                **each,
                "accountId": Ref(Kind.ACCOUNT, each["accountId"]),
                "projectId": Ref.optional(Kind.PROJECT, each["projectId"]),
            }
            for each in record.short["splits"]
        ],
    }
    return {"settles": parts, "short": short}


def put_back(line: Transaction, stored: Mapping[str, Any]) -> None:
    """Let a line pay again what an act stored of it, or nothing; what is left of that is asked when it is posted."""
    drop(line)
    found = items.by_id(line.organization_id, [each["itemId"] for each in stored.get("settles", ())])
    if not found:
        return
    parts = [
        (
            each["itemId"],
            Money.of(Decimal(each["amount"]), found[each["itemId"]].currency).minor,
            Money.of(Decimal(each["inLine"]), line.currency).minor if "inLine" in each else None,
        )
        for each in stored["settles"]
        if each["itemId"] in found
    ]
    _store(line, parts, stored.get("short"))


def _store(
    line: Transaction, parts: Sequence[tuple[int, int, int | None]], short: Mapping[str, Any] | None
) -> None:
    """Store what a line pays: each item with the amount, and how much of the line that is where it is known."""
    of_line = {"organization_id": line.organization_id, "transaction_id": line.id}
    db.session.execute(sa.insert(LinePayment).values(**of_line, short=short))
    rows = [
        {**of_line, "item_id": item_id, "amount_minor": amount, "in_line_minor": in_line}
        for item_id, amount, in_line in parts
    ]
    db.session.execute(sa.insert(PaymentPart), rows)


def due(line: Transaction, entry: JournalEntry) -> tuple[ItemPayment, ...]:
    """Give what a draft pays when it is posted now, or refuse it: 409 `item_taken` where less is left.

    What has no leg on the account any more, because a rule or a transfer took the line elsewhere, pays nothing.
    """
    if line_payments.of_line(line.organization_id, line.id) is None:
        return ()
    paying = payments.stored(line)
    own = in_its_currency(line, counter_legs(entries.legs_of(entry), line.id))
    if not any(payments.paying_legs(line.organization_id, own, each) for each in paying):
        if {leg.account_id for leg in own} & {each.account.id for each in paying}:
            raise ItemTakenError(
                "What this line is to pay is of another party now; choose what it pays again."
            )
        drop(line)
        return ()
    for payment in paying:
        payments.check(line, payment)
    payments.fitted(line, own, paying)
    return paying


def settle(line: Transaction, entry: JournalEntry, payment: ItemPayment) -> None:
    """Settle what a posted line pays, in the open act; the payments that it returns are first taken back."""
    for item, amount in payment.taken:
        if payments.is_returnable(item):
            _take_back(item, amount, entry.effective_on, line.booked_on)
        else:
            _reopen(payment.account, item, amount, entry.effective_on)
    found = items.by_id(line.organization_id, [item.id for item, _ in payment.taken])
    taken = [part_of(found[item.id], amount) for item, amount in payment.taken]
    legs = entries.legs_of(entry)
    shortfall = _shortfall(line, legs, payment)
    left = (shortfall.amount_minor if shortfall else 0) - payment.owed.minor
    for item in _items_of(line, entry, payment):
        amount = min(abs(left), abs(item.amount_minor - item.settled_minor)) * (1 if left > 0 else -1)
        if amount:
            taken.append(part_of(item, amount))
            left -= amount
    if left:
        raise PaymentFitError(
            f"{cited(payment.account.name)} keeps items from a later day than that of this line, so it can pay none."
        )
    note("after", [settle_items(payment.account, taken, cause="PAYMENT", shortfall=shortfall)])


def _shortfall(line: Transaction, legs: Sequence[Leg], payment: ItemPayment) -> Shortfall | None:
    if payment.short is None:
        return None
    own = payments.paying_legs(line.organization_id, counter_legs(legs, line.id), payment)
    paid = Money(-sum(leg.amount_minor for leg in own), payment.currency)
    bank = next(leg for leg in legs if leg.transaction_id == line.id and leg.is_bank_leg)
    return shortfalls.posted(
        payment.short, payment.owed - paid, _names([item for item, _ in payment.taken]), bank
    )


def _items_of(line: Transaction, entry: JournalEntry, payment: ItemPayment) -> list[OwedItem]:
    merged = merchants.merged(line.organization_id)
    return [
        item
        for item in items.of_entry(line.organization_id, entry.id)
        if (item.account_id, item.currency) == (payment.account.id, payment.currency)
        and dimensions.counting(item.org_merchant_id, merged) == payment.party_id
    ]


def _take_back(item: OwedItem, amount: int, on: date, booked_on: date) -> None:
    """Undo the settlements of a payment that comes back on a day, newest first, until so much of it is open."""
    undone = []
    while abs(item.amount_minor - item.settled_minor) < abs(amount):
        newest = settlements.of_items(item.organization_id, [item.id])[0]
        undo(newest, RETURNED, on, returned_on=booked_on)
        undone.append(newest)
        item = items.get(item.organization_id, item.id)
    note("before", undone)


def _reopen(account: Account, item: OwedItem, amount: int, on: date) -> None:
    """End what was written off of an item on a day, newest first, until so much of it is open."""
    organization_id, sign = item.organization_id, 1 if item.amount_minor > 0 else -1
    for written in item_taxes.written_off(item):
        item = items.get(organization_id, item.id)
        size = min(abs(amount) - abs(item.amount_minor - item.settled_minor), written.size_minor)
        if size <= 0:
            return
        (old,) = (
            each
            for each in settlements.of_items(organization_id, [item.id])
            if each.id == written.settlement_id
        )
        kept = {each.item_id: each.amount_minor for each in old.parts if each.amount_minor}
        kept[item.id] -= sign * size
        left = -size
        if written.is_caused:
            (own,) = items.of_entry(organization_id, written.entry_id)
            left = abs(kept.pop(own.id)) - size
        undo(old, REOPENED, on)
        note("before", [old])
        found = items.by_id(organization_id, kept)
        taken = [part_of(found[each], minor) for each, minor in kept.items() if minor]
        if taken:
            shortfall = None
            if left:
                splits = [(written.account_id, None, 1)]
                shortfall = Shortfall("WRITE_OFF", f"Written off of {item.name}", sign * left, splits)
            note("after", [settle_items(account, taken, cause=old.cause, shortfall=shortfall)])


def _names(paid: Sequence[OwedItem]) -> str:
    first = ", ".join(each.name for each in paid[:MOST_NAMED])
    return first if len(paid) <= MOST_NAMED else f"{first} and {len(paid) - MOST_NAMED} others"


def _check_rate(line: Transaction, payment: ItemPayment, share_minor: int) -> None:
    """Refuse a rate that is further from that of the line's day than the two sides of a transfer may be."""
    base = organizations.get(line.organization_id).base_currency
    paid = payment.amount(share_minor)
    worth, expected = (
        exchange_rates.worth_on(line.organization_id, amount, base, line.booked_on)
        for amount in (Money(share_minor, line.currency), paid)
    )
    if worth is None or expected is None:
        return
    larger = max(abs(worth), abs(expected))
    if abs(worth - expected) * 100 > larger * MOST_PERCENT:
        raise RatesApartError(
            f"{Money(share_minor, line.currency).formatted} would pay {paid.formatted}, which at the rates of "
            f"{line.booked_on:%-d %b %Y} is {Money(expected, base).formatted} and not "
            f"{Money(worth, base).formatted}. Send force if it is right.",
            details={
                "worth": str(Money(worth, base)),
                "expected": str(Money(expected, base)),
                "currency": base,
            },
        )
