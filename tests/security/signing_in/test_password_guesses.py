"""Password guessing is bounded whatever way it comes (P42), and keeps nobody out who has signed in before (D7)."""

import logging
import random
import statistics
import time
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest
from argon2 import PasswordHasher
from flask import g

from webapp.services.access import sessions, users
from webapp.services.access.sign_in_tries import network_of
from webapp.web.access import browsers, request_state
from webapp.web.access.request_state import RequestState

LOCAL = {"Sec-Fetch-Site": "same-origin"}
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
PER_ACCOUNT, PER_NETWORK = 10, 20
NOBODY = "nobody@example.com"


@dataclass
class Door:
    """The form to sign in, at a clock that stands until it is moved on."""

    app: object
    now: datetime = datetime(2026, 11, 22, 9, tzinfo=UTC)
    evaluated: list = field(default_factory=list)

    def ask(self, email, password, address="10.0.0.1", *, client=None, **headers):
        form = {"email": email, "password": password}
        client = client or self.app.test_client()
        over_https = {"base_url": "https://localhost", "environ_base": {"REMOTE_ADDR": address}}
        return client.post("/sign-in", data=form, headers={**LOCAL, **headers}, **over_https)

    def guess(self, email, address="10.0.0.1", **options):
        answer = self.ask(email, "a wrong guess", address, **options)
        if answer.status_code == 401:
            self.evaluated.append((self.now, email, network_of(address)))
        else:
            assert answer.status_code == 429
            assert 1 <= int(answer.headers["Retry-After"]) <= 3601
        return answer

    def guesses(self, times, email, address="10.0.0.1", **options):
        return [self.guess(email, address, **options).status_code for _ in range(times)]


@pytest.fixture
def door(app, monkeypatch):
    found = Door(app)

    def begin(request_id, _id_of_client):
        g.request_state = RequestState(found.now, request_id)

    monkeypatch.setattr(request_state, "begin", begin)
    return found


@pytest.fixture
def checked(monkeypatch, ada):
    """Check passwords without hashing, which takes its time, and count how many were checked."""
    seen = []

    def verify(password_hash, password):
        seen.append(password)
        return bool(password_hash) and password == ada.password

    monkeypatch.setattr(sessions, "verify_password", verify)
    return seen


@pytest.fixture
def familiar(app, ada, door, checked):
    """A browser that Ada has signed in with before."""
    client = app.test_client()
    assert door.ask(ada.email, ada.password, client=client).status_code == 303
    checked.clear()
    return client


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize("email", ["ada@example.com", NOBODY])
def test_guesses_at_one_account_slide_with_the_clock(door, email):
    """Windows that begin anew let 9 and 10 pass within two seconds."""
    assert door.guesses(1, email) == [401]
    door.now += timedelta(seconds=59)
    assert door.guesses(8, email, "10.0.0.2") == [401] * 6 + [429] * 2
    door.now += timedelta(seconds=1)
    refused = door.guesses(3, email, "10.0.0.3")
    assert refused == [401, 429, 429]
    assert most_within(door.evaluated, MINUTE, 1) <= PER_ACCOUNT
    waits = door.guess(email, "10.0.0.4")
    assert (waits.headers["Retry-After"], "Wait 60 seconds" in waits.text) == ("60", True)
    door.now += timedelta(seconds=59)
    assert door.guess(email, "10.0.0.4").status_code == 401


@pytest.mark.usefixtures("checked")
def test_an_hour_of_one_network_slides_too(door):
    statuses = [door.guess(f"p{number}@example.com").status_code for number in range(22)]
    assert statuses == [401] * 20 + [429] * 2
    door.now += timedelta(minutes=59, seconds=59)
    assert door.guess("other@example.com").status_code == 429
    door.now += timedelta(seconds=1)
    assert door.guess("other@example.com").status_code == 401


@pytest.mark.usefixtures("checked")
def test_a_network_of_ipv6_is_one_address(door):
    statuses = [door.guess(f"p{n}@example.com", f"2001:db8::{n:x}:{n:x}").status_code for n in range(1, 23)]
    assert statuses == [401] * 20 + [429] * 2
    assert door.guess("other@example.com", "2001:db8:0:1::1").status_code == 401


@pytest.mark.usefixtures("checked")
def test_a_forwarded_address_is_not_believed_without_a_proxy_and_the_log_warns_once(app, door, caplog):
    app.extensions.pop("proxy_warning", None)
    with caplog.at_level(logging.WARNING, "tieout"):
        for number in range(20):
            door.guess(f"p{number}@example.com", "127.0.0.1", **{"X-Forwarded-For": f"10.9.8.{number}"})
    assert door.guess("other@example.com", "127.0.0.1").status_code == 429
    assert [each.message for each in caplog.records].count(browsers.UNTOLD_PROXY) == 1


def test_strangers_keep_nobody_out_of_a_familiar_browser(ada, door, familiar, checked):
    """Neither by guesses at the account, nor by guesses from what looks like one address behind a proxy."""
    assert door.guesses(12, ada.email) == [401] * 7 + [429] * 5
    for number in range(30):
        door.guess(f"p{number}@example.com")
    assert door.ask(ada.email, ada.password).status_code == 429
    assert door.ask(ada.email, ada.password, client=familiar).status_code == 303
    assert len(checked) == 21


