"""Other people's readers make of our own files what ours make of them, or the difference is named."""

from datetime import date
from decimal import Decimal
from io import BytesIO

import pytest
import xlsxwriter
from drafthorse.models.accounting import ApplicableTradeTax
from drafthorse.models.document import Document
from drafthorse.models.tradelines import LineItem
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.bank_files import camt_files
from tests.fixtures.bank_files.xlsx_files import day, workbook
from tests.fixtures.oracles.second_readers import figures_of, of_camt, of_cii, of_mt940, of_workbook
from tests.importers.invoices.altered_invoices import bases
from tests.importers.mt940.test_mt940 import statement
from webapp.importers import read
from webapp.importers.invoices import read as read_invoice

MARKS = {"C": 1, "D": -1, "RC": -1, "RD": 1}
DAYS = st.dates(date(2024, 1, 1), date(2027, 12, 31))
CENTS = st.integers(1, 10**11).map(lambda minor: Decimal(minor).scaleb(-2))
CII = {name: data for name, data in bases().items() if name.startswith("CII")}


def lines_of(file, *, by_value=False):
    return sorted(
        ((line.value_on or line.booked_on) if by_value else line.booked_on, line.amount)
        for each in file.statements
        for line in each.lines
    )


@given(st.lists(st.tuples(DAYS, st.sampled_from(sorted(MARKS)), CENTS), min_size=1, max_size=8))
def test_lines_of_mt940_are_those_of_mt_940(lines):
    fields = [
        f":61:{on:%y%m%d}{on:%m%d}{mark}{str(amount).replace('.', ',')}NTRFE{place}//B{place}"
        for place, (on, mark, amount) in enumerate(lines)
    ]
    closing = Decimal(100) + sum(MARKS[mark] * amount for _, mark, amount in lines)
    mark = "D" if closing < 0 else "C"
    data = statement(*fields, closing=f":62F:{mark}260331EUR{abs(closing):.2f}".replace(".", ",")).encode()
    file = read(data)
    assert of_mt940(data) == (lines_of(file, by_value=True), file.statements[0].closing.amount)


@given(st.lists(st.tuples(DAYS, st.sampled_from(("DBIT", "CRDT")), CENTS), max_size=8))
def test_entries_of_camt_are_those_of_pycamt(entries):
    written = [
        camt_files.entry(str(amount), direction, booked=on.isoformat(), reference=f"A{place}")
        for place, (on, direction, amount) in enumerate(entries)
    ]
    balances = [camt_files.balance("OPBD", "100.00"), camt_files.balance("CLBD", "40.50", direction="DBIT")]
    data = camt_files.message(camt_files.statement(*balances, *written))
    file = read(data)
    (stated,) = file.statements
    assert of_camt(data) == (lines_of(file), [(stated.opening.amount, stated.closing.amount)])


@pytest.mark.parametrize("name", CII)
def test_figures_of_an_invoice_in_cii_are_those_of_drafthorse(name):
    assert of_cii(CII[name]) == figures_of(read_invoice(CII[name]))


def test_an_invoice_that_drafthorse_writes_is_read_with_its_figures():
    document = Document()
    document.context.guideline_parameter.id = "urn:cen.eu:en16931:2017"
    document.header.id, document.header.type_code = "D-77", "380"
    document.header.issue_date_time = date(2026, 3, 2)
    document.trade.agreement.seller.name = "Paper Shop Ltd"
    document.trade.settlement.currency_code = "EUR"
    line = LineItem()
    line.document.line_id, line.product.name = "1", "Paper"
    line.agreement.net.amount = Decimal("12.5000")
    line.delivery.billed_quantity = (Decimal("8.00"), "C62")
    line.settlement.trade_tax.type_code, line.settlement.trade_tax.category_code = "VAT", "S"
    line.settlement.trade_tax.rate_applicable_percent = Decimal("19.00")
    line.settlement.monetary_summation.total_amount = Decimal("100.00")
    document.trade.items.add(line)
    tax = ApplicableTradeTax()
    tax.calculated_amount, tax.basis_amount = Decimal("19.00"), Decimal("100.00")
    tax.type_code, tax.category_code, tax.rate_applicable_percent = "VAT", "S", Decimal("19.00")
    document.trade.settlement.trade_tax.add(tax)
    summation = document.trade.settlement.monetary_summation
    summation.line_total, summation.charge_total, summation.allowance_total = (
        Decimal("100.00"), Decimal("0.00"), Decimal("0.00"),
    )  # fmt: skip
    summation.tax_basis_total, summation.tax_total = Decimal("100.00"), (Decimal("19.00"), "EUR")
    summation.grand_total, summation.due_amount = Decimal("119.00"), Decimal("119.00")

    invoice = read_invoice(document.serialize(schema=None))

    assert (invoice.number, invoice.issued_on, invoice.seller.name) == (
        "D-77",
        date(2026, 3, 2),
        "Paper Shop Ltd",
    )
    assert [(each.name, each.net, each.quantity) for each in invoice.lines] == [
        ("Paper", Decimal(100), Decimal(8))
    ]
    assert (invoice.totals.net, invoice.tax, invoice.totals.gross) == (
        Decimal(100),
        Decimal(19),
        Decimal(119),
    )


def test_cells_of_a_workbook_are_those_of_calamine():
    rows = [(day(46086), "Tea", -3.5), (day(46087), "Pay", 1200), (day(46088), "Rent", -800.01)]
    data = workbook(rows)
    assert of_workbook(data) == lines_of(read(data))


@given(st.lists(st.tuples(DAYS, CENTS), min_size=1, max_size=8))
def test_cells_that_a_program_writes_are_those_of_calamine(rows):
    written = BytesIO()
    with xlsxwriter.Workbook(written, {"in_memory": True, "default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ("Date", "Description", "Amount", "Note"))
        for place, (on, amount) in enumerate(rows, 1):
            sheet.write_row(place, 0, (on, f"Line {place}", -float(amount), ""))
    data = written.getvalue()
    assert of_workbook(data) == lines_of(
        read(data, mapping={"date": "Date", "amount": "Amount", "invert": False})
    )
