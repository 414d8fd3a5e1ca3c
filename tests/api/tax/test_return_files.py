"""Returns as files: a table that a spreadsheet opens, and the JSON of the authority's interface."""

import csv
import io
import json

from tests.api.tax.test_returns import file, open_return


def table(taxes, path, **query):
    answer = taxes.person.get(f"/api/tax/returns/{path}/file", query_string={"format": "csv", **query})
    assert (answer.status_code, answer.mimetype) == (200, "text/csv")
    heads, *rows = csv.reader(io.StringIO(answer.text))
    assert heads == ["Part", "Box", "Tax point", "Entry", "Text", "Account", "Tax code", "Amount"]
    return rows


def test_a_file_has_each_box_with_the_postings_behind_it_and_what_is_late(taxes):
    first = taxes.sale("2026-02-03", "120.00", "S20")
    file(taxes, "2026-03-31")
    late = taxes.sale("2026-03-04", "12.00", "S20", late=True)
    own = taxes.enter(
        "2026-04-05",
        ("Petty cash", "-60.00", None, {}),
        ("Software", "60.00", "P20", {}),
        description="=HYPERLINK(1)",
    )
    shown = table(taxes, "open", form=taxes.pack, to="2026-06-30")
    assert [row for row in shown if row[1] in ("A", "D", "E")] == [
        ["Box", "A", "", "", "Tax on sales", "", "", "2.00"],
        ["Posting", "A", "2026-03-04", str(late), "", "VAT payable", "S20", "2.00"],
        ["Box", "D", "", "", "Deductible tax", "", "", "10.00"],
        ["Posting", "D", "2026-04-05", str(own), "'=HYPERLINK(1)", "VAT receivable", "P20", "10.00"],
        ["Box", "E", "", "", "Payable", "", "", "-8.00"],
        ["Late", "A", "2026-03-04", str(late), "Error", "", "", "2.00"],
    ]
    assert shown[-1] == ["Payable", "", "2026-06-30", "", "", "", "", "-8.00"]
    filed = file(taxes, "2026-06-30")
    assert table(taxes, filed["id"]) == shown
    assert [row[3] for row in table(taxes, 1) if row[0] == "Posting"] == [str(first)] * 2


def test_the_postings_of_a_box_add_up_to_what_is_behind_it(uk, monkeypatch):
    monkeypatch.setattr("webapp.queries.tax.return_files.POSTINGS_AT_ONCE", 2)
    for day in ("2026-01-05", "2026-02-05", "2026-03-05"):
        uk.sale(day, "100.01", "S20")
        uk.purchase(day, "9.99", "P-RCS")
    filed = file(uk, "2026-03-31")
    rows = table(uk, filed["id"])
    for box in filed["boxes"]:
        parts = [float(row[-1]) for row in rows if row[:2] == ["Posting", box["box"]]]
        is_total = box["box"] in "35"
        assert is_total or round(sum(parts), 2) == float(box["exact"])


def test_json_has_the_keys_of_making_tax_digital_and_other_forms_have_none(uk):
    uk.sale("2026-02-03", "120.59", "S20")
    uk.purchase("2026-02-03", "300.00", "P20")
    query = {"form": "uk-vat100", "format": "json"}
    answer = uk.person.get("/api/tax/returns/open/file", query_string=query)
    assert answer.mimetype == "application/json"
    expected = {
        "vatDueSales": 20.10,
        "vatDueAcquisitions": 0.0,
        "totalVatDue": 20.10,
        "vatReclaimedCurrPeriod": 50.0,
        "netVatDue": 29.90,
        "totalValueSalesExVAT": 100,
        "totalValuePurchasesExVAT": 250,
        "totalValueGoodsSuppliedExVAT": 0,
        "totalAcquisitionsExVAT": 0,
    }
    assert json.loads(answer.text) == {**expected, "finalised": False}
    assert '"netVatDue": 29.90,' in answer.text
    filed = file(uk, "2026-03-31")
    answer = uk.person.get(f"/api/tax/returns/{filed['id']}/file?format=json")
    assert json.loads(answer.text) == {**expected, "finalised": True}


def test_a_form_without_an_interface_has_no_json(taxes):
    assert open_return(taxes)["status"] == "OPEN"
    answer = taxes.person.get("/api/tax/returns/open/file?form=generic-vat&format=json")
    assert (answer.status_code, answer.json["code"]) == (422, "no_json")
    assert taxes.person.get("/api/tax/returns/open/file?form=generic-vat").status_code == 422
    xlsx = taxes.person.get("/api/tax/returns/open/file?form=generic-vat&format=xlsx")
    assert xlsx.data[:2] == b"PK"
