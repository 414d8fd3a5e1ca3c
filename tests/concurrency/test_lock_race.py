"""Whoever posts while the period closes: posted before the lock, or not into the period at all (P6)."""

import contextlib
import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from random import Random

import sqlalchemy as sa

from tests.concurrency.crowds import PATIENCE_SECONDS, Client
from webapp.database.sessions import db
from webapp.models import AuditEvent, JournalEntry

POSTERS, WORKERS = 16, 4
DAY, LOCK = "2026-03-10", "2026-03-31"


def test_nothing_is_dated_in_a_period_after_its_lock_was_acknowledged(gunicorn, ada, bank, rounds, figure):
    count = rounds(3, 200)
    legs = [
        {"accountId": bank.account("Fees"), "amount": "1.00", "currency": "EUR"},
        {"accountId": bank.account("Owed", "LIABILITY"), "amount": "-1.00", "currency": "EUR"},
    ]
    manual = {"effectiveAt": DAY, "description": "By hand", "postings": legs, "post": True}
    lines = bank.send_many([(DAY, "-1.00", f"Line {number}") for number in range(count * POSTERS // 2)])
    address = gunicorn(WORKERS)
    statuses: Counter[tuple[str, int, str]] = Counter()
    with ThreadPoolExecutor(POSTERS + 1) as threads:
        for number in range(count):
            asked = [("POST", "/api/journal-entries", manual)] * (POSTERS // 2)
            mine = lines[number * POSTERS // 2 : (number + 1) * POSTERS // 2]
            asked += [("POST", f"/api/transactions/{line}/confirm", None) for line in mine]
            asked.append(("PUT", "/api/lock-date", {"lockDate": LOCK, "moveDrafts": True}))
            answers = list(threads.map(together(address, ada.token, number), asked))
            statuses.update(
                (answer.path.split("/")[2], answer.status, answer.body.get("code", "")) for answer in answers
            )
            opened = ada.browser().put("/api/lock-date", json={"lockDate": None, "reason": "The next round"})
            assert opened.status_code == 200
    late = bank.ask(entries_behind_the_lock)
    figure("P6", f"{POSTERS} posters against 1 lock, {count} rounds: {len(late)} behind it, {dict(statuses)}")
    assert late == []
    assert set(statuses) <= {
        ("journal-entries", 201, ""),
        ("journal-entries", 409, "period_locked"),
        ("transactions", 200, ""),
        ("lock-date", 200, ""),
    }


def together(address, token, seed):
    """Let everybody of a round begin at once, each after a moment of its own choosing."""
    barrier = threading.Barrier(POSTERS + 1)
    chance = Random(seed)  # noqa: S311  (the same ones every time)
    pauses = iter([chance.uniform(0, 0.03) for _ in range(POSTERS + 1)])

    def ask(request):
        pause = next(pauses)
        with contextlib.closing(Client(address, token)) as client:
            barrier.wait(PATIENCE_SECONDS)
            time.sleep(pause)
            return client.send(*request)

    return ask


def entries_behind_the_lock():
    """Find the entries whose act stands behind a lock in the audit chain, and that lie in its period all the same."""
    locked_at_last, is_locked = {}, False
    events = sa.select(AuditEvent.action_request_id, AuditEvent.kind, AuditEvent.body).order_by(
        AuditEvent.sequence
    )
    for act, kind, body in db.session.execute(events):
        if kind == "move_lock_date":
            is_locked = json.loads(body)["after"]["lockDate"] is not None
        locked_at_last[act] = is_locked
    posted = sa.select(JournalEntry.id, JournalEntry.action_request_id).where(
        JournalEntry.status == "POSTED", JournalEntry.effective_on <= date.fromisoformat(LOCK)
    )
    return [entry for entry, act in db.session.execute(posted) if locked_at_last[act]]
