"""The feed of events: the whole audit chain, oldest first, which whoever reads it can check from outside."""

import hashlib
import json

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = pytest.mark.both

EVENTS = "/api/events"


@pytest.fixture
def worked(ada, bank, books):
    """Lines that came, were confirmed, voided, and one that was refused."""
    first, second = bank.send_many([("2026-03-02", "-5.00", "Tea"), ("2026-03-03", "-6.00", "Cake")])
    for line in (first, second):
        ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Travel")})
    assert ada.post(f"/api/transactions/{first}/confirm").status_code == 200
    entry = ada.get(f"/api/transactions/{first}").json["transaction"]["journalEntryId"]
    ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Twice"})
    assert ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Again"}).status_code == 409
    return first


def read_on(person, limit, query=""):
    """Read the feed to its end, so many at a time."""
    events, after, more = [], 0, True
    while more:
        answer = person.get(f"{EVENTS}?after={after}&limit={limit}{query}")
        assert answer.status_code == 200
        events += answer.json["events"]
        after, more = answer.json["after"], answer.json["more"]
    return events, after


def test_the_chain_is_verified_from_outside(ada, worked):
    events, last = read_on(ada, 3, "&include=body")
    assert [each["sequence"] for each in events] == list(range(1, last + 1))
    previous = "0" * 64
    for each in events:
        assert each["previousHash"] == previous
        digest = hashlib.sha256(f"{previous}\n{each['body']}".encode()).hexdigest()
        assert digest == each["hash"]
        body = json.loads(each["body"])
        assert (body["kind"], body["actionRequestId"]) == (each["kind"], each["actionRequestId"])
        assert body["target"] == each["target"]
        previous = digest


def test_every_event_names_its_act_and_what_became_of_it(ada, worked):
    events, _ = read_on(ada, 200)
    types = [each["type"] for each in events if each["target"] == {"kind": "transaction", "id": str(worked)}]
    assert types == ["transaction.executed", "transaction.executed"]
    assert [each["type"] for each in events][-2:] == ["journal_entry.executed", "journal_entry.failed"]
    acts = ada.get("/api/action-requests?limit=200").json["actionRequests"]
    # The bank of tests binds what it wrote past acts, at an instant of its own.
    told = [each["actionRequestId"] for each in reversed(events) if each["kind"] != "bind_rows"]
    assert told == [each["id"] for each in acts if each["kind"] != "bind_rows"]
    assert events[-1]["actor"] == acts[0]["actor"]


def test_whoever_has_read_everything_hears_of_what_comes(ada, worked):
    _, last = read_on(ada, 200)
    nothing = ada.get(f"{EVENTS}?after={last}").json
    assert (nothing["events"], nothing["after"], nothing["more"]) == ([], last, False)
    ada.patch(f"/api/transactions/{worked}", json={"description": "Green tea"})
    news = ada.get(f"{EVENTS}?after={last}").json
    assert {each["sequence"] for each in news["events"]} == set(range(last + 1, news["after"] + 1))
    assert news["after"] > last


def test_bodies_are_sent_where_they_are_asked_for_and_marked_as_data(ada, worked):
    plain = ada.get(f"{EVENTS}?limit=1")
    assert "body" not in plain.json["events"][0]
    assert plain.json["untrusted"] == []
    whole = ada.get(f"{EVENTS}?limit=1&include=body")
    assert whole.json["untrusted"] == ["events[].body"]
    assert whole.headers["X-Untrusted-Fields"] == "events[].body"
    assert ada.get(f"{EVENTS}?limit=1&fields=sequence").json["events"] == [{"sequence": 1}]


def test_each_reads_the_events_of_their_own_books(ada, dan, worked):
    dan.post("/api/projects", json={"name": "Oven"})
    own = {each["hash"] for each in read_on(ada, 200)[0]}
    others = {each["hash"] for each in read_on(dan, 200)[0]}
    assert others
    assert own.isdisjoint(others)


@pytest.mark.parametrize("asked", ["after=-1", "after=x", "limit=0", "limit=201", "since=3"])
@on_sqlite
def test_what_cannot_be_meant_is_refused(ada, asked):
    assert ada.get(f"{EVENTS}?{asked}").status_code == 422
