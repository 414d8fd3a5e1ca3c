"""Measure how long a drop folder of e-invoices takes until each is filed, and what that time is spent on.

    python -m benchmarks.documents.filing [INVOICES] [sqlite|postgresql]

Half are UBL and half CII, of two hundred senders with amounts of their own, beside 10,000 bank lines, which pay each
twentieth. It runs what `tieout watch --once` runs, with the two seconds for which files must lie still. The time of
reading is that of `contents` and `pack` alone; that of the disk is spent waiting for it, together in several threads.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import date
from pathlib import Path

import sqlalchemy as sa
from click.testing import CliRunner

from benchmarks import histories
from tests.fixtures import invoices
from tests.fixtures.houses import House
from tests.fixtures.stores import PostgresqlServer, SqliteFiles
from webapp import tenancy
from webapp.cli import main as tieout
from webapp.db import db, scope_session
from webapp.models import Document, DocumentRelation, Transaction
from webapp.models.base import table_of
from webapp.services.documents.invoices import contents
from webapp.services.storage import stored_files

INVOICES, LINES, SENDERS = 10_000, 10_000, 200
PAID = 20
GOAL_SECONDS = 60
FIRST, LAST = date(2026, 3, 2), date(2026, 4, 20)


def main(count: int, engine: str) -> bool:
    """Measure and print; answers whether the bar is met."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as place:
        store = SqliteFiles(Path(place)) if engine == "sqlite" else PostgresqlServer("filing", "benchmark")
        house = House(store, Path(place))
        house.refresh()
        try:
            with house.app.app_context():
                organization_id = house.people["ada"].organization_id
                scope_session(organization_id)
                histories.write(organization_id, 2 * LINES)
                folder = Path(place) / "drop"
                _fill(folder, count)
                _pay(organization_id, count)
                return _measured(folder, organization_id, count, engine)
        finally:
            house.leave()
            store.close()


def _measured(folder: Path, organization_id: str, count: int, engine: str) -> bool:
    begun = time.process_time()
    for path in folder.iterdir():
        data = path.read_bytes()
        contents(data)
        stored_files.pack(data)
    reading = time.process_time() - begun
    with _counted_waits() as waits:
        begun, before = time.perf_counter(), time.process_time()
        words = ["watch", str(folder), "--organization", organization_id, "--once"]
        with redirect_stdout(sys.stderr):
            result = CliRunner().invoke(tieout, words, catch_exceptions=False)
        wall, cpu = time.perf_counter() - begun, time.process_time() - before
    scope_session(organization_id)
    filed, attached = (
        db.session.scalar(
            sa.select(sa.func.count()).select_from(model).where(model.organization_id == organization_id)
        )
        for model in (Document, DocumentRelation)
    )
    print(
        f"{filed:,} of {count:,} invoices filed on {engine}, {attached:,} attached, exit {result.exit_code}"
    )
    print(
        f"{wall:.1f} s in all, {wall / count * 1000:.2f} ms each; promised are {GOAL_SECONDS} s for {INVOICES:,}"
    )
    print(f"CPU of the process {cpu / count * 1000:.2f} ms each: reading {reading / count * 1000:.2f} ms,")
    print(
        f"books and moving {(cpu - reading) / count * 1000:.2f} ms; waits for the disk {sum(waits):.1f} s in"
    )
    print(f"{len(waits):,} calls")
    return filed == count and wall <= GOAL_SECONDS * count / INVOICES


@contextmanager
def _counted_waits() -> Iterator[list[float]]:
    """Collect how long each wait for the disk took, but those of the database."""
    waits: list[float] = []
    fsync = os.fsync

    def timed(descriptor: int) -> None:
        begun = time.perf_counter()
        fsync(descriptor)
        waits.append(time.perf_counter() - begun)

    os.fsync = timed
    try:
        yield waits
    finally:
        os.fsync = fsync


def _fill(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        name = f"RE-{number:06}"
        make, net = (invoices.ubl, "150.00") if number % 2 else (invoices.cii, "100.00")
        due = f"{1000 + number // 2}.{number % 2 * 50:02}"
        sender = number % SENDERS
        facts = {
            "number": name,
            "remittance": name,
            "seller": f"Supplier {sender} Ltd",
            "seller_vat": f"DE{100000000 + sender}",
        }
        data = make(**facts, gross=due, due=due, iban=f"DE{sender:020}")
        assert net.encode() in data  # noqa: S101
        (folder / f"{name}.xml").write_bytes(data)


def _pay(organization_id: str, count: int) -> None:
    """Let some lines say which invoice they pay, and have its amount."""
    table = table_of(Transaction)
    of_it = Transaction.organization_id == organization_id
    near = sa.select(Transaction.id).where(of_it, Transaction.booked_on.between(FIRST, LAST))
    ids = db.session.scalars(near.order_by(Transaction.id).limit(count // PAID)).all()
    with tenancy.maintenance():
        db.session.rollback()
        scope_session(organization_id)
        with histories.without_triggers():
            for place, line_id in enumerate(ids):
                number = place * PAID
                minor = (1000 + number // 2) * 100 + number % 2 * 50
                text = f"Supplier {number % SENDERS} Ltd RE-{number:06}"
                changed = sa.update(table).where(
                    table.c.organization_id == organization_id, table.c.id == line_id
                )
                db.session.connection().execute(
                    changed, {"amount_minor": -minor, "description": text, "updated_at": histories.AT}
                )
        db.session.execute(sa.text("ANALYZE"))
        db.session.commit()


if __name__ == "__main__":
    given = sys.argv[1:]
    numbers = [int(each) for each in given if each.isdecimal()]
    sys.exit(0 if main(*(numbers or [INVOICES]), "postgresql" if "postgresql" in given else "sqlite") else 1)
