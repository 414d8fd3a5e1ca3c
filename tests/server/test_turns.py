"""Who computes when: short requests one after another, long ones beside them, and a poller that is never lost."""

import threading
import time

import pytest

from tests.server.toys import GET, LAST, PATIENCE_SECONDS, Toy, paths, toy
from webapp.server import alarm, pool

GATED = "GET /gated HTTP/1.1\r\nHost: x\r\n\r\n"


class Rooms:
    """An application that counts who is in it at once; who asks for "/gated" stays until the gate opens."""

    def __init__(self) -> None:
        self.gate, self.lock = threading.Event(), threading.Lock()
        self.present = self.most = 0

    def __call__(self, environ, start_response):
        with self.lock:
            self.present += 1
            self.most = max(self.most, self.present)
        if environ["PATH_INFO"] == "/gated":
            self.gate.wait(PATIENCE_SECONDS)
        else:
            time.sleep(0.002)
        with self.lock:
            self.present -= 1
        return toy(environ, start_response)

    def wait_for(self, count: int) -> None:
        """Wait until so many are in."""
        until = time.monotonic() + PATIENCE_SECONDS
        while self.present < count:
            assert time.monotonic() < until
            time.sleep(0.005)


@pytest.fixture
def rooms():
    rooms = Rooms()
    yield rooms
    rooms.gate.set()


@pytest.fixture
def long_turns(monkeypatch):
    """Turns that no short request outlasts, on however slow a machine."""
    monkeypatch.setattr(pool, "TURN_SECONDS", 60)


@pytest.mark.parametrize("turns", [1, 3])
@pytest.mark.usefixtures("long_turns")
def test_no_more_requests_are_answered_at_once_than_there_are_turns(toys, rooms, turns):
    served = toys(threads=8, turns=turns)
    served.worker.wsgi = rooms
    clients = [served.client().send(GET * 5 + LAST) for _ in range(8)]
    assert [paths(client.read()) for client in clients] == [["/one"] * 5 + ["/two"]] * 8
    assert rooms.most == turns


@pytest.mark.usefixtures("long_turns")
def test_requests_that_come_alone_are_answered_in_the_thread_that_polls(toys):
    threads = set()

    def noting(environ, start_response):
        threads.add(threading.get_ident())
        return toy(environ, start_response)

    served = toys(threads=8)
    served.worker.wsgi, select = noting, served.worker.poller.select
    served.worker.poller.select = lambda timeout: threads.add(threading.get_ident()) or select(timeout)
    client = served.client()
    for _ in range(20):
        client.send(GET).until(b"]")
    assert paths(client.send(LAST).read()) == ["/two"]
    assert len(threads) == 1


@pytest.mark.parametrize(("workers", "taken"), [(1, 5), (2, 1)])
def test_a_worker_leaves_the_next_connection_to_the_others(workers, taken):
    served = Toy(workers=workers)
    for _ in range(5):
        served.client()
    served.worker.accept(served.listener)
    # Of a fresh worker nothing else is watched.
    assert len(served.worker.poller.get_map()) == taken
    served.leave()
    served.stop()
    served.start().join()


def test_what_breaks_the_poller_ends_the_worker(monkeypatch):
    """The arbiter starts another one; without a poller this one would never answer again."""
    served = Toy()
    monkeypatch.setattr(served.worker, "_end_overdue", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        served.worker.run()
    served.break_off()


@pytest.mark.parametrize("has_timers", [True, False])
def test_a_request_that_takes_long_goes_on_beside_the_others(toys, rooms, monkeypatch, has_timers):
    monkeypatch.setattr(alarm, "HAS_TIMERS", has_timers)
    served = toys(threads=3)
    served.worker.wsgi = rooms
    slow = [served.client().send(GATED + LAST) for _ in range(2)]
    rooms.wait_for(2)
    assert paths(served.client().send(GET * 20 + LAST).read()) == ["/one"] * 20 + ["/two"]
    rooms.gate.set()
    assert [paths(client.read()) for client in slow] == [["/gated", "/two"]] * 2


def test_where_all_threads_take_long_the_next_request_waits_and_the_poller_does_not_spin(toys, rooms):
    served = toys(threads=2, head_seconds=5, keepalive_seconds=5)
    served.worker.wsgi = rooms
    slow = [served.client().send(GATED + LAST) for _ in range(2)]
    rooms.wait_for(2)
    third = served.client().send(GET + LAST)
    assert 0 < served.looks_in(seconds=0.5) < 30
    assert rooms.most == 2
    rooms.gate.set()
    assert paths(third.read()) == ["/one", "/two"]
    assert [paths(client.read()) for client in slow] == [["/gated", "/two"]] * 2


def test_what_comes_during_an_answer_waits_for_its_end(toys, rooms):
    served = toys(threads=3, head_seconds=5, keepalive_seconds=5)
    served.worker.wsgi = rooms
    stays, leaves = served.client().send(GATED), served.client().send(GATED)
    rooms.wait_for(2)
    stays.send(LAST)
    leaves.sock.close()
    assert 0 < served.looks_in(seconds=0.5) < 30
    rooms.gate.set()
    assert paths(stays.read()) == ["/gated", "/two"]
    assert paths(served.client().send(LAST).read()) == ["/two"]


def test_a_thread_survives_what_an_application_does(toys, rooms):
    def leaving(environ, start_response):
        if environ["PATH_INFO"] == "/gated":
            raise SystemExit(1)
        return toy(environ, start_response)

    served = toys(threads=1)
    served.worker.wsgi = leaving
    for _ in range(3):
        assert served.client().send(GATED).read() == b""
        assert paths(served.client().send(LAST).read()) == ["/two"]
