"""Documents: filed with a file or without, read, listed and changed, and their files kept byte for byte."""

import stat
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from tests.fixtures.helpers.documents import DOCUMENTS, PDF, changed, filed, pdf, read, sent
from webapp.database.places import evidence_folder
from webapp.database.session_state import state_of
from webapp.queries import checks
from webapp.services.storage import arriving_files, stored_files

pytestmark = pytest.mark.usefixtures("sound")
BILL = {
    "documentType": "BILL",
    "number": "2026-118",
    "issuedOn": "2026-03-02",
    "sender": "Hetzner Online",
    "currency": "EUR",
    "net": "100.00",
    "tax": "19.00",
    "total": "119.00",
    "text": "Server, March",
    "fileName": "hetzner.pdf",
}


def test_a_document_without_a_file_says_what_was_said(ben, bank):
    document = filed(ben, **BILL)
    assert {key: document[key] for key in BILL} == BILL
    nothing = ("fileType", "fileSize", "sha256", "accountId", "orgMerchantId", "projectId")
    assert {document[key] for key in nothing} == {None}
    assert document["relations"] == document["provenance"] == []
    assert read(ben, document) == document


def test_a_file_is_kept_byte_for_byte_and_closed_to_others(ben, bank, app, kept_documents):
    answer = sent(ben, sender="Hetzner Online", total="119.00")
    assert answer.status_code == 201, answer.json
    document = answer.json["document"]
    digest = sha256(PDF).hexdigest()
    assert (document["fileName"], document["fileType"]) == ("bill.pdf", "application/pdf")
    assert (document["fileSize"], document["sha256"]) == (len(PDF), digest)
    assert (document["sender"], document["total"], document["currency"]) == (
        "Hetzner Online",
        "119.00",
        "EUR",
    )
    (path,) = kept_documents()
    assert path.read_bytes() == PDF
    assert "bill" not in path.name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert ben.get(f"{DOCUMENTS}/{document['id']}/file").data == PDF


def test_a_viewer_reads_and_files_nothing(ada, cleo, bank):
    document = filed(ada, **BILL)
    assert cleo.get(f"{DOCUMENTS}/{document['id']}").status_code == 200
    assert cleo.post(DOCUMENTS, json=BILL).status_code == 403
    assert sent(cleo).status_code == 403
    assert cleo.patch(f"{DOCUMENTS}/{document['id']}", json={"number": "2"}).status_code == 403


def test_the_same_file_twice_is_named(ben, dan, bank, kept_documents):
    first = sent(ben).json["document"]
    again = sent(ben, name="another name.pdf")
    assert (again.status_code, again.json["code"]) == (409, "already_there")
    assert again.json["details"] == {"documentId": first["id"]}
    assert len(kept_documents()) == 1
    assert sent(dan).status_code == 201


REFUSED = [
    ({"total": "1.005"}, "total"),
    ({"total": 5}, "total"),
    ({"total": "1", "currency": "XXQ"}, "currency"),
    ({"net": "1.5", "currency": "JPY"}, "net"),
    ({"tax": "99999999999999999.00"}, "tax"),
    ({"documentType": "LETTER"}, "documentType"),
    ({"documentType": None}, "documentType"),
    ({"issuedOn": "2026-02-30"}, "issuedOn"),
    ({"number": "x" * 256}, "number"),
    ({"text": "x" * 100_001}, "text"),
    ({"sender": "a\0b"}, "sender"),
    ({"accountId": 2**53}, "accountId"),
    ({"orgMerchantId": 2**53}, "orgMerchantId"),
    ({"projectId": "1"}, "projectId"),
    ({"sha256": "0" * 64}, "sha256"),
    ({"organizationId": "org_other"}, "organizationId"),
]


def test_a_field_that_cannot_be_is_refused_at_its_path(ben, bank):
    address = f"{DOCUMENTS}/{filed(ben, number='1')['id']}"
    for said, path in REFUSED:
        for answer in (ben.post(DOCUMENTS, json=said), ben.patch(address, json=said)):
            assert (answer.status_code, list(answer.json["fields"])) == (422, [path]), answer.json


def test_nothing_at_all_is_no_document(ben, bank, kept_documents):
    assert ben.post(DOCUMENTS, json={}).status_code == 422
    assert ben.post(DOCUMENTS).status_code == 422
    assert sent(ben, data=b"").status_code == 422
    assert ben.patch(f"{DOCUMENTS}/{filed(ben, number='1')['id']}", json={}).status_code == 422
    assert kept_documents() == set()


def test_bodies_of_other_kinds_and_sizes_are_refused(ben, bank, kept_documents, monkeypatch):
    monkeypatch.setattr("webapp.web.document_files.MOST_BYTES", 1000)
    assert ben.post(DOCUMENTS, data="number=1", content_type="text/plain").status_code == 415
    long = b'{"text": "' + b"x" * 3 * 1024 * 1024 + b'"}'
    assert ben.post(DOCUMENTS, data=long, content_type="application/json").status_code == 413
    assert sent(ben, data=b"%PDF-" + bytes(996)).status_code == 413
    two = {"file": [(BytesIO(PDF), "a.pdf"), (BytesIO(PDF), "b.pdf")]}
    assert ben.post(DOCUMENTS, data=two, content_type="multipart/form-data").status_code == 422
    other = {"other": (BytesIO(PDF), "a.pdf")}
    assert ben.post(DOCUMENTS, data=other, content_type="multipart/form-data").status_code == 422
    assert sent(ben, total="12,50").json["fields"].keys() == {"total"}
    assert kept_documents() == set()


