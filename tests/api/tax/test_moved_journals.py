"""Journals of other programs that move in with tax codes, tax points and the days on which bills came."""

from base64 import b64encode
from io import BytesIO

import pytest

from tests.api.tax.conftest import done

pytestmark = pytest.mark.usefixtures("sound")
HEAD = "No,Date,Account,Debit,Credit,Name,Tax code,Tax point,Received on\n"
SALE = """1,2026-02-03,Petty cash,120.00,,,,,
1,2026-02-03,Sales of services,,120.00,,S20,,
"""
BILL = """2,2026-02-04,Software,60.00,,,P20,2026-01-20,2026-04-02
2,2026-02-04,Trade payables,,60.00,Acme,,,
"""


def send(taxes, rows, *, expect=201, **form):
    parts = {"file": (BytesIO((HEAD + rows).encode()), "journal.csv"), "kind": "JOURNAL", **form}
    answer = taxes.person.post("/api/tables", data=parts, content_type="multipart/form-data")
    assert answer.status_code == expect, answer.json
    return answer.json["movedTable"] if expect < 400 else answer.json


def boxes(taxes, to="2026-03-31"):
    query = {"form": "generic-vat", "to": to}
    found = done(taxes.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]
    return found, {each["box"]: each["exact"] for each in found["boxes"] if float(each["exact"])}


def test_codes_and_tax_points_of_a_journal_fill_the_boxes(taxes):
    looked = send(taxes, SALE + BILL, dryRun="true", expect=200)
    assert looked["counts"]["new"] == 4
    assert boxes(taxes)[1] == {}
    table = send(taxes, SALE + BILL)
    assert boxes(taxes)[1] == {
        "A": "20.00",
        "C": "20.00",
        "D": "10.00",
        "E": "10.00",
        "F": "100.00",
        "G": "50.00",
    }
    assert table["mapping"]["taxCode"] in ("Tax code", 6)
    legs = [taxes.legs(each) for each in {each["journalEntryId"] for each in table["rows"]}]
    assert ("Software", "50.00", "P20", "2026-01-20", {"G": "50.00"}) in [
        leg for each in legs for leg in each
    ]
    done(taxes.person.post(f"/api/tables/{table['id']}/remove", json={"note": "Wrong"}))
    assert boxes(taxes)[1] == {}


def test_a_bill_that_came_after_its_period_is_a_late_claim(taxes):
    found, _ = boxes(taxes)
    filing = {"form": "generic-vat", "to": "2026-03-31", "digest": found["digest"]}
    done(taxes.person.post("/api/tax/returns", json=filing))
    refused = send(taxes, BILL, expect=422)
    assert "tax return to 31 Mar 2026 is filed" in refused["details"]["rows"][0]["problem"]
    content = b64encode((HEAD + BILL).encode()).decode()
    body = {"kind": "JOURNAL", "fileName": "journal.csv", "content": content, "late": True}
    done(taxes.person.post("/api/tables", json=body))
    (late,) = boxes(taxes, "2026-06-30")[0]["late"]
    assert late["as"] == "LATE_CLAIM"


@pytest.mark.parametrize(
    ("rows", "row", "problem"),
    [
        (SALE.replace("S20", "S21"), 3, "The books have no tax code “S21”."),
        (SALE.replace("S20", "P20"), 3, "P20 is a tax code of purchases"),
        (BILL.replace("Acme,,,", "Acme,P20,,"), 3, "On “Trade payables” a tax code is for money"),
        (SALE.replace(",S20,,", ",,2026-02-01,"), 3, "A tax point is of a tax code"),
        (SALE.replace("S20,,", "S20,2025-12-31,"), 3, "The books have taxes from 1 Jan 2026 on"),
        (BILL.replace("Acme,,,", "Acme,,,2026-04-03"), 3, "Row 2 of this entry came on another day."),
    ],
)
def test_a_row_is_refused_by_its_number_and_nothing_is_taken(taxes, rows, row, problem):
    good = BILL if rows.startswith("1") else SALE
    refused = send(taxes, rows + good, expect=422)
    [found] = refused["details"]["rows"]
    assert (found["row"], found["problem"].startswith(problem)) == (row, True), found
    assert taxes.person.get("/api/journal-entries").json["entries"] == []
    assert taxes.person.get("/api/documents").json["documents"] == []


def test_a_tax_point_that_is_no_day_names_row_column_and_value(taxes):
    refused = send(taxes, BILL.replace("2026-01-20", "soon"), expect=422)
    assert "soon" in refused["error"]
    assert taxes.person.get("/api/journal-entries").json["entries"] == []
