"""E-invoices are read as they state their figures, in UBL and in CII, and nothing that no invoice is gets through."""

import re
from datetime import date
from decimal import Decimal

import pytest

from tests.fixtures import invoices
from tests.importers.invoices.altered_invoices import bases
from webapp.importers.invoices import InvoiceRefusedError, read
from webapp.importers.invoices.trees import DEEPEST
from webapp.ledger.files.file_kinds import FileKindError, kind_of
from webapp.ledger.files.xml_pieces import MOST_ATTRIBUTES, MOST_ELEMENTS


def test_an_invoice_in_ubl_is_read_with_its_parties_days_totals_and_vat_by_rate():
    invoice = read(invoices.ubl())

    assert (invoice.number, invoice.issued_on, invoice.due_on) == (
        "RE-4711",
        date(2026, 3, 2),
        date(2026, 3, 16),
    )
    assert (invoice.seller.name, invoice.seller.vat_id, invoice.buyer.name) == (
        "Paper Shop Ltd",
        "DE123456789",
        "Ada Studio",
    )
    assert (invoice.totals.net, invoice.tax, invoice.totals.gross) == (
        Decimal(150),
        Decimal("22.50"),
        Decimal("172.5"),
    )
    assert [(row.category, row.rate, row.base, row.tax) for row in invoice.rows] == [
        ("S", Decimal(19), Decimal(100), Decimal(19)),
        ("S", Decimal(7), Decimal(50), Decimal("3.50")),
    ]
    assert [(line.name, line.quantity, line.net) for line in invoice.lines] == [
        ("Paper A4", Decimal(20), Decimal(100)),
        ("Guide to ledgers", Decimal(2), Decimal(50)),
    ]


DELIVERY = "<cac:Delivery><cbc:ActualDeliveryDate>2026-02-27</cbc:ActualDeliveryDate></cac:Delivery>"
PERIOD = "<cac:InvoicePeriod><cbc:EndDate>2026-02-28</cbc:EndDate></cac:InvoicePeriod>"
DAY = "<udt:DateTimeString format='102'>{}</udt:DateTimeString>"
EVENT = f"<ram:OccurrenceDateTime>{DAY.format(20260227)}</ram:OccurrenceDateTime>"
CII_DELIVERY = (
    "<ram:ApplicableHeaderTradeDelivery><ram:ActualDeliverySupplyChainEvent>"
    f"{EVENT}</ram:ActualDeliverySupplyChainEvent></ram:ApplicableHeaderTradeDelivery>"
)
END = f"<ram:EndDateTime>{DAY.format(20260228)}</ram:EndDateTime>"
CII_PERIOD = f"<ram:BillingSpecifiedPeriod>{END}</ram:BillingSpecifiedPeriod>"


@pytest.mark.parametrize(
    ("data", "place", "stated", "day"),
    [
        (invoices.ubl(), "<cac:AccountingSupplierParty>", DELIVERY + PERIOD, 27),
        (invoices.ubl(), "<cac:AccountingSupplierParty>", PERIOD, 28),
        (invoices.cii(), "<ram:ApplicableHeaderTradeSettlement>", CII_DELIVERY, 27),
        (invoices.cii(), "<ram:PaymentReference>", CII_PERIOD, 28),
    ],
)
def test_the_day_of_supply_is_that_of_delivery_or_the_end_of_its_period(data, place, stated, day):
    changed = data.decode().replace(place, stated + place, 1).encode()
    assert (read(data).supplied_on, read(changed).supplied_on) == (None, date(2026, 2, day))


def test_an_invoice_in_cii_is_read_the_same_way():
    invoice = read(invoices.cii())

    assert (invoice.number, invoice.issued_on, invoice.due_on) == (
        "RE-4711",
        date(2026, 3, 2),
        date(2026, 3, 16),
    )
    assert (invoice.payment.means, invoice.payment.remittance, invoice.payment.account) == (
        "58",
        "RE-4711",
        "DE02120300000000202051",
    )
    assert (invoice.totals.due, invoice.tax) == (Decimal(119), Decimal(19))


