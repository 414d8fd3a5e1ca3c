"""Signing in with another server: only `(iss, sub)` says who somebody is, and nothing that is forged or late counts."""

import base64
import hmac
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pyotp
import pytest
import sqlalchemy as sa
from joserfc.jwk import RSAKey

from tests.fixtures.people import apart
from tests.security.signing_in.conftest import (
    CLIENT,
    ISSUER,
    LOCAL,
    PAGE,
    PUBLIC,
    back,
    go,
    guesses,
    is_in,
    link,
)
from tests.security.signing_in.test_second_factors import demand, passkey_of
from webapp.database.sessions import db
from webapp.models import Authenticator, Identity, User


def by_secret(token, secret):
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"rsa"}').rstrip(b"=")
    content = head + b"." + token.split(".")[1].encode()
    made = base64.urlsafe_b64encode(hmac.digest(secret, content, "sha256")).rstrip(b"=")
    return (content + b"." + made).decode()


def test_who_linked_an_account_signs_in_with_it(server, ada, bank):
    _, linked = link(server, ada)
    assert linked.headers["Location"] == f"{PAGE}?done=identity"
    client = ada.app.test_client()
    answer = go(server, client, "/sign-in/oidc?next=/journal")
    assert (answer.status_code, answer.headers["Location"], is_in(client)) == (303, "/journal", True)
    asked = server.asked
    assert (asked["scope"], asked["response_type"], asked["code_challenge_method"]) == (
        "openid",
        "code",
        "S256",
    )
    assert asked["redirect_uri"] == f"{PUBLIC}/sign-in/oidc/back"
    method, headers, form = server.sent[-1]
    assert (method, headers["Authorization"][:6], len(form["code_verifier"][0])) == ("POST", "Basic ", 64)
    page = ada.browser().get(PAGE).text
    assert ("ada-1" in page, ISSUER in page) == (True, True)
    assert (
        ada.browser()
        .post(f"{PAGE}/identities/remove", data={"issuer": ISSUER, "subject": "ada-1"})
        .status_code
        == 303
    )
    assert go(server, ada.app.test_client()).status_code == 401
    assert bank.broken() == []


def test_who_comes_from_the_other_server_does_not_wait_for_strangers_who_guess(server, ada):
    link(server, ada)
    new = ada.app.test_client()
    assert guesses(new, ada.email) == [401] * 7 + [429]
    assert go(server, new).status_code == 303


def test_an_address_or_a_name_says_nothing(server, ada, bank):
    """Whoever has an address there is nobody here, verified or not."""
    for facts in ({}, {"email_verified": True}, {"email_verified": "true", "preferred_username": "Ada"}):
        server.claims = {"email": ada.email, "name": "Ada", "sub": "eve-1", **facts}
        client = ada.app.test_client()
        answer = go(server, client)
        assert (answer.status_code, "Nobody here is linked" in answer.text, is_in(client)) == (
            401,
            True,
            False,
        )
    assert bank.ask(lambda: db.session.scalars(sa.select(Identity)).all()) == []


HOUR = timedelta(hours=1).total_seconds()
NOW = datetime.now(UTC).timestamp()
FORGED = {
    "another issuer": {"iss": "https://evil.example"},
    "another audience": {"aud": "somebody"},
    "several audiences": {"aud": [CLIENT, "somebody"]},
    "no audience": {"aud": None},
    "over": {"exp": int(NOW - HOUR)},
    "no end": {"exp": None},
    "of tomorrow": {"iat": int(NOW + 24 * HOUR)},
    "another nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "a subject that is no text": {"sub": 7},
}


@pytest.mark.parametrize("kind", FORGED)
def test_an_answer_that_is_not_for_this_question_is_refused(server, ada, kind):
    link(server, ada)
    server.claims = FORGED[kind]
    client = ada.app.test_client()
    answer = go(server, client)
    assert (answer.status_code, "did not sign you in as it should" in answer.text) == (401, True)
    assert not is_in(client)


