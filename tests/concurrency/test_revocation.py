"""Whoever is turned away is so at once, whichever worker is asked over whichever connection (P39)."""

import contextlib
import http.client
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa

from tests.fixtures.people import address_in
from webapp.database.sessions import db
from webapp.models import Membership, User
from webapp.services.access import invitations, sessions, tokens, users

CONNECTIONS, REQUESTS, WORKERS = 16, 50, 4


class Crowd:
    """Sixteen connections that stay open, spread over the workers."""

    def __init__(self, address):
        self._connections = [
            http.client.HTTPConnection(urlsplit(address).netloc, timeout=30) for _ in range(CONNECTIONS)
        ]
        self._threads = ThreadPoolExecutor(CONNECTIONS)

    def statuses(self, headers, requests=REQUESTS):
        def ask(number):
            connection, found = self._connections[number], []
            for _ in range(number, requests, CONNECTIONS):
                connection.request("GET", "/api/projects?limit=1", headers=headers)
                with connection.getresponse() as answer:
                    answer.read()
                    found.append(answer.status)
            return found

        return [status for found in self._threads.map(ask, range(CONNECTIONS)) for status in found]

    def close(self):
        self._threads.shutdown()
        for connection in self._connections:
            connection.close()


@pytest.fixture
def crowd(gunicorn):
    with contextlib.closing(Crowd(gunicorn(WORKERS))) as crowd:
        yield crowd


class Newcomer:
    """A member with a token and a session of her own."""

    def __init__(self, ada, bank, number):
        self.ada, self.bank, self.email = ada, bank, f"eve{number}@example.com"
        self.user_id, self.token_id, token, cookie = bank.ask(self._come_in)
        self.by_token = {"Authorization": f"Bearer {token}"}
        self.by_session = {"Cookie": f"tieout={cookie}", "Sec-Fetch-Site": "same-origin"}

    def _come_in(self):
        now = datetime.now(UTC)
        organization_id = self.ada.organization_id
        _, secret = invitations.invite(
            organization_id, self.email, "bookkeeper", name="Eve", actor=self.ada.actor, now=now
        )
        member = invitations.accept(secret, password_hash=users.hash_password("one of her own"), now=now)
        token, text = tokens.create(member, actor=self.ada.actor, now=now, name="Eve's program")
        cookie = sessions.open_session(member.user_id, now=now, organization_id=organization_id)
        return member.user_id, token.id, text, cookie

    def switch_off(self):
        switched = sa.update(User).where(User.id == self.user_id).values(is_active=False)
        self.bank.ask(lambda: db.session.execute(switched))

    def change_password(self):
        hashed = users.hash_password("another one of hers")
        self.bank.ask(lambda: users.set_password(self.email, hashed))

    def lose_membership(self):
        key = (self.ada.organization_id, self.user_id)
        self.bank.ask(lambda: db.session.delete(db.session.get_one(Membership, key)))


def posted(crowd, eve, path, headers):
    """Do an act in her books over one of the crowd's connections; it is acknowledged when this returns."""
    connection = crowd._connections[0]  # noqa: SLF001
    connection.request("POST", address_in(eve.ada.organization_id, path), headers=headers)
    with connection.getresponse() as answer:
        answer.read()
        assert answer.status == 303


# What ends, by what act.
ENDS = {
    "the token is revoked": (
        ["by_token"],
        lambda crowd, eve: posted(crowd, eve, f"/settings/keys/{eve.token_id}/revoke", eve.by_session),
    ),
    "she signs out": (["by_session"], lambda crowd, eve: posted(crowd, eve, "/sign-out", eve.by_session)),
    "she is switched off": (["by_token", "by_session"], lambda _, eve: eve.switch_off()),
    "her password is changed": (["by_session"], lambda _, eve: eve.change_password()),
    "an owner removes her": (
        ["by_token", "by_session"],
        lambda crowd, eve: posted(crowd, eve, f"/settings/members/{eve.user_id}/remove", eve.owner),
    ),
    "her membership is gone": (["by_token", "by_session"], lambda _, eve: eve.lose_membership()),
}


def test_nobody_is_let_in_after_the_end_was_acknowledged(crowd, ada, bank, rounds, figure):
    times, let_in, asked = rounds(1, 200), 0, 0
    owner = {"Cookie": f"tieout={ada.cookie()}", "Sec-Fetch-Site": "same-origin"}
    for turn in range(times):
        for number, (credentials, end) in enumerate(ENDS.values()):
            eve = Newcomer(ada, bank, turn * len(ENDS) + number)
            eve.owner = owner
            for credential in credentials:
                assert set(crowd.statuses(getattr(eve, credential), CONNECTIONS)) == {200}
            end(crowd, eve)
            for credential in credentials:
                statuses = crowd.statuses(getattr(eve, credential), REQUESTS // len(credentials))
                asked += len(statuses)
                let_in += len(statuses) - statuses.count(401)
    figure(
        "P39",
        f"{len(ENDS)} ends x {times}, {WORKERS} workers, {CONNECTIONS} connections: {let_in} of {asked} let in",
    )
    assert let_in == 0
