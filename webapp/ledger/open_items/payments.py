"""The open items that a payment may settle: by its text, by its amount, and whether others fit too.

Evidence is in words, never a score. Only an identification may settle automatically: the text names one
document, and its open amount is exactly the payment. Structure comes before arithmetic: that all open items, a
batch, consecutive numbers or the oldest add up to a payment says more than that some do.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import partial
from typing import Final

from webapp.ledger.money import Money, divided
from webapp.ledger.open_items.payable_items import BankPayment, PayableItem, candidates_of
from webapp.ledger.open_items.payment_sets import SetVerdict, has_nil_part, payment_sets
from webapp.ledger.open_items.structures import consecutive, in_one_batch, oldest, together
from webapp.ledger.texts import remittances

# What a customer deducts for paying early, or a bank for its trouble, is hardly ever more.
MOST_SHORT_PERCENT: Final = 5
PERCENT: Final = 100
MOST_NAMED: Final = 3


class Basis(StrEnum):
    """The reason to propose items for a payment, the best first."""

    IDENTIFICATION = "IDENTIFICATION"
    NUMBERS = "NUMBERS"
    EXACT_RESIDUAL = "EXACT_RESIDUAL"
    ALL_OPEN = "ALL_OPEN"
    ONE_BATCH = "ONE_BATCH"
    CONSECUTIVE_NUMBERS = "CONSECUTIVE_NUMBERS"
    OLDEST_FIRST = "OLDEST_FIRST"
    SUM = "SUM"
    NUMBERS_IN_PART = "NUMBERS_IN_PART"
    ALMOST = "ALMOST"
    IN_PART = "IN_PART"
    RETURNED_PAYMENT = "RETURNED_PAYMENT"


# The payment's text has the numbers.
NAMED: Final = frozenset({Basis.IDENTIFICATION, Basis.NUMBERS})
# The items are not exactly the payment.
INEXACT: Final = frozenset({Basis.NUMBERS_IN_PART, Basis.ALMOST, Basis.IN_PART, Basis.RETURNED_PAYMENT})


@dataclass(frozen=True, slots=True)
class ChosenPart:
    """The part of an item that a payment would settle."""

    item_id: int
    amount: Money


@dataclass(frozen=True, slots=True)
class PaymentRates:
    """The rate at which a payment would pay items of another currency, and the rate of its day.

    Units of the items' currency for one unit of the payment's; `of_day` is None without a rate.
    """

    implied: Decimal
    of_day: Decimal | None


@dataclass(frozen=True, slots=True)
class PaymentChoice:
    """Items for a payment, the reason, and the rest of the items and of the payment.

    `rates` is None in one currency, and before the rate is found. `charges` are the bank's, if only with them the line
    is what the items come to; `unused` is then what they took.
    """

    basis: Basis
    reason: str
    parts: tuple[ChosenPart, ...]
    left_open: Money
    unused: Money | None
    rates: PaymentRates | None = None
    charges: Money | None = None

    @property
    def item_ids(self) -> tuple[int, ...]:
        """The items, in the order in which they are paid."""
        return tuple(each.item_id for each in self.parts)


@dataclass(frozen=True, slots=True)
class PaymentEvidence:
    """The choices for a payment, the best first; the verdict counts the sets that add up to it.

    `is_sure` of the best choice: it leaves no doubt about what is paid. `is_likely` also of several that fit, and of
    items that are named or almost the payment: then only a person knows.
    """

    verdict: SetVerdict
    choices: tuple[PaymentChoice, ...]
    candidates: int
    is_sure: bool = False
    is_likely: bool = False


def identified(payment: BankPayment, items: Sequence[PayableItem]) -> PayableItem | None:
    """Return the item that a payment's text names and whose open amount it is; a rule may settle only that.

    A second number of the same kind means two documents, even if the other is not in the books.

    >>> from datetime import date
    >>> owed = [PayableItem(1, Money(10000, "EUR"), 7, date(2026, 3, 1), date(2026, 4, 1), "RE-17")]
    >>> def paid(amount, text): return identified(BankPayment(Money(amount, "EUR"), 7, date(2026, 4, 1), text), owed)
    >>> paid(10000, "your RE 17").id, paid(9900, "your RE 17"), paid(10000, "RE 17 and RE 18")
    (1, None, None)
    """
    named = [each for each in items if _is_named(payment, each)]
    if len(named) != 1 or named[0].amount != payment.amount:
        return None
    (only,) = named
    numbers = [each for each in (only.number, only.remittance) if remittances.is_telling(each)]
    is_alone = bool(numbers) and not any(remittances.names_another(payment.text, each) for each in numbers)
    return only if is_alone else None


def payment_evidence(
    payment: BankPayment, items: Sequence[PayableItem], nameable: Collection[int] | None = None
) -> PaymentEvidence:
    """Weigh the open items for a payment; the text can name only the `nameable` ones, where that is known.

    >>> from datetime import date
    >>> def item(id, amount, number): return PayableItem(
    ...     id, Money(amount, "EUR"), 7, date(2026, 3, id), date(2026, 4, id), number)
    >>> owed = [item(1, 10000, "RE-17"), item(2, 25000, "RE-18"), item(3, 10000, "RE-30")]
    >>> paid = lambda amount, text: payment_evidence(BankPayment(Money(amount, "EUR"), 7, date(2026, 4, 1), text), owed)
    >>> str(paid(10000, "your RE 30").choices[0].basis)
    'IDENTIFICATION'
    >>> found = paid(10000, "thanks")
    >>> str(found.verdict), [each.item_ids for each in found.choices]
    ('several', [(1,), (3,)])
    >>> paid(45000, "all of it").choices[0].reason
    'All 3 open items add up to it.'
    """
    possible = items if nameable is None else [each for each in items if each.id in nameable]
    named = [each for each in possible if _is_named(payment, each)]
    candidates = candidates_of(payment, items)
    amounts = [each.amount.minor for each in candidates]
    sets = payment_sets(amounts, payment.amount.minor)
    weighed = _Weighed(payment, candidates, sets.verdict)
    exact = list(_numbers(weighed, named))
    is_decided = bool(exact)
    exact += _residual(weighed)
    exact += _structures(weighed)
    exact += (
        weighed.choice(Basis.SUM, _sum_reason(sets.verdict), [candidates[place] for place in places])
        for places in sets.sets
    )
    choices = _different(exact) or list(_in_part(weighed, named))
    verdict = SetVerdict.UNIQUE if is_decided else sets.verdict
    found = PaymentEvidence(verdict, tuple(choices), len(candidates))
    return replace(
        found, is_sure=_is_sure(found, payment, items), is_likely=_is_likely(found, payment, named)
    )


def _is_sure(found: PaymentEvidence, payment: BankPayment, items: Sequence[PayableItem]) -> bool:
    """Return whether the best choice is named, or exactly what a known payer owes and nothing else is named."""
    if not found.choices or found.choices[0].basis in INEXACT:
        return False
    best = found.choices[0]
    if best.basis in NAMED:
        return True
    is_only = best.basis is Basis.EXACT_RESIDUAL or found.verdict is SetVerdict.UNIQUE
    numbers = [each.number for each in items if each.id in best.item_ids]
    return (
        payment.party_id is not None
        and is_only
        and not any(_has_letters(each) and remittances.names_another(payment.text, each) for each in numbers)
    )


def _is_likely(found: PaymentEvidence, payment: BankPayment, named: Sequence[PayableItem]) -> bool:
    """Return whether a payment is one of the choices, and not merely of a party that owes something."""
    if not found.choices:
        return False
    best = found.choices[0]
    if best.basis is Basis.NUMBERS_IN_PART:
        is_told = payment.party_id is not None or any(remittances.is_telling(each.number) for each in named)
        return is_told and any((each.amount.minor > 0) == (payment.amount.minor > 0) for each in named)
    return best.basis in NAMED or (payment.party_id is not None and best.basis is not Basis.IN_PART)


def _has_letters(number: str | None) -> bool:
    """Return whether a number has letters and digits, so that others of its kind are seldom there by chance."""
    plain = remittances.compacted(number)
    return any(map(str.isdigit, plain)) and any(map(str.isalpha, plain))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A payment, its candidates, and the number of sets that add up to it."""

    payment: BankPayment
    candidates: Sequence[PayableItem]
    verdict: SetVerdict

    def choice(self, basis: Basis, reason: str, items: Sequence[PayableItem]) -> PaymentChoice:
        """Pay items one after the other, as far as the payment goes."""
        currency, parts = items[0].amount.currency, []
        is_same = currency == self.payment.amount.currency
        left = self.payment.amount.minor if is_same else sum(each.amount.minor for each in items)
        owed = sum(each.amount.minor for each in items)
        for each in sorted(items, key=lambda item: (item.amount.minor > 0) == (left > 0)):
            # What goes the other way, as a credit note does, adds to what there is to pay with.
            is_same_way = (each.amount.minor > 0) == (self.payment.amount.minor > 0)
            amount = _nearer_to_nil(each.amount.minor, left) if is_same_way else each.amount.minor
            left -= amount
            if amount:
                parts.append(ChosenPart(each.id, Money(amount, currency)))
        left_open = Money(owed - sum(each.amount.minor for each in parts), currency)
        return PaymentChoice(
            basis, reason, tuple(parts), left_open, Money(left, currency) if is_same else None
        )

    def adds_up(self, items: Sequence[PayableItem]) -> bool:
        """Return whether items add up to exactly the payment."""
        return (
            bool(items)
            and all(each.amount.currency == self.payment.amount.currency for each in items)
            and sum(each.amount.minor for each in items) == self.payment.amount.minor
        )

    def is_paid_together(self, items: Sequence[PayableItem]) -> bool:
        """Return whether items are exactly the payment, and no part of them is nothing: that would say no more."""
        return self.adds_up(items) and not has_nil_part([each.amount.minor for each in items])


