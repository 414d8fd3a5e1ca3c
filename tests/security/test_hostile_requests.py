"""No input makes an error of ours (P46): refused in a fixed order, as JSON, with nothing internal in it."""

import json
import re

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.security.addresses import BODIES, NEVER_ISSUED, addresses_of
from webapp.schemas import pushes
from webapp.web.rendering.htmx import TARGETS

INTERNAL = re.compile(
    r"Traceback|File \"|sqlalchemy|sqlite|psycopg|marshmallow|werkzeug|webapp|SELECT |INSERT |/usr/"
    r"|site-packages|Error\(|0x[0-9a-f]{6}",
    re.IGNORECASE,
)
DEEP = 100_000
RAW_BODIES = {
    "no JSON": b"{",
    "an apostrophe": b"{'a': 1}",
    "NaN": b'{"note": NaN}',
    "Infinity": b'{"note": Infinity}',
    "a huge number": b'{"note": ' + b"9" * 5000 + b"}",
    "a huge exponent": b'{"note": 1e999999}',
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * 40 + b"1" + b"}" * 40,
    "not UTF-8": b'{"note": "\xff\xfe"}',
    "UTF-16": '{"note": "x"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"note": "x"}',
    "a lone surrogate": b'{"note": "\\ud800", "reason": "\\ud800", "name": "\\ud800", "description": "\\ud800"}',
    "NUL": b'{"note": "a\\u0000b", "reason": "a\\u0000b", "name": "a\\u0000b", "description": "a\\u0000b"}',
    "NUL between": b'{"note"\x00: "x"}',
    "a NUL key": b'{"\\u0000": 1}',
    "a surrogate key": b'{"\\ud800": 1}',
    "a list": b"[]",
    "a number": b"5",
    "text": b'"x"',
    "null": b"null",
    "true": b"true",
    "two values": b"{} {}",
    "keys that repeat": b'{"note": 5, "note": null, "reason": 5, "reason": "r", "reason": 7}',
    "a million elements": b'{"ids": [' + b"1," * 250_000 + b'1], "splits": [], "postings": []}',
    "strange keys": json.dumps(
        {"__class__": 1, "__proto__": {}, "constructor": [], "": 1, "_schema": 1}
    ).encode(),
    "a long key": b'{"' + b"k" * 500_000 + b'": 1}',
    "wrong types": json.dumps(
        {key: [{"x": True}] for key in ("note", "reason", "name", "accountId", "description", "effectiveAt")}
    ).encode(),
    "huge ids": json.dumps(
        dict.fromkeys(("accountId", "projectId", "orgMerchantId", "groupId", "parentId", "version"), 2**63)
    ).encode(),
    "blank": b" ",
    "nothing": b"",
}
QUERIES = [
    "limit=99999999999999999999",
    "cursor=%00",
    "q=%00",
    "q=%ff%fe",
    "from=0000-00-00",
    "to=9999-12-31",
    "faId=%F0%9F%A7%BE",
    "limit[]=1",
    "a" * 5000 + "=1",
    "status=" + "x" * 5000,
    "=",
    "&&&",
    "limit=1&limit=2",
    "q=" + "%25" * 80,
    "providerBalanceAsOf=2026-02-30",
    "%ED%A0%80=1",
]
PATHS = [
    "/api",
    "/api/",
    "/api/nothing",
    "/api//transactions",
    "/api/transactions/",
    "/api/transactions/%00",
    "/api/transactions/..%2f..%2fetc",
    "/api/action-requests/%00",
    "/api/action-requests/%ff",
    "/api/action-requests/" + "a" * 5000,
    "/api/transactions/1/confirm/",
    "/api/transactions/1/2/3",
    "/api/%E2%80%AE",
    "/api/transactions;x=1",
    "/api/transactions/confirm",
    "/api/../api/transactions",
    "/API/transactions",
    "/api/transactions%0d%0aX-Evil:1",
]
METHODS = [
    "GET",
    "HEAD",
    "OPTIONS",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "TRACE",
    "CONNECT",
    "PROPFIND",
    "get",
    "X" * 300,
]


@pytest.fixture
def hostile(ada):
    """Ask, and hold that the answer is one of ours."""
    asked = []

    def ask(method, path, **options):
        answer = ada.ask(method, path, **options)
        asked.append(path)
        assert answer.status_code < 500, (method, path[:80], str(options)[:80], answer.text[:300])
        if answer.status_code >= 400:
            assert_says_so(method, path, answer)
        return answer

    ask.asked = asked
    return ask


