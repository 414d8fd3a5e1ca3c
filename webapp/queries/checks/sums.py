"""Kept sums: each is the sum of its postings or lines, and every posting that counts is in its register."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import first_of_month
from webapp.ledger.codes import IN_BOOKS
from webapp.models import (
    COUNTING,
    DaySum,
    JournalEntry,
    LineDaySum,
    LineMonthSum,
    MonthSum,
    Posting,
    Reconciliation,
    ReconciliationItem,
    RegisterLine,
    Transaction,
    refers_to,
)
from webapp.queries.checks.violations import Violation, found

ACCOUNT_KEYS = ("organization_id", "account_id", "currency", "day")
ACCOUNT_VALUES = ("amount_minor", "amount_base_minor")
LINE_KEYS = ("organization_id", "feed_account_id", "day")
LINE_VALUES = {
    LineDaySum: ("amount_minor", "unreconciled_count", "booked_count"),
    LineMonthSum: ("amount_minor", "unreconciled_count", "booked_count", "unconfirmed_count"),
}


def account_sums() -> Iterable[Violation]:
    """Find kept sums of accounts that are not what the postings of POSTED and VOIDED entries add up to."""
    for table, counted in counted_account_sums().items():
        yield from found(
            "sum_differs",
            _different(table, counted, ACCOUNT_KEYS, ACCOUNT_VALUES),
            lambda row: f"Account {row.account_id} has another sum for {row.day} than its postings.",
            lambda row: {"accountId": row.account_id, "currency": row.currency, "day": str(row.day)},
        )


def line_sums() -> Iterable[Violation]:
    """Find kept sums of bank lines that are not what the lines add up to."""
    for table, counted in counted_line_sums().items():
        yield from found(
            "line_sum_differs",
            _different(table, counted, LINE_KEYS, LINE_VALUES[table]),
            lambda row: f"Feed account {row.feed_account_id} has another sum for {row.day} than its lines.",
            lambda row: {"faId": row.feed_account_id, "day": str(row.day)},
        )


def counted_account_sums() -> dict[Any, sa.Select[Any]]:
    """Give for each table of sums of accounts the rows that the postings add up to."""
    return {
        table: _counted(
            (Posting.organization_id, Posting.account_id, Posting.currency, day),
            (Posting.amount_minor, Posting.amount_base_minor),
            ACCOUNT_KEYS + ACCOUNT_VALUES,
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(JournalEntry.status.in_(COUNTING))
        for table, day in _tables(DaySum, MonthSum, JournalEntry.effective_on)
    }


def counted_line_sums() -> dict[Any, sa.Select[Any]]:
    """Give for each table of sums of bank lines the rows that the lines add up to."""
    is_cleared = (
        sa.select(1)
        .select_from(ReconciliationItem)
        .join(Reconciliation, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .where(
            refers_to(ReconciliationItem.transaction_id, Transaction),
            ReconciliationItem.is_standing,
            Reconciliation.status == "COMPLETED",
        )
        .exists()
    )
    marker = orm.aliased(JournalEntry)
    is_draft = sa.and_(JournalEntry.status == "DRAFT", JournalEntry.corrects_id.is_(None))
    is_marked = (
        sa.select(1).where(refers_to(marker.corrects_id, JournalEntry), marker.status == "DRAFT").exists()
    )
    is_booked = Transaction.status == "BOOKED"
    counts = {
        "unreconciled_count": sa.and_(is_booked, ~is_cleared),
        "booked_count": is_booked,
        "unconfirmed_count": sa.and_(is_booked, sa.or_(is_draft, is_marked)),
    }
    return {
        table: _counted(
            (Transaction.organization_id, Transaction.feed_account_id, day),
            (
                Transaction.amount_minor,
                *(sa.case((counts[name], 1), else_=0) for name in LINE_VALUES[table][1:]),
            ),
            LINE_KEYS + LINE_VALUES[table],
        )
        .outerjoin(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(Transaction.status.in_(IN_BOOKS))
        for table, day in _tables(LineDaySum, LineMonthSum, Transaction.booked_on)
    }


def _counted(keys: tuple[Any, ...], values: tuple[Any, ...], names: tuple[str, ...]) -> sa.Select[Any]:
    """Select sums of values by keys, in the order and under the names of the columns of a table of sums."""
    columns = zip((*keys, *(sa.func.sum(value) for value in values)), names, strict=True)
    return sa.select(*(column.label(name) for column, name in columns)).group_by(*keys)


def registered() -> sa.Select[Any]:
    """Select the rows of the registers that the postings of POSTED and VOIDED entries make."""
    columns: list[Any] = [
        Posting.organization_id,
        Posting.account_id,
        JournalEntry.effective_on.label("day"),
        Posting.journal_entry_id,
        Posting.id.label("posting_id"),
    ]
    return (
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(JournalEntry.status.in_(COUNTING))
    )


def _tables(by_day: Any, by_month: Any, day: Any) -> tuple[tuple[Any, Any], ...]:
    return (by_day, day), (by_month, first_of_month(day))


def _different(table: Any, counted: Any, keys: tuple[str, ...], values: tuple[str, ...]) -> sa.Select[Any]:
    """Select the keys where counted and kept sums differ: both are united, the kept ones negated, and added up."""
    kept = sa.select(*(getattr(table, key) for key in keys), *(-getattr(table, value) for value in values))
    both = sa.union_all(counted, kept).subquery()
    columns = [both.c[key] for key in keys]
    return (
        sa.select(*columns)
        .group_by(*columns)
        .having(sa.or_(*(sa.func.sum(both.c[value]) != 0 for value in values)))
    )


def registers() -> Iterable[Violation]:
    """Find postings that count and are not in their account's register, and lines of a register without one."""
    line = RegisterLine
    is_registered = sa.and_(
        refers_to(line.posting_id, Posting),
        line.account_id == Posting.account_id,
        line.day == JournalEntry.effective_on,
        line.journal_entry_id == Posting.journal_entry_id,
    )
    missing = (
        sa.select(Posting.organization_id, Posting.account_id, Posting.journal_entry_id)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .outerjoin(line, is_registered)
        .where(JournalEntry.status.in_(COUNTING), line.posting_id.is_(None))
    )
    strange = (
        sa.select(line.organization_id, line.account_id, line.journal_entry_id)
        .outerjoin(Posting, refers_to(line.posting_id, Posting))
        .outerjoin(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            sa.func.coalesce(sa.and_(JournalEntry.status != "DRAFT", is_registered), sa.false()).is_(
                sa.false()
            )
        )
    )
    return found(
        "register_differs",
        sa.union_all(missing, strange),
        lambda row: (
            f"The register of account {row.account_id} does not have entry {row.journal_entry_id} as it is."
        ),
        lambda row: {"accountId": row.account_id, "journalEntryId": row.journal_entry_id},
    )


CHECKS = (account_sums, line_sums, registers)