def _is_named(payment: BankPayment, item: PayableItem) -> bool:
    if payment.party_id is not None and item.party_id not in {None, payment.party_id}:
        return False
    if remittances.names(payment.text, item.number) or remittances.names(payment.text, item.remittance):
        return True
    return any(
        remittances.refers_to_number(reference, each)
        for reference in remittances.creditor_references(payment.text)
        for each in (item.number, item.remittance)
    )


def _numbers(weighed: _Weighed, named: Sequence[PayableItem]) -> Iterator[PaymentChoice]:
    """Propose the items that the text names, if they are exactly the payment."""
    if not weighed.adds_up(named):
        return
    if len(named) > 1:
        yield weighed.choice(Basis.NUMBERS, f"Its text names {_listed(named)}, which add up to it.", named)
        return
    (only,) = named
    basis = Basis.IDENTIFICATION if identified(weighed.payment, named) else Basis.NUMBERS
    yield weighed.choice(basis, f"Its text names {only.label}, and the amount is the same.", named)


def _residual(weighed: _Weighed) -> Iterator[PaymentChoice]:
    """Propose the payer's only item of exactly the payment; several where their sets are not searched."""
    equal = [each for each in weighed.candidates if weighed.adds_up([each])]
    if weighed.payment.party_id is None:
        return
    if len(equal) == 1:
        reason = "The only open item of this amount." + _others_fit(weighed.verdict)
        yield weighed.choice(Basis.EXACT_RESIDUAL, reason, equal)
    elif weighed.verdict is SetVerdict.TOO_MANY:
        reason = f"One of {len(equal)} open items of this amount."
        yield from (weighed.choice(Basis.SUM, reason, [each]) for each in equal[:MOST_NAMED])


