"""A provider that people sign in with, on this machine, and the way there and back."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey

from tests.fixtures.people import apart
from webapp.services.operating import outbound
from webapp.services.operating.outbound import OutboundAnswer

LOCAL = {"Sec-Fetch-Site": "same-origin"}
ISSUER, CLIENT, PUBLIC = "https://id.example", "tieout", "http://localhost"
PAGE = "/settings/sign-in"


class Server:
    """A provider on this machine: it answers as published, or as a test wants."""

    def __init__(self):
        self.keys = {
            "rsa": RSAKey.generate_key(2048, {"kid": "rsa"}),
            "ec": ECKey.generate_key("P-256", {"kid": "ec"}),
        }
        self.alg, self.kid, self.claims, self.sent = "RS256", "rsa", {}, []
        self.signing = None
        self.metadata = {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/keys",
        }

    def answer(self, method, address, headers, body):
        path = urlsplit(address).path
        if path == "/.well-known/openid-configuration":
            return self.metadata
        if path == "/keys":
            return KeySet(list(self.keys.values())).as_dict(private=False)
        self.sent.append((method, headers, parse_qs((body or b"").decode())))
        return {"id_token": self.token()}

    def token(self):
        now = int(datetime.now(UTC).timestamp())
        usual = {
            "iss": ISSUER,
            "aud": CLIENT,
            "sub": "ada-1",
            "iat": now,
            "exp": now + 300,
            "nonce": self.nonce,
        }
        claims = {name: value for name, value in (usual | self.claims).items() if value is not None}
        key = self.signing or self.keys[self.kid]
        return jwt.encode({"alg": self.alg, "kid": self.kid}, claims, key, algorithms=[self.alg])


@pytest.fixture
def server(app, monkeypatch):
    found = Server()

    def ask(gate, method, address, wanted, *, headers=None, body=None, **_limits):
        gate.require(address, wanted)
        return OutboundAnswer(200, json.dumps(found.answer(method, address, headers, body)).encode(), "")

    monkeypatch.setattr(outbound.Gate, "ask", ask)
    facts = {
        "oidc_issuer": ISSUER,
        "oidc_client_id": CLIENT,
        "oidc_client_secret": "s3cret",
        "public_url": PUBLIC,
    }
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], **facts))
    return found


def go(server, client, path="/sign-in/oidc", **query):
    """Go to the other server and come back; `query` changes what it sends."""
    away = apart(client.get, path)
    assert away.status_code == 303, away.text
    return back(server, client, away, **query)


def back(server, client, away, **query):
    asked = {name: value for name, (value,) in parse_qs(urlsplit(away.headers["Location"]).query).items()}
    server.nonce, server.asked = asked["nonce"], asked
    sent = {"code": "a code", "state": asked["state"], "iss": ISSUER, **query}
    return apart(client.get, "/sign-in/oidc/back", query_string=sent)


def link(server, person):
    browser = person.browser()
    away = browser.post(f"{PAGE}/identities", data={"current": person.password})
    assert away.status_code == 303, away.text
    return browser, back(server, browser.client, away)


def is_in(client):
    return apart(client.get, "/api/transactions").status_code == 200


def guesses(client, email):
    """Guess at a password as often as strangers may in a minute, and once more; answers the statuses."""
    form = {"email": email, "password": "a wrong guess"}
    return [apart(client.post, "/sign-in", data=form, headers=LOCAL).status_code for _ in range(8)]
