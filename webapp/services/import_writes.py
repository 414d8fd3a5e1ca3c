"""An import written in bulk: the lines of a file, their drafts, the verdicts and the balances that the file states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.db import allocate_ids, db
from webapp.importers.bank_files import FileRefusedError
from webapp.ledger.chart import uncategorised
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.rates import mirror
from webapp.models import (
    FeedAccount,
    Import,
    ImportLine,
    JournalEntry,
    Organization,
    Posting,
    ProviderBalance,
    Transaction,
)
from webapp.queries import accounts, known_lines, openings, rate_tables
from webapp.queries.rate_tables import RateTable
from webapp.services.import_lines import PlannedLine
from webapp.services.import_plans import AccountPlan, Plan

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Writing:
    """The import that is written, in whose books, and when."""

    organization: Organization
    imported: Import
    now: datetime

    def row(self, **facts: Any) -> Row:
        """Give a row of the organization's."""
        return {"organization_id": self.organization.id, **facts}


def write(writing: Writing, plan: Plan) -> None:
    """Write what a plan says; every account of it has its feed account by now."""
    position = 0
    for account in plan.accounts:
        _write_lines(writing, account)
        _replace_pending(writing, account)
        _write_balances(writing, account)
        position = _write_verdicts(writing, account, position)
        _feed(account).last_feed_at = writing.now
    db.session.flush()


def _feed(account: AccountPlan) -> FeedAccount:
    feed_account = account.target.feed_account
    if feed_account is None:
        raise RuntimeError("The account was not opened before its lines were written.")
    return feed_account


def _write_lines(writing: Writing, account: AccountPlan) -> None:
    """Write the lines that the books do not know, the booked ones each with its draft."""
    feed_account = _feed(account)
    booked = account.added
    pending = [line for line in account.lines if line.line.pending and line.known_id is None]
    opening_day = openings.opening_day(writing.organization.id, feed_account.id)
    entry_ids = _write_entries(writing, booked)
    line_ids = allocate_ids(_table(Transaction), len(booked) + len(pending))
    rows = []
    for line, entry_id, line_id in zip(
        [*booked, *pending], [*entry_ids, *[None] * len(pending)], line_ids, strict=True
    ):
        line.known_id = line_id
        rows.append(_line_row(writing, feed_account, line, entry_id, _status(line, opening_day)))
    _insert(Transaction, rows)
    _insert(Posting, _posting_rows(writing, feed_account, zip(booked, entry_ids, strict=True)))


def _status(line: PlannedLine, opening_day: date | None) -> str:
    if line.line.pending:
        return "PENDING"
    return "SET_ASIDE" if opening_day is not None and line.line.booked_on <= opening_day else "BOOKED"


def _line_row(
    writing: Writing, feed_account: FeedAccount, planned: PlannedLine, entry_id: int | None, status: str
) -> Row:
    line = planned.line
    return writing.row(
        id=planned.known_id,
        feed_account_id=feed_account.id,
        provider_transaction_id=line.provider_transaction_id,
        status=status,
        booked_on=line.booked_on,
        value_on=line.value_on,
        amount_minor=planned.amount_minor,
        currency=feed_account.currency,
        description=line.description,
        counterparty=line.counterparty,
        reference=line.reference,
        iban=line.iban,
        line_key=planned.key.digest,
        occurrence=planned.key.occurrence,
        import_id=writing.imported.id,
        removed_by_import_id=None,
        journal_entry_id=entry_id,
        created_at=writing.now,
        updated_at=writing.now,
    )


def _write_entries(writing: Writing, booked: Sequence[PlannedLine]) -> Sequence[int]:
    """Write a draft for each line, on its own day or the first open one."""
    organization = writing.organization
    lock = organization.lock_date
    first_open = None if lock is None else lock + timedelta(days=1)
    ids = allocate_ids(_table(JournalEntry), len(booked))
    _insert(
        JournalEntry,
        [
            writing.row(
                id=entry_id,
                effective_on=max(line.line.booked_on, first_open) if first_open else line.line.booked_on,
                description=line.line.description,
                status="DRAFT",
                source="bank_feed",
                base_currency=organization.base_currency,
                created_at=writing.now,
            )
            for entry_id, line in zip(ids, booked, strict=True)
        ],
    )
    return ids


