"""Of two acts that exclude each other one wins, and nothing is ever half of both (P12)."""

import contextlib
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest

from tests.concurrency.crowds import PATIENCE_SECONDS, Client
from webapp.queries import checks

WORKERS = 2


@pytest.fixture
def race(gunicorn, ada, ben):
    """Let two people send a request each at the same moment; answers both answers."""
    address = None

    def run(*asked):
        nonlocal address
        address = address or gunicorn(WORKERS)
        barrier = threading.Barrier(len(asked))

        def send(number):
            method, path, body = asked[number]
            with contextlib.closing(Client(address, (ada, ben)[number % 2].token)) as client:
                client.send("GET", "/api/projects")
                barrier.wait(PATIENCE_SECONDS)
                return client.send(method, path, body)

        with ThreadPoolExecutor(len(asked)) as threads:
            return list(threads.map(send, range(len(asked))))

    return run


def open_draft(desk, number):
    line = desk.bank.send(day_of(number), "1.00", f"Line {number}")
    desk.confirm(line)
    put = desk.put(day_of(number), f"{number + 1}.00")
    assert put.status_code == 200, put.json
    assert desk.clear(cleared=[line]).status_code == 200
    return line


def day_of(number):
    return (date(2026, 1, 1) + timedelta(days=number)).isoformat()


@pytest.mark.rare
def test_complete_against_abandon(race, bank, desk, rounds, figure):
    bank.open()
    count, seen = rounds(2, 200), Counter()
    for number in range(count):
        open_draft(desk, number)
        path = desk.path
        completed, abandoned = race(("POST", f"{path}/complete", {}), ("POST", f"{path}/abandon", {}))
        account = desk.account()
        seen[completed.status, abandoned.status] += 1
        won = completed.status == 200
        assert abandoned.body == {"ok": True}
        assert account["draft"] is None
        assert account["anchor"]["holds"] if number or won else account["anchor"] is None
        if not won:
            assert completed.body["code"] in ("no_draft", "stale_version")
            desk.put(day_of(number), f"{number + 1}.00")
            desk.clear(auto=True)
            assert desk.complete().status_code == 200
    figure("P12", f"complete against abandon, {count} rounds: {dict(seen)}, 0 mixed")
    assert set(seen) <= {(200, 200), (409, 200)}


@pytest.mark.rare
def test_complete_against_confirming_inside_the_statement(race, bank, desk, rounds, figure):
    bank.open()
    count, seen = rounds(2, 200), Counter()
    for number in range(count):
        line = open_draft(desk, number)
        late = bank.send(desk.line(line)["bookedOn"], "-9.00", "Left open")
        completed, confirmed = race(
            ("POST", f"{desk.path}/complete", {}), ("POST", f"/api/transactions/{late}/confirm", {})
        )
        seen[completed.status, confirmed.status] += 1
        anchor = desk.account()["anchor"]
        assert anchor["holds"], anchor
        told = {each["amount"] for each in desk.proof(anchor["id"])["outstanding"]}
        assert told <= {"-9.00"}
    figure("P12", f"complete against confirm in its period, {count} rounds: {dict(seen)}, 0 broken")
    assert set(seen) == {(200, 200)}
    assert bank.ask(lambda: list(checks.violations())) == []


@pytest.mark.rare
def test_reopen_against_abandon(race, bank, desk, rounds, figure):
    bank.open()
    count, seen = rounds(2, 200), Counter()
    open_draft(desk, 0)
    assert desk.complete().status_code == 200
    for _ in range(count):
        reopened, abandoned = race(
            ("POST", f"{desk.path}/reopen", {"reason": "A round"}), ("POST", f"{desk.path}/abandon", {})
        )
        assert (reopened.status, abandoned.body) == (200, {"ok": True})
        account = desk.account()
        seen["draft" if account["draft"] else "abandoned"] += 1
        assert account["anchor"] is None
        if account["draft"] is None:
            assert desk.put(day_of(0), "1.00").status_code == 200
        desk.clear(auto=True)
        assert desk.complete().status_code == 200
    figure("P12", f"reopen against abandon, {count} rounds: {dict(seen)}, 0 mixed")
    assert bank.ask(lambda: list(checks.violations())) == []
