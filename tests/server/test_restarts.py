"""HUP fails nothing, and TERM cuts nothing that was begun, under load and beside slow clients (P20)."""

import http.client
import os
import signal
import socket
import threading
import time
from collections import Counter

import pytest

from tests.fixtures.servers import Server
from tests.server.storms import Storm
from webapp.server.arbiter import take_no_more

CROWD = 16
SETTLES_SECONDS = 0.5


class Load:
    """Clients that read on new connections all the time, and count how each request ended."""

    def __init__(self, port: int, token: str) -> None:
        self.ends: Counter[str] = Counter()
        self._port, self._headers = port, {"Authorization": f"Bearer {token}"}
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=self._go_on) for _ in range(CROWD)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error):
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _go_on(self) -> None:
        while not self._is_over.is_set():
            self.ends[self._read()] += 1

    def _read(self) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            connection.connect()
        except OSError:
            time.sleep(0.05)
            return "refused"
        try:
            connection.request("GET", "/api/transactions", headers=self._headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__
        finally:
            connection.close()
        return "answered" if answer.status == 200 else str(answer.status)


@pytest.fixture
def served(house, ada):
    """A server with two workers that ends with its test."""
    house.leave()
    server = Server(house, 2)
    yield server
    if server.process.returncode is None:
        server.kill()


def test_a_reload_fails_no_request(served, ada, rounds, figure):
    count = rounds(1, 50)
    with (
        Storm(served.address, "heads", ada.token, count=8, addresses=1),
        Load(served.port, ada.token) as load,
    ):
        for _ in range(count):
            time.sleep(SETTLES_SECONDS)
            os.kill(served.process.pid, signal.SIGHUP)
        time.sleep(SETTLES_SECONDS)
    figure("P20", f"{count} x HUP under {CROWD}-way load: {dict(load.ends)}")
    assert load.ends.keys() == {"answered"}


@pytest.mark.rare
def test_an_end_cuts_no_request(served, ada, rounds, figure):
    count, ends = rounds(1, 50), Counter()
    for number in range(count):
        if number:
            served.start()
        with Load(served.port, ada.token) as load:
            time.sleep(SETTLES_SECONDS)
            served.process.terminate()
            served.process.wait(40)
        ends += load.ends
    figure("P20", f"{count} x TERM under {CROWD}-way load: {dict(ends)}")
    assert ends.keys() == {"answered", "refused"}


def test_who_connects_while_the_server_ends_is_refused_and_who_is_connected_is_accepted():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        with socket.create_connection(address) as early:
            take_no_more(listener)
            with pytest.raises(TimeoutError):
                socket.create_connection(address, timeout=0.2)
            early.sendall(b"hello")
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.recv(5) == b"hello"
                accepted.sendall(b"bye")
                assert early.recv(3) == b"bye"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=0.2)