def _structures(weighed: _Weighed) -> Iterator[PaymentChoice]:
    """Propose sets that a person would pay together, for a known payer."""
    if weighed.payment.party_id is None:
        return
    kinds: tuple[tuple[Basis, Callable[[Sequence[PayableItem]], Iterator[Sequence[PayableItem]]]], ...] = (
        (Basis.ALL_OPEN, together),
        (Basis.ONE_BATCH, in_one_batch),
        (Basis.CONSECUTIVE_NUMBERS, partial(consecutive, paid_minor=weighed.payment.amount.minor)),
        (Basis.OLDEST_FIRST, oldest),
    )
    for basis, sets in kinds:
        items = next((each for each in sets(weighed.candidates) if weighed.is_paid_together(each)), None)
        if items:
            reason = _structure_reason(basis, items) + _others_fit(weighed.verdict)
            yield weighed.choice(basis, reason, items)


def _in_part(weighed: _Weighed, named: Sequence[PayableItem]) -> Iterator[PaymentChoice]:
    """Propose items to pay in part, if nothing adds up."""
    if named:
        items = [each for each in named if each.amount.currency == named[0].amount.currency]
        yield weighed.choice(Basis.NUMBERS_IN_PART, f"Its text names {_listed(items)}.", items)
        return
    paid = weighed.payment.amount
    same_way = [each for each in weighed.candidates if (each.amount.minor > 0) == (paid.minor > 0)]
    almost = sorted(
        (each for each in same_way if _is_almost(paid, each.amount)),
        key=lambda each: (not _is_discounted(paid, each.amount), abs(each.amount.minor)),
    )
    if len(almost) == 1 or (almost and weighed.payment.party_id is not None):
        for each in almost[:MOST_NAMED]:
            reason = f"{abs(each.amount - paid).formatted} less than {each.label}."
            yield weighed.choice(Basis.ALMOST, reason, [each])
    elif same_way and weighed.payment.party_id is not None:
        count = len(same_way)
        reason = "The only open item." if count == 1 else f"The oldest of {count} open items first."
        yield weighed.choice(Basis.IN_PART, reason, same_way)


