"""TERM loses nothing: what is answered, what is half read, and what waits to be accepted (D11)."""

import socket
import time

import pytest

from tests.server.toys import UPLOAD, Client, Toy, status

GET = "GET /{} HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = "GET /{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def test_what_waits_in_the_backlog_is_answered():
    toy = Toy()
    waiting = [toy.client().send(GET.format("waits")) for _ in range(50)]
    toy.worker.alive = False
    toy.start()
    answers = [client.read() for client in waiting]
    toy.join()
    assert [status(answer) for answer in answers] == [200] * 50
    assert all(b"Connection: close" in answer for answer in answers)


def test_what_is_in_flight_is_finished_and_closes(toys):
    toy = toys(REQUEST_SECONDS=5, ANSWER_SECONDS=5, LAST_SECONDS=2)
    working = toy.client().send(LAST.format("sleep/0.5"))
    half = toy.client().send(f"{UPLOAD}Content-Length: 6\r\n\r\nabc")
    sending = toy.client().send(LAST.format("large/9000000"))
    kept = toy.client().send(GET.format("kept"))
    kept.until(b'\r\n\r\n["GET", "/kept", 0, ""]')
    time.sleep(0.2)
    toy.stop()
    time.sleep(0.2)
    assert status(kept.send(GET.format("again")).read()) == 200
    assert status(half.send("def").read()) == 200
    assert status(working.read()) == 200
    assert len(sending.read()) > 9_000_000
    toy.join()


def test_nobody_new_is_accepted_then(toys):
    toy = toys(REQUEST_SECONDS=5)
    half = toy.client().send(f"{UPLOAD}Content-Length: 6\r\n\r\nabc")
    time.sleep(0.1)
    toy.stop()
    time.sleep(0.2)
    with pytest.raises(ConnectionRefusedError):
        Client(socket.create_connection(toy.address, 1))
    assert status(half.send("def").read()) == 200


def test_what_lasts_too_long_is_left_and_the_worker_ends(toys):
    toy = toys(REQUEST_SECONDS=50, ANSWER_SECONDS=50, LAST_SECONDS=0.5)
    toy.worker.cfg.set("graceful_timeout", 2)
    stuck = toy.client().send(LAST.format("sleep/60"))
    half = toy.client().send(f"{UPLOAD}Content-Length: 6\r\n\r\nabc")
    time.sleep(0.2)
    began = time.monotonic()
    toy.stop()
    toy.join()
    assert time.monotonic() - began < 3
    assert stuck.sock.fileno() == half.sock.fileno() == -1
