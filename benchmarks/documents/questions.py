"""Measure what documents cost: lists, searches and candidates over 100,000 of them beside 10,000, and filing one more.

    python -m benchmarks.documents.questions [DOCUMENTS] [sqlite|postgresql]

Half of the documents have an amount of their own, the other half one that all share, and a day within a year; every
fifth has a text of two thousand characters, of some forty thousand words that are as often as in a language. There are
as many bank lines. Times are the least of some rounds: CPU on
SQLite, the clock's on PostgreSQL, for its server works too.
"""

import logging
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks import histories
from tests.fixtures import invoices
from tests.fixtures.houses import House
from tests.fixtures.stores import PostgresqlServer, SqliteFiles
from webapp import tenancy
from webapp.db import db, scope_session
from webapp.models import Document, Transaction
from webapp.queries.documents import candidates, documents, payments, same_invoices
from webapp.queries.documents.documents import DocumentFilters
from webapp.services.audit.act import Actor
from webapp.services.documents import documents as acts
from webapp.services.documents.sent_files import SentFile

DOCUMENTS, ROUNDS, FILED = 100_000, 5, 20
FIRST, DAYS, SHARED = date(2025, 1, 1), 365, 9_99
NOW = datetime(2026, 11, 25, 3, tzinfo=UTC)
LENGTH, WORDS = 2_000, 40_000
EVERYWHERE, ODD = "Invoice of 20 sheets of paper, delivered on Tuesday.", "Zinnia, Größe 7"
SIZES = {
    "sqlite": "SELECT sum(length(block)) FROM document_texts_data",
    "postgresql": "SELECT pg_relation_size('ix_documents_texts')",
}


SIZE = "bytes of the index"


