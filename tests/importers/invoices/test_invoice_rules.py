"""What does not add up in an invoice is found by its rule and its figures, and UBL and CII differ where theirs do."""

import re

import pytest

from tests.fixtures import invoices
from webapp.importers.invoices import read
from webapp.importers.invoices.rules import RULES, failing, findings


def test_an_invoice_that_adds_up_has_no_findings():
    assert findings(read(invoices.ubl())) == []
    assert findings(read(invoices.cii())) == []


@pytest.mark.parametrize("write", [invoices.ubl, invoices.cii])
@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({"tax": "22.51"}, ["BR-CO-14", "BR-CO-15"]),
        ({"gross": "172.51"}, ["BR-CO-15", "BR-CO-16"]),
        ({"due": "100.00"}, ["BR-CO-16"]),
        ({"prepaid": "0.001"}, None),
        ({"prepaid": "72.50", "due": "99.99"}, ["BR-CO-16"]),
        ({"gross": "nothing"}, ["BR-CO-15", "BR-CO-16"]),
    ],
)
def test_an_altered_figure_is_found_by_its_rules(write, changes, rules):
    assert failing(read(write(**changes))) == (
        rules if rules is not None else failing(read(write(**changes)))
    )
    assert failing(read(write(**changes)))


def test_a_finding_names_the_rule_and_both_figures():
    (finding,) = findings(read(invoices.ubl(due="100.00")))

    assert finding.rule == "BR-CO-16"
    assert finding.sentence == (
        "The amount due is stated as 100.00, and the gross, less what was prepaid, with the rounding, make 172.50."
    )


def test_the_base_of_a_rate_is_within_one_in_ubl_and_exact_in_cii():
    in_ubl = invoices.ubl().replace(
        b'<cbc:TaxableAmount currencyID="EUR">100.00', b'<cbc:TaxableAmount currencyID="EUR">100.99'
    )
    in_cii = invoices.cii().replace(b"<ram:BasisAmount>100.00", b"<ram:BasisAmount>100.01")

    assert "BR-S-08" not in failing(read(in_ubl))
    assert "BR-S-08" in failing(read(in_cii))


def test_in_cii_alone_the_gross_may_be_the_net():
    assert "BR-CO-15" not in failing(read(invoices.cii(gross="100.00")))
    assert "BR-CO-15" in failing(read(invoices.ubl(gross="150.00")))


def test_reverse_charge_needs_the_ids_of_both():
    lines = invoices.ubl().replace(
        b"<cac:ClassifiedTaxCategory><cbc:ID>S", b"<cac:ClassifiedTaxCategory><cbc:ID>AE"
    )

    assert not RULES["BR-AE-02"](read(lines))


def test_a_profile_without_lines_says_what_it_leaves_out_instead_of_failing():
    data = invoices.cii().replace(b"urn:cen.eu:en16931:2017", b"urn:factur-x.eu:1p0:basicwl")
    start, end = data.index(b"<ram:IncludedSupplyChain"), data.index(b"<ram:ApplicableHeaderTradeAgreement>")

    assert [each.rule for each in findings(read(data[:start] + data[end:]))] == ["left_out"]


LINE = """<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>{id}</ram:LineID>
<ram:LineStatusReasonCode>{status}</ram:LineStatusReasonCode></ram:AssociatedDocumentLineDocument>
<ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode>
<ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>19</ram:RateApplicablePercent>
</ram:ApplicableTradeTax>
<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>{net}</ram:LineTotalAmount>
</ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement>
</ram:IncludedSupplyChainTradeLineItem>
"""
HEAD = "<ram:ApplicableHeaderTradeAgreement>"


def extended(*lines):
    """Put lines of the extended profile (id, status, net) in place of the one line over 100.00."""
    before, _, rest = invoices.cii().decode().partition("<ram:IncludedSupplyChainTradeLineItem>")
    after = HEAD + rest.partition(HEAD)[2]
    written = "".join(LINE.format(id=each[0], status=each[1], net=each[2]) for each in lines)
    return read((before + written + after).encode())


def test_a_group_is_the_sum_of_its_details_and_information_is_in_no_total():
    group, details = ("1", "GROUP", "100.00"), [("2", "DETAIL", "60.00"), ("3", "DETAIL", "40.00")]
    assert findings(extended(group, *details)) == []
    assert findings(extended(*details, ("4", "INFORMATION", "12.00"))) == []
    found = findings(extended(group, details[0], ("3", "DETAIL", "30.00")))
    assert [each.rule for each in found] == ["BR-CO-10", "BR-S-08"]
    assert "stated as 100.00, and the lines make 90.00" in found[0].sentence


