"""What the worker keeps of HTTP/1.1: connections that stay, pipelines, chunks, "Expect", refusals that close."""

import errno
import json
import socket
import time

import pytest
from waitress.buffers import OverflowableBuffer

from tests.server.toys import GET, LAST, PATIENCE_SECONDS, UPLOAD, paths, status
from webapp.server import serving
from webapp.web.access.heavy_calls import STRANGER_BYTES


def test_a_connection_stays_open_for_the_next_request(toy):
    client = toy.client().send(GET)
    assert b"Connection: close" not in client.until(b'\r\n\r\n["GET", "/one", 0, ""]')
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


def test_what_is_wrong_in_a_pipeline_is_refused_after_the_answers_before_it(toy):
    answers = toy.client().send(GET + GET + "GET / HTTP/1.1\r\n\r\n" + GET).read()
    assert [each.split()[0] for each in answers.split(b"HTTP/1.1 ")[1:]] == [b"200", b"200", b"400"]


def test_a_request_may_come_byte_by_byte(toys):
    toy = toys(REQUEST_SECONDS=5)
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


def test_who_asks_to_go_ahead_without_a_body_waits_for_nothing(toy):
    head = "GET /one HTTP/1.1\r\nHost: x\r\nX-Secret: y\r\nExpect: 100-continue\r\n\r\n"
    answers = toy.client().send(head + LAST).read()
    assert (paths(answers), answers.count(b"100 Continue")) == (["/one", "/two"], 0)


def test_a_body_larger_than_the_address_allows_is_refused_before_it_is_sent(toys):
    toy = toys(most_bytes=5000)
    head = f"{UPLOAD}Content-Length: 5001\r\nExpect: 100-continue\r\n\r\n"
    answer = toy.client().send(head).read()
    assert (status(answer), b"Connection: close" in answer, b'"too_large"' in answer) == (413, True, True)


