"""The bank's statement and the files of its lines are what a proof rests on, and it names their digests."""

from hashlib import sha256
from io import BytesIO

import pytest

from tests.fixtures.desks import Desk
from tests.fixtures.helpers.documents import DOCUMENTS, filed, pdf, sent

pytestmark = pytest.mark.usefixtures("sound")
CSV = b"Date,Description,Amount\n2026-10-02,Zoe,-20.00\n2026-10-12,Out,-40.00\n"


@pytest.fixture
def desk(ben, bank):
    """Ben's desk at an account without lines."""
    return Desk(ben, bank.at(bank.open("Checking")))


@pytest.fixture
def statement(desk):
    return sent(desk.person, pdf("statement"), "october.pdf").json["document"]


@pytest.fixture
def imported(desk):
    form = {"file": (BytesIO(CSV), "october.csv"), "faId": str(desk.bank.fa_id)}
    answer = desk.person.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    assert answer.status_code == 201, answer.json
    lines = desk.person.get(f"/api/transactions?faId={desk.bank.fa_id}").json["transactions"]
    desk.confirm(*(each["id"] for each in lines))
    return lines


def put(desk, **more):
    address = f"/api/reconciliations/accounts/{desk.bank.fa_id}/draft"
    body = {"statementDate": "2026-10-31", "statementBalance": "-60.00", **more}
    return desk.person.put(address, json=body)


def proved(desk, **more):
    assert put(desk, **more).status_code == 200
    desk.clear(auto=True)
    answer = desk.complete()
    assert answer.status_code == 200, answer.json
    return answer.json["reconciliation"]


def test_a_proof_names_the_statement_and_the_file_of_its_lines(desk, imported, statement):
    proof = proved(desk, documentId=statement["id"])

    assert (proof["documentId"], proof["statementDigest"]) == (statement["id"], statement["sha256"])
    assert proof["fileDigests"] == [sha256(CSV).hexdigest()]
    page = desk.person.browser().get(f"/reconciliations/proofs/{proof['id']}").text
    assert "october.pdf" in page
    assert "october.csv" in page


def test_a_proof_of_lines_without_a_file_is_written_as_before(desk):
    desk.confirm(desk.bank.send("2026-10-02", "-60.00", "Zoe"))
    proof = proved(desk)
    assert (proof["documentId"], proof["statementDigest"], proof["fileDigests"]) == (None, None, [])


def test_a_draft_keeps_its_statement_until_another_one_or_none_is_sent(desk, statement):
    version = put(desk, documentId=statement["id"]).json["account"]["draft"]["version"]
    kept = put(desk, statementBalance="-61.00", version=version)
    draft = kept.json["account"]["draft"]
    read = f"/api/reconciliations/{draft['id']}"
    assert desk.person.get(read).json["reconciliation"]["documentId"] == statement["id"]

    put(desk, statementBalance="-61.00", documentId=None, version=draft["version"])

    assert desk.person.get(read).json["reconciliation"]["documentId"] is None


def test_the_statement_of_a_reconciliation_is_not_deleted(desk, statement):
    put(desk, documentId=statement["id"])
    refused = desk.person.delete(f"{DOCUMENTS}/{statement['id']}")
    assert (refused.status_code, refused.json["code"]) == (409, "in_use")
    assert "the statement of the reconciliation of 31 Oct 2026" in refused.json["error"]
    desk.abandon()
    assert desk.person.delete(f"{DOCUMENTS}/{statement['id']}").status_code == 200


def test_reopening_keeps_the_statement(desk, imported, statement):
    proved(desk, documentId=statement["id"])
    desk.reopen()
    draft = desk.account()["draft"]
    found = desk.person.get(f"/api/reconciliations/{draft['id']}").json["reconciliation"]
    assert found["documentId"] == statement["id"]
    again = desk.complete().json["reconciliation"]
    assert again["statementDigest"] == statement["sha256"]


def test_a_document_without_a_file_is_no_statement(desk):
    document = filed(desk.person, documentType="OTHER", sender="Bank")
    refused = put(desk, documentId=document["id"])
    assert (refused.status_code, refused.json["code"]) == (422, "no_statement_file")


def test_a_person_attaches_the_statement_beside_its_figures(desk):
    put(desk)
    browser = desk.person.browser()
    form = {"file": (BytesIO(pdf("statement")), "october.pdf")}

    browser.post(
        f"/reconciliations/{desk.bank.fa_id}/statement", data=form, content_type="multipart/form-data"
    )

    assert "october.pdf" in browser.get(f"/feeds/{desk.bank.fa_id}").text
