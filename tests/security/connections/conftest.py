"""A client that connects by OAuth as published, and sends what a test wants otherwise."""

import re
import secrets
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.fixtures.people import apart
from webapp.services.access.connections import challenge_of

CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata"
BACK = "https://claude.ai/api/mcp/auth_callback"
PUBLIC = "http://localhost"
GIVEN = {"name": "Claude", "scopes": ["read", "propose"]}


@pytest.fixture
def public(app, monkeypatch):
    """Set other settings than those of the house; the server has a public address."""

    def change(**settings):
        settings = {"public_url": PUBLIC, **settings}
        monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], **settings))

    change()
    return change


@dataclass
class Client:
    """A client of claude.ai, and the person whom it asks."""

    person: object
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @property
    def app(self):
        return self.person.app

    def asked(self, **other):
        """Write the request to a person; what is None is left out."""
        usual = {
            "response_type": "code",
            "client_id": CLAUDE,
            "redirect_uri": BACK,
            "state": "a state",
            "scope": "read draft confirm propose offline_access",
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "resource": f"{PUBLIC}/mcp",
        }
        return urlencode({name: text for name, text in (usual | other).items() if text is not None})

    def look(self, **other):
        """Open the page on which the person consents."""
        return self.person.browser().get(f"/connect?{self.asked(**other)}")

    def consent(self, given=GIVEN, headers=None, **other):
        """Let the person consent; answers where the person is sent."""
        return self.person.browser().post(
            f"/connect?{self.asked(**other)}", data=given, headers=headers or {}
        )

    def code(self, **other):
        return answered(self.consent(**other))["code"]

    def token(self, **form):
        """Ask for tokens; what is None is left out."""
        usual = {"client_id": CLAUDE, "resource": f"{PUBLIC}/mcp"}
        sent = {name: text for name, text in (usual | form).items() if text is not None}
        return self.post("/oauth/token", sent)

    def post(self, path, sent):
        return apart(self.app.test_client(use_cookies=False).post, path, data=sent)

    def redeem(self, code, **form):
        usual = {"grant_type": "authorization_code", "redirect_uri": BACK, "code_verifier": self.verifier}
        return self.token(code=code, **(usual | form))

    def refresh(self, token, **form):
        return self.token(grant_type="refresh_token", refresh_token=token, **form)

    def connect(self, **given):
        """Connect with the person's consent; answers the tokens."""
        answer = self.redeem(self.code(given=GIVEN | given))
        assert answer.status_code == 200, answer.json
        return answer.json

    def with_token(self, token):
        """Give the person with an access token in the place of a key."""
        return replace(self.person, token=token)

    def ping(self, token, path="/mcp"):
        """Ask the protocol with an access token; answers the status."""
        return self.with_token(token).post(
            path, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        )


def answered(response):
    """Read the answer that a person is sent back with."""
    assert response.status_code == 303, response.text
    address = urlsplit(response.headers["Location"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == BACK
    return {name: value for name, (value,) in parse_qs(address.query).items()}


@pytest.fixture
def claude(public, ada):
    return Client(ada)


def challenge_in(response):
    """Read the parameters of a challenge."""
    return dict(re.findall(r'(\w+)="([^"]*)"', response.headers["WWW-Authenticate"]))
