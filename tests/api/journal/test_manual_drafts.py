"""Drafts that were written by hand: changed, posted and deleted, and never over somebody else's words."""

import pytest

from tests.fixtures.banks import AT
from tests.fixtures.helpers.book_texts import lines
from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.models import Document
from webapp.services.bookkeeping import manual_entries


@pytest.fixture
def legs(books):
    def said(*legs):
        return [
            {"accountId": books.account_id(name), "amount": amount, **(more[0] if more else {})}
            for name, amount, *more in legs
        ]

    return said


@pytest.fixture
def draft(ada, legs):
    body = {
        "effectiveAt": "2026-03-02",
        "description": "By hand",
        "postings": legs(("Travel", "5.00"), ("Petty cash", "-5.00")),
    }
    answer = ada.post("/api/journal-entries", json=body)
    assert answer.status_code == 201
    path = f"/api/journal-entries/{answer.json['entry']['id']}"
    return path, {**body, "version": answer.json["version"]}


def kinds(person):
    return [act["kind"] for act in person.get("/api/action-requests").json["actionRequests"]]


def test_a_draft_is_changed_and_keeps_its_number(ada, draft, legs, books):
    path, body = draft
    more = legs(("Travel", "5.00"), ("Rent", "7.00"), ("Petty cash", "-12.00"))
    answer = ada.put(
        path, json={**body, "effectiveAt": "2026-03-05", "description": "Both", "postings": more}
    )
    assert answer.status_code == 200
    assert answer.json["version"] != body["version"]
    assert answer.json == {**ada.get(path).json, "warnings": [], "changed": True}
    assert books.entries() == lines("""
        2026-03-05 DRAFT Both
            Travel      5.00 EUR
            Rent        7.00 EUR
            Petty cash  -12.00 EUR
    """)
    act = ada.get("/api/action-requests?kind=change_journal_entry").json["actionRequests"][0]
    assert [len(act[when]["postings"]) for when in ("before", "after")] == [2, 3]


def test_a_change_may_post_at_once_where_one_may_confirm(ada, draft, books):
    path, body = draft
    refused = ada.with_scopes("read", "draft").put(path, json={**body, "post": True})
    assert (refused.status_code, refused.json["code"]) == (403, "forbidden")
    answer = ada.put(path, json={**body, "post": True})
    assert (answer.json["entry"]["status"], answer.json.get("version")) == ("POSTED", None)
    assert books.balances() == lines("""
        Petty cash  -5.00 EUR
        Travel      5.00 EUR
    """)


def test_of_two_who_change_one_version_the_second_is_told(ada, ben, draft, rounds, figure):
    path, body = draft
    refused, count = 0, rounds(5, 200)
    for number in range(count):
        first = ben.put(path, json={**body, "description": f"Ben's {number}"})
        assert first.status_code == 200
        second = ada.put(path, json={**body, "description": f"Ada's {number}"})
        refused += (second.status_code, second.json["code"]) == (409, "stale_version")
        assert second.json["details"] == {"version": first.json["version"]}
        assert second.json["error"] == "Ben's program changed this draft after you opened it."
        body["version"] = second.json["details"]["version"]
    assert ada.get(path).json["entry"]["description"] == f"Ben's {count - 1}"
    figure("P11 entries", f"{refused} of {count} second saves refused with the current version")
    assert refused == count


def test_a_rate_that_arrives_makes_no_version_stale(ada, bank, legs):
    postings = legs(("Travel", "5.00", {"currency": "USD"}), ("Petty cash", "-5.00", {"currency": "USD"}))
    body = {"effectiveAt": "2026-03-02", "postings": postings}
    answer = ada.post("/api/journal-entries", json=body).json
    rate = {"day": "2026-03-02", "currency": "USD", "unitsPerBase": "1.0842"}
    assert ada.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    path = f"/api/journal-entries/{answer['entry']['id']}"
    assert ada.get(path).json["entry"]["postings"][0]["amountBase"] == "4.61"
    assert ada.put(path, json={**body, "version": answer["version"]}).status_code == 200


def test_a_change_drops_the_rounding_of_what_was_said_before(ada, bank, legs):
    bank.quote("2026-03-01", "USD", "1.0842")
    bank.quote("2026-03-01", "JPY", "161.20")
    postings = legs(
        ("Travel", "10.00", {"currency": "USD"}),
        ("Travel", "1000", {"currency": "JPY"}),
        ("Petty cash", "-15.43", {"currency": "EUR"}),
    )
    body = {"effectiveAt": "2026-03-02", "postings": postings}
    answer = ada.post("/api/journal-entries", json=body).json
    assert len(answer["entry"]["postings"]) == 4
    again = ada.put(
        f"/api/journal-entries/{answer['entry']['id']}", json={**body, "version": answer["version"]}
    )
    assert again.json == {**answer, "changed": False, "waiting": []}


def test_a_draft_is_posted_once_and_a_repeat_answers_the_same(ada, draft, books):
    path, body = draft
    first = ada.post(f"{path}/post", json={"version": body["version"], "note": "Seen"})
    assert (first.status_code, first.json["changed"]) == (200, True)
    again = ada.post(f"{path}/post", json={})
    assert again.json == {**first.json, "changed": False}
    assert kinds(ada).count("post_journal_entry") == 1
    assert len(books.balances()) == 2