def assert_says_so(method, path, answer):
    assert "X-Request-Id" in answer.headers
    if method == "HEAD" or not (path == "/api" or path.startswith("/api/")):
        return
    assert answer.content_type == "application/json", (method, path[:80])
    body = json.loads(answer.data)
    assert body["error"].strip()
    assert re.fullmatch("[a-z_]+", body["code"])
    assert set(body) <= {"error", "code", "fields", "details"}
    assert not INTERNAL.search(answer.text), answer.text[:500]
    assert len(answer.data) < 200_000, (method, path[:80], len(answer.data))


@pytest.mark.rare
def test_hostile_bodies(app, hostile, ids, rounds, portion, figure):
    unsafe = [address for address in addresses_of(app) if address.is_api and not address.is_safe]
    for index, address in enumerate(unsafe):
        for body in portion(13, [*RAW_BODIES.values()], index):
            if len(body) > 10_000 and index >= rounds(3, len(unsafe)):
                continue
            hostile(address.method, address.path(ids), data=body, content_type="application/json")
    figure("P46", f"{len(hostile.asked)} hostile bodies: no 5xx, always JSON")


@pytest.mark.rare
def test_hostile_values_in_every_place(app, hostile, ids, portion):
    """Each value of a well-formed body is exchanged for everything that it is not."""
    strange = [
        None,
        True,
        -1,
        0,
        2**63,
        -(2**70),
        1.5,
        1e308,
        "",
        "x" * 70_000,
        "\0",
        "\ud800",
        "1e5",
        "٣",
        "2026-13-01",
        [],
        [[]],
        {},
        {"a": 1},
        "' OR 1=1",
    ]
    for index, address in enumerate(addresses_of(app)):
        for key in BODIES.get(address.name, {}):
            for value in portion(5, strange, index):
                body = json.dumps({**BODIES[address.name], key: value})
                hostile(address.method, address.path(ids), data=body, content_type="application/json")


FORMS = {
    "nothing": {},
    "blank": {"name": " ", "reason": "", "ids": "", "statementBalance": " "},
    "NUL": dict.fromkeys(("name", "reason", "email", "note", "description", "password", "website"), "a\0b"),
    "long": dict.fromkeys(
        ("name", "reason", "email", "note", "description", "accountId", "statementDate"), "x" * 70_000
    ),
    "numbers": dict.fromkeys(
        ("accountId", "groupId", "ids", "version", "code", "statementBalance"), "9" * 30
    ),
    "words": dict.fromkeys(
        ("accountId", "groupId", "ids", "role", "type", "currency", "scopes"), "\u202e<script>"
    ),
    "nested": {
        "splits.0.amount": "1",
        "splits.x.amount": "1",
        "splits": "1",
        "a.b.c.d.e.f.g.h.i.j": "1",
        "..": "1",
    },
    "many parts": {f"splits.{number}.amount": "1" for number in range(900)},
    "days": dict.fromkeys(
        ("statementDate", "effectiveAt", "expiresOn", "openingDate", "from", "to"), "0000-99-99"
    ),
    "our own": {"name": "A", "type": "EXPENSE", "currency": "EUR", "role": "owner", "email": "a@example.com"},
}


@on_sqlite
def test_hostile_forms(app, ada, ids, portion):
    """Pages answer what is wrong where the act was made, and never by an error of ours."""
    browser = ada.browser()
    pages = [a for a in addresses_of(app) if not a.is_api and not a.is_safe and "sign-out" not in a.rule]
    for index, address in enumerate(pages):
        for name in portion(11, [*FORMS], index):
            for path in (address.path(ids), address.path()):
                answer = browser.post(path, data=FORMS[name])
                assert answer.status_code < 500, (path, name, answer.text[:300])
                assert "Traceback" not in answer.text, (path, name)


@pytest.mark.rare
@on_sqlite
def test_hostile_queries_on_pages(app, ada, ids, portion):
    browser = ada.browser()
    pages = [a for a in addresses_of(app) if not a.is_api and a.is_safe]
    for index, address in enumerate(pages):
        for query in portion(13, QUERIES, index):
            for ask in (browser.get, lambda path: browser.htmx("GET", path, target="div#lines")):
                answer = ask(f"{address.path(ids)}?{query}")
                assert answer.status_code < 500, (address.rule, query[:50], answer.text[:200])


@on_sqlite
def test_any_part_may_be_asked_of_any_page(app, ada, ids, portion):
    """A block that no element of ours targets is no part: who asks for it gets the page."""
    loader, templates = app.jinja_env, app.jinja_env.list_templates(extensions=["html"])
    parts = {block for template in templates for block in loader.get_template(template).blocks}
    assert parts > TARGETS
    browser = ada.browser()
    pages = [a for a in addresses_of(app) if not a.is_api and a.is_safe]
    for index, address in enumerate(pages):
        for part in portion(23, sorted(parts), index):
            answer = browser.htmx("GET", address.path(ids), target=f"div#{part}")
            assert answer.status_code < 500, (address.rule, part)


