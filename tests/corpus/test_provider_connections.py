"""After a sync with a server that gives the corpus' payloads unchanged, the books hold what they have."""

import itertools
import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest

from tests.api.feeds import providers
from tests.corpus import manifest
from webapp.services.banks import simplefin

CONNECTIONS = "/api/feeds/connections"
SIMPLEFIN = {entry.path: entry for entry in manifest.entries("simplefin")}
ACCEPTED = [path for path, entry in SIMPLEFIN.items() if entry.outcome == "accept"]
REFUSED = [path for path, entry in SIMPLEFIN.items() if entry.outcome == "error_response"]
NORDIC = {entry.path.rpartition("__")[2]: entry for entry in manifest.entries("enablebanking")}


def told(records):
    """Give the lines of records of the manifest by their status, each by its day and amount."""
    lines = {
        status: Counter((date.fromisoformat(day), amount) for record in records for day, amount in record[of])
        for status, of in (("BOOKED", "transactions"), ("PENDING", "pending_transactions"))
    }
    return {status: counted for status, counted in lines.items() if counted}


def days_of(records):
    return [day for lines in told(records).values() for day, _ in lines]


def after(day):
    """Give the night after a day."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


def connection(person):
    return person.get(CONNECTIONS).json["connections"][-1]


def connected(person, bridge):
    """Connect a bridge; answers where the connection is."""
    body = {"provider": "simplefin", "name": "Bridge", "setupToken": bridge.token()}
    return f"{CONNECTIONS}/{person.post(CONNECTIONS, json=body).json['connection']['id']}"


def opened(person, place, first):
    """Open every account that the provider shows, from a day on; answers the bank account of each."""
    accounts = connection(person)["accounts"]
    choices = [
        {"externalId": each["externalId"], "opens": True, "fetchFrom": str(first)} for each in accounts
    ]
    answer = person.patch(place, json={"accounts": choices})
    assert answer.status_code == 200, answer.json
    return {each["externalId"]: each["faId"] for each in connection(person)["accounts"]}


@pytest.mark.parametrize("path", ACCEPTED)
def test_the_books_hold_what_simplefin_gives(ada, bridge, sync, kept, monkeypatch, path):
    entry = SIMPLEFIN[path]
    payload = json.loads(entry.data)
    monkeypatch.setattr(bridge, "answer", lambda _: payload)
    # As one window, however long before its balances a payload has lines.
    monkeypatch.setattr(simplefin, "WINDOW_DAYS", 99_999)
    days = days_of(entry.accounts)
    stated = [record["closing_date"] for record in entry.accounts if record.get("closing_date")]
    night = after(max(*days, *map(date.fromisoformat, stated)))
    place = connected(ada, bridge)
    sync(place, night)
    fa_ids = opened(ada, place, min(days))
    for _ in range(2):
        sync(place, night)
        assert {each["error"] for each in connection(ada)["accounts"]} <= {None, *payload["errors"]}
        found = {external_id: kept(fa_id) for external_id, fa_id in fa_ids.items()}
        assert found == {record["id"]: told([record]) for record in entry.accounts}


@pytest.mark.parametrize("path", REFUSED)
def test_a_refusal_of_simplefin_is_said(ada, bridge, sync, path):
    place = connected(ada, bridge)
    bridge.status = int(path.rpartition("__")[2].removesuffix(".json"))
    sync(place)
    assert "wants to be paid" in connection(ada)["lastError"]["sentence"]


@pytest.mark.parametrize("names", [("basic.json",), ("page1_with_continuation.json", "page2_last.json")])
def test_the_books_hold_what_enable_banking_gives(ada, nordic, sync, kept, monkeypatch, names):
    entries = [NORDIC[name] for name in names]
    pages = [json.loads(entry.data) for entry in entries]
    by_key = {None: pages[0], **{page["continuation_key"]: more for page, more in itertools.pairwise(pages)}}
    monkeypatch.setattr(
        nordic, "page", lambda _, query: (200, by_key[query.get("continuation_key", [None])[0]])
    )
    records = [record for entry in entries for record in entry.accounts]
    days = days_of(records)
    nordic.accounts = [providers.account("one", iban="FI2112345600000785", as_of=str(max(days)))]
    facts = {"country": "FI", "bank": providers.BANK, "psuType": "personal"}
    body = {"provider": "enablebanking", "name": "Nordic", **facts}
    place = f"{CONNECTIONS}/{ada.post(CONNECTIONS, json=body).json['connection']['id']}"
    assert ada.post(f"{place}/renew", json={}).status_code == 200
    assert ada.post(f"{place}/renew", json={"code": nordic.consent()["code"]}).status_code == 200
    sync(place, after(max(days)))
    (fa_id,) = opened(ada, place, min(days)).values()
    for _ in range(2):
        sync(place, after(max(days)))
        assert {each["error"] for each in connection(ada)["accounts"]} == {None}
        assert kept(fa_id) == told(records)