def _is_almost(paid: Money, owed: Money) -> bool:
    short = abs(owed).minor - abs(paid).minor
    return 0 < short <= divided(abs(owed).minor * MOST_SHORT_PERCENT, PERCENT)


def _is_discounted(paid: Money, owed: Money) -> bool:
    """Return whether what is short is a whole percentage, as terms of payment have it, however its rest is rounded.

    >>> [_is_discounted(Money(each, "EUR"), Money(99_995, "EUR")) for each in (97_995, 97_996, 97_994, 99_000)]
    [True, True, False, False]
    """
    short, whole = abs(owed).minor - abs(paid).minor, abs(owed).minor
    return any(
        abs(short * PERCENT - whole * percent) < PERCENT for percent in range(1, MOST_SHORT_PERCENT + 1)
    )


def _structure_reason(basis: Basis, items: Sequence[PayableItem]) -> str:
    count = len(items)
    numbers = f"{items[0].label} to {items[-1].label}"
    return {
        Basis.ALL_OPEN: f"All {count} open items add up to it.",
        Basis.ONE_BATCH: f"The {count} items of one batch add up to it.",
        Basis.CONSECUTIVE_NUMBERS: f"{numbers}, {count} numbers in a row, add up to it.",
        Basis.OLDEST_FIRST: f"The {count} oldest add up to it.",
    }[basis]


def _others_fit(verdict: SetVerdict) -> str:
    return {
        SetVerdict.SEVERAL: " Others fit as well.",
        SetVerdict.TOO_MANY: " There are too many open items to say whether others fit as well.",
    }.get(verdict, "")


def _sum_reason(verdict: SetVerdict) -> str:
    return (
        "Nothing else adds up to it."
        if verdict is SetVerdict.UNIQUE
        else "Adds up to it." + _others_fit(verdict)
    )


def _different(choices: Sequence[PaymentChoice]) -> list[PaymentChoice]:
    """Leave out items that are proposed for a better reason."""
    first = {frozenset(each.item_ids): each for each in reversed(choices)}
    return [each for each in choices if first[frozenset(each.item_ids)] is each]


def _listed(items: Sequence[PayableItem]) -> str:
    if len(items) > MOST_NAMED:
        return f"{items[0].label} and {len(items) - 1} others"
    *firsts, last = (each.label for each in items)
    return f"{', '.join(firsts)} and {last}" if firsts else last


def _nearer_to_nil(one: int, other: int) -> int:
    return one if abs(one) < abs(other) else other