def test_only_the_keys_of_the_server_sign_and_only_in_two_ways(server, ada):
    link(server, ada)
    hostile = [("RS256", RSAKey.generate_key(2048, {"kid": "rsa"})), ("RS512", server.keys["rsa"])]
    for alg, key in hostile:
        server.alg, server.signing = alg, key
        client = ada.app.test_client()
        assert (go(server, client).status_code, is_in(client)) == (401, False)
    server.alg, server.signing = "RS256", None
    # The public key as a secret that both share.
    signed = server.token
    server.token = lambda: by_secret(signed(), server.keys["rsa"].as_pem(private=False))
    assert go(server, ada.app.test_client()).status_code == 401
    for token in ("", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEtMSJ9."):
        server.token = lambda text=token: text
        assert go(server, ada.app.test_client()).status_code == 401
    del server.token
    server.alg, server.kid, server.signing = "ES256", "ec", None
    assert go(server, ada.app.test_client()).status_code == 303


def test_an_answer_is_for_the_browser_that_asked_and_once(server, ada):
    link(server, ada)
    asking, other = ada.app.test_client(), ada.app.test_client()
    away = apart(asking.get, "/sign-in/oidc")
    assert back(server, other, away).status_code == 401
    assert back(server, asking, away, state="another").status_code == 401
    again = ada.app.test_client()
    away = apart(again.get, "/sign-in/oidc")
    cookie = again.get_cookie("tieout-step").value
    assert back(server, again, away).status_code == 303
    again.set_cookie("tieout-step", cookie)
    assert back(server, again, away).status_code == 401
    mixed = ada.app.test_client()
    assert go(server, mixed, iss="https://evil.example").status_code == 401


def test_an_account_is_of_one_person(server, ada, ben):
    link(server, ada)
    _, refused = link(server, ben)
    assert (refused.status_code, "linked with another person" in refused.text) == (409, True)
    wrong = ben.browser().post(f"{PAGE}/identities", data={"current": "wrong horse battery"})
    assert "This is not your current password" in wrong.text


def test_the_password_alone_links_no_account_where_a_second_factor_is_demanded(server, ada, ben, bank):
    demand(bank, ada)
    bank.ask(lambda: db.session.add(passkey_of(ben)))
    refused = ben.browser().post(f"{PAGE}/identities", data={"current": ben.password})
    assert "Sign in with your passkey or a code first" in refused.text


def test_it_asks_for_the_code_of_who_has_an_app(server, ada, bank):
    browser, _ = link(server, ada)
    page = browser.post(f"{PAGE}/app/offer", data={"current": ada.password})
    secret = re.search(r"<code>([A-Z2-7]{32})</code>", page.text)[1]
    assert browser.post(f"{PAGE}/app", data={"code": pyotp.TOTP(secret).now()}).status_code == 200
    client = ada.app.test_client()
    answer = go(server, client)
    assert (answer.status_code, is_in(client)) == (200, False)
    step = re.search(r'name="step" value="([^"]+)"', answer.text)[1]
    bank.ask(lambda: db.session.execute(sa.update(Authenticator).values(last_step=0)))
    sent = {"step": step, "code": pyotp.TOTP(secret).now()}
    assert apart(client.post, "/sign-in/code", data=sent, headers=LOCAL).status_code == 303
    assert is_in(client)


@pytest.mark.parametrize("address", ["new@example.com", "ben@example.com"])
def test_an_invitation_is_accepted_with_it_by_who_is_new_alone(server, ada, ben, dan, bank, address):
    form = {"name": "New", "email": address, "role": "viewer"}
    page = dan.browser().post("/settings/members", data=form)
    secret = urlsplit(re.search(r'<code id="new-link">([^<]*)', page.text)[1]).path.rpartition("/")[2]
    server.claims = {"sub": "new-1"}
    client = ada.app.test_client()
    answer = go(server, client, f"/sign-in/oidc?invitation={secret}")
    is_new = address != ben.email
    assert (answer.status_code < 400, is_in(client)) == (is_new, is_new), answer.text
    found = bank.ask(
        lambda: db.session.scalar(sa.select(User.email).join(Identity, Identity.user_id == User.id))
    )
    assert found == (address if is_new else None)
    if is_new:
        assert "You have no password here" in apart(client.get, "/settings/sign-in").text


def test_passwords_may_be_switched_off(server, app, ada, monkeypatch):
    link(server, ada)
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], takes_passwords=False))
    client = ada.app.test_client()
    page = apart(client.get, "/sign-in").text
    assert ("id.example" in page, 'name="password"' in page) == (True, False)
    sent = {"email": ada.email, "password": ada.password}
    assert apart(client.post, "/sign-in", data=sent, headers=LOCAL).status_code == 403
    assert go(server, client).status_code == 303


def test_without_a_server_there_is_none_of_it(client, ada):
    assert client.get("/sign-in/oidc").status_code == 404
    assert "Sign in elsewhere" not in ada.browser().get(PAGE).text
