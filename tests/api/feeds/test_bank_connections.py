"""Connections to SimpleFIN: made, synced by the worker, renewed in place, stale and failing."""

import json
import re
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest

from tests.api.feeds import bridges
from tests.api.feeds.bridges import account, seconds
from webapp.database.sessions import begin_write, db
from webapp.models import Secret
from webapp.services.banks import simplefin

BANKS, CONNECTIONS = "/settings/banks", "/api/feeds/connections"
TODAY = datetime.now(UTC).date()


def ago(days):
    return (TODAY - timedelta(days=days)).isoformat()


LINES = [
    ("t1", ago(3), "-45.20", "Grocer"),
    ("t2", ago(2), "1000.00", "Salary"),
    ("t3", None, "-12.00", "Coffee"),
]


@pytest.fixture(autouse=True)
def _shown(bridge):
    bridge.accounts = [account("A1", LINES, balance="954.80", as_of=ago(0))]


@pytest.fixture
def connected(ada, bridge, work):
    """A connection whose account is open in the books and was synced; answers how to read it."""
    body = {"provider": "simplefin", "name": "Our bank", "setupToken": bridge.token()}
    assert ada.post(CONNECTIONS, json=body).status_code == 201
    work()
    place = f"{CONNECTIONS}/{shown(ada)['id']}"
    choice = {"externalId": "A1", "opens": True, "fetchFrom": ago(30)}
    assert ada.patch(place, json={"accounts": [choice]}).status_code == 200
    work()
    return place


def shown(person):
    return person.get(CONNECTIONS).json["connections"][0]


def only(person):
    (found,) = shown(person)["accounts"]
    return found


def lines(person):
    listed = person.get("/api/transactions").json["transactions"]
    return sorted((each["description"], each["amount"], each["status"]) for each in listed)


def sync(person, place, work):
    answer = person.post(f"{place}/sync")
    assert answer.status_code == 202, answer.json
    work()
    return shown(person)


def test_an_account_is_shown_first_and_fetched_once_somebody_says_where_it_belongs(ada, bridge, work):
    body = {"provider": "simplefin", "name": "Our bank", "setupToken": bridge.token()}
    made = ada.post(CONNECTIONS, json=body).json["connection"]
    assert (made["status"], made["accounts"]) == ("ACTIVE", [])
    work()
    assert bridge.asked == ["claim", {"balances-only": ["1"]}]
    found = only(ada)
    assert (found["name"], found["currency"], found["faId"]) == ("Example Bank: Checking 4711", "EUR", None)
    assert lines(ada) == []
    choice = {"externalId": "A1", "opens": True, "fetchFrom": ago(100)}
    ada.patch(f"{CONNECTIONS}/{made['id']}", json={"accounts": [choice]})
    work()
    first, second = bridge.asked[2:]
    assert first["start-date"] == [str(seconds(ago(100)) - 12 * 3600)]
    # The end of a window is not included, so that the next one begins there.
    assert first["end-date"] == second["start-date"]
    assert second["pending"] == ["1"]
    assert int(second["end-date"][0]) > datetime.now(UTC).timestamp()
    assert [each[:2] for each in lines(ada)] == [
        ("Coffee", "-12.00"),
        ("Grocer", "-45.20"),
        ("Salary", "1000.00"),
    ]
    found = only(ada)
    assert (found["lastBookedOn"], found["isStale"], found["error"]) == (ago(2), False, None)
    assert shown(ada)["nextRunAt"] > datetime.now(UTC).isoformat()[:19]
    acts = ada.get("/api/action-requests").json["actionRequests"]
    assert {each["actor"]["kind"] for each in acts if each["kind"] == "push_feed"} == {"SYSTEM"}
    assert "Our bank" in {each["actor"]["name"] for each in acts if each["kind"] == "push_feed"}


