"""Clients connect by OAuth 2.1: what they are told, what they get, and each way in that must stay closed."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.fixtures.people import apart
from tests.security.connections.conftest import BACK, CLAUDE, GIVEN, PUBLIC, Client, answered, challenge_in
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.models import ApiToken, ConnectionSecret
from webapp.services.access.connections import challenge_of

RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"
NO_TOKEN = "tie_0000000000000000000000000000000000000000000zzzzzzzzzzzzzzzzzzzz0YZMAS"


def in_books(client, act):
    """Do something in the database as an operator would."""

    def done():
        with client.app.app_context(), maintenance():
            result = act()
            db.session.commit()
            return result

    return apart(done)


def age(client, kind, **back):
    """Let the time pass for the secrets of a kind."""
    over = datetime.now(UTC) - timedelta(seconds=1)
    values = {"expires_at": over} | back
    changed = sa.update(ConnectionSecret).where(ConnectionSecret.kind == kind).values(**values)
    in_books(client, lambda: db.session.execute(changed))


def test_the_documents_are_at_both_forms_and_agree(client, public):
    for path in (RESOURCE, f"{RESOURCE}/mcp"):
        told = client.get(path).json
        assert (told["resource"], told["authorization_servers"]) == (f"{PUBLIC}/mcp", [PUBLIC])
        assert {"read", "propose", "offline_access"} <= set(told["scopes_supported"])
    for path in (SERVER, f"{SERVER}/mcp"):
        told = client.get(path).json
        assert (told["issuer"], told["token_endpoint"]) == (PUBLIC, f"{PUBLIC}/oauth/token")
        assert told["authorization_endpoint"] == f"{PUBLIC}/oauth/authorize"
        assert told["code_challenge_methods_supported"] == ["S256"]
        assert told["token_endpoint_auth_methods_supported"] == ["none"]
        assert told["authorization_response_iss_parameter_supported"] is True
        assert told["client_id_metadata_document_supported"] is True
        assert "offline_access" in told["scopes_supported"]
        assert "registration_endpoint" not in told
    assert client.post("/oauth/register", json={"redirect_uris": [BACK]}).status_code == 404
    public(calls_others=False)
    assert client.get(SERVER).json["client_id_metadata_document_supported"] is False


def test_without_a_public_address_there_is_none_of_it(client, ada):
    for path in (RESOURCE, f"{RESOURCE}/mcp", SERVER, f"{SERVER}/mcp"):
        assert client.get(path).status_code == 404
    assert client.post("/oauth/token").status_code == 404
    assert ada.browser().get("/connect?client_id=x").status_code == 422
    assert "resource_metadata" not in client.post("/mcp", json={}).headers["WWW-Authenticate"]


def test_a_client_connects_and_asks(claude):
    page = claude.look().text
    for shown in ("claude.ai", "Lantern Studio", "See everything", "Entries it may post a day", "Last day"):
        assert shown in page
    told = answered(claude.consent())
    assert (told["state"], told["iss"]) == ("a state", PUBLIC)
    issued = claude.redeem(told["code"])
    assert issued.headers["Cache-Control"] == "no-store"
    assert (issued.json["token_type"], issued.json["expires_in"]) == ("Bearer", 3600)
    assert issued.json["scope"] == "read propose"
    for path in ("/mcp", "/mcp/"):
        assert claude.ping(issued.json["access_token"], path).status_code == 200
    newer = claude.refresh(issued.json["refresh_token"]).json
    assert claude.ping(newer["access_token"]).status_code == 200
    assert claude.refresh(newer["refresh_token"], scope="read offline_access").json["scope"] == "read"


def test_a_client_writes_in_the_name_of_its_person_and_is_shown(claude, bank):
    program = claude.with_token(claude.connect()["access_token"])
    bank.account("Trips")
    legs = [{"account": "Trips", "amount": "9.00"}, {"account": "Travel", "amount": "-9.00"}]
    entry = {"date": "2026-10-02", "description": "Tickets", "legs": legs, "why": "A test"}
    call = {"name": "write_entry", "arguments": entry}
    answer = program.post(
        "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    ).json["result"]
    assert not answer["isError"], answer
    page = claude.person.browser().get("/settings/connections").text
    assert "1, 1 waiting" in page
    (connection,) = in_books(
        claude, lambda: db.session.scalars(sa.select(ApiToken.id).where(ApiToken.client_id == CLAUDE)).all()
    )
    assert "Save the connection" in claude.person.browser().get(f"/settings/keys/{connection}").text
    ended = claude.person.browser().post(f"/settings/keys/{connection}/revoke")
    assert ended.headers["Location"] == "/settings/connections"
    (proposal,) = claude.person.get("/api/action-requests?kind=create_journal_entry").json["actionRequests"]
    assert proposal["status"] == "EXPIRED"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize(
    ("token", "error"),
    [(None, None), ("nonsense", "invalid_token"), (NO_TOKEN, "invalid_token"), ("expired", "invalid_token")],
)
def test_a_challenge_says_where_tokens_are_had(claude, client, token, error, path):
    if token == "expired":
        token = claude.connect()["access_token"]
        age(claude, "ACCESS")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = client.post(path, json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers)
    assert answer.status_code == 401
    found = challenge_in(answer)
    assert found.get("error") == error
    assert (found["resource_metadata"], found["scope"]) == (f"{PUBLIC}{RESOURCE}/mcp", "read propose")


def test_a_token_without_read_is_told_the_scope(claude):
    issued = claude.refresh(claude.connect()["refresh_token"], scope="propose").json
    answer = claude.ping(issued["access_token"])
    found = challenge_in(answer)
    assert (answer.status_code, found["error"], found["scope"]) == (403, "insufficient_scope", "read")
    assert found["resource_metadata"] == f"{PUBLIC}{RESOURCE}/mcp"


def test_the_way_in_asks_for_the_sign_in_and_comes_back(claude, client):
    answer = client.get(f"/oauth/authorize?{claude.asked()}")
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/sign-in?next=/oauth/authorize%3F")
    answer = claude.person.browser().get(f"/oauth/authorize?{claude.asked()}")
    assert answer.headers["Location"] == f"/connect?{claude.asked()}"


@pytest.mark.parametrize(
    "other",
    [
        {"client_id": "https://claude.ai/oauth/another"},
        {"client_id": "https://evil.example/oauth/mcp-oauth-client-metadata"},
        {"client_id": "https://127.0.0.1/client.json"},
        {"client_id": f"{CLAUDE}/"},
        {"client_id": None},
        {"redirect_uri": None},
        {"redirect_uri": "https://evil.example/api/mcp/auth_callback"},
        {"redirect_uri": f"{BACK}/"},
        {"redirect_uri": f"{BACK}?next=https://evil.example"},
        {"redirect_uri": f"{BACK}#"},
        {"redirect_uri": BACK.replace("https", "http")},
        {"redirect_uri": BACK.replace("claude.ai", "claude.ai:444")},
        {"redirect_uri": BACK.replace("claude.ai", "CLAUDE.ai")},
        {"redirect_uri": BACK.replace("//", "//ada@")},
        {"redirect_uri": "https://chatgpt.com/connector_platform_oauth_redirect"},
        {"redirect_uri": "javascript:alert(1)"},
        {
            "client_id": "https://chatgpt.com/oauth/one/client.json",
            "redirect_uri": "https://chatgpt.com/connector/oauth/two",
        },
    ],
)
def test_nobody_is_sent_to_an_address_that_is_not_the_clients(claude, other):
    for answer in (claude.look(**other), claude.consent(**other)):
        assert (answer.status_code, "Location" in answer.headers) == (422, False)


@pytest.mark.parametrize(
    ("other", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"resource": "https://another.example/mcp"}, "invalid_target"),
        ({"resource": f"{PUBLIC}/api"}, "invalid_target"),
    ],
)
def test_a_request_without_its_safeguards_gets_no_code(claude, other, error):
    for answer in (claude.look(**other), claude.consent(**other)):
        told = answered(answer)
        assert (told["error"], told["iss"], told["state"]) == (error, PUBLIC, "a state")
        assert "code" not in told


def test_a_parameter_that_is_there_twice_gets_no_code(claude):
    answer = claude.person.browser().get(f"/connect?{claude.asked()}&resource=http://localhost/mcp")
    assert answered(answer)["error"] == "invalid_request"


def test_a_person_may_refuse(claude):
    assert answered(claude.consent({"decision": "deny"}))["error"] == "access_denied"


@pytest.mark.parametrize(
    ("given", "other"),
    [(GIVEN, {}), ({"decision": "deny"}, {}), (GIVEN, {"code_challenge_method": "plain"})],
    ids=["a code", "a denial", "a fault"],
)
def test_every_answer_says_whose_it_is(claude, given, other):
    """A client that asked another server sees that this answer is not of that one (RFC 9207)."""
    told = answered(claude.consent(given, **other))
    assert (told["iss"], told["state"]) == (PUBLIC, "a state")
    assert claude.app.test_client().get("/.well-known/oauth-authorization-server").json["issuer"] == PUBLIC


def test_consent_comes_from_our_own_page_alone(claude):
    for site in ("cross-site", "same-site"):
        assert claude.consent(headers={"Sec-Fetch-Site": site}).status_code == 403
    policy = claude.look().headers["Content-Security-Policy"].split("; ")
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://claude.ai" in policy
    bearer = claude.person.post(f"/connect?{claude.asked()}", data=GIVEN)
    assert bearer.status_code == 403


@pytest.mark.parametrize("scopes", [["read", "admin"], ["propose"], []])
def test_a_form_gives_no_more_than_was_asked_for_and_always_read(claude, scopes):
    assert claude.consent({**GIVEN, "scopes": scopes}).status_code == 422


def test_a_person_gives_no_more_than_their_role(public, cleo):
    client = Client(cleo)
    assert client.consent({**GIVEN, "scopes": ["read", "draft"]}).status_code == 422
    assert client.connect(scopes=["read"])["scope"] == "read"


@pytest.mark.parametrize(
    "form",
    [
        {"code_verifier": "v" * 43},
        {"code_verifier": None},
        {"code_verifier": "short"},
        {"client_id": "https://chatgpt.com/oauth/client.json"},
        {"client_id": None},
        {"redirect_uri": "https://claude.com/api/mcp/auth_callback"},
        {"code": NO_TOKEN},
        {"code": "nonsense"},
    ],
)
def test_a_code_is_for_the_client_that_asked(claude, form):
    answer = claude.redeem(**({"code": claude.code()} | form))
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_grant")
    assert claude.consent().status_code == 303


def test_a_verifier_is_not_its_own_challenge(claude):
    """A client of plain PKCE would send the same text twice."""
    text = challenge_of(claude.verifier)
    assert claude.redeem(claude.code(), code_verifier=text).json["error"] == "invalid_grant"


def test_a_code_that_is_injected_fails(claude, ben):
    """Who copied a code of another's has another verifier in the client."""
    thief = Client(ben)
    assert thief.redeem(claude.code()).json["error"] == "invalid_grant"


