"""A document that nothing in the books holds is deleted for good, with its file once that is committed."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from io import BytesIO

import pytest
import sqlalchemy as sa

from tests.api.journal.test_lock_date import entry_of
from tests.fixtures.helpers.documents import DOCUMENTS, filed, pdf, read, sent
from webapp.database.session_state import state_of
from webapp.database.sessions import begin_read, db
from webapp.models import Document
from webapp.queries.checks import stored_files as checked_files
from webapp.services.storage import arriving_files, stored_files

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def document(ben, bank):
    """A bill with a file that no other test sends."""
    return sent(ben, data=pdf("to be deleted"), sender="Hetzner", total="119.00").json["document"]


def address(document):
    return f"{DOCUMENTS}/{document['id']}"


def relate(person, document, **named):
    assert person.post(f"{address(document)}/relations", json=named).status_code == 201


def refusal(person, document):
    answer = person.delete(address(document))
    assert (answer.status_code, answer.json["code"]) == (409, "in_use"), answer.json
    return answer.json["error"], answer.json["details"]


def test_a_document_goes_with_its_file_and_what_it_said_stays_in_the_trail(
    ben, bank, kept_documents, document
):
    relate(ben, document, transactionId=(line := bank.send("2026-03-02", "-119.00", "Hetzner")))
    assert len(kept_documents()) == 1
    answer = ben.delete(address(document))
    assert (answer.status_code, answer.json) == (200, {"ok": True, "changed": True})
    assert kept_documents() == set()
    for gone in (
        ben.get(address(document)),
        ben.get(f"{address(document)}/file"),
        ben.delete(address(document)),
    ):
        assert (gone.status_code, gone.json["code"]) == (404, "not_found")
    assert ben.get(DOCUMENTS).json["documents"] == []
    told = ben.get("/api/action-requests?kind=delete_document").json["actionRequests"][0]
    assert (told["title"], told["target"]["id"]) == (
        "Deleted the document Hetzner, 119.00 EUR",
        str(document["id"]),
    )
    said = {"sender": "Hetzner", "total": "119.00", "sha256": document["sha256"], "transactionIds": [line]}
    assert {key: told["before"][key] for key in said} == said
    origin = ben.get(f"/api/journal-entries/{entry_of(ben, line)}").json["entry"]["origin"]
    assert origin["documentId"] is None


def test_the_same_file_may_come_again_under_another_id(ben, bank, kept_documents, document):
    ben.delete(address(document))
    again = sent(ben, data=pdf("to be deleted"))
    assert again.status_code == 201
    assert again.json["document"]["id"] > document["id"]
    assert len(kept_documents()) == 1


def test_what_a_run_set_of_a_document_goes_with_it_and_the_run_is_still_told_and_undone(ben, bank):
    food = bank.account("Food")
    gone, stays = filed(ben, sender="Caffe Nero"), filed(ben, sender="Nero & Co")
    rule = {
        "name": "Coffee", "target": "RECEIPT", "conditions": {"conditions": [{"value": "nero"}]},
        "effects": [{"kind": "SET_ACCOUNT", "accountId": food}],
    }  # fmt: skip
    rules = "/api/automations/rules"
    rule_id = ben.post(rules, json=rule).json["rule"]["id"]
    digest = ben.post(f"{rules}/{rule_id}/preview").json["preview"]["digest"]
    run = ben.post(f"{rules}/{rule_id}/apply", json={"digest": digest}).json["run"]
    assert run["changed"] == 2
    assert ben.delete(address(gone)).status_code == 200
    page = ben.browser().get(f"/rules/runs/{run['id']}").text
    assert ("Nero &amp; Co" in page, "Caffe Nero" in page) == (True, False)
    assert ben.post(f"/api/automations/runs/{run['id']}/undo", json={}).status_code == 200
    assert read(ben, stays)["accountId"] is None


def test_what_is_posted_holds_the_document_of_its_line_until_it_is_detached(ben, bank, document):
    line = bank.send("2026-03-02", "-119.00", "Hetzner")
    relate(ben, document, transactionId=line)
    ben.post(f"/api/transactions/{line}/confirm")
    error, details = refusal(ben, document)
    assert error == "It belongs to the line of 2 Mar 2026, which is posted. Detach it from it first."
    assert details == {"transactionIds": [line], "journalEntryIds": [], "reconciliationIds": []}
    ben.post(f"/api/journal-entries/{entry_of(ben, line)}/void", json={"reason": "Wrong"})
    refusal(ben, document)
    assert ben.delete(f"{address(document)}/relations", json={"transactionId": line}).status_code == 200
    assert ben.delete(address(document)).status_code == 200


def test_what_is_proved_is_named_with_its_proof(ben, bank, desk, document):
    line = bank.send("2026-03-02", "-119.00", "Hetzner")
    relate(ben, document, transactionId=line)
    relate(ben, document, journalEntryId=entry_of(ben, line))
    desk.confirm(line)
    proof = desk.prove("2026-03-31", "-119.00")["id"]
    error, details = refusal(ben, document)
    assert error == (
        "It belongs to the line of 2 Mar 2026 and 1 more, which are in the proof of 31 Mar 2026."
        " Detach it from them first."
    )
    assert details["reconciliationIds"] == [proof]


def test_an_opening_balance_holds_the_documents_of_the_lines_that_it_set_aside(ben, bank, desk, document):
    line = bank.send("2026-02-02", "-119.00", "Old")
    relate(ben, document, transactionId=line)
    opening = {"keepAsNew": True, "openingBalance": "5.00", "openingDate": "2026-02-28"}
    proof = desk.prove("2026-03-31", "5.00", **opening)["id"]
    error, details = refusal(ben, document)
    assert "the proof of 31 Mar 2026" in error
    assert (details["transactionIds"], details["reconciliationIds"]) == ([line], [proof])


def test_an_entry_that_came_from_a_document_keeps_it(ben, bank, document):
    food, equity = bank.account("Food"), bank.role("opening_balances")
    legs = [{"accountId": food, "amount": "119.00"}, {"accountId": equity, "amount": "-119.00"}]
    body = {"effectiveAt": "2026-03-02", "postings": legs, "documentId": document["id"]}
    made = ben.post("/api/journal-entries", json=body).json
    entry = made["entry"]["id"]
    assert (made["entry"]["source"], made["entry"]["origin"]["kind"]) == ("document", "document")
    drafted = f"Entry {entry} came from this document and is a draft. Delete it first."
    assert refusal(ben, document) == (drafted, {"journalEntryIds": [entry]})
    named = {
        "version": made["version"],
        "documentId": document["id"],
        "effectiveAt": "2026-03-02",
        "postings": legs,
    }
    assert list(ben.put(f"/api/journal-entries/{entry}", json=named).json["fields"]) == ["documentId"]
    posted = ben.post(f"/api/journal-entries/{entry}/post", json={}).json
    (relation,) = read(ben, document)["relations"]
    assert (posted["result"]["documentRelationIds"], relation["journalEntryId"]) == ([relation["id"]], entry)
    ben.delete(f"{address(document)}/relations", json={"journalEntryId": entry})
    error, _ = refusal(ben, document)
    assert error == f"Entry {entry} came from this document and stays in the books, so it cannot be deleted."
    ben.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong", "copy": True})
    copy = refusal(ben, document)[1]["journalEntryIds"][1]
    assert [each["journalEntryId"] for each in read(ben, document)["relations"]] == [copy]


def test_the_document_of_an_entry_is_one_of_ours(ben, dan, bank, document):
    food, equity = bank.account("Food"), bank.role("opening_balances")
    legs = [{"accountId": food, "amount": "1.00"}, {"accountId": equity, "amount": "-1.00"}]
    for other in (filed(dan, number="1")["id"], 2**53):
        body = {"effectiveAt": "2026-03-02", "postings": legs, "documentId": other}
        answer = ben.post("/api/journal-entries", json=body)
        assert (answer.status_code, answer.json["code"]) == (422, "unknown_reference")


def test_a_dry_run_deletes_nothing_and_says_what_stands_against_it(ben, bank, kept_documents, document):
    answer = ben.delete(f"{address(document)}?dryRun=true")
    assert (answer.status_code, answer.json["status"]) == (200, 200), answer.json
    assert [path.parent.name for path in kept_documents()] == [next(iter(kept_documents())).name[:2]]
    assert ben.get(f"{address(document)}/file").data == pdf("to be deleted")
    line = bank.send("2026-03-02", "-119.00", "Hetzner")
    relate(ben, document, transactionId=line)
    ben.post(f"/api/transactions/{line}/confirm")
    assert ben.delete(f"{address(document)}?dryRun=true").json["answer"]["code"] == "in_use"


def test_a_proposed_deletion_waits_for_a_person_and_keeps_the_file_until_then(
    ada, bank, kept_documents, document
):
    proposed = ada.with_scopes("read", "propose").delete(address(document))
    assert proposed.status_code == 202, proposed.json
    assert ada.get(f"{address(document)}/file").data == pdf("to be deleted")
    request = proposed.json["actionRequest"]
    path = f"/api/action-requests/{request['id']}/approve"
    approved = ada.browser().post(path, json={"digest": request["digest"]})
    assert approved.status_code == 200, approved.json
    assert ada.get(address(document)).status_code == 404
    assert kept_documents() == set()


def test_who_may_not_delete_a_document_does_not(ada, cleo, dan, bank, document):
    assert cleo.delete(address(document)).status_code == 403
    assert dan.delete(address(document)).status_code == 404
    assert ada.with_scopes("read", "confirm").delete(address(document)).status_code == 403
    assert read(ada, document)["sender"] == "Hetzner"


def test_the_file_stays_where_the_request_fails_after_it_was_let_go(
    ben, bank, kept_documents, document, monkeypatch
):
    (path,) = kept_documents()

    def fail(*_args, **_options):
        assert path.exists()
        assert len(kept_documents()) == 2, "the file, and the mark that it may go"
        raise RuntimeError("the disk of the database is full")

    monkeypatch.setattr("webapp.services.audit.action_requests.append", fail)
    assert ben.delete(address(document)).status_code == 500
    monkeypatch.undo()
    assert kept_documents() == {path}
    assert ben.get(f"{address(document)}/file").data == pdf("to be deleted")


def test_a_file_that_a_killed_process_left_behind_is_swept_only_once_nothing_names_it(
    ben, bank, kept_documents, document, session, monkeypatch
):
    (path,) = kept_documents()
    stored_files.throw_away(stored_files.find(ben.organization_id, document["sha256"]), now=datetime.now(UTC))
    state_of(session).at_end.clear()
    session.rollback()
    assert {each.name for each in kept_documents()} == {path.name}, "the file and its mark have one name"
    monkeypatch.setattr(arriving_files, "LEFT_AFTER", -arriving_files.LEFT_AFTER)
    assert sent(ben, data=pdf("another")).status_code == 201
    assert path.exists(), "its document is still there"
    assert len(kept_documents()) == 2
    assert ben.delete(address(document)).status_code == 200
    assert not path.exists()


def test_a_file_that_comes_and_goes_in_one_transaction_leaves_nothing(app, ada, kept_documents, session):
    for end in (session.commit, session.rollback):
        packed = stored_files.pack(b"one")
        stored = stored_files.keep(
            ada.organization_id, packed, "one.txt", "text/plain", now=datetime.now(UTC)
        )
        stored_files.release(stored, now=datetime.now(UTC))
        end()
        assert kept_documents() == set()


def test_check_does_not_miss_the_file_of_a_document_that_is_deleted_meanwhile(
    ben, bank, app, kept_documents, document
):
    def look():
        begin_read()
        assert db.session.scalars(sa.select(Document.id)).all() == [document["id"]]
        with ThreadPoolExecutor(1) as elsewhere:
            assert elsewhere.submit(ben.delete, address(document)).result().status_code == 200
        return [each.code for each in checked_files.files()]

    assert bank.ask(look) == []
    assert kept_documents() == set()


def test_an_upload_that_is_sent_again_after_its_deletion_is_answered_as_the_first_time(ben, bank):
    def send():
        parts = {"file": (BytesIO(pdf("again")), "again.pdf")}
        return ben.post(
            DOCUMENTS,
            data=parts,
            content_type="multipart/form-data",
            headers={"Idempotency-Key": "one-upload"},
        )

    first = send()
    assert ben.delete(address(first.json["document"])).status_code == 200
    assert send().data == first.data
    assert ben.get(DOCUMENTS).json["documents"] == []