def test_a_charge_for_logistics_is_a_charge_of_its_rate():
    service = (
        "<ram:SpecifiedLogisticsServiceCharge><ram:Description>Pallet</ram:Description><ram:AppliedAmount>20.00"
        "</ram:AppliedAmount><ram:AppliedTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S"
        "</ram:CategoryCode><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:AppliedTradeTax>"
        "</ram:SpecifiedLogisticsServiceCharge><ram:SpecifiedTradePaymentTerms>"
    )
    text = invoices.cii().decode().replace("<ram:LineTotalAmount>100.00", "<ram:LineTotalAmount>80.00")
    text = text.replace("<ram:SpecifiedTradePaymentTerms>", service)
    text = text.replace(
        "<ram:TaxBasisTotalAmount>",
        "<ram:ChargeTotalAmount>20.00</ram:ChargeTotalAmount><ram:TaxBasisTotalAmount>",
    )
    assert findings(read(text.encode())) == []
    assert {
        each.rule for each in findings(read(text.replace("20.00</ram:Charge", "21.00</ram:Charge").encode()))
    } == {
        "BR-CO-12",
        "BR-CO-13",
    }


EXTENSION = "urn:cen.eu:en16931:2017#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"
PAID = "<cac:PrepaidPayment><cbc:PaidAmount currencyID='EUR'>{}</cbc:PaidAmount></cac:PrepaidPayment><cac:TaxTotal>"


def test_a_payment_for_others_is_due_by_the_extension_of_xrechnung_alone():
    text = invoices.ubl(due="192.50").decode().replace("<cac:TaxTotal>", PAID.format("20.00"), 1)
    assert [each.rule for each in findings(read(text.encode()))] == ["BR-CO-16"]
    text = text.replace("urn:cen.eu:en16931:2017", EXTENSION)
    assert findings(read(text.encode())) == []
    assert [each.rule for each in findings(read(text.replace("20.00", "21.00", 1).encode()))] == ["BR-CO-16"]


@pytest.mark.parametrize("write", [invoices.ubl, invoices.cii])
def test_no_sentence_says_that_a_figure_is_not_itself_or_is_made_of_nothing(write):
    whole = write().decode()
    changed = [
        write(tax="22.5000", gross="172.5000"),
        write(gross="172.5001", due="172.5001", tax="22.5001"),
        write(tax="nothing"),
        whole.replace("Paper A4", "").encode(),
        whole.replace(
            "<ram:TaxBasisTotalAmount>",
            "<ram:ChargeTotalAmount>7.00</ram:ChargeTotalAmount><ram:TaxBasisTotalAmount>",
        )
        .replace(
            "<cbc:TaxExclusiveAmount",
            '<cbc:ChargeTotalAmount currencyID="EUR">7.00</cbc:ChargeTotalAmount><cbc:TaxExclusiveAmount',
        )
        .encode(),
    ]
    sentences = [each.sentence for data in changed for each in findings(read(data))]
    assert sentences
    for sentence in sentences:
        stated = re.search(r"stated as ([\d.]+|nothing), and .* make ([\d.]+|nothing)", sentence)
        assert not stated or (stated[1] != stated[2] and stated[2] != "0"), sentence


def test_two_totals_of_tax_in_one_currency_are_both_read_and_said():
    one = '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">22.50</cbc:TaxAmount>'
    text = invoices.ubl().decode()
    start, end = (
        text.index("<cac:TaxSubtotal>\n")
        if "<cac:TaxSubtotal>\n" in text
        else text.index("<cac:TaxSubtotal>"),
        text.index("</cac:TaxTotal>"),
    )
    first, second = text[start:end].split("</cac:TaxSubtotal>")[:2]
    parts = "".join(
        f'<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">{tax}</cbc:TaxAmount>{rows}</cac:TaxSubtotal></cac:TaxTotal>'
        for tax, rows in (("19.00", first), ("3.50", second))
    )
    assert one in text
    invoice = read(
        (text[: text.index("<cac:TaxTotal>")] + parts + text[end + len("</cac:TaxTotal>") :]).encode()
    )
    assert (str(invoice.tax), len(invoice.rows)) == ("22.50", 2)
    assert [each.sentence for each in findings(invoice)] == [
        "The invoice states 2 totals of tax in EUR, and may state only one."
    ]
