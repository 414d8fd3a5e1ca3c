"""The settings: keys shown once, members and their links, the organization, and starting one's own books."""

import re
from html import unescape

import pytest

from tests.marks import on_sqlite


def text(answer):
    return unescape(answer.text)


def members(person):
    """Read from the page whose id each member has."""
    page = person.browser().get("/settings/members").text
    return [int(found) for found in re.findall(r"/settings/members/(\d+)/role", page)]


def link_in(answer):
    return re.search(r"(/join/[\w-]+)", answer.text)[1]


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
        {"name": "x", "scopes": ["read"], "expiresOn": "tomorrow"},
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


def test_a_new_member_comes_in_by_a_link_that_works_once(ada):
    form = {"name": "Eve", "email": "Eve@example.com", "role": "viewer"}
    path = link_in(ada.browser().post("/settings/members", data=form))
    visitor = ada.app.test_client()
    assert "Welcome, Eve" in visitor.get(path).text
    weak = visitor.post(path, data={"password": "short"})
    assert weak.status_code == 422
    assert "Choose 12 to 1000 characters." in weak.text
    entered = visitor.post(path, data={"password": "a long enough one"})
    assert (entered.status_code, entered.location) == (303, "/")
    assert visitor.get("/settings/members").status_code == 200
    for answer in (visitor.get(path), visitor.post(path, data={"password": "a long enough one"})):
        assert answer.status_code == 404


@on_sqlite
def test_another_link_ends_the_first_one(ada):
    browser = ada.browser()
    form = {"name": "Eve", "email": "eve@example.com", "role": "viewer"}
    first = link_in(browser.post("/settings/members", data=form))
    second = link_in(browser.post(f"/settings/members/{max(members(ada))}/link"))
    visitor = ada.app.test_client()
    assert visitor.get(first).status_code == 404
    assert visitor.get(second).status_code == 200


@on_sqlite
def test_nobody_gets_a_link_to_an_account_that_opens_other_books(ada, dan):
    dan.browser().post("/settings/members", data={"name": "Eve", "email": "eve@example.com", "role": "owner"})
    browser = ada.browser()
    added = browser.post(
        "/settings/members", data={"name": "Eve", "email": "eve@example.com", "role": "viewer"}
    )
    assert "/join/" not in added.text
    refused = browser.post(f"/settings/members/{max(members(ada))}/link")
    assert refused.status_code == 409
    assert browser.post(f"/settings/members/{ada.user_id}/link").status_code == 409


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


def test_somebody_starts_books_of_her_own_and_goes_back(ada):
    browser = ada.browser()
    assert "Start your own books" in browser.get("/start").text
    assert browser.post("/start", data={"name": "", "baseCurrency": "USD"}).status_code == 422
    started = browser.post("/start", data={"name": "Ada's own", "baseCurrency": "USD"})
    assert (started.status_code, started.location) == (303, "/")
    page = text(browser.get("/settings/organization"))
    assert "Ada's own" in page
    assert "Lantern Studio" in page
    assert "Uncategorised income" in browser.get("/accounts").text
    back = browser.post("/settings/organization/choose", data={"organizationId": ada.organization_id})
    assert back.status_code == 303
    assert "Lantern Studio" in text(browser.get("/accounts"))


@on_sqlite
def test_nobody_goes_over_to_books_of_others(ada, dan):
    browser = ada.browser()
    refused = browser.post("/settings/organization/choose", data={"organizationId": dan.organization_id})
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
    ada.post("/api/accounts", json={"name": "x", "type": "ASSET", "code": "1100"})
    browser = ada.browser()
    page = text(browser.get("/activity"))
    assert (
        page.index("Opened x")
        < page.index("Deleted the project Website")
        < page.index("Made the project Website")
    )
    assert f'href="/projects/{project}"' in page
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
    assert "What Ada's program did" in page
    assert page.index("<div>Website</div>") < page.index("<div>Web shop</div>")
    assert "Made the project" not in page
    assert "Printer" not in page
    own = text(browser.get(f"/activity?personId={ada.user_id}&status=EXECUTED"))
    assert "What Ada did" in own
    assert "Printer" in own
    assert "Web shop" not in own
    assert f'href="/activity?tokenId={ada.token_id}"' in text(browser.get(f"/settings/keys/{ada.token_id}"))
    assert "Nothing has happened yet" in text(browser.get(f"/activity?tokenId={dan.token_id}"))


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
