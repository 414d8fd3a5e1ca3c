"""What does not add up in an invoice is found by its rule and its figures, and UBL and CII differ where theirs do."""

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
