"""A table of invoices becomes documents: looked at, filed once, and booked with its parties where asked."""

from base64 import b64encode
from io import BytesIO

import pytest

from tests.fixtures.helpers import planning
from tests.fixtures.helpers.documents import DOCUMENTS, filed, read

pytestmark = pytest.mark.usefixtures("sound")

TABLES = f"{DOCUMENTS}/tables"
SALES = b"""No,Date,Due date,Customer,VAT id,Net,VAT,Total
R-1,2026-03-05,2026-04-04,Kunde AG,DE123456789,100.00,19.00,119.00
R-2,2026-03-06,2026-04-05,Harbour Bakery,,50.00,9.50,59.50
G-1,2026-03-07,,Kunde AG,DE123456789,-10.00,-1.90,-11.90
"""
IN_JSON = {"fileName": "sales.csv", "content": b64encode(SALES).decode(), "documentType": "INVOICE"}


def send(person, data=SALES, name="sales.csv", **form):
    parts = {"file": (BytesIO(data), name), "documentType": "INVOICE", **form}
    return person.post(TABLES, data=parts, content_type="multipart/form-data")


def told(answer, status=201):
    assert answer.status_code == status, answer.json
    return answer.json["table"]


def test_a_dry_run_reads_the_table_and_writes_nothing(ben):
    table = told(send(ben, dryRun="true"), 200)
    assert table["counts"] == {"new": 3, "alreadyThere": 0, "sameNumber": 0}
    assert [(row["row"], row["number"], row["documentType"], row["total"]) for row in table["rows"]] == [
        (2, "R-1", "INVOICE", "119.00"),
        (3, "R-2", "INVOICE", "59.50"),
        (4, "G-1", "CREDIT_NOTE", "11.90"),
    ]
    assert {row["documentId"] for row in table["rows"]} == {None}
    assert table["mapping"]["dueDate"] == 2
    assert ben.get(DOCUMENTS).json["documents"] == []


def test_each_row_is_filed_as_what_it_states_and_the_table_is_kept(ben):
    table = told(send(ben))
    first = read(ben, {"id": table["rows"][0]["documentId"]})
    assert (first["documentType"], first["number"], first["issuedOn"], first["dueOn"]) == (
        "INVOICE", "R-1", "2026-03-05", "2026-04-04",
    )  # fmt: skip
    assert (first["buyer"], first["net"], first["tax"], first["total"], first["due"], first["currency"]) == (
        "Kunde AG", "100.00", "19.00", "119.00", "119.00", "EUR",
    )  # fmt: skip
    assert first["invoice"]["buyer"]["vatId"] == "DE123456789"
    assert first["invoice"]["table"] == {"fileName": "sales.csv", "sha256": table["sha256"], "row": 2}
    assert first["findings"] == []
    credit = read(ben, {"id": table["rows"][2]["documentId"]})
    assert (credit["documentType"], credit["side"], credit["total"]) == ("CREDIT_NOTE", "SALE", "11.90")
    kept = ben.get(f"{DOCUMENTS}/{table['documentId']}/file")
    assert (kept.status_code, kept.data) == (200, SALES)


def test_the_same_rows_again_are_there_already_and_a_number_with_other_figures_is_said(ben):
    before = told(send(ben))
    repeated = send(ben)
    again = told(repeated, 200)
    assert repeated.json["changed"] is False
    assert again["counts"] == {"new": 0, "alreadyThere": 3, "sameNumber": 0}
    assert [row["documentId"] for row in again["rows"]] == [row["documentId"] for row in before["rows"]]
    assert again["documentId"] == before["documentId"]
    changed = SALES.replace(b"50.00,9.50,59.50", b"60.00,11.40,71.40")
    table = told(send(ben, changed), 200)
    assert table["counts"] == {"new": 0, "alreadyThere": 2, "sameNumber": 1}
    assert table["documentId"] is None
    assert [row["isFiled"] for row in table["rows"]] == [False, False, False]
    refused = send(ben, changed, force="true")
    assert (refused.status_code, list(refused.json["fields"])) == (422, ["note"])
    forced = told(send(ben, changed, force="true", note="Corrected by the customer's wish"))
    assert [row["isFiled"] for row in forced["rows"]] == [False, True, False]


def test_merchants_are_made_once_and_entries_owe_by_party_and_due_day(ada, chart):
    form = {"makeMerchants": "true", "entries": "POSTED", "accountId": str(chart["Sales of services"])}
    table = told(send(ada, **form))
    assert [row["problem"] for row in table["rows"]] == [None, None, None]
    names = [each["name"] for each in ada.get("/api/merchants?limit=200").json["merchants"]]
    assert sorted(name for name in names if name in ("Kunde AG", "Harbour Bakery")) == [
        "Harbour Bakery", "Kunde AG",
    ]  # fmt: skip
    entry = ada.get(f"/api/journal-entries/{table['rows'][0]['journalEntryId']}").json["entry"]
    assert [(each["accountName"], each["amount"]) for each in entry["postings"]] == [
        ("Sales of services", "-100.00"), ("VAT payable", "-19.00"), ("Trade receivables", "119.00"),
    ]  # fmt: skip
    items = ada.get(f"/api/items?accountId={chart['Trade receivables']}").json["items"]
    assert sorted((each["amount"], each["dueOn"], each["reference"]) for each in items) == [
        ("-11.90", "2026-03-07", "G-1"), ("119.00", "2026-04-04", "R-1"), ("59.50", "2026-04-05", "R-2"),
    ]  # fmt: skip
    assert len({each["orgMerchantId"] for each in items}) == 2


