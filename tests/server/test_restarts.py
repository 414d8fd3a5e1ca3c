"""HUP fails nothing, and TERM cuts nothing that a thread has, under load and beside slow clients (P20)."""

import contextlib
import http.client
import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.concurrency.crowds import Client
from tests.fixtures.servers import Server
from tests.server.storms import Storm

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


def keyed(server, token, ended, made) -> None:
    number = 0
    while not ended.is_set():
        number += 1
        name = f"{threading.get_ident()}-{number}"
        while True:
            try:
                with contextlib.closing(Client(server.address, token)) as client:
                    answer = client.send("POST", "/api/projects", {"name": name}, key=name)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            if answer.status < 500:
                made[name] = answer.status
                break


@pytest.mark.rare
def test_what_is_sent_again_under_its_key_after_an_end_is_there_once(served, ada, rounds, figure):
    count, made, ended, took = rounds(1, 20), {}, threading.Event(), []
    with ThreadPoolExecutor(CROWD) as clients:
        for _ in range(CROWD):
            clients.submit(keyed, served, ada.token, ended, made)
        for _ in range(count):
            time.sleep(SETTLES_SECONDS)
            began = time.monotonic()
            served.process.terminate()
            served.process.wait(40)
            took.append(time.monotonic() - began)
            served.start()
        time.sleep(SETTLES_SECONDS)
        ended.set()
    with contextlib.closing(Client(served.address, ada.token)) as client:
        there = Counter(each["name"] for each in every(client, "/api/projects", "projects"))
    figure("P20", f"{count} x TERM: {len(made)} keyed writes, the longest end took {max(took):.1f} s")
    assert set(made.values()) <= {200, 201}
    assert {name: there[name] for name in made} == dict.fromkeys(made, 1)
    assert max(took) <= 31


def every(client, path, key):
    """Read all pages of a list."""
    found, cursor = [], ""
    while cursor is not None:
        body = client.send("GET", f"{path}?limit=200{cursor}").body
        found += body[key]
        cursor = f"&cursor={body['nextCursor']}" if body.get("nextCursor") else None
    return found
