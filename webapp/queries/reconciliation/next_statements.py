"""What a bank's files state about the statement to reconcile next: its day, its balance, and its opening."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.models import FeedAccount, Import, ProviderBalance, refers_to
from webapp.queries.common import lookups
from webapp.queries.imports.imports import ImportAccountRecord
from webapp.queries.reconciliation import openings, reconciliations


@dataclass(frozen=True, slots=True)
class NextStatement:
    """The day and the closing balance of the oldest file that ends after the last proof."""

    day: date
    balance: Money
    file_name: str


@dataclass(frozen=True, slots=True)
class StatedOpening:
    """The balance that the bank states for the end of the day before the first line."""

    day: date
    balance: Money


def next_statement(account: FeedAccount, today: date) -> NextStatement | None:
    """Give the statement to reconcile next, None where no imported file states one that has ended by today."""
    anchor = reconciliations.anchor_of(account)
    after = anchor.statement_date if anchor is not None else None
    found = _oldest_file(account, after)
    if found is None:
        return None
    file_name, stated = found
    if stated.closing_date is None or stated.closing_balance is None or stated.closing_date > today:
        return None
    return NextStatement(stated.closing_date, stated.closing_balance, file_name)


def stated_opening(account: FeedAccount) -> StatedOpening | None:
    """Give the opening balance that the oldest file states, None where it is nil or the books begin before the file."""
    found = _oldest_file(account, None)
    if found is None:
        return None
    _, stated = found
    day = openings.day_before_first_line(account)
    if not stated.opening_balance or stated.first_date is None or day is None:
        return None
    if stated.first_date - timedelta(days=1) != day or openings.absorbed_minor(account, day):
        return None
    return StatedOpening(min(stated.opening_date or day, day), stated.opening_balance)


def _oldest_file(account: FeedAccount, after: date | None) -> tuple[str, ImportAccountRecord] | None:
    """Find the file that states the oldest balance after a day, with what it states about the account."""
    statement = (
        sa.select(ProviderBalance.import_id)
        .where(refers_to(ProviderBalance.feed_account_id, account), ProviderBalance.import_id.is_not(None))
        .order_by(ProviderBalance.day, ProviderBalance.id)
        .limit(1)
    )
    if after is not None:
        statement = statement.where(ProviderBalance.day > after)
    import_id = db.session.scalar(statement)
    if import_id is None:
        return None
    imported = lookups.get(Import, account.organization_id, import_id)
    return next(
        (
            (imported.file_name, ImportAccountRecord.of(each))
            for each in imported.accounts
            if each["fa_id"] == account.id
        ),
        None,
    )
