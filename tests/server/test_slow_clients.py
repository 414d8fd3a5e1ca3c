"""Slow clients hold no thread: however many there are, the two threads of a worker are free for the others."""

import contextlib
import time

import pytest

from tests.server.toys import UPLOAD, Client, status
from webapp.web.access.heavy_calls import REFUSED_BODIES, STRANGER_BYTES, sender_of

GET = "GET /quick HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
FORM = "POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\nemail=ada"
SLOW = {
    "connections without a byte": "",
    "heads": "GET / HTTP/1.1\r\nHo",
    "forms to sign in": FORM,
    "bodies with a key": f"{UPLOAD}Content-Length: 90000\r\n\r\nabc",
    "chunked bodies with a key": f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n5\r\nabc",
    "answers": "GET /large/9000000 HTTP/1.1\r\nHost: x\r\n\r\n",
}


def seconds_of(client: Client) -> float:
    began = time.monotonic()
    assert status(client.send(GET).read()) == 200
    return time.monotonic() - began


@pytest.mark.parametrize("kind", SLOW)
def test_twenty_slow_clients_leave_two_threads_to_others(toys, kind):
    toy = toys(REQUEST_SECONDS=5, ANSWER_SECONDS=5, IDLE_SECONDS=5)
    for _ in range(20):
        toy.client().send(SLOW[kind])
    assert max(seconds_of(toy.client()) for _ in range(3)) < 1


@pytest.mark.parametrize(
    "kind", ["heads", "forms to sign in", "bodies with a key", "chunked bodies with a key"]
)
def test_a_request_that_comes_too_slowly_is_refused(toy, kind):
    client = toy.client().send(SLOW[kind])
    answer = client.read()
    assert (status(answer), b'"too_slow"' in answer) == (408, True)


def test_bytes_now_and_then_do_not_renew_the_deadline_of_a_head(toy):
    client = toy.client().send("GET / HTTP/1.1\r\n")
    for _ in range(10):
        time.sleep(0.04)
        with contextlib.suppress(ConnectionError):
            client.send("a")
    assert status(client.read()) == 408


def test_a_body_that_keeps_its_pace_is_read_however_long_it_takes(toy):
    # 0.3 s, and 1.6 s for 8,000 bytes.
    client = toy.client().send(f"{UPLOAD}Content-Length: 8000\r\nConnection: close\r\n\r\n")
    for _ in range(8):
        time.sleep(0.15)
        client.send("x" * 1000)
    assert status(client.read()) == 200


@pytest.mark.parametrize("framing", ["Content-Length: {}", "Transfer-Encoding: chunked"])
def test_a_large_body_of_a_sender_that_has_to_wait_is_not_read_meanwhile(toy, framing):
    began = time.monotonic()
    toy.app.extensions[REFUSED_BODIES] = {sender_of(b"Bearer y", b""): began + 0.6}

    def seconds(fields, size):
        body = f"{size:x}\r\n{'x' * size}\r\n0\r\n\r\n" if "chunked" in framing else "x" * size
        answer = toy.client().send(f"{fields}{framing.format(size)}\r\n\r\n{body}").until(b"]")
        assert status(answer) == 200
        return time.monotonic() - began

    large = STRANGER_BYTES + 1
    assert seconds(UPLOAD.replace("Bearer y", "Bearer z"), large) < 0.5
    assert "chunked" in framing or seconds(UPLOAD, STRANGER_BYTES) < 0.5
    # Longer than a request may take at that length.
    assert seconds(UPLOAD, large) >= 0.6


def test_a_connection_without_a_request_is_closed_without_an_answer(toy):
    assert toy.client().read() == b""


def test_an_answer_that_nobody_reads_is_cut(toy):
    client = toy.client().send("GET /large/90000000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    time.sleep(0.6)
    assert 0 < len(client.read()) < 90_000_000


def test_a_slow_but_steady_reader_gets_the_whole_answer(toy):
    client, count = toy.client().send("GET /large/9000000 HTTP/1.1\r\nHost: x\r\n\r\n"), 0
    for _ in range(6):
        time.sleep(0.05)
        count += len(client.sock.recv(1_000_000))
    client.send("GET /large/5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    found = client.read()
    assert found.endswith(b"xxxxx")
    assert count + len(found) > 9_000_000


def test_a_stream_arrives_in_order(toy):
    client = toy.client().send("GET /stream/5000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert client.read().count(b"5\r\npiece\r\n") == 5000
