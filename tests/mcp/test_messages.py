"""Messages of both eras over HTTP: what each is answered, and what is refused with which code."""

import pytest

from tests.mcp.clients import ERAS, Model, envelope, headers_of
from webapp.mcp.messages import LEGACY, MODERN, encoded
from webapp.web.access.buckets import Buckets


@pytest.fixture(params=ERAS)
def model(request, ben):
    return Model(ben, request.param)


def test_lists_are_answered_in_every_era_and_always_in_the_same_order(model):
    tools = [each["name"] for each in model.ask("tools/list")["tools"]]
    assert tools == [each["name"] for each in model.ask("tools/list")["tools"]]
    assert tools[0] == "get_context"
    assert model.ask("resources/list")["resources"][0]["uri"] == "tieout://guide"
    assert len(model.ask("resources/templates/list")["resourceTemplates"]) == 3
    assert [each["name"] for each in model.ask("prompts/list")["prompts"]] == [
        "reconcile_month",
        "review_lines",
        "repair_proof",
    ]


def test_a_modern_client_discovers_and_a_legacy_one_shakes_hands(ben):
    modern = Model(ben).ask("server/discover")
    assert modern["supportedVersions"] == [MODERN, *LEGACY]
    assert (modern["ttlMs"], modern["cacheScope"], modern["resultType"]) == (60_000, "private", "complete")
    for asked, spoken in [*((each, each) for each in LEGACY), ("2025-03-26", LEGACY[0]), ("1999", LEGACY[0])]:
        legacy = ben.post(
            "/mcp",
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {
                    "protocolVersion": asked,
                    "capabilities": {},
                    "clientInfo": {"name": "t", "version": "1"},
                },
            },
        ).json["result"]
        assert legacy["protocolVersion"] == spoken
        assert legacy["instructions"] == modern["instructions"]
    assert Model(ben, LEGACY[0]).ask("ping") == {}
    refused = Model(ben).post("ping")
    assert (refused.status_code, refused.json["error"]["code"]) == (404, -32601)


def test_a_notification_has_no_answer(ben):
    for body in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "x/y"},
    ):
        answer = ben.post("/mcp", json=body, headers={"MCP-Protocol-Version": LEGACY[0]})
        assert (answer.status_code, answer.data) == (202, b"")


def test_other_versions_are_refused_with_those_that_are_spoken(ben):
    for version in ("2025-03-26", "2024-11-05", "2099-01-01"):
        answer = Model(ben, version).post("tools/list", headers={})
        assert (answer.status_code, answer.json["error"]["code"]) == (400, -32022)
        assert answer.json["error"]["data"] == {"supported": [MODERN, *LEGACY], "requested": version}
    params = {"_meta": envelope("2099-01-01")}
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": params}
    headers = headers_of("tools/list", params, MODERN) | {"MCP-Protocol-Version": "2099-01-01"}
    answer = ben.post("/mcp", json=body, headers=headers)
    assert (answer.status_code, answer.json["error"]["code"], answer.json["id"]) == (400, -32022, 7)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"MCP-Protocol-Version": LEGACY[0]}, -32020),
        ({"MCP-Protocol-Version": None}, -32020),
        ({"Mcp-Method": "tools/list"}, -32020),
        ({"Mcp-Method": None}, -32020),
        ({"Mcp-Name": "other"}, -32020),
        ({"Mcp-Name": None}, -32020),
        ({"Mcp-Name": "=?base64?!!?="}, -32020),
    ],
)
def test_headers_say_what_the_body_says(ben, change, code):
    params = {"_meta": envelope(), "name": "get_context", "arguments": {}}
    headers = headers_of("tools/call", params, MODERN) | change
    body = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}
    sent = {name: value for name, value in headers.items() if value is not None}
    answer = ben.post("/mcp", json=body, headers=sent)
    assert (answer.status_code, answer.json["error"]["code"], answer.json["id"]) == (400, code, "a")


def test_a_name_in_the_header_may_be_encoded(ben):
    params = {"_meta": envelope(), "name": "get_context", "arguments": {}}
    headers = headers_of("tools/call", params, MODERN) | {"Mcp-Name": "=?base64?Z2V0X2NvbnRleHQ=?="}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert ben.post("/mcp", json=body, headers=headers).status_code == 200
    assert encoded("=?base64?x?=").startswith("=?base64?PT9i")


