"""A server that is killed while a bank emits: what was sent is sent again, and the books equal the true account."""

import http.client
import json
import threading
import time
from collections import Counter
from urllib.parse import urlsplit

from werkzeug.test import EnvironBuilder

from tests.fixtures.servers import PATIENCE_SECONDS
from tests.misbehaving.banks import Bank
from tests.misbehaving.clerks import Clerk
from webapp.database.sessions import begin_read, db
from webapp.queries import checks

LONGEST_WAIT_SECONDS = 0.08


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
