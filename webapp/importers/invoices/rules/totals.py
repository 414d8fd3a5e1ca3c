"""BR-CO-10 to BR-CO-16: the sums behind the totals of a document."""

from webapp.importers.invoices.records import Invoice, InvoiceTotals, Syntax
from webapp.importers.invoices.rules.arithmetic import Figure, add, cents, equal, minus, sum_of


def lines_add_up(invoice: Invoice) -> bool:
    """BR-CO-10: the sum of the lines' net amounts."""
    totals = invoice.totals
    return totals is None or equal(totals.lines, cents(sum_of(each.net for each in invoice.counted_lines)))


def allowances_add_up(invoice: Invoice) -> bool:
    """BR-CO-11: the sum of the document's allowances."""
    return _adjustments_add_up(invoice, is_charge=False)


def charges_add_up(invoice: Invoice) -> bool:
    """BR-CO-12: the sum of the document's charges."""
    return _adjustments_add_up(invoice, is_charge=True)


def net_adds_up(invoice: Invoice) -> bool:
    """BR-CO-13: the net amount of lines, allowances and charges."""
    totals = invoice.totals
    if totals is None:
        return True
    if totals.charges is None and totals.allowances is None and invoice.syntax is Syntax.UBL:
        return equal(totals.net, totals.lines)
    changes = [figure for figure in (totals.charges, minus(totals.allowances)) if figure is not None]
    return equal(totals.net, cents(add(totals.lines, *changes)))


def taxes_add_up(invoice: Invoice) -> bool:
    """BR-CO-14: the tax is the sum of the tax of each category and rate."""
    if invoice.syntax is Syntax.UBL:
        return all(
            not total.rows or equal(total.amount, cents(sum_of(row.tax for row in total.rows)))
            for total in invoice.tax_totals
        )
    taxes = cents(sum_of(row.tax for row in invoice.rows))
    return all(equal(each.amount, taxes) for each in invoice.tax_totals if _is_own(each.currency, invoice))


def gross_adds_up(invoice: Invoice) -> bool:
    """BR-CO-15: the gross is the net and the tax in the document's currency; in CII also the net alone."""
    if invoice.currency is None:
        return True
    totals = invoice.totals or InvoiceTotals()
    own = [each for each in invoice.tax_totals if each.currency == invoice.currency]
    if invoice.syntax is not Syntax.UBL and equal(totals.gross, totals.net):
        return True
    return len(own) == 1 and equal(totals.gross, cents(add(totals.net, own[0].amount)))


def due_adds_up(invoice: Invoice) -> bool:
    """BR-CO-16: the amount due, from gross, prepaid and rounding; UBL rounds the sum."""
    totals = invoice.totals
    if totals is None:
        return True
    if invoice.syntax is not Syntax.UBL:
        return equal(totals.due, add(totals.gross, *_present(minus(totals.prepaid), totals.rounding)))
    due: Figure = totals.due
    if totals.rounding is not None:
        due = cents(add(totals.due, -totals.rounding))
    changes = _present(minus(totals.prepaid), totals.third_party)
    owed = cents(add(totals.gross, *changes)) if changes else totals.gross
    return equal(due, owed)


def _present(*figures: Figure) -> list[Figure]:
    return [figure for figure in figures if figure is not None]


def _is_own(currency: str | None, invoice: Invoice) -> bool:
    return currency is not None and currency == invoice.currency


def _adjustments_add_up(invoice: Invoice, *, is_charge: bool) -> bool:
    totals = invoice.totals
    if totals is None:
        return True
    stated = totals.charges if is_charge else totals.allowances
    own = [each for each in invoice.adjustments if each.is_charge is is_charge]
    return (stated is None and not own) or equal(stated, cents(sum_of(each.amount for each in own)))
