"""The checks of the Sistema di Interscambio on figures of Italian invoices, by their codes, and on their totals.

The codes and tolerances are those of the list of controls of Allegato A, version 1.9. SDI-TOTAL and SDI-DUE are ours:
the Sistema di Interscambio does not compare the total of a document with its rows, nor its payments with its total.
"""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Final

from webapp.importers.invoices.records import Adjustment, Invoice, InvoiceLine, InvoiceTotals, VatRow
from webapp.importers.invoices.rules.arithmetic import (
    HUNDRED,
    ONE,
    Figure,
    add,
    cents,
    minus,
    shown,
    sum_of,
    within_one,
)
from webapp.ledger.money import EXACT

_CENT: Final = Decimal("0.01")
_REVERSE_CHARGE: Final = "N6"
# A domestic reverse charge that the buyer completes has the seller's reason and the buyer's tax.
_COMPLETED_BY_BUYER: Final = "TD16"
# Since 2021 these codes have a digit more.
_GENERAL: Final = frozenset({"N2", "N3", _REVERSE_CHARGE})
_ENDED_ON: Final = date(2021, 1, 1)
MOST_SENTENCES: Final = 10
Finding = tuple[str, str]


def failing(invoice: Invoice) -> list[Finding]:
    """List the broken checks of an Italian invoice, each with a sentence, and the totals that it does not state."""
    found = [
        *_of_totals(invoice),
        *(each for row in invoice.rows for each in _of_row(row, invoice)),
        *(each for line in invoice.lines for each in _of_line(line, invoice)),
        *(each for fund in invoice.adjustments for each in _of_fund(fund, invoice)),
        *_of_withholdings(invoice),
        *_of_general_natures(invoice),
    ]
    if len(found) > MOST_SENTENCES:
        more = len(found) - MOST_SENTENCES + 1
        return [*found[: MOST_SENTENCES - 1], ("SDI", f"{more:,} more checks of this invoice fail.")]
    return found


def _of_totals(invoice: Invoice) -> Iterator[Finding]:
    totals = invoice.totals or InvoiceTotals()
    rows = add(totals.net, invoice.tax)
    allowed = [add(rows, each) for each in (Decimal(0), totals.rounding, totals.stamp) if each is not None]
    if "gross" in totals.made:
        made = shown(totals.gross)
        yield "not_stated", f"The total is not stated; the bases and the taxes make {made}, which is taken."
    elif rows is not None and totals.gross not in allowed and totals.gross is not None:
        yield (
            "SDI-TOTAL",
            f"The total is stated as {shown(totals.gross)}, and the bases and the taxes make {shown(rows)}.",
        )
    withheld = sum_of((totals.withheld, totals.split_tax))
    owed = add(totals.gross, minus(withheld))
    less = f", less {shown(withheld)} that the buyer pays to others," if withheld else ""
    if "due" in totals.made:
        yield (
            "not_stated",
            f"The amount to pay is not stated; the total{less} makes {shown(owed)}, which is taken.",
        )
    elif totals.due is not None and owed is not None and totals.due != owed:
        yield "SDI-DUE", f"The payments make {shown(totals.due)}, and the total{less} makes {shown(owed)}."


def _of_row(row: VatRow, invoice: Invoice) -> Iterator[Finding]:
    name = _name(row.rate, row.category)
    if row.rate is not None and row.base is not None:
        expected = cents(EXACT.divide(EXACT.multiply(row.base, row.rate), HUNDRED))
        if row.tax is None or expected is None or abs(EXACT.subtract(row.tax, expected)) > _CENT:
            yield (
                "SDI-00421",
                f"The tax at {name} is stated as {shown(row.tax)}, and {shown(row.base)} make {expected:.2f}.",
            )
    made = _bases(row, invoice)
    if row.base is not None and made and not any(within_one(row.base, each, or_equal=True) for each in made):
        yield (
            "SDI-00422",
            f"The base at {name} is stated as {shown(row.base)}, and its lines make {shown(made[-1])}.",
        )
    yield from _of_nature(row, invoice, f"The row at {name}", ("SDI-00429", "SDI-00430"))
    if row.is_split and (row.category or "").startswith(_REVERSE_CHARGE):
        yield (
            "SDI-00420",
            f"The row at {name} is under reverse charge, and the buyer is to pay its tax to the state.",
        )