@pytest.mark.parametrize("resource", ["https://another.example/mcp", f"{PUBLIC}/api"])
def test_tokens_are_for_this_server(claude, resource):
    assert claude.redeem(claude.code(), resource=resource).json["error"] == "invalid_target"


def test_a_code_is_good_for_a_minute(claude):
    code = claude.code()
    age(claude, "CODE")
    assert claude.redeem(code).json["error"] == "invalid_grant"


def test_a_code_that_comes_again_ends_the_connection(claude):
    code = claude.code()
    issued = claude.redeem(code).json
    assert claude.redeem(code).json["error"] == "invalid_grant"
    assert claude.ping(issued["access_token"]).status_code == 401
    assert claude.refresh(issued["refresh_token"]).json["error"] == "invalid_grant"


def test_a_refresh_token_that_comes_again_ends_the_connection(claude):
    older = claude.connect()
    newer = claude.refresh(older["refresh_token"]).json
    assert claude.refresh(older["refresh_token"]).json["error"] == "invalid_grant"
    for issued in (older, newer):
        assert claude.ping(issued["access_token"]).status_code == 401
    assert claude.refresh(newer["refresh_token"]).json["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"scope": "read admin"}, "invalid_scope"),
        ({"client_id": "https://chatgpt.com/oauth/client.json"}, "invalid_grant"),
        ({"resource": "https://another.example/mcp"}, "invalid_target"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": None}, "unsupported_grant_type"),
    ],
)
def test_a_refresh_gives_no_more_and_nobody_else(claude, form, error):
    sent = {"refresh_token": claude.connect()["refresh_token"], "grant_type": "refresh_token"} | form
    answer = claude.token(**sent)
    assert (answer.status_code, answer.json["error"]) == (400, error)


