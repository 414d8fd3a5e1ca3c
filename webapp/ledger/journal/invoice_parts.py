"""The parts of an invoice's figures, as booked: net by rate, tax, prepaid and rounding.

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
    ROUNDING = "ROUNDING"


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
    """The totals of a document; missing ones are None."""

    net: Money | None
    tax: Money | None
    gross: Money
    prepaid: Money | None = None
    due: Money | None = None
    bases: Sequence[StatedBase] = ()


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
    tax = stated.tax or Money.zero(currency)
    net = gross - tax if stated.net is None else stated.net
    if net + tax != gross:
        raise NotInPartsError(
            f"Net {net.formatted} and tax {tax.formatted} are not the total {gross.formatted}; write the parts by hand."
        )
    bases = [each for each in stated.bases if each.amount]
    if not bases or total([each.amount for each in bases], currency) != net:
        bases = [StatedBase(net)]
    parts = [
        InvoicePart(PartKind.NET, each.amount, each.rate, each.category) for each in bases if each.amount
    ]
    return [*parts, InvoicePart(PartKind.TAX, tax)] if tax else parts


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
    return [*parts, *beside, *rounding_of(stated)]


def rounding_of(stated: StatedTotals) -> list[InvoicePart]:
    """Return the rounding of a document: its amount due, less its total without the prepaid amount, or None.

    >>> eur = lambda minor: Money(minor, "EUR")
    >>> [str(each.amount) for each in rounding_of(StatedTotals(None, None, eur(9998), eur(0), eur(10000)))]
    ['0.02']
    """
    if stated.due is None:
        return []
    rounding = stated.due - (stated.gross - (stated.prepaid or Money.zero(stated.gross.currency)))
    return [InvoicePart(PartKind.ROUNDING, rounding)] if rounding else []
