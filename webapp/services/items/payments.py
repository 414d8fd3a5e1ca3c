"""What a bank line is to pay: chosen while it is a draft, and settled when it is confirmed, by one measure of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, NotRequired, TypedDict

from webapp.ledger import dimensions, titles
from webapp.ledger.journal.base_shares import by_worth
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.mirrors import share
from webapp.ledger.money import Money, bounded, divided, money_at
from webapp.ledger.open_items.payable_items import SHORTFALL_NAMES, ShortAs
from webapp.ledger.texts.legible import cited
from webapp.models import Account, Merchant, OwedItem, Transaction
from webapp.queries.access import organizations
from webapp.queries.common import lookups, merchants
from webapp.queries.currencies import exchange_rates
from webapp.queries.items import items, line_payments, returned_payments
from webapp.queries.tax import parts as item_taxes
from webapp.services.items import shortfalls
from webapp.services.items.refusals import (
    ItemTakenError,
    NoOpenItemError,
    PaymentFitError,
    ShortOfSeveralError,
)
from webapp.services.items.shortfalls import ShortInput, StoredShort
from webapp.services.journal import line_drafts


class PaidInput(TypedDict):
    """What a line is to pay of an item, with its sign; without an amount all that is left of it.

    What `reopens` ends what was written off of it, as far as it is paid.
    """

    item_id: int
    amount: NotRequired[Decimal | None]
    reopens: NotRequired[bool]


# What is short of items is looked at once more where it is more than their tenth.
LARGE_PART: Final = 10


@dataclass(frozen=True, slots=True)
class ItemPayment:
    """Items of one account, currency and party that a line pays, how much of each, and what is short of them.

    `is_alone` is false where the line pays items of several accounts, currencies or parties.
    """

    account: Account
    currency: str
    party_id: int | None
    taken: tuple[tuple[OwedItem, int], ...]
    short: StoredShort | None
    is_alone: bool = True

    @property
    def owed(self) -> Money:
        """What the items come to, with their sign."""
        return Money(sum(amount for _, amount in self.taken), self.currency)

    def amount(self, in_line_minor: int) -> Money:
        """What a part of a line pays, with the sign of the items: less than they come to where it is short of them."""
        return self.owed - Money(shortfalls.in_items(self.short, self.owed, in_line_minor), self.currency)

    @property
    def words(self) -> str:
        """What it pays, how much of it, and what is short of it, as a title has them."""
        party = self.party_id and lookups.get(Merchant, self.account.organization_id, self.party_id).name
        of = f" of {titles.clipped(party)}" if party else ""
        paid = f"pays {titles.listed([titles.clipped(item.name) for item, _ in self.taken])}{of}"
        if self.short is None:
            return f"{paid} with {self.owed.formatted}"
        given = self.short_amount(self.short)
        if given.currency == self.currency:
            left = Money(self.owed.minor - self.short["amount"], self.currency)
            paid = f"{paid} with {left.formatted}"
        if self.short["as"] == ShortAs.LEAVE_OPEN:
            return f"{paid}; {given.formatted} stays open"
        ids = [each["accountId"] for each in self.short["splits"]]
        found = lookups.by_id(Account, self.account.organization_id, ids)
        names = titles.listed([found[each].name for each in dict.fromkeys(ids)])
        return f"{paid}; {given.formatted} of it as a {SHORTFALL_NAMES[self.short['as']].lower()} on {names}"

    def warning(self, line: Transaction) -> str | None:
        """Warn of what is short of the items, where it is more than a tenth of them."""
        if self.short is None or self.short["as"] == ShortAs.LEAVE_OPEN:
            return None
        short = abs(shortfalls.in_items(self.short, self.owed, line.amount_minor))
        if short * LARGE_PART <= abs(self.owed.minor):
            return None
        kind, owed = SHORTFALL_NAMES[self.short["as"]].lower(), abs(self.owed)
        names = titles.listed([titles.clipped(item.name) for item, _ in self.taken])
        given = self.short_amount(self.short).formatted
        return f"A {kind} of {given} is more than a tenth of the {owed.formatted} of {names}."

    def short_amount(self, short: StoredShort) -> Money:
        """What is short, as it was given: without a sign, in the currency that it names."""
        return abs(Money(short["amount"], short.get("currency") or self.currency))


def chosen(
    line: Transaction, settles: Sequence[PaidInput], short: ShortInput | None
) -> tuple[ItemPayment, ...]:
    """Read what somebody chose for a line to pay, or say why it cannot be paid."""
    organization_id = line.organization_id
    found = items.by_id(organization_id, [each["item_id"] for each in settles])
    amounts: dict[int, int] = {}
    for index, each in enumerate(settles):
        item = found.get(each["item_id"])
        if item is None or item.id in amounts:
            sentence = f"{each['item_id']} is no item, or is named twice."
            raise NoOpenItemError(sentence, fields={f"settles.{index}.itemId": [sentence]})
        asked = each.get("amount")
        path = f"settles.{index}.amount"
        whole = payable(item) if each.get("reopens") or is_returnable(item) else _left(item)
        amounts[item.id] = whole if asked is None else money_at(asked, item.currency, path).minor
        if abs(amounts[item.id]) > abs(whole):
            raise _taken(item, whole, amounts[item.id])
    payments = _payments(organization_id, found, amounts, None)
    if short is not None and payments:
        if len(payments) > 1:
            raise ShortOfSeveralError(fields={"short": [str(ShortOfSeveralError.__doc__)]})
        (payment,) = payments
        payments = (replace(payment, short=shortfalls.read(line, short, payment.owed)),)
    for payment in payments:
        check(line, payment)
    return payments


def kept(payment: ItemPayment, in_line_minor: int) -> ItemPayment:
    """Take what is left open out of the items that a line pays, the last ones first; it is no part of what is kept."""
    short = payment.short
    if short is None or short["as"] != ShortAs.LEAVE_OPEN:
        return payment
    rest = shortfalls.in_items(short, payment.owed, in_line_minor)
    taken = []
    for item, amount in reversed(payment.taken):
        cut = min(abs(rest), abs(amount)) * (1 if rest > 0 else -1) if amount * rest > 0 else 0
        rest -= cut
        taken += [(item, amount - cut)] if amount != cut else []
    return replace(payment, taken=tuple(reversed(taken)), short=None)


def stored(line: Transaction) -> tuple[ItemPayment, ...]:
    """Give what a line is to pay as it was stored, with its items as they are now; nothing where it pays nothing."""
    record = line_payments.of_line(line.organization_id, line.id)
    if record is None:
        return ()
    amounts = {each.item_id: each.amount.minor for each in record.parts}
    found = items.by_id(line.organization_id, amounts)
    if found.keys() != amounts.keys():
        raise ItemTakenError("An item that this line is to pay is gone; choose what it pays again.")
    short: Any = record.short
    return _payments(line.organization_id, found, amounts, short)


def _payments(
    organization_id: str,
    found: Mapping[int, OwedItem],
    amounts: Mapping[int, int],
    short: StoredShort | None,
) -> tuple[ItemPayment, ...]:
    """Put items together that are of one account, one currency and one party."""
    parties = items.parties(organization_id, found)
    groups: dict[tuple[int, str, int | None], list[tuple[OwedItem, int]]] = {}
    for item_id, amount in amounts.items():
        item = found[item_id]
        groups.setdefault((item.account_id, item.currency, parties[item_id]), []).append((item, amount))
    named = lookups.by_id(Account, organization_id, {account_id for account_id, _, _ in groups})
    return tuple(
        ItemPayment(named[account_id], currency, party_id, tuple(taken), short, len(groups) == 1)
        for (account_id, currency, party_id), taken in groups.items()
    )


def check(line: Transaction, payment: ItemPayment) -> None:
    """Refuse a part of another sign than its item, or beyond what is left of that: 409 `item_taken`."""
    for item, amount in payment.taken:
        left = payable(item)
        if amount * item.amount_minor <= 0:
            raise PaymentFitError(
                f"{Money(amount, item.currency).formatted} is not a part of {cited(item.name)}: it has its sign."
            )
        if abs(amount) > abs(left):
            raise _taken(item, left, amount)
    shortfalls.check(line, payment.short, payment.taken)


def _taken(item: OwedItem, left: int, amount: int) -> ItemTakenError:
    there, wanted = Money(left, item.currency), Money(amount, item.currency)
    sentence = f"{there.formatted} is left of {cited(item.name)}, and {wanted.formatted} is to be paid."
    if abs(amount) <= abs(payable(item)):
        sentence += " Send `reopens` to end so much of what was written off."
    return ItemTakenError(sentence, details={"itemId": item.id, "left": str(there)})


def payable(item: OwedItem) -> int:
    """Give what may be paid of an item: what is left and was written off, or of a payment that comes back all of it."""
    if is_returnable(item):
        return item.amount_minor
    size = sum(each.size_minor for each in item_taxes.written_off(item)) if item.settled_minor else 0
    return _left(item) + (size if item.amount_minor > 0 else -size)


def _left(item: OwedItem) -> int:
    return item.amount_minor - item.settled_minor


def is_returnable(item: OwedItem) -> bool:
    """Return whether an item is a payment that settled others, which a line that returns it opens again."""
    return bool(item.settled_minor) and returned_payments.is_of_payment(item)


def fitted(
    line: Transaction, legs: Sequence[Leg], paying: Sequence[ItemPayment]
) -> tuple[list[Leg], list[int]]:
    """Give a line's counter legs, in its currency, as what it pays has them; and how much of the line each payment is.

    Raises PaymentFitError where they have too little on the account for the party, or of the other sign; or anything
    but the amount, where something is short of it or the line pays several parties or accounts.
    """
    fresh, in_line = list(legs), []
    for payment, places in zip(paying, _places(line, legs, paying), strict=True):
        weights = [legs[place].amount_minor for place in places]
        there = -sum(weights)
        amount, is_abroad = payment.amount(there), payment.currency != line.currency
        is_whole = payment.short is None and payment.is_alone
        is_enough = abs(amount.minor) <= abs(there) if is_whole else amount.minor == there
        if there * amount.minor <= 0 or not (is_abroad or is_enough):
            raise _unfit(line, payment, there, amount)
        in_line.append(there)
        for place, part in zip(places, share(-amount.minor, weights), strict=True) if is_abroad else ():
            fresh[place] = replace(
                legs[place], amount_minor=part, currency=payment.currency, amount_base_minor=None
            )
    return fresh, in_line


def _places(line: Transaction, legs: Sequence[Leg], paying: Sequence[ItemPayment]) -> list[list[int]]:
    """Find the legs of each payment; of one party in several currencies each has one leg."""
    merged = merchants.merged(line.organization_id)
    found: dict[tuple[int, int | None], list[int]] = {}
    for place, leg in enumerate(legs):
        found.setdefault((leg.account_id, dimensions.counting(leg.merchant_id, merged)), []).append(place)
    of_place: dict[tuple[int, int | None], list[ItemPayment]] = {}
    for payment in paying:
        of_place.setdefault((payment.account.id, payment.party_id), []).append(payment)
    chosen = {
        key: _by_worth(line, legs, found.get(key, []), mine)
        if len(mine) > 1
        else {mine[0].currency: found.get(key, [])}
        for key, mine in of_place.items()
    }
    return [chosen[each.account.id, each.party_id].get(each.currency, []) for each in paying]


def _by_worth(
    line: Transaction, legs: Sequence[Leg], places: Sequence[int], paying: Sequence[ItemPayment]
) -> dict[str, list[int]]:
    """Give each of some currencies one leg: its own amount in the line's, else the larger one to what is worth more."""
    if len(places) != len(paying):
        return {}
    free, chosen = sorted(places, key=lambda place: legs[place].amount_minor), {}
    for payment in paying:
        exact = [place for place in free if legs[place].amount_minor == -payment.owed.minor]
        if payment.currency == line.currency and exact:
            chosen[payment.currency] = exact[:1]
            free.remove(exact[0])
    worth = {each.currency: _worth(line, each) for each in paying if each.currency not in chosen}
    ordered = sorted(worth, key=lambda currency: -worth[currency])
    return {**chosen, **{currency: [place] for currency, place in zip(ordered, free, strict=True)}}


