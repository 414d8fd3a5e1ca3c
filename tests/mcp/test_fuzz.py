"""Messages that nobody means to send: each is answered in the protocol, and by what only reads nothing is written."""

import base64
import json
from copy import deepcopy
from random import Random

import pytest
from mcp_types import methods
from mcp_types.jsonrpc import JSONRPCError

from tests.mcp.clients import ERAS, VALIDATORS, envelope, headers_of
from webapp.ledger.scopes import SCOPES
from webapp.mcp.messages import MODERN, PARSE_ERROR, id_of
from webapp.mcp.tools import TOOLS

NESTED = [[]]
for _ in range(25):
    NESTED = [{"a": NESTED}]
STRANGE = [
    *(None, True, False, 0, -1, 1.5, 2**63 - 1, 2**63, -(2**70), 1e308, [], {}, NESTED),
    *(
        "",
        " ",
        "x" * 70_000,
        "\0",
        "\ud800",
        "\u202e",
        "💥" * 300,
        "«»",
        "line:1",
        "proof:0",
        "act:../../",
        "1",
    ),
    *(
        "2026-02-30",
        "0000-00-00",
        "2026-10-02",
        "9999-12-31",
        "-0.00",
        "1,5",
        "1e5",
        "NaN",
        "١٢",
        "Checking",
        "%00",
    ),
]
IDS = [1, -1, 2**70, "a", "", "é", "x" * 5000, "\ud800"]
WRONG_IDS = [None, True, 1.5, [], {}]
NUMBERS = [1, 2, 25, 0, 10**9]
METHODS = [
    *("server/discover", "initialize", "ping", "tools/list", "resources/list", "resources/templates/list"),
    *(
        "resources/read",
        "prompts/list",
        "prompts/get",
        "subscriptions/listen",
        "logging/setLevel",
        "x" * 300,
        "",
    ),
]
ADDRESSES = [
    *("tieout://guide", "tieout://accounts/1", "tieout://proofs/1", "tieout://documents/9"),
    *(
        "tieout://accounts/99999999999999999999",
        "tieout://accounts/-1",
        "file:///etc/passwd",
        "tieout://guide/..",
    ),
]
FILE = base64.b64encode(b"Date,Amount,Description\n2026-10-03,-5.00,Tea\n").decode()


WORDS = ["Checking", "Line 1", "1", "Tea", "undo", "2026-10-02", ""]
LINES = [1, 2, 3, 4, 5, 6]
DAYS, AMOUNTS, NAMES = ["2026-10-02", "2026-10-31"], ["-5.00", "-15.00", "5.00"], ["Office", "Rent", 1, 3]
FITTING = {
    **dict.fromkeys(("from", "to", "date", "day", "statementDate", "issuedOn"), DAYS),
    **dict.fromkeys(("amount", "statementBalance", "total"), AMOUNTS),
    **dict.fromkeys(("id", "ids", "line", "other", "void"), LINES),
    "account": ["Checking", "Checking", "Rent", 1],
    "category": NAMES,
    "ref": ["line:1", "entry:1", "account:Checking", "proof:1", "rule:1", "proof:Checking/2026-10", "act:x"],
    "content": [FILE],
    "limit": [1, 3, 200],
}