def _posting_rows(
    writing: Writing, feed_account: FeedAccount, drafts: Iterable[tuple[PlannedLine, int]]
) -> list[Row]:
    """Give the bank leg of each draft and the leg that waits for its account, mirrored at the booking day's rate."""
    drafts = list(drafts)
    organization = writing.organization
    base = organization.base_currency
    rates = _rates(organization, feed_account.currency, [line.line.booked_on for line, _ in drafts])
    waiting = {
        role: accounts.by_role(organization.id, role.value).id
        for role in {uncategorised(line.amount_minor) for line, _ in drafts}
    }
    rows = []
    for line, entry_id in drafts:
        mirrored = _mirrored(line, feed_account.currency, base, rates)
        shared = writing.row(journal_entry_id=entry_id, currency=feed_account.currency, base_currency=base)
        rows += [
            {
                **shared,
                "position": 0,
                "account_id": feed_account.account_id,
                "amount_minor": line.amount_minor,
                "amount_base_minor": mirrored,
                "is_bank_leg": True,
                "transaction_id": line.known_id,
            },
            {
                **shared,
                "position": 1,
                "account_id": waiting[uncategorised(line.amount_minor)],
                "amount_minor": -line.amount_minor,
                "amount_base_minor": None if mirrored is None else -mirrored,
                "is_bank_leg": False,
                "transaction_id": None,
            },
        ]
    return rows


def _rates(organization: Organization, currency: str, days: Sequence[date]) -> RateTable:
    if not days:
        return RateTable()
    return rate_tables.between(organization.id, currency, organization.base_currency, min(days), max(days))


def _mirrored(line: PlannedLine, currency: str, base: str, rates: RateTable) -> int | None:
    if currency == base:
        return line.amount_minor
    rate = rates.on(line.line.booked_on)
    try:
        return None if rate is None else mirror(line.amount_minor, currency, base, rate)
    except UnprocessableError as error:
        raise FileRefusedError(f"Line {line.line.row} in {base}: {error}") from None


def _replace_pending(writing: Writing, account: AccountPlan) -> None:
    """Let the pending lines of this file be the only ones of their account."""
    repeated = {line.known_id for line in account.lines if line.line.pending and line.known_id is not None}
    there = known_lines.pending_ids(_feed(account))
    _set_pending(writing, sorted(repeated - there), "PENDING", None)
    _set_pending(writing, sorted(there - repeated), "REMOVED", writing.imported.id)


def _set_pending(writing: Writing, ids: Sequence[int], status: str, removed_by: int | None) -> None:
    if not ids:
        return
    line = _table(Transaction)
    db.session.execute(
        sa.update(line)
        .where(line.c.organization_id == writing.organization.id, line.c.id == sa.bindparam("line_id"))
        .values(status=status, removed_by_import_id=removed_by, updated_at=writing.now),
        [{"line_id": line_id} for line_id in ids],
    )


def _write_balances(writing: Writing, account: AccountPlan) -> None:
    """Keep the closing balances that the file states for a day.

    A balance that an earlier file stated word for word keeps that file's place in the order of receipt:
    reading a file once more must not make an old balance the last one of its day.
    """
    feed_account = _feed(account)
    for amount, balance in account.closings:
        if balance.day is None:
            continue
        first = db.session.scalar(
            sa.select(sa.func.min(ProviderBalance.received_at)).where(
                ProviderBalance.organization_id == writing.organization.id,
                ProviderBalance.feed_account_id == feed_account.id,
                ProviderBalance.day == balance.day,
                ProviderBalance.amount_minor == amount.minor,
                ProviderBalance.stated_at.is_not_distinct_from(balance.stated_at),
            )
        )
        facts = writing.row(
            feed_account_id=feed_account.id,
            day=balance.day,
            amount_minor=amount.minor,
            currency=amount.currency,
            stated_at=balance.stated_at,
            received_at=first or writing.now,
            import_id=writing.imported.id,
        )
        _insert(ProviderBalance, [facts])


def _write_verdicts(writing: Writing, account: AccountPlan, position: int) -> int:
    """Keep what became of each row; answers the position after the last."""
    rows = [_verdict(line.line.row, line.verdict, line.reason, line.known_id) for line in account.lines]
    rows += [_verdict(row.row, "SKIPPED", row.reason, None, row.text) for row in account.skipped]
    rows.sort(key=lambda facts: int(facts["row"]))
    rows = [
        writing.row(import_id=writing.imported.id, position=place, **facts)
        for place, facts in enumerate(rows, position)
    ]
    _insert(ImportLine, rows)
    return position + len(rows)


def _verdict(row: int, verdict: str, reason: str, transaction_id: int | None, text: str | None = None) -> Row:
    facts = {"row": row, "verdict": verdict, "reason": reason, "text": text}
    return {**facts, "transaction_id": transaction_id}


def _table(model: Any) -> sa.Table:
    table: sa.Table = model.__table__
    return table


def _insert(model: Any, rows: Sequence[Row]) -> None:
    """Insert rows in bulk, around the session's own objects."""
    if rows:
        db.session.execute(sa.insert(_table(model)), rows)
