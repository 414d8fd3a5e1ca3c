"""BR-DEC: amounts are written with at most two decimals."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from webapp.importers.invoices.records import Adjustment, Invoice, InvoiceTotals, Syntax
from webapp.importers.invoices.rules.arithmetic import Figure, cents, equal, has_few_decimals

_Figures = Callable[[Invoice], Iterable[Figure]]


def _of_totals(name: str) -> _Figures:
    return lambda invoice: (getattr(invoice.totals or InvoiceTotals(), name),)


def _amounts(*, is_charge: bool, in_lines: bool, name: str) -> _Figures:
    def figures(invoice: Invoice) -> Iterable[Figure]:
        owners: Iterable[tuple[Adjustment, ...]] = (
            (line.adjustments for line in invoice.lines) if in_lines else (invoice.adjustments,)
        )
        return (getattr(each, name) for own in owners for each in own if each.is_charge is is_charge)

    return figures


FIGURES: Final[Mapping[str, _Figures]] = {
    "BR-DEC-01": _amounts(is_charge=False, in_lines=False, name="amount"),
    "BR-DEC-02": _amounts(is_charge=False, in_lines=False, name="base"),
    "BR-DEC-05": _amounts(is_charge=True, in_lines=False, name="amount"),
    "BR-DEC-06": _amounts(is_charge=True, in_lines=False, name="base"),
    "BR-DEC-09": _of_totals("lines"),
    "BR-DEC-10": _of_totals("allowances"),
    "BR-DEC-11": _of_totals("charges"),
    "BR-DEC-12": _of_totals("net"),
    "BR-DEC-14": _of_totals("gross"),
    "BR-DEC-16": _of_totals("prepaid"),
    "BR-DEC-17": _of_totals("rounding"),
    "BR-DEC-18": _of_totals("due"),
    "BR-DEC-19": lambda invoice: (row.base for row in invoice.common_rows),
    "BR-DEC-20": lambda invoice: (row.tax for row in invoice.common_rows),
    "BR-DEC-23": lambda invoice: (line.net for line in invoice.lines),
    "BR-DEC-24": _amounts(is_charge=False, in_lines=True, name="amount"),
    "BR-DEC-25": _amounts(is_charge=False, in_lines=True, name="base"),
    "BR-DEC-27": _amounts(is_charge=True, in_lines=True, name="amount"),
    "BR-DEC-28": _amounts(is_charge=True, in_lines=True, name="base"),
}


def are_few(invoice: Invoice, rule: str) -> bool:
    """Return whether all figures of a rule have at most two decimals."""
    return all(has_few_decimals(figure) for figure in FIGURES[rule](invoice))


def tax_has_cents(invoice: Invoice) -> bool:
    """BR-DEC-13; the official rule for UBL compares a currency with nothing, so it never fails."""
    if invoice.syntax is Syntax.UBL or not invoice.tax_totals:
        return True
    return any(
        each.currency != invoice.currency
        or invoice.currency is None
        or equal(each.amount, cents(each.amount))
        for each in invoice.tax_totals
    )


def accounting_tax_has_cents(invoice: Invoice) -> bool:
    """BR-DEC-15: the same for the tax in the tax currency."""
    if invoice.syntax is Syntax.UBL or not invoice.tax_totals or invoice.tax_currency is None:
        return True
    own = (each for each in invoice.tax_totals if each.currency == invoice.tax_currency)
    return any(equal(each.amount, cents(each.amount)) for each in own)
