"""Books of any size for benchmarks: confirmed lines of 24 months on 12 bank accounts, all but the last month proved."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from webapp import tenancy
from webapp.db import db, scope_session
from webapp.models import Account, FeedAccount, Organization, ProviderBalance, Reconciliation
from webapp.queries.checks import sums

ACCOUNTS, DAYS, MONTHS = 12, 730, 24
FIRST = date(2024, 11, 1)
LAST = FIRST + timedelta(days=DAYS - 1)
AT = datetime(2026, 11, 1, 9, tzinfo=UTC)
OPEN_ITEMS = 100
SUMS = importlib.import_module("webapp.migrations.versions.0004_keep_sums")

LINES = """
    INSERT INTO transactions (id, organization_id, feed_account_id, status, booked_on, amount_minor, currency,
        description, occurrence, journal_entry_id, created_at, updated_at)
    SELECT n.i + 1, :org, f.fa_id, 'BOOKED', d.day, n.amount, 'EUR', 'Line', 1, n.i + 1, :at, :at
    FROM numbers n JOIN feeds f ON f.i = n.feed JOIN days d ON d.i = n.day"""
ENTRIES = """
    INSERT INTO journal_entries (id, organization_id, effective_on, description, status, source, base_currency,
        action_request_id, created_at, posted_at, number)
    SELECT n.i + 1, :org, d.day, 'Line', 'POSTED', 'bank_feed', 'EUR', 'ar_' || CAST(100000000001 + n.i AS text), :at,
        :at, n.i + 1
    FROM numbers n JOIN days d ON d.i = n.day"""
BANK_LEGS = """
    INSERT INTO postings (id, organization_id, journal_entry_id, position, account_id, amount_minor, currency,
        amount_base_minor, base_currency, is_bank_leg, transaction_id)
    SELECT 2 * n.i + 1, :org, n.i + 1, 0, f.account_id, n.amount, 'EUR', n.amount, 'EUR', 1 = 1, n.i + 1
    FROM numbers n JOIN feeds f ON f.i = n.feed"""
COUNTER_LEGS = """
    INSERT INTO postings (id, organization_id, journal_entry_id, position, account_id, amount_minor, currency,
        amount_base_minor, base_currency, is_bank_leg)
    SELECT 2 * n.i + 2, :org, n.i + 1, 1, c.account_id, -n.amount, 'EUR', -n.amount, 'EUR', 1 = 0
    FROM numbers n JOIN counters c ON c.i = CASE WHEN n.i < :open_items THEN 0 ELSE 1 + n.i % (:counters - 1) END"""
ITEMS = """
    INSERT INTO reconciliation_items (organization_id, reconciliation_id, feed_account_id, transaction_id, is_standing,
        frozen_on, frozen_minor)
    SELECT :org, p.proof_id, f.fa_id, n.i + 1, 1 = 1, d.day, n.amount
    FROM numbers n JOIN feeds f ON f.i = n.feed JOIN days d ON d.i = n.day
    JOIN proofs p ON p.feed = n.feed AND p.month = d.month"""


def write(organization_id: str, postings: int, *, alike: bool = False) -> list[int]:
    """Fill an organization's books by bulk statements; answers the ids of its feed accounts' ledger accounts.

    Lines that are `alike` have one account, one day and one amount.
    """
    with tenancy.maintenance():
        # Only who owns the tables of PostgreSQL writes past their triggers.
        db.session.rollback()
        scope_session(organization_id)
        return _write(organization_id, postings, alike=alike)


def vacuum(engine: sa.Engine) -> None:
    """Do what autovacuum does some time after a large write; on a connection of its own, for ours begin with BEGIN."""
    plain = sa.create_engine(engine.url, isolation_level="AUTOCOMMIT")
    with plain.connect() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
    plain.dispose()


def _write(organization_id: str, postings: int, *, alike: bool) -> list[int]:
    organization = db.session.get_one(Organization, organization_id)
    feeds = [_feed(organization, number) for number in range(ACCOUNTS)]
    watched, *others = _counters(organization_id)
    counters = [watched, *others]
    days = [FIRST + timedelta(days=number) for number in range(DAYS)]
    proofs = [_proof(feed, month) for feed in feeds for month in range(MONTHS - 1)]
    db.session.flush()
    _table(
        "feeds", [(i, feed.id, feed.account_id) for i, feed in enumerate(feeds)], "i", "fa_id", "account_id"
    )
    _table("counters", list(enumerate(counters)), "i", "account_id")
    _table("days", [(i, day.isoformat(), _month(day)) for i, day in enumerate(days)], "i", "day", "month")
    _table(
        "proofs",
        [(at // (MONTHS - 1), at % (MONTHS - 1), proof.id) for at, proof in enumerate(proofs)],
        "feed",
        "month",
        "proof_id",
    )
    _numbers(postings // 2, alike=alike)
    _fill(organization_id, len(counters))
    return [feed.account_id for feed in feeds]


def _fill(organization_id: str, counters: int) -> None:
    engine = db.engine.dialect.name
    at = AT.isoformat() if engine == "postgresql" else AT.replace(tzinfo=None).isoformat(" ")
    values = {"org": organization_id, "at": at, "open_items": OPEN_ITEMS, "counters": counters}
    with without_triggers():
        for statement in (ENTRIES, LINES, BANK_LEGS, COUNTER_LEGS, ITEMS, *SUMS.filling(engine)):
            asked = sa.text(statement)
            named = {name: values[name] for name in asked.compile().params}
            db.session.execute(asked, named)
        # What the first migration added up is less than what is kept of lines by now.
        for model, counted in sums.counted_line_sums().items():
            db.session.execute(sa.delete(model))
            db.session.execute(sa.insert(model).from_select(counted.selected_columns.keys(), counted))
    if engine == "postgresql":
        for table in ("journal_entries", "transactions", "postings"):
            db.session.execute(sa.text(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))"))  # noqa: S608
    db.session.commit()


def _feed(organization: Organization, number: int) -> FeedAccount:
    named: dict[str, Any] = {"organization_id": organization.id, "created_at": AT, "updated_at": AT}
    account = Account(name=f"Bank {number}", type="ASSET", currency="EUR", **named)
    db.session.add(account)
    db.session.flush()
    feed = FeedAccount(
        name=f"Bank {number}", external_id=str(number), currency="EUR", account_id=account.id, **named
    )
    db.session.add(feed)
    db.session.flush()
    db.session.add(
        ProviderBalance(
            organization_id=organization.id,
            feed_account_id=feed.id,
            day=LAST,
            amount_minor=100_000,
            currency="EUR",
            received_at=AT,
        )
    )
    return feed


def _proof(feed: FeedAccount, month: int) -> Reconciliation:
    day = _first_of(month + 1) - timedelta(days=1)
    proof = Reconciliation(
        organization_id=feed.organization_id,
        feed_account_id=feed.id,
        status="COMPLETED",
        statement_date=day,
        statement_balance_minor=0,
        currency="EUR",
        opened_at=AT,
        opened_by={},
        frozen="{}",
        digest="0" * 64,
        left_open={},
        completed_at=AT,
        completed_by={},
    )
    db.session.add(proof)
    return proof


def _counters(organization_id: str) -> list[int]:
    """Give a watched account, and five that are not."""
    found = db.session.execute(
        sa.select(Account.id, Account.is_watched).where(
            Account.organization_id == organization_id, Account.type.in_(("EXPENSE", "INCOME"))
        )
    ).all()
    return [
        *[each for each, is_watched in found if is_watched][:1],
        *[each for each, is_watched in found if not is_watched][:5],
    ]


def _first_of(month: int) -> date:
    years, months = divmod(FIRST.month - 1 + month, 12)
    return date(FIRST.year + years, months + 1, 1)


def _month(day: date) -> int:
    return (day.year - FIRST.year) * 12 + day.month - FIRST.month


def _table(name: str, rows: list[tuple[Any, ...]], *columns: str) -> None:
    """Make a small table beside the books for the bulk statements to join."""
    kinds = ["date" if column == "day" else "bigint" for column in columns]
    listed = ", ".join(f"{column} {kind}" for column, kind in zip(columns, kinds, strict=True))
    db.session.execute(sa.text(f"CREATE TEMPORARY TABLE {name} ({listed})"))
    into = f"INSERT INTO {name} VALUES ({', '.join(f':{column}' for column in columns)})"  # noqa: S608
    db.session.execute(sa.text(into), [dict(zip(columns, row, strict=True)) for row in rows])


def _numbers(count: int, *, alike: bool) -> None:
    """Number the lines: each with its feed account, day and amount."""
    counted = f"(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count}) SELECT i FROM n)"  # noqa: S608
    if db.engine.dialect.name == "postgresql":
        counted = f"(SELECT CAST(generate_series(0, {count - 1}) AS bigint) AS i)"
    made = (
        f"SELECT i, 0 AS feed, {DAYS // 2} AS day, -1000 AS amount"
        if alike
        else f"SELECT i, i % {ACCOUNTS} AS feed, i * {DAYS} / {count} AS day, i * 7919 % 20001 - 10000 AS amount"
    )
    db.session.execute(sa.text(f"CREATE TEMPORARY TABLE numbers AS {made} FROM {counted} counted"))


@contextmanager
def without_triggers() -> Iterator[None]:
    """Write past the triggers, as a benchmark may that writes what they would."""
    if db.engine.dialect.name == "postgresql":
        db.session.execute(sa.text("SET LOCAL session_replication_role = replica"))
        yield
        db.session.execute(sa.text("SET LOCAL session_replication_role = origin"))
        return
    triggers = db.session.execute(sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
    for name, _ in triggers:
        db.session.execute(sa.text(f"DROP TRIGGER {name}"))
    yield
    for _, statement in triggers:
        db.session.connection().exec_driver_sql(statement)
