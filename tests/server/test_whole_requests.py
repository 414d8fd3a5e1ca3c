"""What the worker keeps of HTTP/1.1: connections that stay, pipelines, chunks, "Expect", refusals that close."""

import errno
import time

import pytest

from tests.server.toys import GATE, GET, LAST, UPLOAD, paths, status
from webapp.server.spools import Spool


def test_a_connection_stays_open_for_the_next_request(toy):
    client = toy.client().send(GET)
    assert b"keep-alive" in client.until(b"]")
    time.sleep(0.1)
    assert paths(client.send(LAST).read()) == ["/two"]


def test_requests_in_a_pipeline_are_answered_in_their_order(toy):
    post = f"{UPLOAD}Content-Length: 3\r\n\r\nabc"
    chunked = f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    assert paths(toy.client().send(GET + post + GET + chunked + LAST).read()) == [
        "/one",
        "/upload",
        "/one",
        "/upload",
        "/two",
    ]


def test_a_request_may_come_byte_by_byte(toys):
    toy = toys(head_seconds=5, body_pace_seconds=5)
    client = toy.client()
    body = "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n"
    for byte in f"{UPLOAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n{body}":
        client.send(byte)
        time.sleep(0.0005)
    assert b'["POST", "/upload", 5, "abcde"]' in client.read()