def main(count: int, engine: str) -> None:
    """Measure and print both sizes."""
    logging.disable(logging.INFO)
    few, many = (measured(each, engine) for each in (count // 10, count))
    size = many.pop(SIZE)
    print(f"{size:,.0f} bytes a document in the index of texts; {few.pop(SIZE):,.0f} where they are fewer")
    for name, seconds in many.items():
        ratio = seconds / max(few[name], 0.0001)
        print(f"{name:<48}{few[name] * 1000:9.1f} ms {seconds * 1000:9.1f} ms {ratio:6.1f} x")


def measured(count: int, engine: str) -> dict[str, float]:
    """Give the seconds of each question over so many documents."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteFiles(Path(folder)) if engine == "sqlite" else PostgresqlServer("documents", str(count))
        house = House(store, Path(folder))
        house.refresh()
        try:
            with house.app.app_context():
                return _measured(house.people["ada"].organization_id, count)
        finally:
            house.leave()
            store.close()


def _measured(organization_id: str, count: int) -> dict[str, float]:
    scope_session(organization_id)
    histories.write(organization_id, 2 * count)
    scope_session(organization_id)
    _fill(organization_id, count)
    with tenancy.maintenance():
        db.session.rollback()
        db.session.execute(sa.text("ANALYZE"))
        db.session.commit()
    scope_session(organization_id)
    clock = time.process_time if db.engine.dialect.name == "sqlite" else time.perf_counter

    def listed(**filters: Any) -> Any:
        return documents.listed(organization_id, DocumentFilters(**filters), after=None, limit=50)

    own, shared = (_document(organization_id, number) for number in (count // 2 + 1, count // 2))
    line = db.session.scalars(
        sa.select(Transaction).where(Transaction.organization_id == organization_id).limit(1)
    ).one()
    asked: dict[str, Callable[[], Any]] = {
        "the list": listed,
        "the list of what is attached to nothing": lambda: listed(related=False),
        "the list of a day": lambda: listed(from_=FIRST, to=FIRST),
        "a search for a number": lambda: listed(q=own.number),
        "a search for a word of one text": lambda: listed(q="zinnia"),
        "a search for a word of no ASCII letters": lambda: listed(q="größe"),
        "a search for an amount": lambda: listed(q=f"{(10_000 + count // 2 + 1) / 100:.2f}"),
        "a search for two letters": lambda: listed(q="re"),
        "a search for what nothing has": lambda: listed(q="nowhere at all"),
        "a search for a word of every text": lambda: listed(q="delivered"),
        "a search for two words of no one text": lambda: listed(q="tuesday zinnia"),
        "a search for a sender of many": lambda: listed(q="supplier 17"),
        "the lines of a document": lambda: candidates.of_document(own),
        "the lines of one over the shared amount": lambda: candidates.of_document(shared),
        "the documents of a line": lambda: candidates.documents_of_line(line),
        "the payment of a document": lambda: payments.of_documents(organization_id, [own.id]),
        "the payment of one over the shared amount": lambda: payments.of_documents(
            organization_id, [shared.id]
        ),
        "the documents that a new line pays": lambda: payments.of_lines(organization_id, [line.id]),
        "the same invoice": lambda: same_invoices.same_invoice(own),
    }
    size = db.session.execute(sa.text(SIZES[db.engine.dialect.name])).scalar_one() / count
    found = {SIZE: size, **{name: _best(act, clock) for name, act in asked.items()}}
    found["filing an e-invoice"] = _filing(organization_id, clock)
    return found


def _document(organization_id: str, number: int) -> Document:
    asked = sa.select(Document).where(
        Document.organization_id == organization_id, Document.number == f"RE-{number:07}"
    )
    return db.session.scalars(asked).one()


def _best(act: Callable[[], Any], clock: Callable[[], float]) -> float:
    times = []
    for _ in range(ROUNDS):
        begun = clock()
        act()
        times.append(clock() - begun)
    return min(times)


def _filing(organization_id: str, clock: Callable[[], float]) -> float:
    """File some e-invoices with all that becomes of them; answers the seconds of one."""
    actor = Actor(organization_id, "COMMAND", None, "A benchmark")
    begun = clock()
    for number in range(FILED):
        name = f"NEW-{number:05}"
        file = SentFile(f"{name}.xml", invoices.ubl(number=name, remittance=name))
        acts.create({}, file, actor=actor, now=NOW)
        db.session.commit()
        scope_session(organization_id)
    return (clock() - begun) / FILED


def _words() -> list[str]:
    """Make up words, the later the longer, of letters as often as in English."""
    chosen = random.Random(20)  # noqa: S311  (the same each time)
    letters = "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwffggyyppbbvkjxqz"
    return [
        "".join(chosen.choices(letters, k=2 + chosen.randrange(3 + rank.bit_length())))
        for rank in range(WORDS)
    ]


def _text(number: int, words: Sequence[str]) -> str:
    """Write a text of a document, in which a word is the rarer the later it is among the words."""
    chosen = random.Random(number)  # noqa: S311
    parts, length = [EVERYWHERE if number else f"{EVERYWHERE} {ODD}"], len(EVERYWHERE)
    while length < LENGTH:
        word = words[int(WORDS ** chosen.random()) - 1]
        parts.append(word)
        length += len(word) + 1
    return " ".join(parts)


def _fill(organization_id: str, count: int) -> None:
    """Write the documents, and give every second line the amount that they share."""
    words = _words()
    rows = [
        {
            "organization_id": organization_id,
            "document_type": "BILL",
            "number": f"RE-{number:07}",
            "sender": f"Supplier {number % 500}",
            "issued_on": FIRST + timedelta(days=number % DAYS),
            "currency": "EUR",
            "original_currency": "EUR",
            "total_minor": SHARED if number % 2 == 0 else 10_000 + number,
            "due_minor": SHARED if number % 2 == 0 else 10_000 + number,
            "text": None if number % 5 else _text(number, words),
            "set_by_hand": [],
            "created_at": NOW,
            "updated_at": NOW,
        }
        for number in range(count)
    ]
    for at in range(0, count, 5_000):
        db.session.execute(sa.insert(Document), rows[at : at + 5_000])
    db.session.commit()
    with tenancy.maintenance():
        scope_session(organization_id)
        with histories.without_triggers():
            of_it = Transaction.organization_id == organization_id
            db.session.execute(
                sa.update(Transaction)
                .where(of_it, Transaction.id % 2 == 0)
                .values(amount_minor=-SHARED, updated_at=NOW),
                execution_options={"synchronize_session": False},
            )
        db.session.commit()


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:] if each.isdecimal()]
    main(*(given or [DOCUMENTS]), "postgresql" if "postgresql" in sys.argv else "sqlite")
