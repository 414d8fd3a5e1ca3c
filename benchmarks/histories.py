"""Write books of any size: confirmed lines of 24 months on 12 bank accounts, all but the last month proved.

Every check of `tieout check` holds in them: each entry has its act and its event in the chain, each proof its document.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any

import sqlalchemy as sa

from webapp.database import tenancy
from webapp.database.sessions import db, scope_session
from webapp.ledger import chain
from webapp.ledger.canonical import canonical_json, instant_text, sha256_hex
from webapp.ledger.matching.lines import text_key
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    ActionRequest,
    AuditEvent,
    FeedAccount,
    Organization,
    ProviderBalance,
    Reconciliation,
    ReconciliationItem,
    RegisterLine,
    Transaction,
)
from webapp.queries.checks import sums
from webapp.services.storage import line_words

ACCOUNTS, DAYS, MONTHS = 12, 730, 24
FIRST = date(2024, 11, 1)
LAST = FIRST + timedelta(days=DAYS - 1)
AT = datetime(2026, 11, 1, 9, tzinfo=UTC)
OPEN_ITEMS = 100
SHOPS = 200
FIRST_ACT, ROWS_AT_ONCE = 100_000_000_001, 5000
ACTOR: dict[str, object] = {"kind": "TOKEN", "id": 1, "name": "A program"}

LINES = """
    INSERT INTO transactions (id, organization_id, feed_account_id, status, booked_on, amount_minor, currency,
        description, text_key, occurrence, journal_entry_id, created_at, updated_at)
    SELECT n.i + 1, :org, f.fa_id, 'BOOKED', d.day, n.amount, 'EUR', s.description, s.text_key, 1, n.i + 1, :at, :at
    FROM numbers n JOIN feeds f ON f.i = n.feed JOIN days d ON d.i = n.day JOIN shops s ON s.i = n.shop"""
ENTRIES = """
    INSERT INTO journal_entries (id, organization_id, effective_on, description, status, source, base_currency,
        action_request_id, created_at, posted_at, number)
    SELECT n.i + 1, :org, d.day, s.description, 'POSTED', 'bank_feed', 'EUR',
        'ar_' || CAST(100000000001 + n.i AS text), :at, :at, n.i + 1
    FROM numbers n JOIN days d ON d.i = n.day JOIN shops s ON s.i = n.shop"""
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
    """Fill an organization's empty books by bulk statements; return the ids of its feed accounts' ledger accounts.

    Lines that are `alike` have one account, one day, one amount and one text.
    """
    with tenancy.maintenance():
        # Only who owns the tables of PostgreSQL writes past their triggers.
        db.session.rollback()
        scope_session(organization_id)
        accounts = _rows(organization_id, postings, alike=alike)
        with _without_triggers():
            _acts(organization_id, postings // 2)
            _freeze(organization_id)
        db.session.commit()
    return accounts


def _rows(organization_id: str, postings: int, *, alike: bool) -> list[int]:
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
    texts = [f"Card payment Shop {number}" for number in range(SHOPS)]
    _table(
        "shops",
        [(i, text, text_key(text, None)) for i, text in enumerate(texts)],
        "i",
        "description",
        "text_key",
    )
    _numbers(postings // 2, alike=alike)
    _fill(organization_id, len(counters))
    return [feed.account_id for feed in feeds]


def _fill(organization_id: str, counters: int) -> None:
    engine = db.engine.dialect.name
    at = AT.isoformat() if engine == "postgresql" else AT.replace(tzinfo=None).isoformat(" ")
    values = {"org": organization_id, "at": at, "open_items": OPEN_ITEMS, "counters": counters}
    with _without_triggers():
        for statement in (ENTRIES, LINES, BANK_LEGS, COUNTER_LEGS, ITEMS):
            asked = sa.text(statement)
            db.session.execute(asked, {name: values[name] for name in asked.compile().params})
        # What creating the accounts added up is less than what is kept by now.
        kept = {**sums.counted_account_sums(), **sums.counted_line_sums(), RegisterLine: sums.registered()}
        for model, counted in kept.items():
            db.session.execute(sa.delete(model))
            db.session.execute(sa.insert(model).from_select(counted.selected_columns.keys(), counted))
    line_words.index(db.session.connection())
    if engine == "postgresql":
        for table in ("journal_entries", "transactions", "postings"):
            db.session.execute(sa.text(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))"))  # noqa: S608


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
    kinds = [{"day": "date", "description": "text"}.get(column, "bigint") for column in columns]
    listed = ", ".join(f"{column} {kind}" for column, kind in zip(columns, kinds, strict=True))
    db.session.execute(sa.text(f"CREATE TEMPORARY TABLE {name} ({listed})"))
    into = (
        f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join(f':{column}' for column in columns)})"  # noqa: S608
    )
    db.session.execute(sa.text(into), [dict(zip(columns, row, strict=True)) for row in rows])


def _numbers(count: int, *, alike: bool) -> None:
    """Number the lines: each with its feed account, day and amount."""
    counted = f"(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count}) SELECT i FROM n)"  # noqa: S608
    if db.engine.dialect.name == "postgresql":
        counted = f"(SELECT CAST(generate_series(0, {count - 1}) AS bigint) AS i)"
    made = (
        f"SELECT i, 0 AS feed, {DAYS // 2} AS day, -1000 AS amount, 0 AS shop"
        if alike
        else f"SELECT i, i % {ACCOUNTS} AS feed, i * {DAYS} / {count} AS day,"
        f" i * 7919 % 20001 - 10000 AS amount, i % {SHOPS} AS shop"
    )
    db.session.execute(sa.text(f"CREATE TEMPORARY TABLE numbers AS {made} FROM {counted} counted"))


@contextmanager
def _without_triggers() -> Iterator[None]:
    """Write past the triggers, as a benchmark may that writes what they would."""
    if db.engine.dialect.name == "postgresql":
        db.session.execute(sa.text("SET LOCAL session_replication_role = replica"))
        db.session.execute(sa.text("SET LOCAL statement_timeout = 0"))
        yield
        db.session.execute(sa.text("SET LOCAL session_replication_role = origin"))
        return
    triggers = db.session.execute(sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
    for name, _ in triggers:
        db.session.execute(sa.text(f"DROP TRIGGER {name}"))
    yield
    for _, statement in triggers:
        db.session.connection().exec_driver_sql(statement)


def _acts(organization_id: str, count: int) -> None:
    """Write the act that confirmed each line, with its event in the chain."""
    head = db.session.execute(
        sa.select(AuditEvent.sequence, AuditEvent.body, AuditEvent.previous_hash, AuditEvent.hash)
        .where(AuditEvent.organization_id == organization_id)
        .order_by(AuditEvent.sequence.desc())
        .limit(1)
    ).one()
    links = _links(organization_id, count, chain.Link(*head))
    while some := list(islice(links, ROWS_AT_ONCE)):
        db.session.execute(sa.insert(ActionRequest), [request for request, _ in some])
        db.session.execute(sa.insert(AuditEvent), [event for _, event in some])


def _links(
    organization_id: str, count: int, last: chain.Link
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for number in range(1, count + 1):
        facts: dict[str, Any] = {
            "kind": "confirm_transaction",
            "status": "EXECUTED",
            "note": "",
            "payload": {"note": ""},
            "before": {"status": "DRAFT"},
            "after": {"status": "POSTED", "journalEntryIds": [number]},
            "result": {
                "journalEntryIds": [number],
                "documentRelationIds": [],
                "deletedJournalEntryIds": [],
                "voidedJournalEntryIds": [],
            },
            "error": "",
        }
        act_id = f"ar_{FIRST_ACT + number - 1}"
        body = {
            **facts,
            "organizationId": organization_id,
            "at": instant_text(AT),
            "actionRequestId": act_id,
            "actor": {**ACTOR, "userId": 1},
            "requestId": f"{number:024x}",
            "address": "127.0.0.1",
            "target": {"kind": "transaction", "id": str(number)},
        }
        last = chain.link(body, after=last)
        sequence, text, previous_hash, hash_ = astuple(last)
        yield (
            {
                **facts,
                "id": act_id,
                "organization_id": organization_id,
                "actor": ACTOR,
                "target_kind": "transaction",
                "target_id": str(number),
                "title": "Confirmed Card payment of 2 Mar as Uncategorised expenses",
                "created_at": AT,
                "decided_at": AT,
            },
            {
                "organization_id": organization_id,
                "sequence": sequence,
                "at": AT,
                "kind": "confirm_transaction",
                "action_request_id": act_id,
                "body": text,
                "previous_hash": previous_hash,
                "hash": hash_,
            },
        )


def _freeze(organization_id: str) -> None:
    """Give each proof its balance, its document and the proof before it."""
    previous: Reconciliation | None = None
    for proof in db.session.scalars(
        sa.select(Reconciliation)
        .where(Reconciliation.organization_id == organization_id)
        .order_by(Reconciliation.feed_account_id, Reconciliation.statement_date)
    ).all():
        if previous is not None and previous.feed_account_id != proof.feed_account_id:
            previous = None
        lines = _lines(proof)
        opening = previous.statement_balance_minor if previous else 0
        closing = opening + sum(amount for _, _, _, amount, _ in lines)
        proof.statement_balance_minor = closing
        proof.previous_id = previous.id if previous else None
        proof.frozen = canonical_json(_document(proof, opening, lines, previous.digest if previous else None))
        proof.digest = sha256_hex(proof.frozen)
        db.session.flush()
        previous = proof


def _lines(proof: Reconciliation) -> list[Any]:
    return list(
        db.session.execute(
            sa.select(
                Transaction.id,
                Transaction.journal_entry_id,
                Transaction.booked_on,
                Transaction.amount_minor,
                Transaction.description,
            )
            .join(ReconciliationItem, ReconciliationItem.transaction_id == Transaction.id)
            .where(
                ReconciliationItem.organization_id == proof.organization_id,
                ReconciliationItem.reconciliation_id == proof.id,
            )
            .order_by(Transaction.booked_on, Transaction.id)
        )
    )


def _document(
    proof: Reconciliation, opening: int, lines: list[Any], previous_digest: str | None
) -> dict[str, object]:
    closing = str(Money(proof.statement_balance_minor, proof.currency))
    return {
        "id": proof.id,
        "organizationId": proof.organization_id,
        "faId": proof.feed_account_id,
        "currency": proof.currency,
        "statementDate": proof.statement_date.isoformat(),
        "statementBalance": closing,
        "openingDate": None,
        "openingBalance": str(Money(opening, proof.currency)),
        "ledgerBalance": closing,
        "keepAsNew": False,
        "openingEntryId": None,
        "completedAt": instant_text(AT),
        "previousDigest": previous_digest,
        "outstanding": [],
        "inTransit": [],
        "lines": [
            {
                "transactionId": line_id,
                "journalEntryId": entry_id,
                "date": day.isoformat(),
                "amount": str(Money(amount, proof.currency)),
                "description": text,
            }
            for line_id, entry_id, day, amount, text in lines
        ],
    }