def test_a_familiar_browser_guesses_no_more_than_others(app, ada, ben, door, familiar):
    """Its own budget is within the ten of the account, and good for no other account."""
    assert door.guesses(12, ada.email, client=familiar) == [401] * 10 + [429] * 2
    assert door.guesses(8, ben.email, "10.0.0.9", client=familiar) == [401] * 7 + [429]
    door.now += HOUR
    assert door.guesses(8, ada.email) == [401] * 7 + [429]
    assert door.guesses(4, ada.email, client=familiar) == [401] * 3 + [429]
    assert most_within(door.evaluated, MINUTE, 1) == PER_ACCOUNT


def test_the_secret_of_a_browser_ends_with_the_next_sign_in(app, ada, door, familiar):
    copied = app.test_client()
    copied.set_cookie("__Host-tieout-browser", familiar.get_cookie("__Host-tieout-browser").value)
    assert door.ask(ada.email, ada.password, client=familiar).status_code == 303
    assert door.guesses(8, ada.email, client=copied) == [401] * 7 + [429]
    assert door.ask(ada.email, ada.password, client=familiar).status_code == 303


def test_a_storm_of_guesses_is_bounded_in_every_window(app, ada, ben, door, checked, rounds, figure):
    """Many addresses, many accounts, a /64, made-up headers, and bursts at the edges of windows."""
    chance, times = random.Random(42), rounds(100, 10_000)  # noqa: S311  (the same storm each time)
    door.ask(ada.email, ada.password)
    familiar = app.test_client()
    assert door.ask(ada.email, ada.password, client=familiar).status_code == 303
    checked.clear()
    bodies = defaultdict(set)
    for turn in range(times):
        burst = chance.choice((0, 0, 0.001, 0.5) if turn % 20 else (59.999, 60, 900))
        door.now += timedelta(seconds=burst)
        address = chance.choice(
            (
                f"10.0.{turn % 250}.{chance.randrange(250)}",
                "192.0.2.1",
                f"2001:db8::{chance.randrange(9999):x}",
            )
        )
        email = chance.choice((ada.email, ada.email, NOBODY, f"p{turn}@example.com", ben.email))
        spoofed = {"X-Forwarded-For": f"10.{turn % 250}.1.1"} if turn % 3 else {}
        answer = door.guess(email, address, **spoofed)
        if answer.status_code == 401:
            bodies[email in (ada.email, ben.email)].add(answer.text.replace(email, ""))
    assert len(door.evaluated) == len(checked)
    assert bodies[True] == bodies[False]
    accounts, networks = most_within(door.evaluated, MINUTE, 1), most_within(door.evaluated, HOUR, 2)
    assert accounts <= PER_ACCOUNT
    assert networks <= PER_NETWORK
    assert door.ask(ada.email, ada.password, client=familiar).status_code == 303
    figure(
        "P42",
        f"{times} guesses, {len(door.evaluated)} evaluated: at most {accounts} a minute for one account "
        f"and {networks} an hour for one network",
    )


class NotingHasher(PasswordHasher):
    """Notes at what cost each password was hashed that it looked at."""

    costs: ClassVar[list[str]] = []

    def verify(self, hash, password):  # noqa: A002  (the library's own name)
        self.costs.append(hash.rsplit("$", 2)[0])
        return super().verify(hash, password)


def test_an_answer_takes_as_long_where_nobody_has_the_account(
    ada, door, monkeypatch, rounds, figure, pytestconfig
):
    """The same hashing in any run; in the long one also the time of the processor, in turns, with the real hashing."""
    hasher = rounds(NotingHasher(time_cost=1, memory_cost=1024, parallelism=1), NotingHasher())
    for module in (users, sessions):
        monkeypatch.setattr(module, "hasher", hasher)
    monkeypatch.setattr(users, "_dummy", [])
    # A password that is right is hashed anew at the present cost.
    assert door.ask(ada.email, ada.password).status_code == 303
    taken = {ada.email: [], NOBODY: []}
    for turn in range(rounds(2, 200)):
        door.now += MINUTE
        for email in (ada.email, NOBODY) if turn % 2 else (NOBODY, ada.email):
            hasher.costs.clear()
            began = time.process_time()
            assert door.guess(email, f"10.1.{turn}.1").status_code == 401
            taken[email].append(time.process_time() - began)
            assert hasher.costs == [hasher.hash("any").rsplit("$", 2)[0]]
    if pytestconfig.option.full:
        known, unknown = map(statistics.median, taken.values())
        figure(
            "P42", f"wrong password {known * 1000:.1f} ms, nobody's address {unknown * 1000:.1f} ms, medians"
        )
        assert abs(known - unknown) <= 0.1 * max(known, unknown)


def most_within(evaluated, span, place):
    """Count the most guesses of one account, or of one network, in any span of time."""
    instants = defaultdict(list)
    for guess in evaluated:
        instants[guess[place]].append(guess[0])
    return max(
        end + 1 - bisect_left(found, at - span + timedelta(microseconds=1))
        for found in instants.values()
        for end, at in enumerate(found)
    )