def test_bills_are_of_suppliers_whose_account_is_kept(ben, chart):
    bills = b"No;Date;Supplier;IBAN;Total\n7;2026-03-05;Lumen;DE02120300000000202051;119,00\n"
    table = told(send(ben, bills, documentType="BILL", entries="DRAFT", accountId=str(chart["Rent"])))
    (row,) = table["rows"]
    bill = read(ben, {"id": row["documentId"]})
    assert (bill["documentType"], bill["sender"], bill["iban"]) == (
        "BILL", "Lumen", "DE02120300000000202051",
    )  # fmt: skip
    entry = ben.get(f"/api/journal-entries/{row['journalEntryId']}").json["entry"]
    assert (entry["status"], [each["amount"] for each in entry["postings"]]) == (
        "DRAFT",
        ["119.00", "-119.00"],
    )


def test_an_entry_that_cannot_be_written_leaves_the_document_with_the_reason(ben, chart):
    table = told(send(ben, entries="DRAFT"))
    assert {row["isFiled"] for row in table["rows"]} == {True}
    assert {row["journalEntryId"] for row in table["rows"]} == {None}
    assert "Say which account" in table["rows"][0]["problem"]


def test_to_post_entries_needs_the_right_to_confirm(ada, chart):
    key = ada.with_scopes("read", "draft")
    answer = send(key, entries="POSTED", accountId=str(chart["Sales of services"]))
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    assert ada.get(DOCUMENTS).json["documents"] == []


def test_a_table_within_json_is_the_same(ben):
    dry = ben.post(TABLES, json={**IN_JSON, "dryRun": True})
    assert told(dry, 200)["counts"]["new"] == 3
    assert told(ben.post(TABLES, json=IN_JSON))["counts"]["new"] == 3


def test_a_dry_run_of_a_dry_run_is_one(ben):
    dry = ben.post(f"{TABLES}?dryRun=true", json={**IN_JSON, "dryRun": True})
    assert dry.status_code == 200, dry.json
    assert ben.get(DOCUMENTS).json["documents"] == []


def test_a_key_proposes_a_table_and_a_person_lets_it_be_filed(ada):
    agent = ada.with_scopes("read", "propose")
    waiting = agent.post(TABLES, json=IN_JSON)
    assert (waiting.status_code, ada.get(DOCUMENTS).json["documents"]) == (202, [])
    request = waiting.json["actionRequest"]
    assert request["blockers"] == []
    approved = planning.approve(ada, request)
    assert approved.status_code == 200, approved.json
    assert len(ada.get(DOCUMENTS).json["documents"]) == 4


def test_a_table_is_a_step_of_a_plan(ben):
    change = ("PATCH", "/documents/{1#/table/rows/0/documentId}", {"dueOn": "2026-05-01"})
    answer = planning.send(ben, ("POST", "/documents/tables", IN_JSON), change)
    assert answer.status_code == 200, answer.json
    dues = {each["number"]: each["dueOn"] for each in ben.get(DOCUMENTS).json["documents"]}
    assert (dues["R-1"], dues["R-2"]) == ("2026-05-01", "2026-04-05")


def test_an_invoice_that_came_by_hand_is_the_same_as_its_row(ben):
    name = ben.get("/api/me").json["me"]["organization"]["name"]
    known = filed(ben, documentType="INVOICE", number="R-1", sender=name, total="119.00", currency="EUR")
    row = told(send(ben, dryRun="true"), 200)["rows"][0]
    assert (row["verdict"], row["documentId"]) == ("ALREADY_THERE", known["id"])


@pytest.mark.parametrize(
    ("data", "form", "code", "words"),
    [
        (b"Date;Text\n2026-01-01;x\n", {}, "file_refused", "name it in the mapping, as number"),
        (SALES, {"mapping": '{"number": "Nope"}'}, "file_refused", "No row of the file has the columns"),
        (SALES.replace(b"119.00", b"119.001"), {}, "file_refused", "Row 2"),
        (SALES, {"documentType": "RECEIPT"}, "validation", "documentType"),
        (SALES, {"accountId": "999999999", "entries": "DRAFT"}, "unknown_reference", "accountId"),
    ],
)
def test_a_table_that_cannot_be_filed_says_why_and_files_nothing(ben, data, form, code, words):
    answer = send(ben, data, **form)
    assert answer.status_code == 422, answer.json
    assert answer.json["code"] == code
    assert words in str(answer.json)
    assert ben.get(DOCUMENTS).json["documents"] == []


@pytest.mark.parametrize(("count", "form"), [(1_001, {}), (201, {"entries": "DRAFT"})])
def test_more_invoices_than_are_filed_at_once_are_refused(ben, count, form):
    head, row = SALES.split(b"\n")[:2]
    many = b"\n".join([head, *(row.replace(b"R-1", b"R-%d" % number) for number in range(count))])
    answer = send(ben, many, **form)
    assert (answer.status_code, answer.json["code"]) == (422, "too_large")
    assert ben.get(DOCUMENTS).json["documents"] == []


def test_another_organization_has_none_of_it(ben, dan):
    table = told(send(ben))
    assert told(send(dan, dryRun="true"), 200)["counts"]["new"] == 3
    assert dan.get(f"{DOCUMENTS}/{table['documentId']}").status_code == 404