def test_posting_names_what_stands_against_it(ada, ben, draft, bank):
    path, body = draft
    assert ben.put(path, json={**body, "description": "Ben's"}).status_code == 200
    stale = ada.post(f"{path}/post", json={"version": body["version"]})
    assert (stale.status_code, stale.json["code"]) == (409, "stale_version")
    bank.lock("2026-03-31")
    locked = ada.post(f"{path}/post", json={})
    assert (locked.status_code, locked.json["code"]) == (409, "period_locked")
    assert ada.get(path).json["entry"]["status"] == "DRAFT"


def test_a_draft_is_deleted_and_the_trail_keeps_what_it_said(ada, ben, draft, books):
    path, body = draft
    assert ben.put(path, json={**body, "description": "Ben's"}).status_code == 200
    stale = ada.delete(f"{path}?version={body['version']}")
    assert (stale.status_code, stale.json["code"]) == (409, "stale_version")
    assert ada.delete(path).json == {"ok": True, "changed": True}
    assert ada.get(path).status_code == 404
    assert ada.put(path, json=body).status_code == 404
    (act,) = ada.get("/api/action-requests?kind=delete_journal_entry&status=EXECUTED").json["actionRequests"]
    assert act["before"]["description"] == "Ben's"
    assert books.entries() == []


@pytest.mark.parametrize("status", ["posted", "voided"])
def test_what_is_posted_or_voided_is_neither_changed_nor_deleted(ada, draft, status):
    path, body = draft
    ada.post(f"{path}/post", json={})
    if status == "voided":
        ada.post(f"{path}/void", json={"reason": "A test"})
        answer = ada.post(f"{path}/post", json={})
        assert (answer.status_code, answer.json["code"]) == (409, "voided")
    for answer in (ada.put(path, json=body), ada.delete(path)):
        assert (answer.status_code, answer.json["code"]) == (409, status)


def test_the_draft_of_a_line_is_changed_on_its_line(ada, bank, draft):
    _, body = draft
    line = bank.send("2026-03-02", "-5.00")
    entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    path = f"/api/journal-entries/{entry}"
    assert "version" not in ada.get(path).json
    for answer in (ada.put(path, json=body), ada.delete(path), ada.post(f"{path}/post", json={})):
        assert (answer.status_code, answer.json["code"]) == (409, "not_manual")
        assert answer.json["details"] == {"transactionIds": [line]}


def test_the_draft_of_a_document_is_written_changed_and_posted_alike(ada, bank, draft, books):
    path, body = draft
    postings = [
        {"account_id": books.account_id(name), "amount": amount}
        for name, amount in (("Travel", "5.00"), ("Petty cash", "-5.00"))
    ]

    def write():
        facts = {"document_type": "RECEIPT", "created_at": AT, "updated_at": AT}
        document = Document(organization_id=ada.organization_id, **facts)
        db.session.add(document)
        db.session.flush()
        said = {"effective_at": AT.date(), "postings": postings, "document_id": document.id}
        return manual_entries.create(**said, actor=ada.actor, now=AT).id, document.id

    entry_id, document_id = bank.ask(write)
    path = f"/api/journal-entries/{entry_id}"
    read = ada.get(path).json
    assert (read["entry"]["source"], read["entry"]["origin"]["documentId"]) == ("document", document_id)
    changed = ada.put(path, json={**body, "version": read["version"]}).json["entry"]
    assert (changed["source"], changed["origin"]["documentId"]) == ("document", document_id)
    assert ada.post(f"{path}/post", json={}).json["changed"] is True
    assert ada.get(path).json["entry"]["canVoid"] is True


def test_a_posted_entry_is_voided_and_copied_into_a_draft_in_one_act(ada, draft, books):
    path, body = draft
    ada.post(f"{path}/post", json={})
    answer = ada.post(f"{path}/void", json={"reason": "Wrong account", "copy": True}).json
    reversal, copy = answer["result"]["journalEntryIds"]
    assert kinds(ada)[0] == "void_journal_entry"
    assert books.balances() == []
    read = ada.get(f"/api/journal-entries/{copy}").json
    original = ada.get(path).json["entry"]
    assert (read["entry"]["status"], original["status"]) == ("DRAFT", "VOIDED")
    assert read["entry"]["postings"] == original["postings"]
    assert read["version"] == body["version"]
    assert ada.get(f"/api/journal-entries/{reversal}").json["entry"]["source"] == "void"


def test_a_copy_is_a_draft_and_needs_the_scope(ada, draft):
    path, _ = draft
    ada.post(f"{path}/post", json={})
    answer = ada.with_scopes("read", "confirm").post(f"{path}/void", json={"reason": "A test", "copy": True})
    assert answer.status_code == 403
    assert ada.get(path).json["entry"]["status"] == "POSTED"


@on_sqlite
@pytest.mark.parametrize(
    "change", [{"version": None}, {"version": 1}, {"postings": []}, {"status": "POSTED"}]
)
def test_a_change_of_another_shape_is_refused(ada, draft, change):
    path, body = draft
    answer = ada.put(path, json={**body, **change})
    assert (answer.status_code, answer.json["code"]) == (422, "validation")


@on_sqlite
def test_a_viewer_and_another_organization_change_nothing(cleo, dan, draft):
    path, body = draft
    for person, status in ((cleo, 403), (dan, 404)):
        assert person.put(path, json=body).status_code == status
        assert person.delete(path).status_code == status
        assert person.post(f"{path}/post", json={}).status_code == status