def _bases(row: VatRow, invoice: Invoice) -> list[Decimal]:
    """Return what the base of a row may be, the likeliest last; nothing where a discount states no amount.

    Programs differ on whether a base includes its expenses, its rounding and the document's discounts.
    """
    others = [each for each in invoice.adjustments if not _is_fund(each.reason)]
    if any(each.amount is None for each in others):
        return []
    changes = [each.amount if each.is_charge else minus(each.amount) for each in others]
    parts = (*row.parts, *([sum_of(changes)] if changes else ()))
    lines = sum_of(_figures_of(row, invoice))
    return [
        EXACT.add(lines, sum_of(each)) for size in range(len(parts) + 1) for each in combinations(parts, size)
    ]


def _figures_of(row: VatRow, invoice: Invoice) -> Iterator[Figure]:
    """Yield the lines and the contributions of a rate and a nature."""
    for line in invoice.lines:
        if (line.rate, line.category) == (row.rate, row.category):
            yield line.net
    for each in invoice.adjustments:
        if _is_fund(each.reason) and (each.rate, each.category) == (row.rate, row.category):
            yield each.amount


def _is_fund(reason: str | None) -> bool:
    """Return whether an adjustment is a contribution to a pension fund (TC01 to TC22), no discount or surcharge."""
    return (reason or "").startswith("TC")


def _of_line(line: InvoiceLine, invoice: Invoice) -> Iterator[Finding]:
    name = f"Line {line.id or '?'}"
    yield from _of_nature(line, invoice, name, ("SDI-00400", "SDI-00401"))
    yield from _of_rate(line, invoice, name)
    expected = _price(line)
    if expected is not None and line.net is not None and abs(EXACT.subtract(line.net, expected)) > _CENT:
        yield (
            "SDI-00423",
            f"{name} is stated as {shown(line.net)}, and its price and quantity make {expected:.2f}.",
        )


def _price(line: InvoiceLine) -> Figure:
    """Return the price of a line, each discount or surcharge by its amount or its percent, times its quantity."""
    price = line.price
    for each in line.adjustments:
        if price is None:
            return None
        change = each.amount
        if change is None and each.rate is not None:
            change = EXACT.divide(EXACT.multiply(price, each.rate), HUNDRED)
        price = add(price, change if each.is_charge else minus(change))
    return None if price is None else EXACT.multiply(price, ONE if line.quantity is None else line.quantity)


def _of_fund(fund: Adjustment, invoice: Invoice) -> Iterator[Finding]:
    if _is_fund(fund.reason):
        name = f"The contribution {fund.reason}"
        yield from _of_nature(fund, invoice, name, ("SDI-00413", "SDI-00414"))
        yield from _of_rate(fund, invoice, name)


def _of_nature(
    part: VatRow | InvoiceLine | Adjustment, invoice: Invoice, name: str, codes: tuple[str, str]
) -> Iterator[Finding]:
    if part.rate == 0 and part.category is None:
        yield codes[0], f"{name} has no tax, and does not state why (Natura)."
    elif part.rate and part.category is not None and invoice.type_code != _COMPLETED_BY_BUYER:
        yield codes[1], f"{name} has tax, and states a reason for none ({part.category})."


def _of_rate(part: InvoiceLine | Adjustment, invoice: Invoice, name: str) -> Iterator[Finding]:
    rows = [row for row in invoice.rows if row.rate == part.rate]
    if invoice.rows and part.category not in [row.category for row in rows]:
        code = "SDI-00444" if rows else "SDI-00419"
        yield code, f"{name} is at {_name(part.rate, part.category)}, and no row sums up that rate."


def _of_withholdings(invoice: Invoice) -> Iterator[Finding]:
    if any(line.is_withheld for line in invoice.lines) and not invoice.withholdings:
        yield "SDI-00411", "Something is withheld of a line, and the invoice does not state how much."


def _of_general_natures(invoice: Invoice) -> Iterator[Finding]:
    if invoice.issued_on is not None and invoice.issued_on >= _ENDED_ON:
        parts: tuple[VatRow | InvoiceLine | Adjustment, ...] = (
            *invoice.rows,
            *invoice.lines,
            *invoice.adjustments,
        )
        for nature in sorted(_GENERAL.intersection(each.category or "" for each in parts)):
            yield "SDI-00445", f"Natura is {nature}, which is to say more since 2021: {nature}.1 or another."


def _name(rate: Figure, nature: str | None) -> str:
    return " ".join(each for each in (f"{shown(rate)} %", nature) if each)
