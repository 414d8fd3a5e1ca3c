"""BR-CO-17, BR-S-05, BR-AE-02 and the rules -08 and -09 of each category of VAT: its base and its tax."""

from collections.abc import Iterable
from decimal import Decimal

from webapp.importers.invoices.records import Adjustment, Invoice, InvoiceLine, Syntax, VatRow
from webapp.importers.invoices.rules.arithmetic import (
    HUNDRED,
    Figure,
    cents,
    equal,
    sum_of,
    whole,
    within_one,
    within_one_as_double,
)
from webapp.ledger.money import EXACT


def rows_of(invoice: Invoice, category: str) -> list[VatRow]:
    """List the rows for a category's rules: in CII also rows of S and Z that name no VAT."""
    names_none = invoice.syntax is not Syntax.UBL and category in {"S", "Z"}
    return [row for row in invoice.all_rows if row.category == category and (row.is_vat or names_none)]


def tax_follows(invoice: Invoice) -> bool:
    """BR-CO-17: the tax of each row follows from its base and rate, with a tolerance of 1.00."""
    return all(_follows(row, invoice.syntax) for row in invoice.common_rows)


def tax_of_standard_follows(invoice: Invoice) -> bool:
    """BR-S-09: the same for the standard rate, which must be there."""
    return all(
        row.rate is not None and row.tax is not None and row.base is not None and _is_near(row, row.rate)
        for row in rows_of(invoice, "S")
    )


def has_no_tax(invoice: Invoice, category: str) -> bool:
    """BR-Z-09, E, AE, IC, G and O: the tax is 0."""
    return all(equal(row.tax, Decimal(0)) for row in rows_of(invoice, category))


def base_adds_up(invoice: Invoice, category: str) -> bool:
    """BR-Z-08, E, AE, IC, G and O: the base is the sum of the category's lines, charges and allowances."""
    sums = _sum(invoice, category)
    rows = rows_of(invoice, category)
    if invoice.syntax is Syntax.UBL:
        return all(bool(invoice.lines) and equal(row.base, sums) for row in rows)
    if category == "O":
        return all(equal(row.base, sums) for row in rows)
    return all(within_one(row.base, sums) for row in rows)


def base_of_standard_adds_up(invoice: Invoice) -> bool:
    """BR-S-08: the base of each standard rate, within 1.00 in UBL and exact in CII."""
    return all(_base_of_rate(invoice, row) for row in rows_of(invoice, "S"))


def standard_rate_is_positive(invoice: Invoice) -> bool:
    """BR-S-05: a line of the standard rate has a rate above 0."""
    lines = (line for line in invoice.lines if line.category == "S" and line.is_vat)
    return all(line.rate is not None and line.rate > 0 for line in lines)


def reverse_charge_names_both(invoice: Invoice) -> bool:
    """BR-AE-02: with a line of reverse charge, the seller's tax number and the buyer's VAT id or registration."""
    if not any(line.category == "AE" and line.is_vat for line in invoice.lines):
        return True
    seller, buyer = invoice.seller, invoice.buyer
    has_seller = bool(seller.stated_ids & {"vat", "tax"} or invoice.representative_vat_id)
    return has_seller and bool(buyer.stated_ids & {"vat", "registration"})


def _follows(row: VatRow, syntax: Syntax) -> bool:
    rate = row.rate if row.is_vat else None
    if rate is None or whole(rate) == 0:
        return row.tax is not None and whole(row.tax) == 0
    return _is_near(row, rate, or_equal=syntax is not Syntax.UBL)


def _is_near(row: VatRow, rate: Decimal, *, or_equal: bool = False) -> bool:
    if row.base is None or row.tax is None:
        return False
    expected = cents(EXACT.divide(EXACT.multiply(abs(row.base), rate), HUNDRED))
    return expected is not None and within_one(abs(row.tax), expected, or_equal=or_equal)


def _base_of_rate(invoice: Invoice, row: VatRow) -> bool:
    if row.rate is None:
        return True
    sums = _sum(invoice, "S", row.rate)
    if invoice.syntax is not Syntax.UBL:
        return equal(row.base, sums)
    parts: list[InvoiceLine | Adjustment] = [*invoice.lines, *invoice.adjustments]
    is_used = any(each.category == "S" and each.rate == row.rate for each in parts)
    return is_used and within_one_as_double(row.base, sums)


def _sum(invoice: Invoice, category: str, rate: Decimal | None = None) -> Decimal:
    """Add up the lines and charges of a category, less its allowances; CII rounds each sum."""
    own = [each for each in invoice.adjustments if _is_of(each.category, each.rate, category, rate)]
    lines = _rounded(
        invoice,
        (each.net for each in invoice.counted_lines if _is_of(each.category, each.rate, category, rate)),
    )
    charges = _rounded(invoice, (each.amount for each in own if each.is_charge))
    return lines + charges - _rounded(invoice, (each.amount for each in own if not each.is_charge))


def _rounded(invoice: Invoice, figures: Iterable[Figure]) -> Decimal:
    total = sum_of(figures)
    return total if invoice.syntax is Syntax.UBL else cents(total) or Decimal(0)


def _is_of(category: str | None, rate: Decimal | None, wanted: str, wanted_rate: Decimal | None) -> bool:
    return category == wanted and (wanted_rate is None or rate == wanted_rate)
