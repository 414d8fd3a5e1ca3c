"""The lines of one bank account as a bookkeeper works through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.chart import UNCATEGORISED
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    JournalEntry,
    Merchant,
    Posting,
    Project,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.paging import Page, page
from webapp.queries.common.search import matches_text_or_amount
from webapp.queries.matching import line_joins
from webapp.queries.matching.line_joins import BankChangeRecord, LineOrigins
from webapp.queries.rules import runs
from webapp.queries.suggestions import likely_accounts
from webapp.queries.transactions import other_sides, pending_corrections, transactions
from webapp.queries.transactions.transactions import NEWEST, TransactionRecord

SHOWS = ("statement", "open", "unconfirmed", "pending", "all")


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What the list of lines is narrowed to."""

    show: str = "all"
    q: str | None = None
    from_date: date | None = None
    to_date: date | None = None
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The open draft as the list of lines needs it."""

    id: int
    statement_date: date


def open_draft(organization_id: str, fa_id: int) -> Draft | None:
    """Find the open draft of an account."""
    row = db.session.execute(
        sa.select(Reconciliation.id, Reconciliation.statement_date).where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.feed_account_id == fa_id,
            Reconciliation.status == "DRAFT",
        )
    ).one_or_none()
    return Draft(*row) if row is not None else None


def lines(
    organization_id: str,
    fa_id: int,
    narrowing: Narrowing,
    *,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[Mapping[str, Any]]:
    """List an account's lines, newest first, with the names that a person reads."""
    draft = open_draft(organization_id, fa_id)
    statement = sa.select(Transaction).where(
        *_searched(organization_id, fa_id, narrowing), shown(narrowing.show, draft)
    )
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(named(organization_id, transactions.records(organization_id, found.items), draft))


def line(transaction: Transaction) -> Mapping[str, Any]:
    """Give one line with the names that a person reads."""
    organization_id = transaction.organization_id
    draft = open_draft(organization_id, transaction.feed_account_id)
    return named(organization_id, [transactions.record(transaction)], draft)[0]


def counts(organization_id: str, fa_id: int, narrowing: Narrowing) -> dict[str, int]:
    """Count the lines behind each tab, in one statement."""
    draft = open_draft(organization_id, fa_id)
    tabs = [sa.func.count().filter(shown(show, draft)).label(show) for show in SHOWS]
    row = db.session.execute(
        sa.select(*tabs).select_from(Transaction).where(*_searched(organization_id, fa_id, narrowing))
    ).one()
    return {show: int(getattr(row, show)) for show in SHOWS}


def unconfirmed(organization_id: str, transaction_ids: Sequence[int]) -> list[int]:
    """Keep those of these lines that wait for somebody to confirm them, in their order."""
    statement = sa.select(Transaction.id).where(
        Transaction.organization_id == organization_id,
        Transaction.id.in_(transaction_ids),
        shown("unconfirmed", None),
    )
    waiting = set(db.session.scalars(statement))
    return [each for each in transaction_ids if each in waiting]


def total(organization_id: str, transaction_ids: Sequence[int], currency: str) -> Money:
    """Add up lines of one account."""
    statement = sa.select(sa.func.coalesce(sa.func.sum(Transaction.amount_minor), 0)).where(
        Transaction.organization_id == organization_id, Transaction.id.in_(transaction_ids)
    )
    return Money(int(db.session.scalar(statement) or 0), currency)


def count_uncategorised(organization_id: str, transaction_ids: Sequence[int]) -> int:
    """Count which of these lines would be posted to an uncategorised account if they were confirmed."""
    statement = (
        sa.select(sa.func.count(sa.distinct(Transaction.id)))
        .join(JournalEntry, _confirms())
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Transaction.organization_id == organization_id,
            Transaction.id.in_(transaction_ids),
            Account.role.in_(UNCATEGORISED),
        )
    )
    return int(db.session.scalar(statement) or 0)


def _searched(organization_id: str, fa_id: int, narrowing: Narrowing) -> list[sa.ColumnElement[bool]]:
    conditions = [
        Transaction.organization_id == organization_id,
        Transaction.feed_account_id == fa_id,
    ]
    if narrowing.q:
        conditions.append(matches_text_or_amount(narrowing.q))
    if narrowing.from_date:
        conditions.append(Transaction.booked_on >= narrowing.from_date)
    if narrowing.to_date:
        conditions.append(Transaction.booked_on <= narrowing.to_date)
    return conditions