def test_a_sync_again_changes_nothing_and_a_later_one_brings_what_is_new(ada, bridge, connected, work):
    before, acts = lines(ada), len(ada.get("/api/action-requests").json["actionRequests"])
    sync(ada, connected, work)
    assert lines(ada) == before
    # The request to ask, and nothing else.
    assert len(ada.get("/api/action-requests").json["actionRequests"]) == acts + 1
    late = ("t4", ago(40), "-1.00", "Came weeks later")
    booked = ("t3", ago(0), "-12.00", "Coffee")
    bridge.accounts = [
        account("A1", [*LINES[:2], booked, late, ("t5", ago(20), "-2.00", "Late")], as_of=ago(0))
    ]
    sync(ada, connected, work)
    # What lies before the day that somebody chose is not taken.
    assert [each[0] for each in lines(ada)] == ["Coffee", "Grocer", "Late", "Salary"]


@pytest.mark.parametrize(
    ("status", "fault", "says", "state"),
    [
        (500, "", "answers 500", "FAILING"),
        (429, "", "asked too often", "FAILING"),
        (402, "", "wants to be paid", "FAILING"),
        (200, "half", "cut off", "FAILING"),
        (200, "short", "too early", "FAILING"),
        (200, "slow", "does not answer", "FAILING"),
        (403, "", "Paste a new setup token", "NEEDS_CONSENT"),
    ],
)
def test_a_failure_is_said_changes_nothing_and_ends(
    ada, bridge, connected, work, monkeypatch, status, fault, says, state
):
    monkeypatch.setattr(simplefin, "PATIENCE_SECONDS", 0.5)
    before = lines(ada)
    bridge.status, bridge.fault = status, fault
    found = sync(ada, connected, work)
    assert found["status"] == state
    assert says in found["lastError"]["sentence"]
    assert (lines(ada), only(ada)["faId"] is not None) == (before, True)
    # What a person must do is not asked for again and again.
    assert (found["nextRunAt"] is None) == (state == "NEEDS_CONSENT")
    bridge.status, bridge.fault = 200, ""
    found = sync(ada, connected, work)
    assert (found["status"], found["lastError"]) == ("ACTIVE", None)


def test_a_token_works_once_and_a_new_one_takes_the_place_of_the_secret(ada, bridge, connected, work):
    fa_id = only(ada)["faId"]
    bridge.status = 403
    sync(ada, connected, work)
    bridge.status = 200
    used = bridge.token("used")
    bridge.tokens.clear()
    assert ada.post(f"{connected}/renew", json={"setupToken": used}).status_code == 200
    work()
    assert "was claimed before" in shown(ada)["lastError"]["sentence"]
    # Its bank gave the account another id, and its lines too.
    again = [(f"n{uid}", day, amount, text) for uid, day, amount, text in LINES[:2]]
    bridge.accounts = [account("B7", again, balance="954.80", as_of=ago(0))]
    ada.post(f"{connected}/renew", json={"setupToken": bridge.token("t2")})
    work()
    old, new = shown(ada)["accounts"]
    assert (shown(ada)["status"], old["isGone"], new["takesOver"]) == ("ACTIVE", True, "A1")
    assert ada.patch(connected, json={"accounts": [{"externalId": "B7", "faId": fa_id}]}).status_code == 200
    work()
    assert [each["faId"] for each in shown(ada)["accounts"]] == [None, fa_id]
    assert len(ada.get("/api/feeds/accounts").json["feedAccounts"]) == 1
    assert [each[0] for each in lines(ada) if each[2] != "REMOVED"] == ["Grocer", "Salary"]


def test_one_account_that_fails_does_not_stop_another(ada, bridge, connected, work):
    odd = account("A2", [("x", ago(1), "many", "?")], name="Savings")
    coin = account("A3", [], name="Coins", currency="https://coins.example/btc")
    bridge.accounts = [odd, coin, account("A1", [*LINES[:2], ("t9", ago(1), "-9.00", "New")], as_of=ago(0))]
    bridge.errlist = [{"code": "con.auth", "msg": "Sign in at your bank again", "account_id": "A1"}]
    bridge.errors = ["The bridge is busy"]
    sync(ada, connected, work)
    refused = ada.patch(connected, json={"accounts": [{"externalId": "A3", "opens": True}]})
    assert (refused.status_code, "no currency" in refused.text) == (422, True)
    opened = ada.patch(connected, json={"accounts": [{"externalId": "A2", "opens": True}]})
    assert opened.status_code == 200, opened.json
    work()
    found = {each["externalId"]: each for each in shown(ada)["accounts"]}
    assert "not a number" in found["A2"]["error"]
    assert found["A1"]["error"] == "Sign in at your bank again"
    assert (found["A3"]["faId"], found["A3"]["currency"]) == (None, "https://coins.example/btc")
    assert "New" in [each[0] for each in lines(ada)]
    assert shown(ada)["lastError"]["sentence"] == "The bridge is busy"