@pytest.mark.parametrize("missing", ["io.modelcontextprotocol/protocolVersion", "clientCapabilities", None])
def test_a_modern_request_without_its_metadata_is_refused(ben, missing):
    meta = (
        None if missing is None else {key: value for key, value in envelope().items() if missing not in key}
    )
    params = {} if meta is None else {"_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    answer = ben.post("/mcp", json=body, headers=headers_of("tools/list", params, MODERN))
    assert (answer.status_code, answer.json["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'"x"', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
        (b"", -32600),
    ],
)
def test_what_is_no_message_is_refused(ben, data, code):
    answer = ben.post("/mcp", data=data, content_type="application/json")
    assert (answer.status_code, answer.json["error"]["code"]) == (400, code), answer.json


def test_nobody_asks_without_a_key_nor_from_another_site(app, ben, ada):
    client = app.test_client(use_cookies=False)
    refused = client.post("/mcp", json={})
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    assert refused.json["error"]["message"].startswith("Sign in, or send an API token")
    assert ada.browser().post("/mcp", json={}).status_code == 403
    foreign = ben.post("/mcp", json={}, headers={"Origin": "https://evil.example"})
    assert (foreign.status_code, foreign.json["error"]["data"]["code"]) == (403, "csrf")
    for method in ("GET", "DELETE", "PUT"):
        answer = ben.ask(method, "/mcp")
        assert (answer.status_code, answer.headers["Allow"].split(", ")) == (405, ["OPTIONS", "POST"])


def test_a_message_counts_once_whatever_calls_its_tool_makes(app, ben, tmp_path, monkeypatch):
    monkeypatch.setitem(app.extensions, "rate_limits", Buckets(tmp_path / "full"))
    limited = Model(ben.with_scopes("read", max_requests_a_minute=3))
    for _ in range(3):
        limited.call("get_context")
    assert limited.post("tools/list").status_code == 429


def test_a_header_that_is_sent_twice_is_refused(ben):
    """A server joins the two, and whoever routes by the first would do something else than the body says."""
    params = {"_meta": envelope(), "name": "get_context", "arguments": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    for name, value in headers_of("tools/call", params, MODERN).items():
        if name == "Accept":
            continue
        headers = headers_of("tools/call", params, MODERN) | {name: f"{value},{value}"}
        answer = ben.post("/mcp", json=body, headers=headers)
        assert (answer.status_code, answer.json["error"]["code"]) == (400, -32020), name


@pytest.mark.parametrize("accept", [None, "application/json", "text/event-stream", "*/*"])
def test_the_answer_is_json_whatever_is_accepted(ben, accept):
    headers = {"MCP-Protocol-Version": LEGACY[0]} | ({} if accept is None else {"Accept": accept})
    answer = ben.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers)
    assert (answer.status_code, answer.json) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})


@pytest.mark.parametrize("part", [{"result": {}}, {"error": {"code": 1, "message": "No"}}])
def test_an_answer_to_what_was_never_asked_is_refused(ben, part):
    answer = ben.post("/mcp", json={"jsonrpc": "2.0", "id": 1, **part})
    assert (answer.status_code, answer.json["error"]["code"]) == (400, -32600)


def test_unknown_resources_and_prompts_are_refused_by_the_code_of_their_era(ben, bank):
    bank.open()
    for version, code, status in ((MODERN, -32602, 400), (LEGACY[0], -32002, 200)):
        answer = Model(ben, version).post("resources/read", uri="tieout://proofs/999")
        assert (answer.status_code, answer.json["error"]["code"]) == (status, code)
        answer = Model(ben, version).post("prompts/get", name="none")
        assert answer.json["error"]["code"] == -32602
        model = Model(ben, version)
        (account,) = [each for each in model.ask("resources/list")["resources"] if "account" in each["uri"]]
        read = model.ask("resources/read", uri=account["uri"])["contents"][0]
        assert '"accountName": "Main account"' in read["text"]
        prompt = model.ask("prompts/get", name="repair_proof", arguments={"proof": "proof:3"})
        assert "proof:3" in prompt["messages"][0]["content"]["text"]