def test_hostile_queries(app, hostile, ids, portion, figure):
    safe = [a for a in addresses_of(app) if a.is_api and a.is_safe]
    for index, address in enumerate(safe):
        for query in portion(5, QUERIES, index):
            hostile("GET", f"{address.path(ids)}?{query}")
    figure("P46", f"{len(hostile.asked)} hostile queries: no 5xx, always JSON")


@on_sqlite
def test_hostile_paths_and_methods(hostile, client, figure):
    for path in PATHS:
        for method in METHODS:
            hostile(method, path)
            unknown = client.open(path, method=method)
            assert unknown.status_code < 500
            if path == "/api" or path.startswith("/api/"):
                assert unknown.status_code == 401, (method, path[:80])
    figure("P46", f"{len(hostile.asked)} hostile paths and methods: no 5xx, always JSON")


@on_sqlite
@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/xml",
        "text/json",
        "application/vnd.api+json",
        "application/json-seq",
        "",
        "application",
        "application/json\x00",
        "\u00e9",
    ],
)
def test_a_body_that_is_not_declared_as_json_is_refused(hostile, kind):
    answer = hostile("POST", "/api/transactions/1/confirm", data=b"{}", content_type=kind)
    assert (answer.status_code, answer.json["code"]) == (415, "unsupported_media_type")


@on_sqlite
@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json;x=y"],
)
def test_json_is_json_in_every_writing(hostile, ids, kind):
    path = f"/api/transactions/{ids['transaction_id']}/confirm"
    assert hostile("POST", path, data=b"{}", content_type=kind).status_code == 200


@on_sqlite
def test_a_body_that_is_too_large_is_refused(hostile):
    options = {"data": b'{"note": "' + b"x" * 1024 * 1024 + b'"}', "content_type": "application/json"}
    answer = hostile("POST", "/api/transactions/1/confirm", **options)
    assert (answer.status_code, answer.json["code"]) == (413, "too_large")


@on_sqlite
@pytest.mark.parametrize("body", [b"[]", b"5", b'"x"', b"null", b"true"])
def test_json_that_is_no_object_is_refused(hostile, ids, body):
    for path in (f"/api/transactions/{ids['transaction_id']}/{verb}" for verb in ("confirm", "restore")):
        answer = hostile("POST", path, data=body, content_type="application/json")
        assert (answer.status_code, answer.json["code"]) == (422, "validation"), path


@on_sqlite
def test_the_deepest_body_that_is_read(hostile):
    for depth, status in ((31, 404), (33, 400)):
        body = json.dumps({"extra": json.loads("[" * depth + "]" * depth)})
        path = f"/api/transactions/{NEVER_ISSUED}/confirm"
        assert hostile("POST", path, data=body, content_type="application/json").status_code == status


@on_sqlite
def test_an_object_of_more_keys_than_any_address_takes_is_refused_by_their_number(hostile):
    keys = {f"key{number}": number for number in range(38_000)}
    for body in (keys, {"changes": [{"id": 1}, keys]}, {"conditions": {"conditions": keys}}):
        for path in ("/api/transactions/confirm", f"/api/transactions/{NEVER_ISSUED}/confirm", "/api/plans"):
            answer = hostile("POST", path, json=body)
            assert (answer.status_code, answer.json["error"]) == (
                400,
                "An object of the body has 38,000 keys, and no address takes more than 200.",
            )


@on_sqlite
def test_a_list_and_a_form_of_more_than_any_address_takes_are_refused_by_their_number(hostile, ada):
    for body in ({"ids": ["x"] * 20_001}, {"added": [{}] * 20_001}, {"steps": [{"body": [1] * 20_001}]}):
        answer = hostile("POST", "/api/plans", json=body)
        assert (answer.status_code, answer.json["error"]) == (
            400,
            "A list of the body has 20,001 items, and no address takes more than 20,000.",
        )
    fields = "&".join(f"k{number}=1" for number in range(20_001))
    kind = {"content_type": "application/x-www-form-urlencoded"}
    answer = ada.browser().post("/settings/keys", data=fields, **kind)
    assert (answer.status_code, "20,001 fields" in answer.text) == (400, True)