def test_a_change_says_only_what_was_sent(ben, bank):
    document = filed(ben, **BILL)
    again = changed(ben, document, number="2026-119", tax=None)
    assert {key for key in again if again[key] != document[key]} == {"number", "tax", "updatedAt"}
    acts = ben.get("/api/action-requests").json["actionRequests"]
    assert acts[0]["kind"] == "update_document"
    assert (acts[0]["before"], acts[0]["after"]) == (
        {"number": "2026-118", "tax": "19.00"},
        {"number": "2026-119", "tax": None},
    )
    changed(ben, document, number="2026-119")
    assert ben.get("/api/action-requests").json["actionRequests"] == acts


def test_a_long_text_stands_in_the_trail_by_its_beginning(ben, bank):
    filed(ben, text="x" * 5000)
    told = ben.get("/api/action-requests").json["actionRequests"][0]["after"]["text"]
    assert len(told) < 400
    assert "5,000 characters" in told


def test_amounts_keep_their_digits_in_another_currency(ben, bank):
    document = filed(ben, total="1250.00", currency="EUR")
    assert changed(ben, document, currency="JPY")["total"] == "1250"
    assert changed(ben, document, currency="BHD")["total"] == "1250.000"
    changed(ben, document, currency="EUR", total="12.50")
    answer = ben.patch(f"{DOCUMENTS}/{document['id']}", json={"currency": "JPY"})
    assert (answer.status_code, answer.json["code"]) == (422, "too_many_digits")


def test_an_account_that_no_entry_of_it_could_go_to_is_refused(ben, bank):
    bank.open()
    dollars = bank.account("Dollars", currency="USD")
    for account_id in (bank.ledger_account(), dollars):
        answer = ben.post(DOCUMENTS, json={"accountId": account_id, "total": "5.00"})
        assert (answer.status_code, answer.json["code"]) == (422, "document_account")
    assert filed(ben, accountId=dollars, total="5.00", currency="USD")["accountId"] == dollars


def test_lists_are_found_by_what_documents_say(ben, bank):
    bill = filed(ben, **BILL)
    receipt = filed(ben, documentType="RECEIPT", sender="Café Nero", issuedOn="2026-04-01", total="4.50")
    line = bank.send("2026-04-01", "-4.50", "Nero")
    related = {"transactionId": line}
    assert ben.post(f"{DOCUMENTS}/{receipt['id']}/relations", json=related).status_code == 201

    def found(query=""):
        return [each["id"] for each in ben.get(f"{DOCUMENTS}{query}").json["documents"]]

    assert found() == [receipt["id"], bill["id"]]
    assert found("?q=hetzner") == found("?q=119") == found("?q=2026-118") == found("?q=march") == [bill["id"]]
    assert found("?documentType=RECEIPT") == found("?from=2026-03-03") == [receipt["id"]]
    assert found("?related=true") == found("?q=4.5") == [receipt["id"]]
    assert found("?related=false") == found("?to=2026-03-02") == [bill["id"]]
    first = ben.get(f"{DOCUMENTS}?limit=1").json
    assert "text" not in first["documents"][0]
    then = ben.get(f"{DOCUMENTS}?limit=1&cursor={first['nextCursor']}").json
    assert ([each["id"] for each in then["documents"]], then["nextCursor"]) == ([bill["id"]], None)


def test_a_list_costs_the_same_however_many_there_are(ben, bank, at_most):
    for number in range(3):
        filed(ben, number=str(number))
    with at_most(8):
        assert len(ben.get(DOCUMENTS).json["documents"]) == 3


def test_another_organizations_document_does_not_exist(ben, dan, bank):
    document = sent(ben, data=pdf("mine")).json["document"]
    address = f"{DOCUMENTS}/{document['id']}"
    for answer in (dan.get(address), dan.get(f"{address}/file"), dan.patch(address, json={"number": "1"})):
        assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert dan.get(DOCUMENTS).json["documents"] == []


def test_a_document_without_a_file_has_none_to_download(ben, bank):
    assert ben.get(f"{DOCUMENTS}/{filed(ben, number='1')['id']}/file").status_code == 404


def test_a_project_that_a_document_names_stays(ada, bank):
    project = bank.project("Berlin")
    document = filed(ada, projectId=project)
    answer = ada.delete(f"/api/projects/{project}")
    assert (answer.status_code, answer.json["details"]["documents"]) == (409, 1)
    changed(ada, document, projectId=None)
    assert ada.delete(f"/api/projects/{project}").status_code == 200


