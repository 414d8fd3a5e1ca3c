"""Every change of the books has its record in the audit trail, and the trail proves itself (P55)."""

import json
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from tests.concurrency.crowds import all_at_once
from tests.fixtures.helpers.keepers import NAMES, Keeper, Known
from webapp.database.sessions import Base, db
from webapp.ledger.chain import Link, first_break, hash_of
from webapp.models import AuditEvent
from webapp.queries import checks

# What is no change of the books: the trail itself, what the database keeps of them by triggers, when a token was
# last used, and the answer to a batch for whoever sends it again.
BESIDE = {
    *("action_requests", "audit_events", "api_tokens", "browser_sessions", "feed_pushes", "touched_proofs"),
    *("bound_rows", "written_rows"),
    *("day_sums", "month_sums", "line_day_sums", "line_month_sums", "register_lines"),
}
WRITERS = 16


def books() -> list[Any]:
    """Read every row of the books themselves."""
    return [
        tuple(map(repr, db.session.execute(sa.select(table).order_by(*table.primary_key)).all()))
        for table in Base.metadata.sorted_tables
        if table.name not in BESIDE
    ]


def trail() -> list[AuditEvent]:
    return list(
        db.session.scalars(sa.select(AuditEvent).order_by(AuditEvent.organization_id, AuditEvent.sequence))
    )


class Witness:
    """Asks as Ada does, and compares what each request changed with what the trail says of it."""

    def __init__(self, ada, bank) -> None:
        self.ada, self.bank = ada, bank
        self.counts: Counter[str] = Counter()
        self.wrong: list[object] = []
        self.before = bank.ask(books)
        self.seen = self.count()

    def count(self) -> int:
        return self.bank.ask(lambda: db.session.scalar(sa.select(sa.func.count()).select_from(AuditEvent)))

    def ask(self, method: str, path: str, **options: Any) -> tuple[int, Any]:
        answer = self.ada.ask(method, path, headers={"X-Request-Id": "chosen-by-the-client"}, **options)
        request_id = answer.headers["X-Request-Id"]
        if method != "GET":
            self.look(method, path, request_id)
        return answer.status_code, answer.json

    def look(self, method: str, path: str, request_id: str) -> None:
        after, total = self.bank.ask(books), self.count()
        events = self.bank.ask(lambda: links_of(self.ada.organization_id))
        new = [json.loads(event.body) for event in events[len(events) - (total - self.seen) :]]
        executed = [body for body in new if body["status"] == "EXECUTED"]
        has_changed = after != self.before
        self.before, self.seen = after, total
        self.counts["changes" if has_changed else "refusals" if new else "nothing"] += 1
        self.counts["events"] += len(new)
        if has_changed != bool(executed) or not all(self.is_told(body, request_id) for body in new):
            self.wrong.append((method, path, has_changed, new))

    def is_told(self, body: dict[str, Any], request_id: str) -> bool:
        """Tell whether an event says who did what, from where, on which request, and what it changed."""
        actor = {
            "kind": "TOKEN",
            "id": self.ada.token_id,
            "name": "Ada's program",
            "userId": self.ada.user_id,
        }
        facts = (body["actor"], body["requestId"], body["address"], body["organizationId"])
        says_what = body["status"] == "FAILED" or any(body[key] for key in ("before", "after", "result"))
        is_utc = body["at"].endswith("Z")
        return facts == (actor, request_id, "127.0.0.1", self.ada.organization_id) and says_what and is_utc


def test_every_change_has_its_record_and_every_record_its_change(ada, bank, rounds, figure):
    witness = Witness(ada, bank)
    keeper, chance = Keeper(witness.ask, Known.equip(bank)), Random(55)  # noqa: S311  (the same ones every time)
    witness.before, witness.seen = bank.ask(books), witness.count()
    for _ in range(rounds(30, 1000)):
        keeper.act(chance.choice(NAMES), chance)
    figure(
        "P55",
        f"{keeper.counts.total()} writes {dict(witness.counts)}: {len(witness.wrong)} without their record",
    )
    assert witness.wrong == []
    assert witness.counts["changes"] > 0 < witness.counts["refusals"]
    assert bank.ask(lambda: list(checks.violations())) == []


def links_of(organization_id: str) -> list[Link]:
    return [
        Link(each.sequence, each.body, each.previous_hash, each.hash)
        for each in trail()
        if each.organization_id == organization_id
    ]


def edit(links: list[Link], place: int) -> None:
    links[place] = replace(links[place], body=links[place].body.replace('"at":"20', '"at":"19'))


def edit_and_hash(links: list[Link], place: int) -> None:
    """Change an event and everything that hangs on it, so that the chain itself holds again."""
    edit(links, place)
    for index in range(place, len(links)):
        previous = links[index - 1].hash if index else links[index].previous_hash
        links[index] = replace(
            links[index], previous_hash=previous, hash=hash_of(previous, links[index].body)
        )


def delete(links: list[Link], place: int) -> None:
    del links[place]


def insert(links: list[Link], place: int) -> None:
    after = links[place]
    links.insert(place + 1, Link(after.sequence + 1, after.body, after.hash, hash_of(after.hash, after.body)))


def reorder(links: list[Link], place: int) -> None:
    links[place - 1], links[place] = links[place], links[place - 1]


def cut(links: list[Link], place: int) -> None:
    del links[place:]


@pytest.fixture
def links(ada, bank):
    """The chain of books in which somebody did this and that."""
    for number in range(20):
        ada.post("/api/projects", json={"name": f"Film {number}"})
    return bank.ask(lambda: links_of(ada.organization_id))


def test_every_tampering_shows_against_a_head_that_was_noted_elsewhere(links, rounds, figure):
    head, chance, missed = links[-1].hash, Random(1000), []  # noqa: S311  (the same ones every time)
    assert first_break(links, head=head) is None
    count = rounds(100, 1000)
    kinds = (edit, edit_and_hash, delete, insert, reorder, cut)
    for number in range(count):
        tampered, place = list(links), chance.randrange(1, len(links))
        tamper = kinds[number % len(kinds)]
        tamper(tampered, place)
        if first_break(tampered, head=head) is None:
            missed.append((tamper.__name__, place))
    figure("P55", f"{count - len(missed)} of {count} tampers with {len(links)} events found")
    assert missed == []


def test_sixteen_writers_fork_no_chain(gunicorn, ada, ben, bank, rounds, figure):
    each = rounds(2, 50)
    lines = bank.send_many([("2026-03-02", "-1.00", f"Line {number}") for number in range(WRITERS * each)])
    before = len(bank.ask(lambda: links_of(ada.organization_id)))
    paths = [
        [f"/api/transactions/{line}/confirm" for line in lines[start::WRITERS]] for start in range(WRITERS)
    ]
    all_at_once(gunicorn(2), [ada.token, ben.token], paths)
    links = bank.ask(lambda: links_of(ada.organization_id))
    followed = Counter(link.previous_hash for link in links)
    forks = sum(times > 1 for times in followed.values())
    figure("P55", f"{WRITERS} writers, {len(links) - before} events: {forks} forks")
    assert len(links) - before == WRITERS * each
    assert forks == 0
    assert first_break(links) is None
