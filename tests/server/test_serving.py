"""`tieout serve`: gunicorn with as many workers as wished, on both databases."""

import json
import pkgutil
import re
import socket
import urllib.error
import urllib.request
from importlib.metadata import version

import pytest
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer

from tests.fixtures.servers import Server
from tests.tree import ROOT
from webapp.server.serving import WAITRESS
from webapp.web.access.browsers import cookie_name
from webapp.web.access.heavy_calls import limit_of


class Logged(Server):
    """A server whose log is read line by line."""

    def start_log(self) -> None:
        """Forget what it has written."""
        self._before = len(self.process.err.read_text())

    def new_lines(self) -> list[dict[str, object]]:
        # The line is written before the answer is sent.
        text = self.process.err.read_text()[self._before :]
        self._before += len(text)
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def served(house, ada):
    """A server with one worker that ends with its test."""
    house.leave()
    server = Logged(house, 1)
    yield server
    server.kill()


def raw(port: int, request: str | bytes) -> bytes:
    """Send bytes, and read until the server closes."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), 10) as sock:
        sock.sendall(request.encode() if isinstance(request, str) else request)
        while piece := sock.recv(65536):
            found += piece
    return found


def status_of(head: str) -> int:
    return int(head.split(None, 2)[1])


def read(address: str) -> str:
    with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310  (our own address)
        return answer.read().decode()


def test_four_workers_serve_the_books(gunicorn):
    address = gunicorn(workers=4)
    assert {read(f"{address}/readyz") for _ in range(12)} == {"ok\n"}


def test_the_books_are_there_for_those_who_may(gunicorn, ada):
    request = urllib.request.Request(  # noqa: S310  (our own address)
        f"{gunicorn(workers=2)}/api/transactions", headers={"Authorization": f"Bearer {ada.token}"}
    )
    with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
        assert answer.status == 200


@pytest.mark.parametrize("name", WAITRESS)
def test_the_names_of_waitress_that_it_does_not_promise_are_there(name):
    found = pkgutil.resolve_name("waitress")
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
        is_instances = part == "request" and hasattr(HTTPChannel, "request")
        assert found is not None or is_instances, (
            f"waitress {version('waitress')} has no {name} any more: read its source, change webapp/server/serving.py, "
            "then the list there and the version in pyproject.toml."
        )


def test_the_names_of_waitress_are_few_and_its_version_is_held():
    assert len(WAITRESS) <= 6
    assert version("waitress").startswith("3.0.")
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"waitress>=3.0.2,<3.1"' in text
    source = (ROOT / "webapp/server/serving.py").read_text(encoding="utf-8")
    private = set(re.findall(r"\b(?:self|super\(\)|server|channel)\.([a-z_]+)", source))
    known = set(dir(HTTPChannel)) | set(dir(BaseWSGIServer)) | {"request", "requests"}
    protocol = set(dir(wasyncore.dispatcher)) | {"socket", "connected", "addr"}
    listed = {name.rpartition(".")[2] for name in WAITRESS}
    assert not (private & known) - protocol - listed


def test_a_body_is_as_large_as_its_address_allows(app):
    sizes = {
        path: limit_of(app, f"POST {path} HTTP/1.1", {b"authorization": b"x"})[0] // 1024**2
        for path in (
            "/api/feeds/imports?a=b",
            "/b/org_1/imports",
            "/imports",
            "/api/documents",
            "/sign-in",
            "/nowhere",
            "/api/projects",
        )
    }
    assert sizes == {
        "/api/feeds/imports?a=b": 161,
        "/b/org_1/imports": 161,
        "/imports": 1,
        "/api/documents": 21,
        "/sign-in": 1,
        "/nowhere": 1,
        "/api/projects": 1,
    }


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_session_that_a_browser_sends_lets_it_send_files(app, scheme):
    with app.test_request_context(base_url=f"{scheme}://localhost"):
        cookie = f"theme=dark; {cookie_name()}=3f0c".encode()
    assert limit_of(app, "POST /sign-in HTTP/1.1", {b"cookie": cookie}) == (1024**2, "too_large", 0)
    other = {b"cookie": b"theme=dark; nottieout=3f0c"}
    assert limit_of(app, "POST /sign-in HTTP/1.1", other) == (64 * 1024, "unauthenticated", 0)


def test_a_large_body_with_a_forged_key_gets_the_answer_to_strangers(gunicorn, ada):
    address, body = gunicorn(2), b'{"name": "' + b"x" * 200_000 + b'"}'
    answers = {}
    for name, token in {"ada": ada.token, "forged": "tie_" + "x" * 40, "nobody": None}.items():
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(f"{address}/api/projects", body, headers)  # noqa: S310  (our own address)
        with pytest.raises(urllib.error.HTTPError) as refused, urllib.request.urlopen(request, timeout=10):  # noqa: S310
            pass
        answers[name] = (refused.value.code, json.load(refused.value)["code"])
        refused.value.close()
    assert answers == {
        "ada": (422, "validation"),
        "forged": (401, "unauthenticated"),
        "nobody": (401, "unauthenticated"),
    }


REFUSED = {
    "GET /api/projects HTTP/1.1\r\n\r\n": (400, "/api/projects"),
    "GET /api/projects\r\n\r\n": (400, None),
    "POST /api/projects HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n": (401, "/api/projects"),
    "POST /api/projects HTTP/1.1\r\nHost: localhost\r\nAuthorization: x\r\nContent-Length: 9000000\r\n\r\n": (
        413,
        "/api/projects",
    ),
    "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + "b" * 70_000: (431, None),
}


def test_each_request_is_one_line_of_json_also_where_the_server_refuses_it(served):
    served.start_log()
    for request, (status, route) in REFUSED.items():
        head, _, body = raw(served.port, request).decode().partition("\r\n\r\n")
        (line,) = served.new_lines()
        assert (status_of(head), line["status"], line["route"]) == (status, status, route)
        assert (line["message"], line["address"], line["level"]) == ("request", "127.0.0.1", "INFO")
        assert f"X-Request-Id: {line['requestId']}" in head
        assert "Content-Type: application/json" in head
        assert set(json.loads(body)) == {"error", "code"}


def test_every_line_of_a_start_is_json_and_no_answer_names_the_server(served):
    head, _, _ = raw(
        served.port, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    ).partition(b"\r\n\r\n")
    assert status_of(head.decode()) == 200
    assert b"server:" not in head.lower()
    lines = [json.loads(line) for line in served.process.said().splitlines()]
    assert f"Tieout serves {served.address}" in {line["message"] for line in lines}


def test_a_large_upload_is_one_line(served, ada):
    served.start_log()
    body = b'{"name": "' + b"x" * 200_000 + b'"}'
    head = f"POST /api/projects HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ada.token}\r\n"
    request = (
        f"{head}Content-Type: application/json\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    assert status_of(raw(served.port, request.encode() + body).decode()) == 422
    assert [(line["method"], line["status"]) for line in served.new_lines()] == [("POST", 422)]