def test_a_file_goes_with_a_request_that_fails_after_it_was_written(ben, bank, kept_documents, monkeypatch):
    def break_(*_args, **_options):
        assert len(kept_documents()) == 2, "the file, and the mark that it is on its way"
        raise RuntimeError("the disk of the database is full")

    monkeypatch.setattr("webapp.services.rules.document_rules.run_on", break_)
    assert sent(ben, number="1").status_code == 500
    assert kept_documents() == set()


def keep(organization_id, data):
    packed = stored_files.pack(data)
    return stored_files.keep(
        organization_id, packed, "bill.pdf", "application/pdf", now=datetime.now(UTC)
    ).kept_name


def test_a_file_goes_with_a_savepoint_and_stays_with_the_rest(app, ada, kept_documents, session):
    first = keep(ada.organization_id, b"one")
    savepoint = session.begin_nested()
    keep(ada.organization_id, b"two")
    with session.begin_nested():
        keep(ada.organization_id, b"three")
    savepoint.rollback()
    with session.begin_nested():
        last = keep(ada.organization_id, b"four")
    session.commit()
    assert {path.name for path in kept_documents()} == {first, last}


def test_what_a_killed_process_left_is_swept(ben, bank, app, kept_documents, monkeypatch, session):
    lost = keep(ben.organization_id, b"lost")
    state_of(session).at_end.clear()
    session.rollback()
    document = sent(ben, data=pdf("one")).json["document"]
    assert {path.name for path in kept_documents()} >= {lost}, "a younger one may be on its way"
    unmarked = evidence_folder(ben.organization_id) / "00" / f"{'0' * 64}-00000000"
    unmarked.parent.mkdir(exist_ok=True)
    unmarked.write_bytes(b"not on its way")
    assert [each.code for each in bank.ask(lambda: list(checks.violations()))] == ["file_without_row"]
    monkeypatch.setattr(arriving_files, "LEFT_AFTER", -arriving_files.LEFT_AFTER)
    again = sent(ben, data=pdf("two")).json["document"]
    assert lost not in {path.name for path in kept_documents()}
    unmarked.unlink()
    for each in (document, again):
        assert ben.get(f"{DOCUMENTS}/{each['id']}/file").status_code == 200
    assert len(kept_documents()) == 2


def test_check_finds_a_file_that_is_gone_or_changed(ben, bank, app, kept_documents):
    found = []
    for words, change in (
        ("gone", Path.unlink),
        ("else", lambda path: path.write_bytes(b"%PDF-something else")),
    ):
        document = sent(ben, data=pdf(words)).json["document"]
        (path,) = {path for path in kept_documents() if path.read_bytes() == pdf(words)}
        change(path)
        said = [(each.code, each.about["documentId"]) for each in bank.ask(lambda: list(checks.violations()))]
        found += [code for code, document_id in said if document_id == document["id"]]
        path.write_bytes(pdf(words))
    assert found == ["document_file_missing", "document_file_differs"]


def test_a_dry_run_says_what_would_be_and_keeps_no_file(ben, bank, kept_documents):
    parts = {"file": (BytesIO(pdf("dry")), "dry.pdf"), "sender": "Hetzner"}
    answer = ben.post(f"{DOCUMENTS}?dryRun=true", data=parts, content_type="multipart/form-data")
    assert (answer.status_code, answer.json["status"]) == (200, 201), answer.json
    assert answer.json["answer"]["document"]["sender"] == "Hetzner"
    assert kept_documents() == set()
    assert ben.get(DOCUMENTS).json["documents"] == []
    assert ben.post(f"{DOCUMENTS}?dryRun=true", json={"sender": "Hetzner"}).json["status"] == 201
    assert ben.get(DOCUMENTS).json["documents"] == []


def test_an_upload_that_is_sent_again_under_its_key_is_done_once(ben, bank, kept_documents):
    def send():
        parts = {"file": (BytesIO(pdf("key")), "key.pdf"), "sender": "Hetzner"}
        headers = {"Idempotency-Key": "one-upload"}
        return ben.post(DOCUMENTS, data=parts, content_type="multipart/form-data", headers=headers)

    first, again = send(), send()
    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
    json = [ben.post(DOCUMENTS, json={"number": "7"}, headers={"Idempotency-Key": "two"}) for _ in range(2)]
    assert json[0].data == json[1].data
    assert len(ben.get(DOCUMENTS).json["documents"]) == 2
    assert len(kept_documents()) == 1


def test_a_proposed_upload_is_filed_when_it_is_approved(ada, bank, kept_documents):
    proposing = ada.with_scopes("read", "propose")
    proposed = sent(proposing, data=pdf("proposed"), sender="Hetzner")
    assert proposed.status_code == 202, proposed.json
    assert [path for path in kept_documents() if path.read_bytes() == pdf("proposed")] == []
    request, browser = proposed.json["actionRequest"], ada.browser()
    path = f"/api/action-requests/{request['id']}/approve"
    approved = browser.post(path, json={"digest": request["digest"]})
    assert approved.status_code == 200, approved.json
    (document,) = ada.get(DOCUMENTS).json["documents"]
    assert ada.get(f"{DOCUMENTS}/{document['id']}/file").data == pdf("proposed")
