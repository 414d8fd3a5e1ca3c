"""An import written in bulk: the lines of a file, the verdicts and the balances that the file states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.importers.bank_files import FileRefusedError
from webapp.models import FeedAccount, Import, ImportLine, Organization, ProviderBalance, Transaction
from webapp.queries import known_lines
from webapp.services import line_writes
from webapp.services.import_lines import PlannedLine
from webapp.services.import_plans import AccountPlan, Plan
from webapp.services.line_writes import LineTooLargeError, NewLine

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
    """Write the lines that the books do not know."""
    pending = [line for line in account.lines if line.line.pending and line.known_id is None]
    lines = [*account.added, *pending]
    try:
        line_ids = line_writes.write(
            writing.organization,
            _feed(account),
            [_new_line(line) for line in lines],
            now=writing.now,
            import_id=writing.imported.id,
        )
    except LineTooLargeError as error:
        row = lines[error.index].line.row
        raise FileRefusedError(f"Line {row} in {writing.organization.base_currency}: {error}") from None
    for line, line_id in zip(lines, line_ids, strict=True):
        line.known_id = line_id


def _new_line(planned: PlannedLine) -> NewLine:
    line = planned.line
    return NewLine(
        provider_transaction_id=line.provider_transaction_id,
        booked_on=line.booked_on,
        value_on=line.value_on,
        amount_minor=planned.amount_minor,
        description=line.description,
        counterparty=line.counterparty,
        reference=line.reference,
        iban=line.iban,
        line_key=planned.key.digest,
        occurrence=planned.key.occurrence,
        is_pending=line.pending,
    )


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
