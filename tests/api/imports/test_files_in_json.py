"""Bank files within JSON: the same import as by a form, for programs that make no forms and for steps of a plan."""

import base64

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import approve
from webapp.schemas.files import MOST_BYTES

PATH = "/api/feeds/imports"
MARCH = bank_file(
    Line("2026-03-02", "-2.50", "Coffee", "F1"),
    Line("2026-03-05", "1000.00", "Invoice 7", "F2"),
    closing="997.50",
)
COLUMNS = {"header": 0, "date": "Day", "amount": "Sum", "description": "Text", "dateFormat": "%d/%m/%Y"}


def file(content=MARCH, name="march.ofx", **fields):
    return {"fileName": name, "content": base64.b64encode(content).decode(), **fields}


def test_a_file_in_json_is_imported_as_by_a_form(ben):
    preview = ben.post(PATH, json=file(dryRun=True)).json["import"]
    assert (preview["status"], preview["transactionIds"]) == ("PREVIEWED", [])
    answer = ben.post(PATH, json=file())
    done = answer.json["import"]
    assert (answer.status_code, done["status"], done["fileName"]) == (201, "IMPORTED", "march.ofx")
    assert [each["added"] for each in done["accounts"]] == [2]
    described = [ben.get(f"/api/transactions/{each}").json for each in done["transactionIds"]]
    assert [each["transaction"]["amount"] for each in described] == ["-2.50", "1000.00"]
    assert ben.get(f"{PATH}/{done['id']}").json["import"] == done
    assert "transactionIds" not in ben.get(PATH).json["imports"][0]


def test_a_row_that_was_there_names_its_line(ben):
    before = ben.post(PATH, json=file()).json["import"]["transactionIds"]
    lines = [Line("2026-03-01", "-7.00", "Tea", "F0"), Line("2026-03-05", "1000.00", "Invoice 7", "F2")]
    after = ben.post(PATH, json=file(bank_file(*lines))).json["import"]["transactionIds"]
    assert after[1] == before[1]
    assert after[0] not in before


def test_the_fields_of_the_form_are_json(ben, bank):
    bank.send("2026-02-27", "-9.00", "Tea")
    table = b"Day;Sum;Text\n02/03/2026;-2.50;Coffee\n"
    sent = file(table, "march.csv", mapping=COLUMNS, faId=bank.fa_id)
    answer = ben.post(PATH, json=sent)
    assert answer.status_code == 201, answer.json
    done = answer.json["import"]
    assert [(each["faId"], each["added"]) for each in done["accounts"]] == [(bank.fa_id, 1)]


@on_sqlite
@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({"content": "YQ=="}, "fileName", "missing"),
        ({"fileName": "a.ofx"}, "content", "missing"),
        ({"fileName": "a.ofx", "content": "a.ofx"}, "content", "base64"),
        ({"fileName": "a.ofx", "content": 7}, "content", "base64"),
        (file(b"x" * (MOST_BYTES + 1)), "content", "1,048,577 bytes. JSON takes files of at most 1,048,576"),
        (file(mapping="text"), "mapping", "JSON object"),
        (file(mapping={"date": "x" * 100_000}), "mapping", "100,000 characters"),
        (file(faId="1"), "faId", "whole number"),
        (file(file="a"), "file", "unknown"),
    ],
)
def test_what_is_no_file_is_refused_by_its_field(ben, body, field, sentence):
    answer = ben.post(PATH, json=body)
    assert (answer.status_code, list(answer.json["fields"])) == (422, [field]), answer.json
    assert sentence in str(answer.json["fields"][field])
    assert ben.get(PATH).json["imports"] == []


def test_a_body_above_its_limit_is_refused_unread(ben):
    assert ben.post(PATH, json=file(b"x" * 2 * MOST_BYTES)).status_code == 413


def test_a_refused_file_is_kept_as_refused(ben):
    answer = ben.post(PATH, json=file(b"nothing", "a.ofx"))
    assert (answer.status_code, answer.json["code"]) == (422, "file_refused")
    assert answer.json["import"]["status"] == "REFUSED"


def test_a_proposal_names_the_file_and_does_not_repeat_it(ben):
    agent = ben.with_scopes("read", "propose")
    waiting = agent.post(PATH, json=file()).json["actionRequest"]
    body = waiting["payload"]["body"]
    assert (body["fileName"], body["size"], len(body["sha256"])) == ("march.ofx", len(MARCH), 64)
    for address in (
        "/api/action-requests",
        f"/api/action-requests/{waiting['id']}",
        "/api/events?include=body",
    ):
        assert file()["content"] not in ben.get(address).text
    page = ben.browser().get(f"/proposals?id={waiting['id']}").text
    assert "march.ofx" in page
    assert body["sha256"] in page
    assert approve(ben, waiting).status_code == 200
    assert [each["status"] for each in ben.get(PATH).json["imports"]] == ["IMPORTED"]


def test_a_document_comes_with_its_file(ben):
    sent = file(b"%PDF-1.4\n%%EOF\n", "invoice.pdf", number="4711")
    document = ben.post("/api/documents", json=sent).json["document"]
    assert (document["fileName"], document["fileType"], document["number"]) == (
        "invoice.pdf",
        "application/pdf",
        "4711",
    )
    assert ben.get(f"/api/documents/{document['id']}/file").data == b"%PDF-1.4\n%%EOF\n"
    nameless = ben.post("/api/documents", json={"content": sent["content"]})
    assert (nameless.status_code, list(nameless.json["fields"])) == (422, ["fileName"])
    assert ben.patch(f"/api/documents/{document['id']}", json={"content": "YQ=="}).status_code == 422