def test_a_chunked_body_is_refused_when_it_is_too_large(toys):
    toy = toys(most_bytes=5000)
    answer = toy.client().send(f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n1389\r\n").read()
    assert status(answer) == 413
    # 4,999 bytes and 2 more.
    chunks = "1387\r\n" + "x" * 4999 + "\r\n2\r\n"
    assert status(toy.client().send(f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n{chunks}").read()) == 413


@pytest.mark.parametrize("framing", ["Content-Length: {}", "Transfer-Encoding: chunked"])
def test_without_a_session_or_a_key_in_its_head_a_body_has_64_kib(toy, framing):
    def head(size, field=""):
        chunk = f"{size:x}\r\n" if "chunked" in framing else ""
        return f"POST /form HTTP/1.1\r\nHost: x\r\n{field}{framing.format(size)}\r\n\r\n{chunk}"

    end = "\r\n0\r\n\r\n" if "chunked" in framing else ""
    body = "x" * STRANGER_BYTES + end
    assert status(toy.client().send(head(STRANGER_BYTES) + body).until(b"]")) == 200
    answer = toy.client().send(head(STRANGER_BYTES + 1)).read()
    assert (status(answer), b'"unauthenticated"' in answer) == (401, True)
    for named in (
        "Cookie: theme=dark; tieout=abc\r\n",
        "Cookie: __Host-tieout=abc\r\n",
        "Authorization: x\r\n",
    ):
        large = head(STRANGER_BYTES + 1, named) + "x" + body
        assert status(toy.client().send(large).until(b"]")) == 200


def test_whoever_sends_on_after_a_refusal_gets_the_answer(toys):
    toy = toys(LAST_SECONDS=2)
    client = toy.client().send("POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n")
    for _ in range(90):
        client.send("x" * 100_000)
    assert status(client.read()) == 401


def test_bodies_that_wait_have_a_budget_and_give_it_back(toys):
    toy = toys(MOST_HELD_BYTES=10_000, REQUEST_SECONDS=5)
    waiting = toy.client().send(f"{UPLOAD}Content-Length: 9000\r\nConnection: close\r\n\r\n" + "x" * 8000)
    time.sleep(0.2)
    large = f"{UPLOAD}Content-Length: 5000\r\nConnection: close\r\n\r\n" + "x" * 5000
    answer = toy.client().send(large).read()
    assert (status(answer), b'"busy"' in answer, b"Retry-After" in answer) == (503, True, True)
    for sender, rest in ((waiting, "x" * 1000), (toy.client(), large)):
        assert status(sender.send(rest).read()) == 200
        wait_for(lambda: not toy.worker.held)


def test_a_body_that_is_given_up_gives_its_room_back(toys):
    toy = toys(REQUEST_SECONDS=5)
    for ending in ("", GET):
        toy.client().send(f"{ending}{UPLOAD}Content-Length: 9000\r\n\r\n" + "x" * 8000)
    wait_for(lambda: sum(toy.worker.held.values()) == 16_000)
    toy.leave()
    wait_for(lambda: not toy.worker.held)


def test_where_there_are_too_many_connections_the_next_ones_wait_for_those_that_end(toys, monkeypatch):
    monkeypatch.setitem(serving.OPTIONS, "connection_limit", 5)
    toy = toys(IDLE_SECONDS=0.3)
    for _ in range(20):
        toy.client()
    assert status(toy.client().send(LAST).read()) == 200


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("GET / HTTP/1.1\nHost: x\n", 400),
        ("GET / HTTP/1.1\r\nA: " + "a" * 70_000, 431),
        ("GET /" + "a" * 66_000 + " HTTP/1.1\r\nHost: x\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: x\r\n" + "A: b\r\n" * 200 + "\r\n", 431),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        ("GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nTieout-Refusal: busy\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/0.9\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/1.2\r\nHost: x\r\n\r\n", 400),
        ("GET /\r\n\r\n", 400),
        ("get / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (f"{UPLOAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (f"{UPLOAD}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
        (f"{UPLOAD}Content-Length: 3, 3\r\n\r\nabc", 400),
        (f"{UPLOAD}Content-Length: +3\r\n\r\nabc", 400),
        (f"{UPLOAD}Content-Length: -3\r\n\r\nabc", 400),
        (f"{UPLOAD}Content-Length: 0x3\r\n\r\nabc", 400),
        (f"{UPLOAD}Content-Length:\r\n\r\nabc", 400),
        (f"{UPLOAD}Content-Length: 9999999999999999999\r\n\r\nabc", 400),
        (f"{UPLOAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (f"{UPLOAD}Transfer-Encoding: gzip, chunked\r\n\r\n", 400),
        (f"{UPLOAD}Transfer-Encoding: identity\r\n\r\n", 400),
        (UPLOAD.replace("1.1", "1.0") + "Transfer-Encoding: chunked\r\n\r\n", 400),
        (f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n", 400),
        (f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", 400),
        (f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n\r\n3\r\nabc\r\n", 400),
        (f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n+3\r\nabc\r\n", 400),
        (f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n", 400),
        (f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n3" + ";" * 9000, 400),
        (f"{UPLOAD}Transfer-Encoding: chunked\r\n\r\n0\r\nA b\r\n\r\n", 400),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_refused_and_not_waited_for(toys, request_, expected):
    answer = toys(REQUEST_SECONDS=5).client().send(request_).read()
    assert (status(answer), answer.count(b"HTTP/1.")) == (expected, 1)
    assert set(json.loads(answer.rpartition(b"\r\n\r\n")[2])) == {"error", "code"}


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_many_who_write_wait_for_each_other_and_not_for_a_thread(toys, threads):
    toy = toys(threads=threads)
    act = "POST /sleep/0.2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    writers = [toy.client().send(act) for _ in range(20)]
    if threads > 1:
        wait_for(lambda: len(toy.worker.acts) + threads >= 20)
        began = time.monotonic()
        assert paths(toy.client().send(LAST).read()) == ["/two"]
        assert time.monotonic() - began < 0.2
        assert toy.worker.acts
    assert [status(writer.read()) for writer in writers] == [200] * 20


def test_spaces_without_end_in_a_field_take_no_time(toy):
    began = time.monotonic()
    spaces = "GET /one HTTP/1.1\r\nHost: x\r\nConnection: close\r\nA:" + " " * 60_000 + "b\r\n\r\n"
    assert paths(toy.client().send(spaces).read()) == ["/one"]
    assert time.monotonic() - began < 2


def test_a_field_with_an_underscore_is_nobody_elses(toy):
    fields = "Connection: close\r\nContent_Length: 3\r\nTransfer_Encoding: chunked\r\n"
    assert paths(toy.client().send(f"POST /one HTTP/1.1\r\nHost: x\r\n{fields}\r\n{GET}").read()) == ["/one"]


def test_an_idle_worker_does_not_spin(toys, monkeypatch):
    toy, loops = toys(REQUEST_SECONDS=5, IDLE_SECONDS=5, ANSWER_SECONDS=5, LOOK_SECONDS=0.05), []
    for request in ("", "GET / HT", GET, "GET /large/9000000 HTTP/1.1\r\nHost: x\r\n\r\n"):
        toy.client().send(request)
    time.sleep(0.3)
    loop = serving.wasyncore.loop
    with monkeypatch.context() as patch:
        patch.setattr(serving.wasyncore, "loop", lambda **options: loops.append(1) or loop(**options))
        time.sleep(0.5)
    assert 0 < len(loops) < 20


def test_a_full_disk_refuses_the_body_and_gives_its_room_back(toys, monkeypatch):
    append = OverflowableBuffer.append

    def full(buffer, data):
        if data.startswith(b"xx"):
            raise OSError(errno.ENOSPC, "No space left on device")
        append(buffer, data)

    toy = toys(MOST_HELD_BYTES=3000)
    upload = f"{UPLOAD}Content-Length: 1500\r\nConnection: close\r\n\r\n" + "x" * 1500
    with monkeypatch.context() as patch:
        patch.setattr(OverflowableBuffer, "append", full)
        for _ in range(3):
            answer = toy.client().send(upload).read()
            assert (status(answer), b'"disk_full"' in answer, b"Retry-After" in answer) == (503, True, True)
    assert status(toy.client().send(upload).read()) == 200


def test_a_client_that_is_gone_leaves_nothing(toys):
    toy = toys()
    for _ in range(20):
        client = toy.client().send("POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\nabc")
        client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.sock.close()
    time.sleep(0.5)
    assert paths(toy.client().send(LAST).read()) == ["/two"]
    # The listener and what wakes the poller.
    wait_for(lambda: len(toy.worker.map) == 2)


def wait_for(is_true):
    """Wait until something is true: an answer is there a moment before its request has ended."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not is_true():
        assert time.monotonic() < until
        time.sleep(0.01)
