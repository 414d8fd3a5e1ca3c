"""A server that is killed while a bank emits: what was sent is sent again, and the books equal the true account."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from urllib.parse import urlsplit

import pytest
from werkzeug.test import EnvironBuilder

from tests.fixtures.servers import PATIENCE_SECONDS, free_port, wait_until_ready
from tests.misbehaving.banks import Bank
from tests.misbehaving.clerks import Clerk
from tests.tree import ROOT
from webapp.db import begin_read, db
from webapp.queries import checks

LONGEST_WAIT_SECONDS = 0.08


class Server:
    """`tieout serve` with two workers, which dies at once when it is told to, and comes back at the same address."""

    def __init__(self, house, log):
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = log
        self.environment = {
            **os.environ,
            "DATABASE_URL": house.settings.database_url,
            "INSTANCE_PATH": str(house.settings.instance_path),
            "SECRET_KEY": house.settings.secret_key,
            "PORT": str(self.port),
            "WEB_CONCURRENCY": "2",
        }
        self.kills = 0
        self.start()

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "webapp.cli", "serve"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_until_ready(self.address, self.process, str(self.log))

    def kill(self):
        """End the server and its workers in the middle of whatever they do."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_SECONDS)
        self.kills += 1


class Remote:
    """A person's program that asks a server over the network."""

    def __init__(self, person, server):
        self.person = person
        self.server = server

    def ask(self, method, path, **options):
        asked = EnvironBuilder(path, method=method, **options).get_environ()
        headers = {"Authorization": f"Bearer {self.person.token}"}
        if asked.get("CONTENT_TYPE"):
            headers["Content-Type"] = asked["CONTENT_TYPE"]
        body = asked["wsgi.input"].read()
        connection = http.client.HTTPConnection(
            urlsplit(self.server.address).netloc, timeout=PATIENCE_SECONDS
        )
        try:
            connection.request(method, asked["REQUEST_URI"], body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read())
        finally:
            connection.close()


class Answer:
    """What came back."""

    def __init__(self, status_code, data):
        self.status_code = status_code
        self.text = data.decode()

    @property
    def json(self):
        return json.loads(self.text)


class Patient(Clerk):
    """A clerk whose server is killed now and then while it takes what the bank emits; she sends it once more."""

    def push(self, emission):
        self.interrupted(lambda: super(Patient, self).push(emission))
        return super().push(emission)

    def upload(self, emission):
        before = self.newest()
        self.interrupted(lambda: super(Patient, self).upload(emission))
        there = self.newest()
        return super().upload(emission) if there == before else self.read(there, emission)

    def newest(self):
        imports = self.ask("GET", "/api/feeds/imports?limit=1", 200)["imports"]
        return imports[0]["id"] if imports else None

    def interrupted(self, act):
        """Do something, and kill the server at some moment of it."""
        server = self.person.server
        if server.kills >= self.most_kills or self.chance.random() < 0.5:
            return
        asking = threading.Thread(target=quietly, args=(act,))
        asking.start()
        time.sleep(self.chance.uniform(0, LONGEST_WAIT_SECONDS))
        server.kill()
        asking.join()
        server.start()


def quietly(act):
    """Do something whose end nobody hears of."""
    try:
        act()
    except (OSError, http.client.HTTPException):
        return


@pytest.fixture
def server(house, tmp_path):
    house.leave()
    server = Server(house, tmp_path / "server.log")
    yield server
    if server.process.poll() is None:
        server.kill()


def test_whatever_was_on_its_way_when_the_server_died_is_there_once(server, app, ada, rounds, figure):
    counts = Counter()
    for seed in range(1000, 1000 + rounds(1, 8)):
        bank = Bank(seed)
        clerk = Patient(Remote(ada, server), bank)
        clerk.most_kills = server.kills + rounds(2, 5)
        for group in bank.emissions():
            clerk.take(group)
        clerk.close()
        counts += clerk.counts
    with app.app_context():
        begin_read()
        assert [each.message for each in checks.violations()] == []
        db.session.rollback()
    figure(
        "simulated bank, kill -9", f"{server.kills} kills in {counts['emissions']} emissions, 0 differences"
    )