def test_the_client_that_asks_is_told_once_to_go_ahead(toy):
    client = toy.client().send(
        f"{UPLOAD}Connection: close\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    )
    assert client.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    answer = client.send("abc").read()
    assert (status(answer), answer.count(b"100 Continue")) == (200, 0)


def test_a_body_larger_than_the_address_allows_is_refused_before_it_is_sent(toys):
    toy = toys(most_bytes=5000)
    head = f"{UPLOAD}Content-Length: 5001\r\nExpect: 100-continue\r\n\r\n"
    answer = toy.client().send(head).read()
    assert (status(answer), b"Connection: close" in answer, b'"too_large"' in answer) == (413, True, True)


def test_a_chunked_body_is_refused_when_it_is_too_large(toys):
    toy = toys(most_bytes=5000)
    answer = toy.client().send(f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n1389\r\n" + "x" * 5001).read()
    assert status(answer) == 413


def test_without_a_session_or_a_key_a_body_is_as_small_as_a_form_to_sign_in(toy):
    head = "POST /form HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
    assert status(toy.client().send(f"{head}100\r\n\r\n" + "x" * 100).read()) == 200
    answer = toy.client().send(f"{head}101\r\n\r\n").read()
    assert (status(answer), b"WWW-Authenticate: Bearer" in answer) == (401, True)
    assert status(toy.client().send(f"{head}101\r\nCookie: tieout=abc\r\n\r\n" + "x" * 101).read()) == 200


@pytest.mark.parametrize(
    "framing", ["Content-Length: 9000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2328\r\n"]
)
def test_a_large_body_with_a_forged_key_gets_the_answer_to_strangers(toy, framing):
    head = "POST /api/upload HTTP/1.1\r\nHost: x\r\nAuthorization: forged\r\n" + framing
    answer = toy.client().send(head + "x" * 3000).read()
    assert (status(answer), b"X-Who: nobody" in answer, answer.endswith(b"Who are you?")) == (401, True, True)
    page = toy.client().send(head.replace("/api/", "/") + "x" * 3000).read()
    assert (status(page), b"Location: /sign-in" in page) == (303, True)
    assert b'upload"' not in answer + page


def test_a_large_body_with_a_key_is_asked_for_only_when_the_key_is_known(toy):
    head = "Host: x\r\nConnection: close\r\nContent-Length: 9000\r\nExpect: 100-continue\r\n\r\n"
    refused = toy.client().send("POST /api/upload HTTP/1.1\r\nAuthorization: forged\r\n" + head).read()
    assert status(refused) == 401
    client = toy.client().send("POST /upload HTTP/1.1\r\nAuthorization: y\r\n" + head)
    assert client.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert b'"/upload", 9000' in client.send("x" * 9000).read()


def test_a_crowd_of_senders_leaves_threads_to_others(toys):
    toy = toys(threads=4, body_pace_seconds=5)
    GATE.clear()
    head = "POST /upload HTTP/1.1\r\nHost: x\r\nAuthorization: gated\r\nConnection: close\r\n"
    senders = [toy.client().send(f"{head}Content-Length: 9000\r\n\r\n") for _ in range(6)]
    time.sleep(0.05)
    answer = toy.client().send(LAST).read()
    GATE.set()
    assert status(answer) == 200
    assert [status(sender.send("x" * 9000).read()) for sender in senders] == [200] * 6


def test_bodies_that_wait_have_a_budget_and_give_it_back(toys):
    toy = toys(waiting_bytes=10_000, body_pace_seconds=2)
    waiting = toy.client().send(f"{UPLOAD}Content-Length: 9000\r\nConnection: close\r\n\r\n" + "x" * 8000)
    time.sleep(0.2)
    large = f"{UPLOAD}Content-Length: 5000\r\nConnection: close\r\n\r\n" + "x" * 5000
    answer = toy.client().send(large).read()
    assert (status(answer), b"Retry-After" in answer) == (503, True)
    assert status(waiting.send("x" * 1000).read()) == 200
    assert status(toy.client().send(large).read()) == 200


def test_an_address_has_a_number_of_connections(toys):
    toy = toys(connections_per_address=3, head_seconds=5)
    kept = [toy.client() for _ in range(3)]
    answer = toy.client().send(LAST).read()
    assert (status(answer), b"Too many connections" in answer) == (503, True)
    kept.pop().sock.close()
    time.sleep(0.2)
    assert status(toy.client().send(LAST).read()) == 200


def test_where_there_are_too_many_connections_the_idle_ones_make_room(toys):
    toy = toys(connections=5, head_seconds=5)
    for _ in range(20):
        toy.client()
    assert status(toy.client().send(LAST).read()) == 200


def test_what_cannot_be_read_is_refused_and_not_waited_for(toy):
    for request, expected in {
        "GET / HTTP/1.1\nHost: x\n": 400,
        "GET /" + "a" * 70_000: 414,
        "GET / HTTP/1.1\r\nA: " + "a" * 70_000: 431,
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n": 400,
        f"{UPLOAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n": 400,
        f"{UPLOAD}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc": 400,
        f"{UPLOAD}Content-Length: +3\r\n\r\nabc": 400,
        f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n3\nabc": 400,
        f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n": 400,
        f"{UPLOAD}Transfer-Encoding: identity\r\n\r\n": 400,
    }.items():
        answer = toy.client().send(request).read()
        assert (status(answer), answer.count(b"HTTP/1.1")) == (expected, 1), request[:80]


def test_an_idle_worker_does_not_spin(toys):
    toy = toys(head_seconds=5, keepalive_seconds=5, answer_pace_seconds=5)
    for request in ("", "GET / HT", GET, "GET /large/9000000 HTTP/1.1\r\nHost: x\r\n\r\n"):
        toy.client().send(request)
    time.sleep(0.2)
    assert 0 < toy.looks_in(seconds=0.5) < 20


def test_a_full_disk_refuses_the_body_and_gives_its_room_back(toys, monkeypatch):
    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    toy = toys(waiting_bytes=3000)
    upload = f"{UPLOAD}Content-Length: 1500\r\nConnection: close\r\n\r\n" + "x" * 1500
    with monkeypatch.context() as patch:
        patch.setattr(Spool, "append", full)
        for _ in range(3):
            answer = toy.client().send(upload).read()
            assert (status(answer), b'"disk_full"' in answer, b"Retry-After" in answer) == (503, True, True)
    assert status(toy.client().send(upload).read()) == 200
