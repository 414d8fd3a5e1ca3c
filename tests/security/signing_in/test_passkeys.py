"""Passkeys: added with the password, and used in its place, by a real browser with a device of its own."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.fixtures.browsers import PATIENCE, another_page
from tests.security.signing_in.conftest import guesses
from webapp.database.sessions import db
from webapp.models import Passkey

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def serve(app, monkeypatch):
    """Give the server a public address."""

    def at(address):
        monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], public_url=address))

    return at


@pytest.fixture
def site(serve, live_server):
    """The server under a name, as passkeys need it."""
    address = f"http://localhost:{urlsplit(live_server).port}"
    serve(address)
    return address


@pytest.fixture
def device(chromium, site, ada):
    """Ada's browser with a device in it: the page, and the protocol of the device."""
    context = chromium.new_context(base_url=site)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    cdp.send("WebAuthn.enable")
    made = cdp.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    context.add_cookies([{"name": "tieout", "value": ada.cookie(), "url": site}])
    yield (
        page,
        lambda verb, **more: cdp.send(
            f"WebAuthn.{verb}", {"authenticatorId": made["authenticatorId"], **more}
        ),
    )
    context.close()


def add(page, password, name="Laptop"):
    page.goto("/settings/sign-in")
    page.get_by_label("Name", exact=True).fill(name)
    page.locator("#passkey-current").fill(password)
    page.get_by_role("button", name="Add a passkey").click()


def enter(page):
    page.goto("/sign-in?next=/settings/sign-in")
    page.get_by_role("button", name="Sign in with a passkey").click()


def test_a_passkey_is_added_used_and_removed(device, ada, app, serve, site):
    page, do = device
    add(page, "not her password at all")
    expect(page.locator("[data-passkey-problem]")).to_have_text("This is not your current password.")
    with another_page(page):
        add(page, ada.password)
        expect(page.get_by_text("Your passkeys are changed")).to_be_visible()
    assert len(do("getCredentials")["credentials"]) == 1
    page.context.clear_cookies()
    # Strangers who guess at the password make nobody wait who has a passkey.
    assert guesses(app.test_client(), ada.email)[-1] == 429
    enter(page)
    expect(page.get_by_role("heading", name="Your sign-in")).to_be_visible()
    expect(page.get_by_role("button", name="Remove Laptop")).to_be_visible()
    # Another host lets the passkey wait, and deletes nothing.
    serve(site.replace("localhost", "books.localhost"))
    page.reload()
    expect(page.get_by_text("Only at localhost")).to_be_visible()
    serve(site)
    page.get_by_role("button", name="Remove Laptop").click()
    expect(page.get_by_text("Your passkeys are changed")).to_be_visible()
    page.context.clear_cookies()
    enter(page)
    expect(page.get_by_text("This passkey is not one of yours here")).to_be_visible()
    titles = [each["title"] for each in ada.get("/api/action-requests").json["actionRequests"]]
    assert titles[:2] == ["Removed the passkey Laptop", "Added the passkey Laptop"]


def test_what_a_device_signed_counts_once_and_for_this_server(device, ada, app, serve, site):
    page, do = device
    with another_page(page):
        add(page, ada.password)
        expect(page.get_by_text("Your passkeys are changed")).to_be_visible()
    page.context.clear_cookies()
    sent = []
    page.on("request", lambda each: sent.append(each.post_data) if each.url.endswith("/passkey") else None)
    enter(page)
    expect(page.get_by_role("heading", name="Your sign-in")).to_be_visible()
    visitor = app.test_client()
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    again = visitor.post("/sign-in/passkey", data=sent[0], headers=headers)
    assert (again.status_code, "Set-Cookie" in again.headers) == (401, False)
    # A device that was copied counts apart from the first one.
    (credential,) = do("getCredentials")["credentials"]
    do("removeCredential", credentialId=credential["credentialId"])
    do("addCredential", credential={**credential, "signCount": 0})
    page.context.clear_cookies()
    enter(page)
    expect(page.get_by_text("This passkey is not one of yours here")).to_be_visible()
    # One that did not ask for a finger, a face or a code proves no person.
    do("removeCredential", credentialId=credential["credentialId"])
    do("addCredential", credential={**credential, "signCount": 1000})
    do("setUserVerified", isUserVerified=False)
    enter(page)
    expect(page.locator("[data-passkey-problem]")).not_to_be_empty()
    do("setUserVerified", isUserVerified=True)
    enter(page)
    expect(page.get_by_role("heading", name="Your sign-in")).to_be_visible()


def test_nothing_but_an_answer_to_our_challenge_opens_a_session(client, ada, serve):
    serve("http://localhost")
    assert json.loads(client.post("/sign-in/passkey/options").text)["rpId"] == "localhost"
    for answer in ("", "nothing", "[]", "{}", '{"response": {"clientDataJSON": "e30"}}', "[" * 9000):
        assert client.post("/sign-in/passkey", data={"credential": answer}).status_code == 401, answer
    for mark in ("cross-site", "same-site"):
        forged = client.post("/sign-in/passkey/options", headers={"Sec-Fetch-Site": mark})
        assert forged.status_code == 403
    key = ada.post("/settings/sign-in/passkeys/options", data={"current": ada.password})
    assert key.status_code == 403


def test_only_their_person_removes_passkeys(app, session, ada, ben, serve):
    serve("http://localhost")
    session.add(
        Passkey(
            user_id=ada.user_id,
            credential="hers",
            public_key=b"-",
            sign_count=0,
            host="localhost",
            name="Phone",
            created_at=datetime.now(UTC),
        )
    )
    db.session.commit()
    passkey_id = session.query(Passkey).one().id
    assert ben.browser().post(f"/settings/sign-in/passkeys/{passkey_id}/remove").status_code == 404
    assert "Phone" in ada.browser().get("/settings/sign-in").text
    assert ada.browser().post(f"/settings/sign-in/passkeys/{passkey_id}/remove").status_code == 303


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:8000", "https://[2001:db8::1]"])
def test_there_are_none_without_a_name_of_the_server(client, ada, serve, address):
    serve(address)
    assert client.post("/sign-in/passkey/options").status_code == 404
    assert "passkey" not in client.get("/sign-in").text
    assert "Passkeys" not in ada.browser().get("/settings/sign-in").text
