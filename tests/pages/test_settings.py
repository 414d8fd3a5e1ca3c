"""The settings: keys shown once, members and their links, the organization, and starting one's own books."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp import services
from webapp.database.sessions import db
from webapp.models import Membership, Organization


def text(answer):
    return unescape(answer.text)


def members(person):
    page = person.browser().get("/settings/members").text
    return [int(found) for found in re.findall(r"/settings/members/(\d+)/role", page)]


def link_in(answer):
    return re.search(r"(/join/[\w-]+)", answer.text)[1]


@on_sqlite
def test_each_page_of_the_settings_is_in_their_navigation(app, ada):
    pages = {
        rule.rule.partition("/settings/")[2]
        for rule in app.url_map.iter_rules()
        if "/settings/" in rule.rule and rule.arguments <= {"books"} and "GET" in rule.methods
    }
    page = ada.browser().get("/settings/organization").text
    (nav,) = re.findall(r'<nav class="side-nav".*?</nav>', page, re.DOTALL)
    assert "banks" in pages
    # The bank of a new connection is chosen on a page of the connections'.
    assert pages - {"banks/new"} == set(re.findall(r'href="[^"]*/settings/([^"]+)"', nav))


def test_a_key_is_shown_once_works_and_is_revoked(ada):
    browser = ada.browser()
    form = {"name": "Month-end agent", "scopes": ["read", "confirm"], "expiresOn": ""}
    made = browser.post("/settings/keys", data=form)
    token = re.search(r"tie_[0-9A-Za-z]+", made.text)[0]
    assert token not in browser.get("/settings/keys").text
    asked = ada.app.test_client(use_cookies=False).get(
        "/api/projects", headers={"Authorization": f"Bearer {token}"}
    )
    assert asked.status_code == 200
    key_id = max(int(found) for found in re.findall(r"/settings/keys/(\d+)/revoke", made.text))
    assert browser.post(f"/settings/keys/{key_id}/revoke").status_code == 303
    refused = ada.app.test_client(use_cookies=False).get(
        "/api/projects", headers={"Authorization": f"Bearer {token}"}
    )
    assert refused.status_code == 401


@on_sqlite
def test_every_member_makes_keys_of_at_most_his_own_role(cleo):
    browser = cleo.browser()
    assert browser.post("/settings/keys", data={"name": "Reader", "scopes": ["read"]}).status_code == 200
    refused = browser.post("/settings/keys", data={"name": "Kept", "scopes": ["read", "admin"]})
    assert refused.status_code == 422
    assert 'value="Kept"' in refused.text


@on_sqlite
def test_a_key_needs_a_name_a_choice_and_a_day_to_come(ada):
    browser = ada.browser()
    for form in (
        {"name": "", "scopes": ["read"]},
        {"name": "x"},
        {"name": "x", "scopes": ["everything"]},
        {"name": "x", "scopes": ["read"], "expiresOn": "2020-01-01"},
        {"name": "x", "scopes": ["read"], "expiresOn": "some day"},
    ):
        assert browser.post("/settings/keys", data=form).status_code == 422, form


@on_sqlite
def test_no_token_makes_tokens(ada):
    answer = ada.post("/settings/keys", data={"name": "x", "scopes": ["read"]})
    assert answer.status_code == 403


@on_sqlite
def test_a_member_sees_and_revokes_only_his_own_keys_and_an_owner_everybodys(ada, ben, dan):
    assert "Ada's program" not in text(ben.browser().get("/settings/keys"))
    assert "Ben's program" in text(ada.browser().get("/settings/keys"))
    assert ben.browser().post(f"/settings/keys/{ada.token_id}/revoke").status_code == 404
    assert dan.browser().post(f"/settings/keys/{ada.token_id}/revoke").status_code == 404
    assert ada.browser().post(f"/settings/keys/{ben.token_id}/revoke").status_code == 303
    assert ben.get("/api/projects").status_code == 401


@on_sqlite
def test_a_key_is_made_for_what_it_is_for_and_for_no_more_than_its_owner_may(ada, ben, cleo):
    made = {"look": "Read", "draft": "Read, Write drafts", "propose": "Read, Propose"}
    browser = ada.browser()
    for preset, scopes in made.items():
        page = browser.post("/settings/keys", data={"name": f"To {preset}", "preset": preset}).text
        row = page.partition(f"To {preset}</a>")[2].partition("</tr>")[0]
        assert f">{scopes}<" in row
    own = ben.browser().post("/settings/keys", data={"name": "All", "preset": "everything"}).text
    assert ">Read, Write drafts, Post, Reconcile<" in own
    for preset in ("draft", "propose", "everything"):
        refused = cleo.browser().post("/settings/keys", data={"name": "More", "preset": preset})
        assert (refused.status_code, "/join/" in refused.text) == (422, False)


def key_form(**changes):
    return {"name": "Agent", "scopes": ["read", "confirm"], **changes}


def test_a_key_is_changed_on_its_page(ada):
    browser, page = ada.browser(), f"/settings/keys/{ada.token_id}"
    caps = {
        "maxEntriesADay": "20",
        "maxAmountADay": "1234.50",
        "maxRequestsAMinute": "90",
        "expiresOn": "2199-12-30",
    }
    assert browser.post(page, data=key_form(**caps)).location == page
    shown = browser.get(page).text
    for name, value in (caps | {"maxAmountADay": "1,234.50", "expiresOn": "30 Dec 2199"}).items():
        assert re.search(rf'name="{name}"[^>]*value="{value}"', shown), name
    assert "0 entries of 20" in shown
    assert ada.get("/api/projects").headers["RateLimit-Limit"] == "90"
    assert ada.post("/api/projects", json={"name": "x"}).status_code == 403
    act = ada.get("/api/action-requests?kind=change_token").json["actionRequests"][0]
    assert (act["before"]["maxAmountADay"], act["after"]["maxAmountADay"]) == (None, "1234.50")
    browser.post(page, data=key_form(**caps))
    assert len(ada.get("/api/action-requests?kind=change_token").json["actionRequests"]) == 1


@on_sqlite
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("scopes", []),
        ("expiresOn", "2020-01-01"),
        ("maxEntriesADay", "-1"),
        ("maxEntriesADay", "1.5"),
        ("maxAmountADay", "-1.00"),
        ("maxAmountADay", "1.005"),
        ("maxAmountADay", "9" * 18 + ".00"),
        ("maxRequestsAMinute", "0"),
    ],
)
def test_what_is_wrong_with_a_key_is_said_at_its_field(ada, field, value):
    form = (
        key_form(expiresOn="2199-12-30", **{field: value})
        if field != "expiresOn"
        else key_form(expiresOn=value)
    )
    answer = ada.browser().post(f"/settings/keys/{ada.token_id}", data=form)
    assert answer.status_code == 422
    assert 'class="problem"' in answer.text
    assert ada.get("/api/projects").headers["RateLimit-Limit"] == "120000"


@on_sqlite
def test_a_key_that_may_post_nothing_says_so(ada):
    page = f"/settings/keys/{ada.token_id}"
    assert ada.browser().post(page, data=key_form(maxAmountADay="0", maxEntriesADay="0")).status_code == 303
    shown = ada.browser().get(page).text
    assert "0 entries of 0" in shown
    assert re.search(r'name="maxAmountADay"[^>]*value="0.00"', shown)


def test_a_keys_page_lists_what_it_did_today_and_not_before(ada, session):
    yesterday = datetime.now(UTC) - timedelta(days=1)
    membership = session.get(Membership, (ada.organization_id, ada.user_id))
    actor = replace(ada.actor, kind="TOKEN", id=ada.token_id)
    for name, now in (("Old", yesterday), ("New", datetime.now(UTC))):
        services.access.tokens.create(membership, actor=actor, now=now, name=name)
    session.commit()
    shown = text(ada.browser().get(f"/settings/keys/{ada.token_id}"))
    assert "Created the API key New" in shown
    assert "Created the API key Old" not in shown


@on_sqlite
def test_a_members_key_never_gets_more_than_the_member_may(ada, ben):
    answer = ada.browser().post(f"/settings/keys/{ben.token_id}", data=key_form(scopes=["admin"]))
    assert answer.status_code == 422
    assert "A bookkeeper has no scope admin" in text(answer)


@on_sqlite
def test_a_key_belongs_to_its_owner_and_to_owners(ada, ben, dan):
    for stranger in (ben, dan):
        browser = stranger.browser()
        assert browser.get(f"/settings/keys/{ada.token_id}").status_code == 404
        assert browser.post(f"/settings/keys/{ada.token_id}", data=key_form()).status_code == 404
    assert ada.browser().get(f"/settings/keys/{ben.token_id}").status_code == 200
    assert ben.post(f"/settings/keys/{ben.token_id}", data=key_form()).status_code == 403


@on_sqlite
def test_a_revoked_key_is_shown_and_not_changed(ada, ben):
    browser, page = ada.browser(), f"/settings/keys/{ben.token_id}"
    browser.post(f"{page}/revoke")
    assert browser.post(page, data=key_form()).status_code == 409
    browser.post(f"/settings/members/{ben.user_id}/remove")
    shown = browser.get(page)
    assert shown.status_code == 200
    assert "This key was revoked" in shown.text
    assert "Save the key" not in shown.text


def invitations(person):
    page = person.browser().get("/settings/members").text
    return [int(found) for found in re.findall(r"/settings/invitations/(\d+)/link", page)]


def test_an_invited_person_joins_by_a_link_that_works_once(ada):
    form = {"name": "Eve", "email": "Eve@example.com", "role": "viewer"}
    path = link_in(ada.browser().post("/settings/members", data=form))
    visitor = ada.app.test_client()
    assert "Join Lantern Studio" in visitor.get(path).text
    weak = visitor.post(path, data={"password": "short"})
    assert weak.status_code == 422
    assert "Choose 12 to 1000 characters." in weak.text
    before = members(ada)
    entered = visitor.post(path, data={"password": "a long enough one"})
    assert (entered.status_code, entered.location) == (303, "/")
    assert visitor.get("/settings/members", follow_redirects=True).status_code == 200
    assert len(members(ada)) == len(before) + 1
    assert invitations(ada) == []
    for answer in (visitor.get(path), visitor.post(path, data={"password": "a long enough one"})):
        assert answer.status_code == 404
        assert "An owner can create a new one" in answer.text


@on_sqlite
def test_another_link_ends_the_first_one_and_a_withdrawn_invitation_all(ada):
    browser = ada.browser()
    form = {"name": "Eve", "email": "eve@example.com", "role": "viewer"}
    first = link_in(browser.post("/settings/members", data=form))
    (invitation,) = invitations(ada)
    second = link_in(browser.post(f"/settings/invitations/{invitation}/link"))
    visitor = ada.app.test_client()
    assert visitor.get(first).status_code == 404
    assert visitor.get(second).status_code == 200
    assert browser.post(f"/settings/invitations/{invitation}/withdraw").status_code == 303
    assert visitor.get(second).status_code == 404
    assert browser.post(f"/settings/invitations/{invitation}/link").status_code == 404


@on_sqlite
def test_an_address_is_invited_once(ada):
    form = {"name": "Eve", "email": "eve@example.com", "role": "viewer"}
    ada.browser().post("/settings/members", data=form)
    refused = ada.browser().post("/settings/members", data={**form, "email": "EVE@example.com"})
    assert refused.status_code == 409
    assert "This address is invited already." in refused.text


@on_sqlite
def test_whoever_is_signed_in_with_the_address_joins_without_a_password(ada, dan):
    form = {"name": "Dan", "email": dan.email, "role": "bookkeeper"}
    path = link_in(ada.browser().post("/settings/members", data=form))
    browser = dan.browser()
    assert "You are signed in with this address." in browser.get(path).text
    assert browser.post(path).status_code == 303
    assert "Lantern Studio" in text(browser.get("/settings/organization"))


@on_sqlite
def test_whoever_is_signed_in_with_another_address_is_told_and_needs_the_password(ada, ben, dan):
    form = {"name": "Dan", "email": dan.email, "role": "bookkeeper"}
    path = link_in(ada.browser().post("/settings/members", data=form))
    browser = ben.browser()
    assert f"You are signed in as {ben.email}" in browser.get(path).text
    assert browser.post(path).status_code == 422
    assert browser.post(path, data={"password": ben.password}).status_code == 401
    assert browser.post(path, data={"password": dan.password}).status_code == 303


@on_sqlite
def test_a_refused_member_keeps_what_was_typed(ada):
    browser = ada.browser()
    form = {"name": "Ben", "email": "ben@example.com", "role": "owner"}
    refused = browser.post("/settings/members", data=form)
    assert refused.status_code == 409
    assert 'value="ben@example.com"' in refused.text
    assert browser.post("/settings/members", data={**form, "email": "no address"}).status_code == 422


def test_a_role_is_changed_and_a_member_removed_whose_keys_end(ada, ben):
    browser = ada.browser()
    path = f"/settings/members/{ben.user_id}"
    assert browser.post(f"{path}/role", data={"role": "viewer"}).status_code == 303
    assert ben.post("/api/projects", json={"name": "x"}).status_code == 403
    assert browser.post(f"{path}/remove").status_code == 303
    assert ben.get("/api/projects").status_code == 401


@on_sqlite
def test_the_last_owner_stays_one(ada, dan):
    browser = ada.browser()
    for act, form in (("role", {"role": "viewer"}), ("remove", {})):
        refused = browser.post(f"/settings/members/{ada.user_id}/{act}", data=form)
        assert refused.status_code == 409
        assert "at least one owner" in refused.text
    assert browser.post(f"/settings/members/{dan.user_id}/remove").status_code == 404


@on_sqlite
def test_only_an_owner_changes_who_belongs(ben, cleo):
    for person in (ben, cleo):
        browser = person.browser()
        assert browser.get("/settings/members").status_code == 200
        assert (
            browser.post(f"/settings/members/{cleo.user_id}/role", data={"role": "owner"}).status_code == 403
        )
        assert browser.post("/settings/organization", data={"name": "Mine"}).status_code == 403


@on_sqlite
def test_an_organization_gets_another_name_and_time_zone(ada):
    browser = ada.browser()
    form = {"name": "Lantern", "timeZone": "Europe/Berlin"}
    assert browser.post("/settings/organization", data=form).status_code == 303
    page = text(browser.get("/settings/organization"))
    assert 'value="Europe/Berlin"' in page
    assert 'value="Lantern"' in page
    refused = browser.post("/settings/organization", data={"name": "Kept", "timeZone": "Europe/../Mars"})
    assert refused.status_code == 422
    assert 'value="Kept"' in refused.text


def test_an_organization_is_known_by_its_vat_ids(ada):
    browser = ada.browser()
    form = {
        "name": "Lantern Studio",
        "timeZone": "Europe/Berlin",
        "vatIds": "de 123456789, FR12345678901,DE123456789",
    }
    assert browser.post("/settings/organization", data=form).status_code == 303
    assert 'value="DE123456789, FR12345678901"' in text(browser.get("/settings/organization"))
    assert ada.get("/api/me").json["me"]["organization"]["vatIds"] == ["DE123456789", "FR12345678901"]
    kept = {key: value for key, value in form.items() if key != "vatIds"}
    assert browser.post("/settings/organization", data=kept).status_code == 303
    assert ada.get("/api/me").json["me"]["organization"]["vatIds"] == ["DE123456789", "FR12345678901"]
    refused = browser.post("/settings/organization", data={**form, "vatIds": "X"})
    assert (refused.status_code, 'value="X"' in refused.text) == (422, True)
    assert browser.post("/settings/organization", data={**form, "vatIds": ""}).status_code == 303
    assert ada.get("/api/me").json["me"]["organization"]["vatIds"] == []


def test_somebody_starts_books_of_her_own_and_goes_back(ada):
    browser = ada.browser()
    assert "Start your own books" in browser.get("/start").text
    assert browser.post("/start", data={"name": "", "baseCurrency": "USD"}).status_code == 422
    started = browser.post("/start", data={"name": "Ada's own", "baseCurrency": "USD"})
    assert started.status_code == 303
    hub = started.location
    page = text(browser.get(f"{hub}settings/organization"))
    assert "Ada's own" in page
    assert "Lantern Studio" in page
    assert "Uncategorised income" in browser.get(f"{hub}accounts").text
    assert browser.client.get("/").location == hub
    back = browser.post("/books/choose", data={"organizationId": ada.organization_id})
    assert (back.status_code, back.location) == (303, "/")
    assert "Lantern Studio" in text(browser.get("/accounts"))


@on_sqlite
def test_nobody_goes_over_to_books_of_others(ada, dan):
    browser = ada.browser()
    refused = browser.post("/books/choose", data={"organizationId": dan.organization_id})
    assert refused.status_code in {401, 404}
    assert "Lantern Studio" in text(browser.get("/settings/organization"))


@on_sqlite
@pytest.mark.parametrize("path", ["/join/nothing", "/join/" + "a" * 43])
def test_a_link_that_nobody_made_opens_nothing(client, path):
    assert client.get(path).status_code == 404
    assert client.post(path, data={"password": "a long enough one"}).status_code == 404


def test_activity_shows_who_did_what_and_filters(ada, ben):
    project = ben.post("/api/projects", json={"name": "Website"}).json["project"]["id"]
    ada.delete(f"/api/projects/{project}")
    facts = {"name": "x", "type": "ASSET"}
    account = ada.post("/api/accounts", json=facts).json["account"]["id"]
    ada.post("/api/accounts", json={**facts, "code": "1100"})
    browser = ada.browser()
    page = text(browser.get("/activity"))
    assert (
        page.index("Opened the asset account x")
        < page.index("Deleted the project Website")
        < page.index("Created the project Website")
    )
    assert f'href="/accounts/{account}"' in page
    assert f'href="/projects/{project}"' not in page
    refused = text(browser.get("/activity?status=FAILED"))
    assert "Another account has the code 1100." in refused
    assert "Website" not in refused
    assert browser.get("/activity?status=nonsense&colour=red").status_code == 200


def test_what_one_key_or_person_did_stands_apart_with_before_and_after(ada, ben, dan):
    project = ben.post("/api/projects", json={"name": "Website"}).json["project"]["id"]
    ada.patch(f"/api/projects/{project}", json={"name": "Web shop"})
    browser = ada.browser()
    browser.post("/merchants", data={"name": "Printer"})
    page = text(browser.get(f"/activity?tokenId={ada.token_id}"))
    assert "Activity of Ada's program" in page
    assert page.index("<div>Website</div>") < page.index("<div>Web shop</div>")
    assert "Created the project" not in page
    assert "Printer" not in page
    own = text(browser.get(f"/activity?personId={ada.user_id}&status=EXECUTED"))
    assert "Activity of Ada" in own
    assert "Printer" in own
    assert "Web shop" not in own
    assert f'href="/activity?tokenId={ada.token_id}"' in text(browser.get(f"/settings/keys/{ada.token_id}"))
    assert "No activity yet" in text(browser.get(f"/activity?tokenId={dan.token_id}"))


def test_before_and_after_name_what_ids_stand_for(ada, bank):
    line, account = bank.send("2026-03-02", "-12.50", "Coffee"), bank.account("Travel")
    ada.patch(f"/api/transactions/{line}", json={"accountId": account})
    page = text(ada.browser().get("/activity"))
    assert "<div>Travel · 12.50 · EUR</div>" in page


def test_an_address_longer_than_any_is_refused_on_the_page(ada):
    form = {"name": "Eve", "email": "e" * 300, "role": "viewer"}
    refused = ada.browser().post("/settings/members", data=form)
    assert refused.status_code == 422
    assert "Write an email address" in refused.text


@on_sqlite
def test_a_refused_form_shows_the_day_that_it_was_sent_with(ada):
    browser = ada.browser()
    rate = browser.post(
        "/settings/exchange-rates", data={"day": "2026-10-30", "currency": "JPY", "unitsPerBase": "many"}
    )
    lock = browser.post("/settings/lock-date", data={"lockDate": "2026-10-31", "reason": "r" * 501})
    assert (rate.status_code, lock.status_code) == (422, 422)
    assert 'value="30 Oct 2026"' in rate.text
    assert 'value="31 Oct 2026"' in lock.text


def test_the_person_of_a_demo_gets_a_name_and_an_address_with_books_of_their_own(ada, ben, bank):
    bank.ask(lambda: db.session.execute(sa.update(Organization).values(is_demo=True)))
    browser = ada.browser()
    form = {"name": "Harbour Studio", "baseCurrency": "EUR"}
    assert 'name="ownName"' in browser.get("/start").text
    for person, status, sentence in (
        ({}, 422, "Write your name."),
        ({"ownName": "Eve"}, 422, "Write an email address"),
        ({"ownName": "Eve", "email": ben.email}, 409, "Somebody else here has this address."),
    ):
        refused = browser.post("/start", data=form | person)
        assert (refused.status_code, sentence in refused.text) == (status, True)
    started = browser.post("/start", data=form | {"ownName": "Eve", "email": "Eve@example.com"})
    assert started.status_code == 303
    people = text(browser.get(f"{started.location}settings/members"))
    assert "Eve" in people
    assert "eve@example.com" in people
    assert 'name="ownName"' not in browser.get("/start").text
    ignored = browser.post("/start", data=form | {"ownName": "Mallory", "email": "mallory@example.com"})
    assert "mallory" not in browser.get(f"{ignored.location}settings/members").text


@pytest.mark.parametrize(("sent", "kept"), [("Asia/Kolkata", "Asia/Kolkata"), ("", "UTC"), (None, "UTC")])
def test_new_books_begin_in_the_zone_of_their_person(ben, sent, kept):
    browser = ben.browser()
    form = {"name": "Harbour Studio", "baseCurrency": "EUR"} | ({} if sent is None else {"timeZone": sent})
    started = browser.post("/start", data=form)
    assert started.status_code == 303
    settings = browser.get(f"{started.location}settings/organization").text
    assert re.search(rf'name="timeZone"[^>]*value="{kept}"', settings)


def test_new_books_are_not_begun_in_a_zone_that_there_is_not(ben):
    form = {"name": "Harbour Studio", "baseCurrency": "EUR", "timeZone": "Mars/Olympus"}
    refused = ben.browser().post("/start", data=form)
    assert refused.status_code == 422
    assert "There is no such zone" in refused.text
