"""What a bank line is to pay: chosen while it is a draft, and settled when it is confirmed, by one measure of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, NotRequired, TypedDict

from webapp.ledger import titles
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money, money_at
from webapp.ledger.open_items.payable_items import SHORTFALL_NAMES
from webapp.models import Account, Merchant, OwedItem, Transaction
from webapp.queries.common import lookups, merchants
from webapp.queries.items import items, line_payments, returned_payments
from webapp.services.items import shortfalls
from webapp.services.items.refusals import (
    ItemTakenError,
    NoOpenItemError,
    PaymentFitError,
    SeveralAccountsError,
    SeveralPartiesError,
)
from webapp.services.items.shortfalls import ShortInput, StoredShort


class PaidInput(TypedDict):
    """What a line is to pay of an item, with its sign; without an amount all that is left of it."""

    item_id: int
    amount: NotRequired[Decimal | None]


# What is short of items is looked at once more where it is more than their tenth.
LARGE_PART: Final = 10


@dataclass(frozen=True, slots=True)
class ItemPayment:
    """Items of one account, currency and party that a line pays, how much of each, and what is short of them."""

    account: Account
    currency: str
    party_id: int | None
    taken: tuple[tuple[OwedItem, int], ...]
    short: StoredShort | None

    @property
    def amount(self) -> Money:
        """What the line itself pays, with the sign of the items."""
        short = self.short["amount"] if self.short else 0
        return Money(sum(amount for _, amount in self.taken) - short, self.currency)

    @property
    def words(self) -> str:
        """What it pays, how much of it, and what is short of it, as a title has them."""
        party = self.party_id and lookups.get(Merchant, self.account.organization_id, self.party_id).name
        of = f" of {titles.clipped(party)}" if party else ""
        paid = f"pays {titles.listed([titles.clipped(item.name) for item, _ in self.taken])}{of}"
        paid = f"{paid} with {self.amount.formatted}"
        if self.short is None:
            return paid
        short = Money(abs(self.short["amount"]), self.currency).formatted
        ids = [each["accountId"] for each in self.short["splits"]]
        found = lookups.by_id(Account, self.account.organization_id, ids)
        names = titles.listed([found[each].name for each in dict.fromkeys(ids)])
        return f"{paid}; {short} of it as a {SHORTFALL_NAMES[self.short['as']].lower()} on {names}"

    @property
    def warning(self) -> str | None:
        """A sentence on what is short of the items, where it is more than a tenth of them."""
        owed = Money(abs(sum(amount for _, amount in self.taken)), self.currency)
        short = Money(abs(self.short["amount"]), self.currency) if self.short else None
        if self.short is None or short is None or short.minor * LARGE_PART <= owed.minor:
            return None
        kind = SHORTFALL_NAMES[self.short["as"]].lower()
        names = titles.listed([titles.clipped(item.name) for item, _ in self.taken])
        return f"A {kind} of {short.formatted} is more than a tenth of the {owed.formatted} of {names}."


def chosen(line: Transaction, settles: Sequence[PaidInput], short: ShortInput | None) -> ItemPayment:
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
        amounts[item.id] = payable(item) if asked is None else money_at(asked, item.currency, path).minor
    payment = _payment(organization_id, found, amounts, None)
    owed = sum(amounts.values())
    stored = shortfalls.read(organization_id, short, payment.currency, owed, line.amount_minor)
    payment = ItemPayment(payment.account, payment.currency, payment.party_id, payment.taken, stored)
    check(payment)
    return payment


def stored(line: Transaction) -> ItemPayment | None:
    """Give what a line is to pay as it was stored, with its items as they are now; None where it pays nothing."""
    record = line_payments.of_line(line.organization_id, line.id)
    if record is None:
        return None
    amounts = {each.item_id: each.amount.minor for each in record.parts}
    found = items.by_id(line.organization_id, amounts)
    if found.keys() != amounts.keys():
        raise ItemTakenError("An item that this line is to pay is gone; choose what it pays again.")
    short: Any = record.short
    return _payment(line.organization_id, found, amounts, short)


def _payment(
    organization_id: str,
    found: Mapping[int, OwedItem],
    amounts: Mapping[int, int],
    short: StoredShort | None,
) -> ItemPayment:
    """Put items together that are of one account, one currency and one party."""
    if len({(each.account_id, each.currency) for each in found.values()}) > 1:
        raise SeveralAccountsError
    parties = items.parties(organization_id, found)
    if len(parties) > 1:
        raise SeveralPartiesError
    first = next(iter(found.values()))
    account = lookups.get(Account, organization_id, first.account_id)
    taken = tuple((found[item_id], amount) for item_id, amount in amounts.items())
    return ItemPayment(account, first.currency, parties.pop(), taken, short)


def check(payment: ItemPayment) -> None:
    """Refuse a part of another sign than its item, or beyond what is left of that: 409 `item_taken`."""
    for item, amount in payment.taken:
        left = payable(item)
        if amount * item.amount_minor <= 0:
            raise PaymentFitError(
                f"{Money(amount, item.currency).formatted} is not a part of {item.name}: it has its sign."
            )
        if abs(amount) > abs(left):
            wanted = Money(amount, item.currency).formatted
            raise ItemTakenError(
                f"{Money(left, item.currency).formatted} is left of {item.name}, and {wanted} is to be paid.",
                details={"itemId": item.id, "left": str(Money(left, item.currency))},
            )
    shortfalls.check(payment.account.organization_id, payment.short, payment.taken)


def payable(item: OwedItem) -> int:
    """Give what may be paid of an item: what is left, or of a payment that comes back all of it."""
    return item.amount_minor if is_returnable(item) else item.amount_minor - item.settled_minor


def is_returnable(item: OwedItem) -> bool:
    """Return whether an item is a payment that settled others, which a line that returns it opens again."""
    return bool(item.settled_minor) and returned_payments.is_of_payment(item)


def fitted(line: Transaction, legs: Sequence[Leg], payment: ItemPayment) -> list[Leg]:
    """Give a line's counter legs as the payment has them: in the currency of what they pay.

    Raises PaymentFitError where they have too little on the account for the party, or of the other sign.
    """
    own = paying_legs(line.organization_id, legs, payment)
    amount = payment.amount
    is_abroad = payment.currency != line.currency
    if is_abroad and len(own) == 1:
        paid = Leg(
            payment.account.id,
            -amount.minor,
            payment.currency,
            merchant_id=own[0].merchant_id,
            project_id=own[0].project_id,
        )
        in_line = own[0].amount_minor if own[0].currency == line.currency else -line.amount_minor
        if in_line * paid.amount_minor > 0:
            return [paid if leg is own[0] else leg for leg in legs]
    there = -sum(leg.amount_minor for leg in own)
    if not is_abroad and there * amount.minor > 0 and abs(amount.minor) <= abs(there):
        return list(legs)
    raise PaymentFitError(
        f"This line has {Money(there, line.currency).formatted} on {payment.account.name} for the party, "
        f"and is to pay {amount.formatted}.",
        details={"pays": str(amount), "currency": payment.currency},
    )


def paying_legs(organization_id: str, legs: Sequence[Leg], payment: ItemPayment) -> list[Leg]:
    """Give the counter legs that are on the payment's account in the name of its party."""
    return [
        leg
        for leg in legs
        if leg.account_id == payment.account.id
        and merchants.counting_id(organization_id, leg.merchant_id) == payment.party_id
    ]


def in_line(line: Transaction, legs: Sequence[Leg], differences_id: int) -> list[Leg]:
    """Give counter legs in the line's own currency, where one of them paid something in another."""
    bare = [leg for leg in legs if leg.currency == line.currency or leg.account_id != differences_id]
    others = sum(leg.amount_minor for leg in bare if leg.currency == line.currency)
    rest = -line.amount_minor - others
    return [
        leg
        if leg.currency == line.currency
        else Leg(leg.account_id, rest, line.currency, merchant_id=leg.merchant_id, project_id=leg.project_id)
        for leg in bare
    ]
