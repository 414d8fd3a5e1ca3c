"""The parts of an invoice's figures, as booked: net by rate, tax, what others get, prepaid and rounding.

Every part is a figure of the document, or its amount due less its total; none is computed from a rate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money, total


class PartKind(StrEnum):
    """The kind of a part."""

    NET = "NET"
    TAX = "TAX"
    PREPAID = "PREPAID"
    THIRD_PARTY = "THIRD_PARTY"
    WITHHELD = "WITHHELD"
    SPLIT_TAX = "SPLIT_TAX"
    ROUNDING = "ROUNDING"
    CHARGES = "CHARGES"


class NotInPartsError(UnprocessableError):
    """The figures of this document do not add up to the amount to book; write the parts by hand."""

    code = "not_in_parts"


@dataclass(frozen=True, slots=True)
class StatedBase:
    """The base of a VAT category and rate in percent, as written."""

    amount: Money
    rate: str | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True)
class StatedTotals:
    """The totals of a document; missing ones are None.

    `third_party` is due with it and not in its gross, `withheld` and `split_tax` are in its gross and paid to others.
    `rounding` is the stated one, and `in_gross` the part of it that is in the gross.
    """

    net: Money | None
    tax: Money | None
    gross: Money
    prepaid: Money | None = None
    due: Money | None = None
    bases: Sequence[StatedBase] = ()
    third_party: Money | None = None
    withheld: Money | None = None
    split_tax: Money | None = None
    rounding: Money | None = None
    in_gross: Money | None = None

    @property
    def owed(self) -> Money:
        """What is to be paid by the totals: the gross, what third parties get, less what the seller does not get."""
        none = Money.zero(self.gross.currency)
        less = (self.prepaid or none) + (self.withheld or none) + (self.split_tax or none)
        return self.gross + (self.third_party or none) - less


@dataclass(frozen=True, slots=True)
class InvoicePart:
    """A part with the sign of the document's total."""

    kind: PartKind
    amount: Money
    rate: str | None = None
    category: str | None = None


def parts_of(stated: StatedTotals) -> list[InvoicePart]:
    """Return the parts of a document's total: the net, by rate if the rates add up to it, and the tax.

    >>> eur = lambda minor: Money(minor, "EUR")
    >>> bases = [StatedBase(eur(10000), "19"), StatedBase(eur(5000), "7")]
    >>> for each in parts_of(StatedTotals(eur(15000), eur(2250), eur(17250), bases=bases)):
    ...     print(each.kind, each.amount, each.rate)
    NET 100.00 19
    NET 50.00 7
    TAX 22.50 None

    Raises NotInPartsError where net and tax are not the total; without either the total is one part.
    """
    gross, currency = stated.gross, stated.gross.currency
    none = Money.zero(currency)
    tax, rounding = stated.tax or none, stated.in_gross or none
    net = gross - tax - rounding if stated.net is None else stated.net
    if net + tax + rounding != gross:
        raise NotInPartsError(
            f"Net {net.formatted} and tax {tax.formatted} are not the total {gross.formatted}; write the parts by hand."
        )
    bases = [each for each in stated.bases if each.amount]
    if not bases or total([each.amount for each in bases], currency) != net:
        bases = [StatedBase(net)]
    parts = [
        InvoicePart(PartKind.NET, each.amount, each.rate, each.category) for each in bases if each.amount
    ]
    others = (InvoicePart(PartKind.TAX, tax), InvoicePart(PartKind.ROUNDING, rounding))
    return [*parts, *(each for each in others if each.amount)]


def parts_for_others(stated: StatedTotals) -> list[InvoicePart]:
    """Return what is due with a document for third parties, and what of its total is paid to others.

    >>> eur = lambda minor: Money(minor, "EUR")
    >>> stated = StatedTotals(eur(10000), eur(2200), eur(12200), third_party=eur(300), withheld=eur(2000))
    >>> [(str(each.kind), str(each.amount)) for each in parts_for_others(stated)], str(stated.owed)
    ([('THIRD_PARTY', '3.00'), ('WITHHELD', '-20.00')], '105.00')
    """
    found = (
        (PartKind.THIRD_PARTY, stated.third_party),
        (PartKind.WITHHELD, None if stated.withheld is None else -stated.withheld),
        (PartKind.SPLIT_TAX, None if stated.split_tax is None else -stated.split_tax),
    )
    return [InvoicePart(kind, amount) for kind, amount in found if amount]


def parts_paid(stated: StatedTotals, paid: Money) -> list[InvoicePart]:
    """Return the parts that a payment of a document pays: of its total, or of its amount due.

    Both amounts have the document's sign. The prepaid amount is deducted, on its own account.

    >>> eur = lambda minor: Money(minor, "EUR")
    >>> stated = StatedTotals(eur(10000), eur(1900), eur(11900), prepaid=eur(1900), due=eur(10000))
    >>> [(str(each.kind), str(each.amount)) for each in parts_paid(stated, eur(10000))]
    [('NET', '100.00'), ('TAX', '19.00'), ('PREPAID', '-19.00')]
    """
    parts = parts_of(stated)
    if paid == stated.gross:
        return parts
    if stated.due is None or paid != stated.due:
        due = "" if stated.due is None else f", of which {stated.due.formatted} is due"
        raise NotInPartsError(
            f"The payment is {paid.formatted}, and the document states {stated.gross.formatted}{due};"
            " write the parts by hand."
        )
    prepaid = stated.prepaid or Money.zero(paid.currency)
    beside = [InvoicePart(PartKind.PREPAID, -prepaid)] if prepaid else []
    return [*parts, *beside, *parts_for_others(stated), *rounding_of(stated)]


def rounding_of(stated: StatedTotals) -> list[InvoicePart]:
    """Return the rounding of a document: its amount due, less what is owed by its totals, or nothing.

    >>> eur = lambda minor: Money(minor, "EUR")
    >>> [str(each.amount) for each in rounding_of(StatedTotals(None, None, eur(9998), eur(0), eur(10000)))]
    ['0.02']

    Raises NotInPartsError where it is no rounding: neither the stated one nor within one unit of the currency. Of what
    was prepaid nobody knows that, as its items are settled by themselves.
    """
    if stated.due is None or stated.due == stated.owed:
        return []
    rounding = stated.due - stated.owed
    if not stated.prepaid and rounding != stated.rounding and abs(rounding.decimal) > 1:
        raise NotInPartsError(
            f"The amount due {stated.due.formatted} is not the {stated.owed.formatted} that the totals make; write the"
            " parts by hand."
        )
    return [InvoicePart(PartKind.ROUNDING, rounding)]
