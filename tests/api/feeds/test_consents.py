"""Connections to Enable Banking: a consent at the bank, its lines, and its renewal in place."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from tests.api.feeds.providers import BANK, account, line
from tests.api.feeds.test_bank_connections import BANKS, CONNECTIONS, ago, lines, only, shown, sync
from webapp.database.sessions import begin_read, begin_write, db
from webapp.models import BankConnection
from webapp.queries.imports import bank_connections
from webapp.services.banks import enablebanking

IBAN = "FI2112345600000785"
NEW = {"provider": "enablebanking", "name": "Our bank", "country": "FI", "bank": BANK, "psuType": "business"}
LINES = [
    line("t1", ago(3), "-45.20", "Grocer"),
    line("t2", ago(2), "1000.00", "Salary"),
    line("t3", None, "-12.00", "Coffee"),
    line("t4", ago(5), "-1.00", "Fee"),
]
BOOKED = ["Fee", "Grocer", "Salary"]


@pytest.fixture(autouse=True)
def _has_lines(nordic, monkeypatch):
    monkeypatch.setattr(enablebanking, "MOST_CALLS", 100)
    nordic.accounts = [account("A1", LINES, iban=IBAN, balance="953.80")]


def consent(person, nordic, work):
    """Give a consent to the newest connection, and come back from the bank."""
    went = person.browser().get(f"{BANKS}/{shown(person)['id']}/consent")
    assert went.headers["Location"].startswith("https://bank.example/consent"), went.text
    back = come_back(person, nordic.consent())
    work()
    return back


def come_back(person, query):
    browser, place = person.browser(), f"/banks/back?{urlencode(query)}"
    answer = browser.get(place)
    while answer.status_code in (302, 303) and "/back" in answer.headers["Location"]:
        answer = browser.get(answer.headers["Location"])
    return answer


@pytest.fixture
def connected(ada, nordic, work):
    """A connection with a consent, whose account is open in the books and was synced; answers its address."""
    assert ada.post(CONNECTIONS, json=NEW).status_code == 201
    consent(ada, nordic, work)
    place = f"{CONNECTIONS}/{shown(ada)['id']}"
    choice = {"externalId": only(ada)["externalId"], "opens": True, "fetchFrom": ago(30)}
    assert ada.patch(place, json={"accounts": [choice]}).status_code == 200
    work()
    return place


def texts(person):
    return [each[0] for each in lines(person) if each[2] != "REMOVED"]


def test_a_person_consents_at_the_bank_and_nothing_is_fetched_before_somebody_says_where_to(
    ada, nordic, work
):
    made = ada.post(CONNECTIONS, json=NEW).json["connection"]
    assert (made["status"], made["accounts"], nordic.asked) == ("NEEDS_CONSENT", [], [])
    assert "needs your consent" in ada.browser().get("/").text
    back = consent(ada, nordic, work)
    assert (back.status_code, back.headers["Location"].endswith(BANKS)) == (303, True)
    (asked,) = nordic.consents
    assert asked["redirect_url"] == "https://books.example/banks/back"
    assert (asked["aspsp"], asked["psu_type"]) == ({"name": BANK, "country": "FI"}, "business")
    found, whole = only(ada), shown(ada)
    assert (found["name"], found["iban"], found["faId"]) == (f"{BANK}: Giro", IBAN, None)
    assert whole["status"] == "ACTIVE"
    assert whole["consentEndsAt"][:10] in {ago(-179), ago(-180)}
    assert not [each for each in nordic.asked if "/accounts/" in each]
    choice = {"externalId": found["externalId"], "opens": True, "fetchFrom": ago(30)}
    ada.patch(f"{CONNECTIONS}/{made['id']}", json={"accounts": [choice]})
    work()
    assert lines(ada) == [
        ("Coffee", "-12.00", "PENDING"),
        ("Fee", "-1.00", "BOOKED"),
        ("Grocer", "-45.20", "BOOKED"),
        ("Salary", "1000.00", "BOOKED"),
    ]
    found = only(ada)
    assert (found["lastBookedOn"], found["balanceAt"][:10], found["isStale"]) == (ago(2), ago(0), False)
    assert found["error"] is None
    asked = [each.rpartition("/")[2] for each in nordic.asked if "/accounts/" in each]
    # Four lines are two pages.
    assert asked == ["transactions", "transactions", "balances"]


def test_only_who_comes_with_the_state_of_the_last_hour_brings_a_consent(ada, ben, dan, nordic, work):
    ada.post(CONNECTIONS, json=NEW)
    place = f"{CONNECTIONS}/{shown(ada)['id']}"
    begun = ada.post(f"{place}/renew", json={})
    assert begun.json["consentAddress"].startswith("https://bank.example/consent")
    query = nordic.consent()
    forged = {**query, "state": query["state"][:-3] + "abc"}
    assert come_back(ada, forged).status_code == 422
    assert come_back(ben, query).status_code == 403
    assert come_back(dan, query).status_code == 404
    assert come_back(ada, {"code": "x"}).status_code == 303
    refused = come_back(ada, {"state": query["state"], "error": "access_denied"})
    assert (refused.status_code, "access_denied" in refused.text) == (422, True)
    # It is over once the bank has answered.
    assert come_back(ada, query).status_code == 303
    work()
    assert come_back(ada, query).status_code == 422
    assert shown(ada)["status"] == "ACTIVE"
    assert ben.post(f"{place}/renew", json={}).status_code == 403


def test_without_a_public_address_the_one_of_the_browser_is_copied(app, ada, nordic, work, monkeypatch):
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], public_url=""))
    ada.post(CONNECTIONS, json=NEW)
    place = f"{CONNECTIONS}/{shown(ada)['id']}"
    ada.post(f"{place}/renew", json={})
    assert nordic.consents[-1]["redirect_url"] == nordic.redirects[0]
    address = f"{nordic.redirects[0]}?{urlencode(nordic.consent())}"
    page = ada.browser()
    assert "Address after your consent" in page.get(BANKS).text
    odd = page.post(f"{BANKS}/{shown(ada)['id']}/renew", data={"code": address.replace("state=", "state=x")})
    assert odd.status_code == 422
    assert page.post(f"{BANKS}/{shown(ada)['id']}/renew", data={"code": address}).status_code == 303
    work()
    assert only(ada)["iban"] == IBAN


def test_a_renewal_keeps_the_account_under_other_ids(ada, nordic, connected, work):
    fa_id, before = only(ada)["faId"], lines(ada)
    nordic.end_sessions()
    found = sync(ada, connected, work)
    assert (found["status"], found["nextRunAt"]) == ("NEEDS_CONSENT", None)
    assert "Renew" in found["lastError"]["sentence"]
    assert "Consent until" not in ada.browser().get(BANKS).text
    assert f"{BANKS}/{found['id']}/consent" in ada.browser().get("/").text
    # The bank gives the account another number of its own, and its lines too.
    again = [{**each, "entry_reference": f"n{each['entry_reference']}"} for each in LINES]
    nordic.accounts = [account("B7", again, iban=IBAN, balance="953.80")]
    consent(ada, nordic, work)
    found = only(ada)
    assert (shown(ada)["status"], found["faId"], found["isGone"]) == ("ACTIVE", fa_id, False)
    assert [each for each in lines(ada) if each[2] != "REMOVED"] == before


def test_an_account_without_an_iban_is_linked_again_with_a_persons_yes(ada, nordic, work):
    nordic.accounts = [account("A1", LINES[:2])]
    ada.post(CONNECTIONS, json=NEW)
    consent(ada, nordic, work)
    place = f"{CONNECTIONS}/{shown(ada)['id']}"
    ada.patch(place, json={"accounts": [{"externalId": only(ada)["externalId"], "opens": True}]})
    work()
    fa_id = only(ada)["faId"]
    (opened,) = ada.get("/api/feeds/accounts").json["feedAccounts"]
    assert (opened["mask"], opened["institutionName"]) == (None, BANK)
    nordic.accounts = [account("B7", [{**each, "entry_reference": None} for each in LINES[:2]])]
    consent(ada, nordic, work)
    old, new = shown(ada)["accounts"]
    assert (old["isGone"], new["takesOver"]) == (True, old["externalId"])
    assert f'<option value="{fa_id}" selected' in ada.browser().get(BANKS).text
    assert texts(ada) == ["Grocer", "Salary"]
    ada.patch(place, json={"accounts": [{"externalId": new["externalId"], "faId": fa_id}]})
    work()
    assert [each["faId"] for each in shown(ada)["accounts"]] == [None, fa_id]
    assert texts(ada) == ["Grocer", "Salary"]


def test_a_session_that_says_expired_too_early_is_asked_again_once(ada, nordic, connected, work):
    nordic.faults = {"A1": [(401, "EXPIRED_SESSION")]}
    assert sync(ada, connected, work)["status"] == "ACTIVE"
    nordic.faults = {"A1": [(401, "EXPIRED_SESSION")] * 2}
    assert sync(ada, connected, work)["status"] == "NEEDS_CONSENT"


@pytest.mark.parametrize("states", [True, False])
def test_a_bank_that_gives_fewer_days_is_asked_for_those(ada, nordic, connected, work, states):
    nordic.least = datetime.now(UTC).date() - timedelta(days=20)
    nordic.states_least = states
    if not states:
        nordic.least -= timedelta(days=15)
        text = {"title": "Range is out", "code": "PERIOD_INVALID", "detail": "dateFrom=2025-12-11, dateTo=x"}
        nordic.faults = {"A1/transactions": [(422, (422, text))]}
    ada.patch(connected, json={"accounts": [{"externalId": only(ada)["externalId"], "fetchFrom": ago(200)}]})
    work()
    assert shown(ada)["status"] == "ACTIVE"
    assert only(ada)["error"].startswith("The bank gives no lines before")
    assert texts(ada) == ["Coffee", *BOOKED]


def test_it_may_be_tomorrow_here_before_it_is_at_the_bank(ada, nordic, connected, work):
    ada.patch(connected, json={"accounts": [{"externalId": only(ada)["externalId"], "fetchFrom": ago(-1)}]})
    work()
    assert (shown(ada)["status"], only(ada)["error"]) == ("ACTIVE", None)


def test_odd_lines_are_each_there_once(ada, nordic, connected, work):
    undated = line("u1", ago(1), "-3.00", "Undated", booking_date=None, value_date=None)
    odd = [
        {**undated, "transaction_date": None},
        {**undated, "entry_reference": "u2", "transaction_date": ago(4), "remittance_information": ["Card"]},
        line("0", ago(1), "-5.00", "Zero one"),
        line("0", ago(1), "-6.00", "Zero two"),
        line("r", ago(1), "-7.00", "Repeated one"),
        line("r", ago(1), "-8.00", "Repeated two"),
        line("f", ago(-3), "-9.00", "Future"),
        line("x", ago(1), "-1.00", "Called off", status="CNCL"),
        line("o", ago(1), "-1.00", "Other", status="OTHR"),
    ]
    nordic.accounts = [account("A1", [*LINES, *odd], iban=IBAN)]
    for _ in range(2):
        assert sync(ada, connected, work)["lastError"] is None
        assert only(ada)["error"] is None
        found = {each[0]: each[2] for each in lines(ada)}
        assert found["Undated"] == "PENDING"
        known = {"Card", "Zero one", "Zero two", "Repeated one", "Repeated two", "Future", "Undated"}
        assert {*found} == known | {"Coffee", *BOOKED}
        assert len(lines(ada)) == len(found)
    days = {
        each["description"]: each["bookedOn"] for each in ada.get("/api/transactions").json["transactions"]
    }
    assert (days["Card"], days["Future"]) == (ago(4), ago(-3))
    # The bank says when it was.
    nordic.accounts = [account("A1", [*LINES, line("u1", ago(1), "-3.00", "Undated")], iban=IBAN)]
    sync(ada, connected, work)
    assert [each[2] for each in lines(ada) if each[0] == "Undated"] == ["BOOKED"]


def test_an_account_that_fails_does_not_stop_another_and_is_stale_in_the_end(
    ada, nordic, connected, work, monkeypatch
):
    other = account("A2", [line("s1", ago(1), "50.00", "Interest")], name="Savings", iban=None)
    nordic.accounts.append(other)
    consent(ada, nordic, work)
    new = next(each["externalId"] for each in shown(ada)["accounts"] if each["faId"] is None)
    nordic.faults = {"A2": [(500, "ASPSP_ERROR")] * 9, "A1/balances": [(400, "ASPSP_ERROR")] * 9}
    nordic.accounts[0]["lines"].append(line("t9", ago(0), "-9.00", "New"))
    ada.patch(connected, json={"accounts": [{"externalId": new, "opens": True}]})
    work()
    found = {each["name"].rpartition(" ")[2]: each for each in shown(ada)["accounts"]}
    assert "answers 500" in found["Savings"]["error"]
    assert "does not say its balance" in found["Giro"]["error"]
    assert "New" in texts(ada)
    assert shown(ada)["status"] == "ACTIVE"
    with ada.app.app_context():
        begin_read(ada.organization_id)
        later = datetime.now(UTC) + timedelta(days=5)
        kinds = [each.kind for each in bank_connections.troubles(ada.organization_id, later)]
        db.session.remove()
    assert kinds.count("STALE") == 2


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ((500, "ASPSP_ERROR"), "answers 500"),
        ((429, "ASPSP_RATE_LIMIT_EXCEEDED"), "too often"),
        ("half", "cut off"),
    ],
)
def test_a_failure_is_said_changes_nothing_and_ends(ada, nordic, connected, work, fault, says):
    before = lines(ada)
    if fault == "half":
        nordic.half = True
    else:
        nordic.faults = {"*": [fault] * 9}
    nordic.accounts[0]["lines"].append(line("t9", ago(0), "-9.00", "New"))
    found = sync(ada, connected, work)
    assert (found["status"], lines(ada)) == ("FAILING", before)
    assert says in found["lastError"]["sentence"]
    page = unescape(ada.browser().get("/").text)
    assert "Our bank has failed since" in page
    nordic.faults, nordic.half = {}, False
    assert sync(ada, connected, work)["status"] == "ACTIVE"
    assert "New" in texts(ada)


def test_four_pulls_a_day_are_made_while_nobody_is_there(ada, nordic, connected, work, monkeypatch):
    monkeypatch.setattr(enablebanking, "MOST_CALLS", 4)
    for _ in range(6):
        sync(ada, connected, work)
    assert sum(each.endswith("balances") for each in nordic.asked) == 4
    assert shown(ada)["nextRunAt"][:10] == ago(-1)
    # The code of a new consent does not live until tomorrow.
    nordic.accounts = [account("B7", LINES, iban=IBAN, hash="another")]
    consent(ada, nordic, work)
    assert only(ada)["externalId"] == "another-EUR"
    assert sum(each.endswith("balances") for each in nordic.asked) == 4


def test_people_are_told_before_a_consent_ends(ada, nordic, connected, work, monkeypatch):
    def told():
        acts = ada.get("/api/action-requests").json["actionRequests"]
        return [each["title"] for each in acts if each["kind"] == "warn_bank_consent"]

    ends = datetime.fromisoformat(shown(ada)["consentEndsAt"])
    sentence = f"Warned that the consent for Our bank ends on {ends:%-d %b %Y}"
    sync(ada, connected, work)
    assert told() == []
    for days, count in ((15, 0), (13, 1), (12, 1), (6, 2), (0.5, 3), (0.4, 3)):
        ends = datetime.now(UTC) + timedelta(days=days)
        with ada.app.app_context():
            begin_write(ada.organization_id)
            db.session.execute(sa.update(BankConnection).values(consent_ends_at=ends))
            db.session.commit()
            db.session.remove()
        sync(ada, connected, work)
        assert len(told()) == count, days
        shows = f"The consent for Our bank ends on {ends:%-d %b %Y}" in ada.browser().get("/").text
        assert shows == (days <= 14)
    assert sentence.rpartition(" on ")[0] in told()[0]
    # A new consent begins anew.
    nordic.longest = 10 * 86400
    consent(ada, nordic, work)
    sync(ada, connected, work)
    assert len(told()) == 4


def test_what_cannot_be_is_refused_with_a_sentence(app, ada, nordic, connected, monkeypatch):
    assert ada.post(CONNECTIONS, json={**NEW, "bank": None}).status_code == 422
    lacks = ada.post(CONNECTIONS, json={"provider": "enablebanking", "name": "x"})
    assert (lacks.status_code, {"country", "bank", "psuType"} <= {*lacks.json["fields"]}) == (422, True)
    listed = ada.get("/api/feeds/providers?country=FI").json["providers"]
    assert listed[-1]["banks"] == [{"name": BANK, "psuTypes": ["personal", "business"]}]
    assert "No bank in this country" in ada.browser().get(f"{BANKS}/new?country=SE").text
    other = ada.post(CONNECTIONS, json={**NEW, "bank": "Another"}).json["connection"]["id"]
    refused = ada.post(f"{CONNECTIONS}/{other}/renew", json={})
    assert (refused.status_code, "no bank Another in FI" in refused.text) == (422, True)
    odd = replace(app.config["SETTINGS"], enablebanking_key="no key")
    monkeypatch.setitem(app.config, "SETTINGS", odd)
    refused = ada.post(f"{connected}/renew", json={})
    assert (refused.status_code, refused.json["code"]) == (422, "provider_not_set_up")
    monkeypatch.setitem(
        app.config, "SETTINGS", replace(odd, enablebanking_application="", enablebanking_key="")
    )
    assert "It is not set up" in ada.browser().get(BANKS).text
    assert ada.post(f"{connected}/renew", json={}).json["code"] == "provider_not_set_up"


def test_the_pages_connect_a_bank(ada, nordic, work):
    page = ada.browser()
    form = page.get(f"{BANKS}/new?country=fi").text
    assert BANK in form
    assert page.post(BANKS, data={**NEW, "country": "FI"}).status_code == 303
    assert "Give your consent at the bank" in page.get(BANKS).text
    consent(ada, nordic, work)
    assert "Renew the consent" in page.get(BANKS).text


def test_a_transcript_keeps_the_shape_of_an_answer_and_nothing_that_it_says(
    ada, command, connected, tmp_path
):
    file = tmp_path / "answer.json"
    record = "feeds", "record", connected.rpartition("/")[2], str(file)
    written = command(*record, "--organization", ada.organization_id)
    assert written.exit_code == 0, written.output
    (one,) = json.loads(file.read_text())
    assert {each["entry_reference"] for each in one["transactions"]} == {"a9"}
    assert not {"Grocer", "953"} & set(re.findall(r"\w+", file.read_text()))