def test_a_bank_that_answers_and_tells_nothing_new_is_stale(ada, ben, bridge, connected, work):
    sentence = "has sent no news since"
    assert sentence not in ada.browser().get("/").text
    bridge.accounts = [account("A1", LINES[:2], as_of=ago(9))]
    sync(ada, connected, work)
    assert (only(ada)["isStale"], shown(ada)["status"]) == (True, "ACTIVE")
    assert sentence in ben.browser().get("/").text
    assert "No news from the bank since" in ada.browser().get(BANKS).text
    bridge.accounts = []
    sync(ada, connected, work)
    assert only(ada)["isGone"]
    assert "shows this account no more" in ada.browser().get(BANKS).text


def test_no_more_calls_are_made_on_a_day_than_the_bridge_allows(ada, bridge, connected, work):
    for _ in range(simplefin.MOST_CALLS):
        sync(ada, connected, work)
    assert len(bridge.asked) <= 24
    assert shown(ada)["nextRunAt"][:10] == ago(-1)


def test_the_next_sync_is_among_what_is_done_by_itself(ada, bridge, connected):
    page = unescape(ada.browser().get("/settings/automatic").text)
    assert "Asks your banks for new lines" in page
    (job_id,) = {*re.findall(r"/settings/automatic/(\d+)/run", page.partition("Asks your banks")[2])}
    assert ada.browser().post(f"/settings/automatic/{job_id}/run").status_code == 303


def test_daily_rates_are_offered_with_an_account_in_another_currency(ada, bridge, connected, work):
    page, offer = ada.browser(), "An account is in another currency"
    assert offer not in page.get(BANKS).text
    bridge.accounts.append(account("D1", [], name="Dollars", currency="USD", as_of=ago(0)))
    sync(ada, connected, work)
    assert offer not in page.get(BANKS).text
    assert ada.patch(connected, json={"accounts": [{"externalId": "D1", "opens": True}]}).status_code == 200
    assert offer in page.get(BANKS).text
    assert page.post("/settings/automatic", data={"kind": "RATES", "isOn": "true"}).status_code == 303
    assert offer not in page.get(BANKS).text


def test_it_is_paused_and_ended_and_its_secret_is_gone(app, ada, ben, dan, bridge, connected, work):
    assert ada.patch(connected, json={"isPaused": True}).json["connection"]["status"] == "PAUSED"
    assert shown(ada)["nextRunAt"] is None
    assert ada.patch(connected, json={"isPaused": False}).json["connection"]["status"] == "ACTIVE"
    assert ben.patch(connected, json={"isPaused": True}).status_code == 403
    assert dan.post(f"{connected}/sync").status_code == 404
    assert ben.post(f"{connected}/sync").status_code == 202
    assert ada.delete(connected).json["connection"]["status"] == "ENDED"
    assert [ada.post(f"{connected}/sync").status_code, ada.delete(connected).json["changed"]] == [409, False]
    asked = len(bridge.asked)
    work()
    assert len(bridge.asked) == asked
    with app.app_context():
        begin_write()
        assert db.session.query(Secret).count() == 0
        db.session.remove()