class Fuzz:
    """Messages drawn by a seed: valid ones, most of them then changed somewhere."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)  # noqa: S311  (chance that can be had again)

    def message(self, era: str):
        """Draw a message with its headers; answers the body's bytes, the headers, and the body."""
        draw = self.draw
        if draw.random() < 0.7:
            tool = draw.choice(TOOLS)
            method, params = "tools/call", {"name": tool.name, "arguments": self.arguments(tool)}
        else:
            method = draw.choice(METHODS)
            params = {
                "resources/read": {"uri": draw.choice(ADDRESSES)},
                "prompts/get": {"name": "reconcile_month", "arguments": {"account": draw.choice(STRANGE)}},
                "initialize": {"protocolVersion": draw.choice([*ERAS, "1", 5]), "capabilities": {}},
            }.get(method, {})
        if era == MODERN:
            params = {"_meta": envelope(), **params}
        body = {"jsonrpc": "2.0", "id": draw.choice(IDS), "method": method, "params": params}
        headers = headers_of(method, params, era)
        if draw.random() < 0.3:
            self.spoil(body, headers)
        return json.dumps(body).encode(), headers, body

    def arguments(self, tool):
        """Draw arguments by the shape of a tool, with strange values in places."""
        found = self.value(tool.definition["inputSchema"])
        return found if isinstance(found, dict) or self.draw.random() < 0.1 else {}

    def value(self, schema, name=""):
        """Draw a value by its shape, or by its name a fitting one; a strange one now and then."""
        draw = self.draw
        if name and draw.random() < 0.08:
            return deepcopy(draw.choice(STRANGE))
        kind = schema.get("type")
        kind = draw.choice(kind) if isinstance(kind, list) else kind
        if kind == "object":
            required = schema.get("required", [])
            found = {
                each: self.value(inner, each)
                for each, inner in schema.get("properties", {}).items()
                if draw.random() < (0.98 if each in required else 0.35)
            }
            return found | ({"unheardOf": 1} if draw.random() < 0.03 else {})
        if kind == "array":
            length = draw.choice([1, 1, 2, 3, 600 if draw.random() < 0.05 else 0])
            return [self.value(schema.get("items", {}), name) for _ in range(length)]
        fitting = FITTING.get(name) or {"integer": NUMBERS, "boolean": [True, False]}.get(kind, WORDS)
        return draw.choice(schema.get("enum") or fitting)

    def spoil(self, body, headers):
        """Change what is around a message."""
        draw = self.draw
        where = draw.randrange(4)
        if where == 0:
            name = draw.choice(list(body))
            body[name] = deepcopy(draw.choice([*STRANGE, *WRONG_IDS]))
        elif where == 1:
            del body[draw.choice(list(body))]
        elif where == 2 and isinstance(body["params"].get("_meta"), dict):
            meta = body["params"]["_meta"]
            meta[draw.choice([*meta, "other"])] = deepcopy(draw.choice(STRANGE))
        else:
            name = draw.choice(list(headers))
            headers[name] = draw.choice(
                ["", " ", "x" * 3000, "=?base64?!?=", "2026-07-28", "1999-01-01", "*/*"]
            )


def assert_is_an_answer(answer, era, body):
    """Hold an answer to the published shapes of the protocol."""
    assert answer.status_code < 500, (body, answer.text[:500])
    if answer.status_code == 202:
        assert (answer.data, "id" in body) == (b"", False)
        return
    assert answer.content_type == "application/json"
    found = json.loads(answer.data)
    assert found["jsonrpc"] == "2.0"
    if id_of(body) is not None and found.get("error", {}).get("code") != PARSE_ERROR:
        assert found["id"] == body["id"]
        assert type(found["id"]) is type(body["id"])
    if "error" in found:
        JSONRPCError.model_validate({"id": None, **found})
        assert found["error"]["message"].strip()
        assert answer.status_code == 200 or answer.status_code >= 400
        return
    is_modern = "resultType" in found["result"]
    methods.validate_server_result(
        body["method"], MODERN if is_modern else (era if era != MODERN else ERAS[1]), found["result"]
    )
    if "structuredContent" in found["result"]:
        VALIDATORS[body["params"]["name"]].validate(found["result"]["structuredContent"])


@pytest.mark.parametrize("scopes", [("read",), sorted(set(SCOPES) - {"approve"})], ids=["reader", "writer"])
def test_whatever_is_sent_is_answered_in_the_protocol(
    ada, bank, scopes, rounds, state_of, figure, pytestconfig
):
    bank.open("Checking")
    bank.send_many([(f"2026-10-{day:02}", f"-{day}.00", f"Line {day}") for day in range(1, 6)])
    key = ada.with_scopes(*scopes)
    before = state_of(ada.organization_id)
    count = rounds(40, 2000)
    fuzz = Fuzz(pytestconfig.option.seed or 1)
    kinds = {}
    for number in range(count):
        era = ERAS[number % len(ERAS)]
        data, headers, body = fuzz.message(era)
        answer = key.post("/mcp", data=data, headers=headers, content_type="application/json")
        assert_is_an_answer(answer, era, body)
        found = answer.json if answer.data else {}
        kind = (
            "error" if "error" in found else "refused" if found.get("result", {}).get("isError") else "done"
        )
        kinds[kind] = kinds.get(kind, 0) + 1
    assert set(kinds) == {"error", "refused", "done"}
    if scopes == ("read",):
        assert state_of(ada.organization_id) == before
    figure(
        "MCP",
        f"{count} fuzzed messages of a {'reader' if scopes == ('read',) else 'writer'}: {kinds}, no 5xx",
    )
