"""Members over the API and on their page: whose membership ends, on which day, and what is closed after it."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import approve
from webapp.database.sessions import db
from webapp.models import Membership, Organization
from webapp.services.access import invitations, letters
from webapp.web.access.books import HEADER

# At any instant it is another day in these two.
BEHIND, AHEAD = "Etc/GMT+12", "Pacific/Kiritimati"


def ended(ada, person, day, status=200):
    answer = ada.browser().patch(f"/api/members/{person.user_id}", json={"endsOn": day})
    assert answer.status_code == status, answer.json
    return answer.json


def of(person, ada):
    found = ada.get("/api/members").json["members"]
    return next(each for each in found if each["id"] == person.user_id)


def yesterday():
    return (datetime.now(ZoneInfo("UTC")).date() - timedelta(days=1)).isoformat()


def test_the_last_day_counts_in_the_time_zone_of_the_books(ada, ben, bank):
    browser, day = ben.browser(), datetime.now(ZoneInfo(BEHIND)).date().isoformat()

    def in_zone(name):
        bank.ask(lambda: setattr(db.session.get_one(Organization, ada.organization_id), "time_zone", name))

    in_zone(BEHIND)
    assert ended(ada, ben, day)["member"]["hasEnded"] is False
    assert (ben.get("/api/me").status_code, browser.get("/").status_code) == (200, 200)
    in_zone(AHEAD)
    sentence = f"Your membership of these books ended on {date.fromisoformat(day):%-d %b %Y}"
    for answer in (ben.get("/api/me"), browser.get("/api/me")):
        assert (answer.status_code, answer.json["code"]) == (403, "membership_ended")
        assert sentence in answer.json["error"]
    assert of(ben, ada)["hasEnded"] is True
    ended(ada, ben, None)
    assert (ben.get("/api/me").status_code, browser.get("/").status_code) == (200, 200)


@on_sqlite
def test_the_page_ends_a_membership_as_the_interface_does(ada, ben):
    owner, browser = ada.browser(), ben.browser()
    address = f"/settings/members/{ben.user_id}/end"
    assert owner.post(address, data={"endsOn": yesterday()}).status_code == 303
    assert "ended on" in owner.get("/settings/members").text
    page = browser.get("/journal")
    assert (page.status_code, "Your membership of these books ended on" in page.text) == (403, True)
    assert 'href="/books"' in page.text
    assert browser.get("/books").status_code == 200
    assert owner.post(address, data={"endsOn": "no day"}).status_code == 422
    assert owner.post(address, data={"endsOn": ""}).status_code == 303
    assert (of(ben, ada)["endsOn"], browser.get("/journal").status_code) == (None, 200)


@on_sqlite
def test_what_a_person_proposed_waits_in_vain_once_the_membership_is_over(ada, ben, bank):
    line = bank.send("2026-03-02", "-1.00", "Tea")
    agent = ben.with_scopes("read", "propose")
    request = agent.post(f"/api/transactions/{line}/confirm").json["actionRequest"]
    ended(ada, ben, yesterday())
    assert approve(ada, request).json["code"] == "proposer_gone"


@on_sqlite
def test_the_last_owner_without_an_end_stays(ada, ben, cleo):
    assert ended(ada, ada, "2036-12-31", 409)["code"] == "last_owner"
    ada.browser().post(f"/settings/members/{ben.user_id}/role", data={"role": "owner"})
    ended(ada, ben, "2036-12-31")
    assert ended(ada, ada, "2036-12-31", 409)["code"] == "last_owner"
    assert ended(ada, ben, "2036-12-31")["changed"] is False
    ended(ada, ben, None)
    ended(ada, ada, "2036-12-31")
    assert cleo.browser().patch(f"/api/members/{ben.user_id}", json={"endsOn": None}).status_code == 403
    assert ada.patch(f"/api/members/{ben.user_id}", json={"endsOn": None}).status_code == 403
    headers = {HEADER: ada.organization_id}
    unknown = ada.browser().patch("/api/members/999999", json={"endsOn": None}, headers=headers)
    assert unknown.status_code == 404


@on_sqlite
def test_an_invitation_carries_the_role_and_the_last_day(ada, ben, bank):
    form = {"name": "Eve", "email": "eve@example.com", "role": "accountant", "endsOn": "2036-12-31"}
    page = ada.browser().post("/settings/members", data=form).text
    assert 'until <time datetime="2036-12-31">' in page

    def accepted():
        now = datetime.now(ZoneInfo("UTC"))
        invitation = invitations.invitations.find(ada.organization_id, form["email"])
        _, secret = invitations.renew(ada.organization_id, invitation.id, actor=ada.actor, now=now)
        return invitations.accept(secret, password_hash="none", now=now).user_id

    user_id = bank.ask(accepted)
    found = next(each for each in ada.get("/api/members").json["members"] if each["id"] == user_id)
    assert (found["role"], found["endsOn"], found["email"]) == ("accountant", "2036-12-31", form["email"])


@on_sqlite
def test_no_letter_goes_to_somebody_whose_membership_is_over(ada, ben, bank):
    now, subject = datetime.now(ZoneInfo("UTC")), f"{letters.WAITING} {ben.user_id}"
    assert bank.ask(lambda: letters.read(ada.organization_id, subject, now)) is not None
    ended(ada, ben, yesterday())
    assert bank.ask(lambda: letters.read(ada.organization_id, subject, now)) is None


@pytest.fixture
def eve(ada, cleo, bank):
    """Cleo as the accountant."""
    key = ada.organization_id, cleo.user_id
    bank.ask(lambda: setattr(db.session.get_one(Membership, key), "role", "accountant"))
    return cleo


@on_sqlite
def test_an_accountant_reads_and_closes_only_where_an_owner_lets_accountants(ada, eve, sound):
    march, browser = "/api/closes/2026-03", eve.browser()
    assert sorted(browser.get("/api/me").json["me"]["scopes"]) == ["close", "read"]
    for path in (f"{march}/pack", "/api/reports/balance-sheet?to=2026-03-31", "/api/events", "/api/members"):
        assert browser.get(path).status_code == 200, path
    refused = browser.post(f"{march}/complete", json={})
    assert (refused.status_code, refused.json["code"]) == (403, "forbidden")
    assert "Close and lock" not in browser.get("/month-end/2026-03").text
    page = ada.browser().post("/settings/month-end/policy", data={"letsAccountants": "true"})
    assert (page.status_code, ada.get("/api/close-steps/policy").json["letsAccountants"]) == (303, True)
    prepared = ada.post(f"{march}/prepare", json={}).json["close"]
    assert eve.post(f"{march}/approve", json={"digest": prepared["digest"]}).json["code"] == "person_needed"
    shown = browser.get("/month-end/2026-03").text
    assert "Approve and lock" in shown
    assert "Prepare it anew" not in shown
    done = browser.post("/month-end/2026-03/approve", data={"digest": prepared["digest"]})
    assert (done.status_code, ada.get(march).json["close"]["status"]) == (303, "CLOSED")
    assert browser.post(f"{march}/reopen", json={"note": "No"}).status_code == 403
