"""Every e-invoice of the corpus is read as its manifest says, and each asserted verdict that we claim holds."""

import json
import xml.etree.ElementTree as ET
from decimal import Decimal

import pytest

from tests.corpus import manifest
from tests.fixtures.corpus import CORPUS
from webapp.importers import pdfs
from webapp.importers.invoices import read
from webapp.importers.invoices.rules import RULES, findings

FILES = [(name, entry) for name in ("ubl", "cii", "facturx_pdf") for entry in manifest.entries(name)]
UNITS = CORPUS / "en16931_rules"
CLAIMED = [
    each
    for each in json.loads((UNITS / "RULES.json").read_text(encoding="utf-8"))["entries"]
    if RULES.keys() & set(each["scope"])
]


def decimal(written):
    return None if written is None else Decimal(written)


def stated(invoice):
    totals = invoice.totals
    return {
        "type_code": invoice.type_code,
        "doc": "credit_note" if invoice.is_credit_note else "invoice",
        "number": invoice.number,
        "issue_date": invoice.issued_on and invoice.issued_on.isoformat(),
        "due_date": invoice.due_on and invoice.due_on.isoformat(),
        "currency": invoice.currency,
        "tax_currency": invoice.tax_currency,
        "seller": invoice.seller.name,
        "buyer": invoice.buyer.name,
        "seller_vat": invoice.seller.vat_id,
        "lines": len(invoice.lines),
        "embedded_attachments": invoice.attachments,
        "line_total": totals.lines,
        "tax_exclusive": totals.net,
        "tax_total": invoice.tax,
        "tax_inclusive": totals.gross,
        "allowances": totals.allowances,
        "charges": totals.charges,
        "prepaid": totals.prepaid,
        "rounding": totals.rounding,
        "payable": totals.due,
        "tax_breakdown": [
            {"category": row.category, "rate": row.rate, "basis": row.base, "tax": row.tax}
            for row in invoice.rows
        ],
    }


def as_written(value):
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return [{key: as_written(part) for key, part in each.items()} for each in value]
    return value


@pytest.mark.parametrize(("name", "entry"), FILES, ids=[entry.path for _, entry in FILES])
def test_an_invoice_is_read_as_the_manifest_says(name, entry, record_property):
    record_property("corpus_format", name)
    data = pdfs.read(entry.data).xml if name == "facturx_pdf" else entry.data

    invoice = read(data)

    found = stated(invoice)
    assert {key: as_written(value) for key, value in found.items()} == {
        key: as_written(entry.expected[key]) for key in found
    }
    assert invoice.unreadable == ()
    # Nothing in the corpus is wrong; three profiles leave parts out, and two are older than the rules.
    assert {each.rule for each in findings(invoice)} <= {"left_out", "zugferd_1"}


@pytest.mark.parametrize("unit", CLAIMED, ids=lambda unit: unit["path"])
def test_every_asserted_verdict_is_the_same(unit, record_property):
    record_property("corpus_format", "en16931")
    tests = [each for each in ET.parse(UNITS / unit["path"]).getroot() if each.tag.endswith("}test")]  # noqa: S314
    fragments = [
        ET.tostring(next(part for part in each if not part.tag.endswith("assert"))) for each in tests
    ]

    for fragment, asserted in zip(fragments, unit["cases"], strict=True):
        for verdict, rule, _count in asserted:
            if rule in RULES:
                assert RULES[rule](read(fragment)) is (verdict == "success"), fragment.decode()
