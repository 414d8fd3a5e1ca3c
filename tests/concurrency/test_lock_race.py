"""Whoever posts while the period closes: posted before the lock, or not into the period at all (P6)."""

import contextlib
import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from random import Random

import pytest
import sqlalchemy as sa

from tests.concurrency.crowds import PATIENCE_SECONDS, Client
from webapp.database.sessions import db
from webapp.models import AuditEvent, JournalEntry

POSTERS, WORKERS = 16, 4
DAY, LOCK, CLOSE = "2026-03-10", "2026-03-31", "/api/closes/2026-03"


@pytest.mark.parametrize("way", ["lock", "close"])
def test_nothing_is_dated_in_a_period_after_its_lock_was_acknowledged(
    gunicorn, ada, bank, rounds, figure, way
):
    count = rounds(3, 200)
    legs = [
        {"accountId": bank.account("Fees"), "amount": "1.00", "currency": "EUR"},
        {"accountId": bank.account("Owed", "LIABILITY"), "amount": "-1.00", "currency": "EUR"},
    ]
    manual = {"effectiveAt": DAY, "description": "By hand", "postings": legs, "post": True}
    lines = bank.send_many([(DAY, "-1.00", f"Line {number}") for number in range(count * POSTERS // 2)])
    closing, answered = closing_by(way, ada)
    address, verdicts = gunicorn(WORKERS), Counter()
    statuses: Counter[tuple[str, int, str]] = Counter()
    with ThreadPoolExecutor(POSTERS + 1) as threads:
        for number in range(count):
            asked = [("POST", "/api/journal-entries", manual)] * (POSTERS // 2)
            mine = lines[number * POSTERS // 2 : (number + 1) * POSTERS // 2]
            asked += [("POST", f"/api/transactions/{line}/confirm", None) for line in mine]
            posters = [Client(address, ada.token) for _ in asked]
            closer = Client(address, ada.token, cookie="" if way == "lock" else ada.cookie())
            answers = list(threads.map(together(number), [*posters, closer], [*asked, closing]))
            statuses.update(
                (answer.path.split("/")[2], answer.status, answer.body.get("code", "")) for answer in answers
            )
            verdicts[reopened(way, ada)] += 1
    late = bank.ask(entries_behind_the_lock)
    figure(
        "P6", f"{POSTERS} posters against 1 {way}, {count} rounds: {len(late)} behind it, {dict(statuses)}"
    )
    assert late == []
    assert verdicts == {"HOLDS": count}
    assert statuses[answered] == count
    # On SQLite a writer waits for the close, and is told to come again where that takes long.
    assert {each for each in statuses if each[2] != "busy"} <= {
        ("journal-entries", 201, ""),
        ("journal-entries", 409, "period_locked"),
        ("transactions", 200, ""),
        answered,
    }


def closing_by(way, ada):
    """Give the call that locks the period, or that closes it as it is, and how it is answered."""
    if way == "lock":
        body = {"lockDate": LOCK, "moveDrafts": True}
        return ("PUT", "/api/lock-date", body), ("lock-date", 200, "")
    steps = ada.get(CLOSE).json["close"]["steps"]
    accept = [{"step": each["code"], "note": "As it is"} for each in steps]
    return ("POST", f"{CLOSE}/complete", {"accept": accept}), ("closes", 200, "")


def reopened(way, ada):
    """Open the period for the next round, and tell whether what a close froze was still so."""
    if way == "lock":
        verdict, answer = (
            "HOLDS",
            ada.browser().put("/api/lock-date", json={"lockDate": None, "reason": "On"}),
        )
    else:
        verdict = ada.get(CLOSE).json["close"]["verdict"]
        answer = ada.browser().post(f"{CLOSE}/reopen", json={"note": "The next round"})
    assert answer.status_code == 200, answer.json
    return verdict


def together(seed):
    """Let everybody of a round begin at once, each after a moment of its own choosing."""
    barrier = threading.Barrier(POSTERS + 1)
    chance = Random(seed)  # noqa: S311  (the same ones every time)
    pauses = iter([chance.uniform(0, 0.03) for _ in range(POSTERS + 1)])

    def ask(client, request):
        pause = next(pauses)
        with contextlib.closing(client):
            barrier.wait(PATIENCE_SECONDS)
            time.sleep(pause)
            return client.send(*request)

    return ask


def entries_behind_the_lock():
    """Find the entries whose act stands behind a lock in the audit chain, and that lie in its period all the same."""
    locked_at_last, is_locked = {}, False
    events = sa.select(AuditEvent.action_request_id, AuditEvent.body).order_by(AuditEvent.sequence)
    for act, body in db.session.execute(events):
        after = json.loads(body).get("after") or {}
        if "lockDate" in after:
            is_locked = after["lockDate"] is not None
        locked_at_last[act] = is_locked
    posted = sa.select(JournalEntry.id, JournalEntry.action_request_id).where(
        JournalEntry.status == "POSTED", JournalEntry.effective_on <= date.fromisoformat(LOCK)
    )
    return [entry for entry, act in db.session.execute(posted) if locked_at_last[act]]
