"""Clients of other people connect: the protocol's own one, and Authlib's."""

from urllib.parse import parse_qs, urlsplit

import pytest
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata

from tests.mcp.test_official_client import MODES, run
from tests.security.connections.conftest import BACK, CLAUDE, GIVEN


class Kept:
    """What the protocol's client keeps between its calls."""

    tokens = information = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.information

    async def set_client_info(self, information):
        self.information = information


@pytest.fixture
def consent(claude, public, live_server):
    """Let the person go where a client leads, and consent; answers where the person is sent back to."""
    public(public_url=live_server)
    browser = claude.person.browser()

    def go(address):
        way_in = urlsplit(address)
        assert f"{way_in.scheme}://{way_in.netloc}{way_in.path}" == f"{live_server}/oauth/authorize"
        consent_page = browser.get(f"{way_in.path}?{way_in.query}").headers["Location"]
        return browser.post(consent_page, data=GIVEN).headers["Location"]

    return go


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_connects_by_itself(consent, live_server, mode):
    kept, told = Kept(), []

    async def lead(address):
        told.append(consent(address))

    async def come_back():
        answer = {name: value for name, (value,) in parse_qs(urlsplit(told[-1]).query).items()}
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    async def use():
        provider = OAuthClientProvider(
            server_url=f"{live_server}/mcp",
            client_metadata=OAuthClientMetadata(client_name="Claude", redirect_uris=[BACK]),
            storage=kept,
            redirect_handler=lead,
            callback_handler=come_back,
            client_metadata_url=CLAUDE,
        )
        async with (
            create_mcp_http_client(auth=provider) as http,
            Client(streamable_http_client(f"{live_server}/mcp", http_client=http), mode=mode) as client,
        ):
            context = await client.call_tool("get_context", {})
            return context.structured_content["books"]["name"]

    assert run(use()) == "Lantern Studio"
    assert len(told) == 1
    assert kept.information.client_id == CLAUDE
    # Once connected, a client comes back with what it kept.
    kept.tokens.access_token = "tie_over"
    assert run(use()) == "Lantern Studio"


def test_authlib_connects_and_refreshes(consent, live_server, claude):
    verifier = generate_token(48)
    session = OAuth2Session(
        CLAUDE,
        redirect_uri=BACK,
        scope="read propose",
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
    )
    resource = f"{live_server}/mcp"
    address, state = session.create_authorization_url(
        f"{live_server}/oauth/authorize", code_verifier=verifier, resource=resource
    )
    issued = session.fetch_token(
        f"{live_server}/oauth/token",
        authorization_response=consent(address),
        state=state,
        code_verifier=verifier,
        resource=resource,
    )
    assert issued["scope"] == "read propose"
    newer = session.refresh_token(f"{live_server}/oauth/token", issued["refresh_token"], resource=resource)
    assert claude.ping(newer["access_token"]).status_code == 200
    assert session.revoke_token(f"{live_server}/oauth/revoke", newer["refresh_token"]).status_code == 200
    assert claude.ping(newer["access_token"]).status_code == 401