def test_the_type_makes_a_credit_note_and_its_figures_keep_their_signs():
    invoice = read(invoices.cii(type_code="381"))

    assert invoice.is_credit_note
    assert invoice.totals.gross == Decimal("119.00")


def test_a_credit_note_in_ubl_is_due_when_its_means_of_payment_say():
    due_on = b"<cbc:PaymentDueDate>2026-04-01</cbc:PaymentDueDate>"
    invoice = read(
        bases()["UBL credit note"].replace(b"</cbc:PaymentMeansCode>", b"</cbc:PaymentMeansCode>" + due_on)
    )

    assert (invoice.is_credit_note, invoice.due_on) == (True, date(2026, 4, 1))


def test_a_figure_keeps_all_its_digits_and_one_that_is_none_is_told():
    invoice = read(invoices.ubl(gross="172.500", prepaid="1.234,50"))

    assert str(invoice.totals.gross) == "172.500"
    assert invoice.totals.prepaid is None
    assert invoice.unreadable == ('PrepaidAmount is "1.234,50", which is not a decimal number.',)


def test_an_attached_file_is_counted_and_not_kept():
    binary = "<cbc:EmbeddedDocumentBinaryObject>QUJD</cbc:EmbeddedDocumentBinaryObject>"
    attached = f"<cac:Attachment>{binary}</cac:Attachment>"
    data = invoices.ubl().replace(b"</Invoice>", attached.encode() + b"</Invoice>")

    assert read(data).attachments == 1


def crowded(attribute):
    """Elements with more attributes or namespaces than an invoice has, in tags that are not too long."""
    tag = b"<x " + b" ".join(attribute % number for number in range(10_000)) + b"/>"
    return tag * (MOST_ATTRIBUTES // 10_000 + 1)


MANY = invoices.ubl().replace(b"</Invoice>", b"<cbc:Note/>" * MOST_ELEMENTS + b"</Invoice>")
HOSTILE = {
    "a document type": re.sub(b"\n", b"\n<!DOCTYPE i [<!ENTITY a 'b'>]>\n", invoices.ubl(), count=1),
    "too many elements": MANY,
    "too many elements of letters of two bytes": MANY.decode().replace("UTF-8", "UTF-16").encode("utf-16"),
    "too deep": invoices.ubl().replace(
        b"</Invoice>", b"<cac:Party>" * DEEPEST + b"</cac:Party>" * DEEPEST + b"</Invoice>"
    ),
    "too deep in what is left out": invoices.ubl().replace(
        b"</Invoice>", b'<x xmlns="urn:x">' * DEEPEST + b"</x>" * DEEPEST + b"</Invoice>"
    ),
    "a tag of a megabyte": invoices.ubl().replace(b"</Invoice>", b"<x a='" + b"x" * 2**20 + b"'/></Invoice>"),
    "too many attributes": invoices.ubl().replace(b"</Invoice>", crowded(b"a%d=''") + b"</Invoice>"),
    "too many namespaces": invoices.ubl().replace(b"</Invoice>", crowded(b"xmlns:a%d='u'") + b"</Invoice>"),
    "cut off": invoices.cii()[:-40],
    "another document": b"<Order xmlns='urn:oasis:names:specification:ubl:schema:xsd:Order-2'/>",
    "no XML": b"Invoice 4711",
    "nothing": b"",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_what_no_invoice_is_gets_refused_with_a_sentence(data):
    with pytest.raises(InvoiceRefusedError, match=r"XML.*[.]$"):
        read(data)


def test_too_many_elements_are_counted_before_any_is_looked_at():
    # A parser would break off in the first tag.
    with pytest.raises(InvoiceRefusedError, match="more than 300,000 elements"):
        read(MANY.replace(b"<Invoice ", b"<Invoice <"))


def test_no_more_of_a_file_is_looked_at_than_an_invoice_has():
    # What breaks off behind the last element that counts is never reached.
    endless = invoices.ubl().replace(b"</Invoice>", b"<cbc:Note/>" * MOST_ELEMENTS + b"<<")

    with pytest.raises(FileKindError, match="more than 300,000 elements, which no invoice has"):
        kind_of(endless)