def test_each_secret_is_for_its_own_use(claude):
    code = claude.code()
    assert claude.refresh(code).json["error"] == "invalid_grant"
    issued = claude.redeem(code).json
    assert claude.redeem(issued["refresh_token"]).json["error"] == "invalid_grant"
    assert claude.redeem(issued["access_token"]).json["error"] == "invalid_grant"
    for secret in (code, issued["refresh_token"]):
        assert claude.ping(secret).status_code == 401


def test_access_tokens_count_at_the_protocol_alone(claude, ada):
    program = claude.with_token(claude.connect()["access_token"])
    assert program.get("/api/me").status_code == 401
    assert program.get("/settings/connections").status_code in {303, 401}
    assert claude.ping(ada.token).status_code == 200


def test_a_token_of_another_server_is_none_of_ours(claude, public):
    issued = claude.connect()
    public(public_url="https://books.example.org")
    assert claude.ping(issued["access_token"]).status_code == 401
    answer = claude.refresh(issued["refresh_token"], resource=None)
    assert answer.json["error"] == "invalid_target"


def test_what_ended_gives_no_more(claude, dan):
    issued = claude.connect()
    sent = {"token": issued["refresh_token"], "client_id": CLAUDE}
    wrong = claude.post("/oauth/revoke", sent | {"client_id": "https://chatgpt.com/oauth/client.json"})
    assert wrong.status_code == 400
    assert claude.ping(issued["access_token"]).status_code == 200
    assert claude.post("/oauth/revoke", sent | {"token": "nothing"}).status_code == 200
    assert claude.post("/oauth/revoke", sent).status_code == 200
    assert claude.ping(issued["access_token"]).status_code == 401
    another = claude.connect()
    claude.post("/oauth/revoke", {"token": another["access_token"]})
    assert claude.ping(another["access_token"]).status_code == 401
    assert claude.refresh(another["refresh_token"]).status_code == 200


