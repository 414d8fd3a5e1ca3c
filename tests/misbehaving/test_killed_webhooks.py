"""A worker that dies at each of its steps tells every event all the same, under the same id with the same body."""

import os
import signal
import threading
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from random import Random
from urllib.request import HTTPErrorProcessor, Request, build_opener

import pytest
import sqlalchemy as sa
from standardwebhooks.webhooks import Webhook

from tests.fixtures.programs import Program
from tests.misbehaving.test_killed_worker import until
from webapp.commands import worker
from webapp.database.sessions import begin_read, begin_write, db
from webapp.models import AuditEvent, WebhookDelivery, WebhookEndpoint
from webapp.queries import checks
from webapp.services.accounts import projects
from webapp.services.operating import outbound, webhooks
from webapp.services.operating.outbound import Gate, OutboundAnswer

POINTS, SPREAD = 200, 17
PATIENCE_SECONDS = 10


class Receiver(ThreadingHTTPServer):
    """Two addresses of somebody else: what each got under which id, what it took, and how often it refused."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Hook)
        self.got, self.taken = defaultdict(list), defaultdict(set)
        self.refused, self.chance = 0, Random(11)  # noqa: S311  (which answers)
        self.lock = threading.Lock()

    def known(self):
        """Count the messages that it took, each once."""
        with self.lock:
            return sum(map(len, self.taken.values()))


class Hook(BaseHTTPRequestHandler):
    """Takes a message, or refuses every fourth one by chance."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.lock:
            self.server.got[self.path, headers["webhook-id"]].append((headers, body))
            status = 200 if self.server.chance.random() < 0.75 else 503
            if status == 200:
                self.server.taken[self.path].add(headers["webhook-id"])
            self.server.refused += status != 200
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_words):
        pass


class Plain(HTTPErrorProcessor):
    """Answers of every status as they are."""

    def http_response(self, _request, response):
        return response


def die_at(point, address):
    """Let a worker hurry, call the receiver, and be killed at one of its steps; 0 is none.

    A step is a statement, a commit, or the moment before or after a message is sent.
    """
    webhooks.PAUSES = (timedelta(),) * 50
    worker.LOOK_SECONDS = 0.01
    steps = count(1)

    def step(*_words, **_more):
        if next(steps) == point:
            os.kill(os.getpid(), signal.SIGKILL)

    def ask(_gate, method, url, _wanted, *, headers, body, **_limits):
        step()
        request = Request(url.replace("https://hooks.example", address), body, headers, method=method)  # noqa: S310
        with build_opener(Plain).open(request, timeout=PATIENCE_SECONDS) as answer:
            answered = OutboundAnswer(answer.status, answer.read(), "")
        step()
        return answered

    outbound.Gate.ask = ask
    if point:
        sa.event.listen(sa.Engine, "before_cursor_execute", step)
        sa.event.listen(sa.Engine, "commit", step)


@pytest.fixture
def receiver():
    found = Receiver()
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield found
    found.shutdown()
    thread.join()
    found.server_close()


def hook(person, path, view):
    """Add a webhook; answers its secret and how its messages are named."""
    gate, now = Gate(is_open=True), datetime.now(UTC)
    begin_write(person.organization_id)
    endpoint, secret = webhooks.create(
        f"https://hooks.example{path}", ["*"], view, gate, actor=person.actor, now=now
    )
    named = f"msg_{endpoint.uid[:16]}_", endpoint.after_sequence
    db.session.commit()
    return secret, *named


def happen(person, number):
    begin_write(person.organization_id)
    projects.create(name=f"project {number}", actor=person.actor, now=datetime.now(UTC))
    db.session.commit()


def waits(organization_id):
    """Count what was not told yet, or waits to be told."""
    begin_read(organization_id)
    behind = sa.select(WebhookEndpoint.id).where(
        WebhookEndpoint.organization_id == organization_id,
        sa.exists().where(
            AuditEvent.organization_id == organization_id,
            AuditEvent.sequence > WebhookEndpoint.after_sequence,
        ),
    )
    waiting = sa.select(WebhookDelivery.id).where(
        WebhookDelivery.organization_id == organization_id, WebhookDelivery.state == "WAITING"
    )
    found = len(db.session.execute(behind).all()) + len(db.session.execute(waiting).all())
    db.session.rollback()
    return found


def test_a_message_is_told_whenever_the_worker_dies_and_never_changes(
    app, house, ada, receiver, rounds, figure
):
    address = f"http://127.0.0.1:{receiver.server_port}"
    points = rounds(range(SPREAD, POINTS, 2 * SPREAD), range(1, POINTS + 1))
    with app.app_context():
        hooks = {path: hook(ada, path, view) for path, view in (("/thin", "THIN"), ("/full", "FULL"))}
        for point in points:
            happen(ada, point)
            house.leave()
            dying = Program(house, "worker", first=partial(die_at, point, address))
            assert dying.wait(PATIENCE_SECONDS * 6) == -signal.SIGKILL, dying.said()
        house.leave()
        last = Program(house, "worker", first=partial(die_at, 0, address))
        # However much is left, some of it is told in each span of patience.
        while waits(ada.organization_id):
            known = receiver.known()
            until(lambda known=known: receiver.known() > known or not waits(ada.organization_id))
        last.terminate()
        last.wait(PATIENCE_SECONDS * 6)
        begin_read(ada.organization_id)
        newest = db.session.scalar(
            sa.select(sa.func.max(AuditEvent.sequence)).where(
                AuditEvent.organization_id == ada.organization_id
            )
        )
        assert [each.message for each in checks.violations()] == []
        db.session.rollback()
    for path, (secret, name, begun) in hooks.items():
        assert receiver.taken[path] == {f"{name}{number}" for number in range(begun + 1, newest + 1)}
        for message_id in receiver.taken[path]:
            got = receiver.got[path, message_id]
            assert len({body for _, body in got}) == 1
            assert all(Webhook(secret).verify(body, headers) for headers, body in got)
    told = receiver.known()
    sent = sum(map(len, receiver.got.values()))
    assert sent - receiver.refused >= told
    figure(
        "webhooks, kill -9",
        f"{len(points)} kill points, {told} messages in {sent} tries, {receiver.refused} refused: 0 lost, 0 changed",
    )