def shown(show: str, draft: Draft | None) -> sa.ColumnElement[bool]:
    """Say in SQL which lines a tab shows; what vanished without ever being posted is no line any more."""
    is_booked = Transaction.status == "BOOKED"
    if show == "pending":
        return Transaction.status == "PENDING"
    if show == "unconfirmed":
        return sa.and_(is_booked, is_unconfirmed())
    if show in ("statement", "open") and draft is not None:
        of_statement = sa.and_(
            is_booked, Transaction.booked_on <= draft.statement_date, sa.not_(transactions.is_reconciled())
        )
        return of_statement if show == "statement" else sa.and_(of_statement, sa.not_(_is_cleared(draft)))
    return sa.or_(Transaction.status != "REMOVED", Transaction.journal_entry_id.is_not(None))


def is_unconfirmed() -> sa.ColumnElement[bool]:
    """Say in SQL that a line's entry is a draft or has an open correction marker."""
    return sa.select(1).where(_confirms()).exists()


def _confirms() -> sa.ColumnElement[bool]:
    """Say in SQL that an entry is what confirming a line posts: its draft, or the marker of its posted entry."""
    return sa.and_(
        of_same_organization(JournalEntry, Transaction),
        JournalEntry.status == "DRAFT",
        sa.or_(
            JournalEntry.id == Transaction.journal_entry_id,
            JournalEntry.corrects_id == Transaction.journal_entry_id,
        ),
    )


def _is_cleared(draft: Draft) -> sa.ColumnElement[bool]:
    return (
        sa.select(1)
        .where(
            refers_to(ReconciliationItem.transaction_id, Transaction),
            ReconciliationItem.reconciliation_id == draft.id,
        )
        .exists()
    )


def named(
    organization_id: str, records: Sequence[TransactionRecord], draft: Draft | None
) -> list[Mapping[str, Any]]:
    """Give lines with names, and whether they are cleared or may be."""
    names = _Names(organization_id, records)
    ids = [record.id for record in records]
    cleared = _cleared(organization_id, ids)
    known = line_joins.of_lines(organization_id, ids)
    other_side = other_sides.of_records(organization_id, records)
    by_rules = runs.set_fields(organization_id, ids)
    likely = likely_accounts.of_lines(organization_id, records)
    wanted = pending_corrections.of_records(organization_id, records)
    return [
        {
            **_named(record, names, cleared, draft),
            **other_side[record.id],
            "known": known[record.id],
            "by_rules": by_rules.get(record.id, set()),
            "likely": likely.get(record.id),
            "wanted": wanted.get(record.id, []),
            "bank_change": _bank_change(record, known[record.id]),
        }
        for record in records
    ]


def _bank_change(record: TransactionRecord, known: LineOrigins) -> BankChangeRecord | None:
    """Give what the bank changed last, as long as it waits for somebody or no entry is posted on it."""
    last = known.changes[0] if known.changes else None
    is_settled = record.entry_status == "POSTED" and record.correction_marker_id is None
    if last is None or record.status not in IN_BOOKS or (is_settled and "bookedOn" not in last.after):
        return None
    return last


class _Names:
    def __init__(self, organization_id: str, records: Sequence[TransactionRecord]) -> None:
        parts = [part for record in records for part in (record, *(record.splits or ()))]
        self.accounts = lookups.by_id(Account, organization_id, {part.account_id for part in parts})
        self.merchants = lookups.by_id(Merchant, organization_id, {part.org_merchant_id for part in parts})
        self.projects = lookups.by_id(Project, organization_id, {part.project_id for part in parts})

    def of(self, part: Any) -> dict[str, Any]:
        account = self.accounts.get(part.account_id)
        merchant = self.merchants.get(part.org_merchant_id)
        project = self.projects.get(part.project_id)
        return {
            "account_name": account and account.name,
            "is_uncategorised": account is not None and account.role in UNCATEGORISED,
            "merchant_name": merchant and merchant.name,
            "project_name": project and project.name,
        }


def _cleared(organization_id: str, transaction_ids: list[int]) -> set[int]:
    rows = db.session.scalars(
        sa.select(ReconciliationItem.transaction_id).where(
            ReconciliationItem.organization_id == organization_id,
            ReconciliationItem.transaction_id.in_(transaction_ids),
            ReconciliationItem.is_standing,
        )
    )
    return {line_id for line_id in rows if line_id is not None}


def _named(
    record: TransactionRecord, names: _Names, cleared: set[int], draft: Draft | None
) -> dict[str, Any]:
    shown_fields = {each.name: getattr(record, each.name) for each in fields(record)}
    splits = [
        {**{each.name: getattr(split, each.name) for each in fields(split)}, **names.of(split)}
        for split in record.splits or ()
    ]
    return {
        **shown_fields,
        **names.of(record),
        "splits": splits or None,
        "cleared": record.id in cleared,
        "clearable": draft is not None
        and record.status == "BOOKED"
        and record.booked_on <= draft.statement_date
        and record.reconciliation_id is None,
    }