def test_a_connection_has_an_end_and_caps(claude):
    issued = claude.connect(expiresOn="2199-01-31", maxEntriesADay="3")
    (token,) = in_books(
        claude, lambda: db.session.scalars(sa.select(ApiToken).where(ApiToken.client_id == CLAUDE)).all()
    )
    assert (token.max_entries_a_day, token.expires_at.year) == (3, 2199)
    over = sa.update(ApiToken).where(ApiToken.id == token.id).values(expires_at=datetime.now(UTC))
    in_books(claude, lambda: db.session.execute(over))
    assert claude.ping(issued["access_token"]).status_code == 401
    assert claude.refresh(issued["refresh_token"]).json["error"] == "invalid_grant"


def test_the_books_are_chosen_where_a_person_has_several(claude, dan, ada):
    """The page of each of them is a link on that of the others; nobody connects books that are not theirs."""
    address = f"/b/{dan.organization_id}/connect?{claude.asked()}"
    assert ada.browser().get(address).status_code == 404
    started = ada.browser().post("/start", data={"name": "Garden", "baseCurrency": "EUR"})
    garden = started.headers["Location"].split("/")[2]
    assert f'href="/b/{garden}/connect?' in claude.look().text


def test_no_secret_is_in_the_database_or_the_log(claude, caplog):
    code = claude.code()
    issued = claude.redeem(code).json
    rows = in_books(
        claude, lambda: [str(row) for row in db.session.execute(sa.select(ConnectionSecret.__table__))]
    )
    for secret in (code, issued["access_token"], issued["refresh_token"]):
        assert secret not in caplog.text
        assert not [row for row in rows if secret in row]