def test_what_cannot_be_is_refused_with_a_sentence(ada, bridge, connected):
    def refused(person, method, path, **body):
        answer = getattr(person, method)(path, json=body)
        return answer.status_code, answer.json.get("code")

    new = {"provider": "simplefin", "name": "Another"}
    inner = b64encode(b"https://127.0.0.1/claim/x").decode()
    for token in ("nothing", b64encode(b"http://bridge.example/x").decode(), inner):
        assert refused(ada, "post", CONNECTIONS, **new, setupToken=token) == (422, "setup_token")
    assert refused(ada, "post", CONNECTIONS, provider="paypal", name="x", setupToken="x")[0] == 422
    assert refused(ada, "patch", connected, accounts=[{"externalId": "A9", "isLeft": True}])[0] == 422
    assert refused(ada, "patch", connected, accounts=[{"externalId": "A1", "faId": 999999}])[0] == 422
    both = [{"externalId": "A1", "opens": True, "isLeft": True}]
    assert refused(ada, "patch", connected, accounts=both)[0] == 422
    agent = ada.with_scopes("read", "propose")
    assert refused(agent, "post", CONNECTIONS, **new, setupToken=bridge.token("p")) == (
        403,
        "forbidden",
    )


def test_a_transcript_keeps_the_shape_of_an_answer_and_nothing_that_it_says(
    ada, command, bridge, connected, tmp_path
):
    file = tmp_path / "answer.json"
    record = "feeds", "record", connected.rpartition("/")[2], str(file)
    written = command(*record, "--organization", ada.organization_id)
    assert written.exit_code == 0, written.output
    (one,) = json.loads(file.read_text())["accounts"]
    assert (one["id"], one["name"], one["balance"]) == ("A9", "Aaaaaaaa 9999", "999.99")
    assert sorted(each["posted"] for each in one["transactions"]) == [0, 9999999999, 9999999999]
    words = set(re.findall(r"[\w:-]+", file.read_text() + written.output))
    assert not {"Grocer", "4711", "954", bridges.SECRET} & words


def test_the_pages_do_the_same(ada, bridge, work):
    page = ada.browser()
    assert (
        page.post(BANKS, data={"name": "Our bank", "provider": "simplefin", "setupToken": "x"}).status_code
        == 422
    )
    sent = {"name": "Our bank", "provider": "simplefin", "setupToken": bridge.token()}
    assert page.post(BANKS, data=sent).status_code == 303
    work()
    number = shown(ada)["id"]
    assert "Checking 4711" in page.get(BANKS).text
    form = {"externalId": "A1", "target": "ASSET", "fetchFrom": ago(30)}
    assert page.post(f"{BANKS}/{number}/account", data=form).status_code == 303
    work()
    assert len(lines(ada)) == 3
    fa_id = only(ada)["faId"]
    for target, found in (("leave", None), (f"{fa_id}", fa_id)):
        choice = {"externalId": "A1", "target": target}
        assert page.post(f"{BANKS}/{number}/account", data=choice).status_code == 303
        assert only(ada)["faId"] == found
    assert page.post(f"{BANKS}/{number}/sync").status_code == 303
    assert page.post(f"{BANKS}/{number}/pause", data={"isPaused": "true"}).status_code == 303
    assert "Go on" in page.get(BANKS).text
    assert page.post(f"{BANKS}/{number}/renew", data={"setupToken": "x"}).status_code == 422
    assert page.post(f"{BANKS}/{number}/end").status_code == 303
    assert "Our bank" not in page.get(BANKS).text


def test_a_balance_of_another_century_stops_no_line_and_is_told(ada, bridge, connected, work):
    ahead, new = (TODAY + timedelta(days=99 * 365)).isoformat(), ("t4", ago(1), "-3.00", "Bread")
    shown_today = account("A1", [*LINES, new], balance="951.80", as_of=ago(0))
    bridge.accounts = [shown_today | {"balance-date": seconds(ahead)}]
    bridge.errors = ["Look here."]
    for _ in range(2):
        found = sync(ada, connected, work)
        assert len(lines(ada)) == 4
        assert found["status"] == "ACTIVE"
        told = "Look here. In Example Bank: Checking 4711: The balance is left out: "
        assert found["lastError"]["sentence"].startswith(told)
        assert "The balance is left out" in ada.browser().get(BANKS).text


def test_an_amount_beyond_64_bits_is_told_as_too_large(ada, bridge, connected, work):
    bridge.accounts = [account("A1", [("t9", ago(1), "92233720368547758.08", "Large")], as_of=ago(0))]
    sync(ada, connected, work)
    assert only(ada)["error"].endswith("The amount is larger than the books can hold.")
