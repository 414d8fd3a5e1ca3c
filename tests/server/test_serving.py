"""`tieout serve`: gunicorn with as many workers as wished, on both databases."""

import http.client
import json
import urllib.error
import urllib.request
from importlib.metadata import version
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from gunicorn.workers.gthread import ThreadWorker

from webapp.server.incoming import has_credentials
from webapp.server.serving import Server
from webapp.server.worker import Worker
from webapp.web.access.browsers import cookie_name


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


def test_the_worker_replaces_the_gunicorn_that_was_read():
    """Another version may have another loop: read `gunicorn/workers/gthread.py` again, then change this line."""
    assert version("gunicorn") == "27.0.1"
    for name in ("run", "accept", "handle"):
        assert getattr(Worker, name) is not getattr(ThreadWorker, name)
    kept = {
        "handle_request",
        "set_accept_enabled",
        "wait_for_and_dispatch_events",
        "handle_exit",
    }
    assert all(getattr(Worker, name) is getattr(ThreadWorker, name) for name in kept)


def test_a_body_is_as_large_as_its_address_allows(app):
    server = Server(app, app.config["SETTINGS"], "")
    sizes = {
        path: server.most_bytes(SimpleNamespace(path=path, method="POST")) // 1024**2
        for path in (
            "/api/feeds/imports",
            "/imports",
            "/api/documents",
            "/sign-in",
            "/nowhere",
            "/api/projects",
        )
    }
    assert sizes == {
        "/api/feeds/imports": 161,
        "/imports": 161,
        "/api/documents": 21,
        "/sign-in": 1,
        "/nowhere": 1,
        "/api/projects": 1,
    }


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_session_that_a_browser_sends_lets_it_send_files(app, scheme):
    with app.test_request_context(base_url=f"{scheme}://localhost"):
        assert has_credentials({"COOKIE": f"theme=dark; {cookie_name()}=3f0c"})
    assert not has_credentials({"COOKIE": "theme=dark; nottieout=3f0c"})


def test_a_large_body_is_read_for_those_only_who_are_known(gunicorn, ada):
    address, body = gunicorn(2), b'{"name": "' + b"x" * 200_000 + b'"}'
    answers = {}
    for name, token in {"ada": ada.token, "forged": "tie_" + "x" * 40}.items():
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{address}/api/projects", body, headers)  # noqa: S310  (our own address)
        with pytest.raises(urllib.error.HTTPError) as refused, urllib.request.urlopen(request, timeout=10):  # noqa: S310
            pass
        answers[name] = (
            refused.value.code,
            json.load(refused.value)["code"],
            refused.value.headers["WWW-Authenticate"],
        )
        refused.value.close()
    assert answers["ada"][:2] == (422, "validation")
    assert answers["forged"][:2] == (401, "unauthenticated")
    assert "invalid_token" in answers["forged"][2]


def test_whose_session_has_ended_is_sent_to_sign_in_before_a_file_is_read(gunicorn):
    connection = http.client.HTTPConnection(urlsplit(gunicorn(2)).netloc, timeout=10)
    connection.request(
        "POST", "/imports", b"x" * 200_000, {"Cookie": "tieout=ended", "Content-Type": "text/plain"}
    )
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Location"]) == (303, "/sign-in")
    answer.close()
    connection.close()