@on_sqlite
@pytest.mark.parametrize(
    ("method", "path", "body", "told"),
    [
        ("PATCH", f"/api/transactions/{NEVER_ISSUED}", {"splits": [{"x": 1}] * 101}, "Split a line into"),
        ("POST", "/api/transactions/confirm", {"ids": ["x"] * 501}, "Send 1 to 500 ids."),
        ("POST", "/api/plans", {"title": "A", "steps": [{}] * 201}, "Send 1 to 100 steps."),
        ("POST", "/api/journal-entries", {"postings": [{"y": 1}] * 201}, "Send 2 to 200 postings."),
    ],
)
def test_a_list_that_is_too_long_is_refused_before_its_items(hostile, method, path, body, told):
    answer = hostile(method, path, json=body)
    assert answer.status_code == 422
    (field,) = (name for name, value in body.items() if isinstance(value, list))
    assert answer.json["fields"] == {field: [answer.json["fields"][field][0]]}
    assert answer.json["fields"][field][0].startswith(told)


@on_sqlite
def test_the_faults_of_the_first_twenty_lines_of_a_batch_are_told(feed, monkeypatch):
    read = []
    deserialize = pushes.FeedLineSchema.load
    monkeypatch.setattr(pushes.FeedLineSchema, "load", lambda *a, **n: read.append(1) or deserialize(*a, **n))
    answer = feed.push(added=[{}] * 9000)
    assert answer.status_code == 422
    assert {path.split(".")[1] for path in answer.json["fields"]} <= {str(number) for number in range(20)}
    assert len(read) <= 20


@on_sqlite
def test_only_the_first_ten_unknown_keys_are_given_a_near_one(hostile):
    near = {f"accountI{number:02}": 1 for number in range(15)}
    fields = hostile("PATCH", f"/api/transactions/{NEVER_ISSUED}", json=near).json["fields"]
    told = [str(messages[0]).endswith("Do you mean accountId?") for messages in fields.values()]
    assert told == [True] * 10 + [False] * 5


def test_the_order_of_refusals(app, ada, cleo, ids):
    """Each request has all the later faults too (behaviour.md 6)."""
    browser = app.test_client()
    browser.set_cookie("tieout", cleo.cookie())
    large = {"data": b"x" * (1024 * 1024 + 1), "content_type": "text/plain"}
    text = {"data": b"x", "content_type": "text/plain"}
    void = f"/api/journal-entries/{NEVER_ISSUED}/void"
    assert app.test_client().post("/api/nothing", **large).status_code == 401
    assert browser.post("/api/nothing", **large).status_code == 404
    assert browser.delete("/api/transactions/confirm", **large).status_code == 405
    assert browser.post(void, **large).status_code == 413
    forged, ours = {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-origin"}
    assert browser.post(void, headers=forged, **text).json["code"] == "csrf"
    assert browser.post(void, headers=ours, **text).json["code"] == "forbidden"
    assert ada.post(void, **text).status_code == 415
    assert ada.post(void, data=b"{", content_type="application/json").status_code == 400
    assert ada.post(void, json={}).status_code == 422
    assert ada.post(void, json={"reason": "r"}).status_code == 404
    draft = ada.get(f"/api/transactions/{ids['transaction_id']}").json["transaction"]["journalEntryId"]
    assert ada.post(f"/api/journal-entries/{draft}/void", json={"reason": "r"}).status_code == 409


@on_sqlite
def test_another_methods_answer_names_the_right_ones(hostile):
    answer = hostile("DELETE", "/api/transactions/confirm")
    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]


@on_sqlite
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "local host",
        "localhost:99999999",
        "[::1",
        "a\0b",
    ],
)
def test_another_hosts_name_is_refused(app, ada, host):
    """A name that is not ours could come from another site's trick with the name service."""
    headers = {"Authorization": f"Bearer {ada.token}", "Host": host}
    for path in ("/api/transactions", "/", "/sign-in"):
        answer = app.test_client().get(path, headers=headers)
        assert 400 <= answer.status_code < 500, (path, answer.status_code)
        assert host == "" or host not in answer.text


@on_sqlite
def test_an_unexpected_error_says_nothing_of_what_is_inside(app, ada, monkeypatch, caplog):
    def break_down(*_args, **_kwargs):
        raise RuntimeError("SELECT secret FROM /usr/inside")

    monkeypatch.setattr("webapp.queries.transactions.line_lists.listed", break_down)
    answer = ada.get("/api/transactions", headers={"X-Request-Id": "of-this-test"})
    assert answer.status_code == 500
    assert answer.json["code"] == "internal"
    assert re.fullmatch("[0-9a-f]{24}", answer.headers["X-Request-Id"])
    assert not INTERNAL.search(answer.text)
    assert "SELECT secret" in caplog.text


@on_sqlite
@pytest.mark.parametrize("given", ["short", "x" * 65, "with space!", "<script>", "a\nb"])
def test_a_strange_request_id_is_not_repeated(client, given):
    try:
        answer = client.get("/healthz", headers={"X-Request-Id": given})
    except ValueError:
        return
    assert answer.headers["X-Request-Id"] != given