def _worth(line: Transaction, payment: ItemPayment) -> int:
    """Measure a payment in the base currency: at the rates of the line's day, or else as its items are booked."""
    base = organizations.get(line.organization_id).base_currency
    worth = exchange_rates.worth_on(line.organization_id, payment.owed, base, line.booked_on)
    booked = (divided(item.amount_base_minor * amount, item.amount_minor) for item, amount in payment.taken)
    return sum(booked) if worth is None else worth


def _unfit(line: Transaction, payment: ItemPayment, there: int, amount: Money) -> PaymentFitError:
    has = Money(there, line.currency)
    facts = {
        "pays": str(amount),
        "currency": payment.currency,
        "line": str(has),
        "amounts": str(payment.owed),
    }
    short = ""
    if payment.short is not None:
        given = payment.short_amount(payment.short)
        short = f": {payment.owed.formatted} less the {given.formatted} that it is short, which the amounts include"
        facts["short"] = str(given)
    return PaymentFitError(
        f"This line has {has.formatted} on {cited(payment.account.name)} for the party, "
        f"and is to pay {amount.formatted}{short}.",
        details=facts,
    )


def paying_legs(organization_id: str, legs: Sequence[Leg], payment: ItemPayment) -> list[Leg]:
    """Give the counter legs that are on the payment's account in the name of its party."""
    merged = merchants.merged(organization_id)
    return [
        leg
        for leg in legs
        if leg.account_id == payment.account.id
        and dimensions.counting(leg.merchant_id, merged) == payment.party_id
    ]


def in_line(line: Transaction, legs: Sequence[Leg], differences_id: int) -> list[Leg]:
    """Give counter legs in the line's own currency, where some of them paid something in others."""
    bare = [leg for leg in legs if leg.currency == line.currency or leg.account_id != differences_id]
    bank = line_drafts.bank_leg(line, 0)
    parts = line_drafts.parts_of_line(line, bank, bare)
    if parts is None:
        return by_worth(bank, bare, {})
    return [
        leg
        if leg.currency == line.currency
        else replace(leg, amount_minor=bounded(part), currency=line.currency, amount_base_minor=None)
        for leg, part in zip(bare, parts, strict=True)
    ]
