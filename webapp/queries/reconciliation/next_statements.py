"""What a bank's files state about the statement to reconcile next: its day, its balance, and its opening."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.models import FeedAccount, Import, ProviderBalance, Reconciliation
from webapp.queries.accounts import provider_balances
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.imports.imports import ImportAccountRecord
from webapp.queries.reconciliation import openings

UNLIKELY_SIGN: Final = "unlikely_sign"
# So close to the bank's figure, in parts of it, a balance with its opposite sign is that figure.
CLOSE: Final = 10


@dataclass(frozen=True, slots=True)
class NextStatement:
    """The day and the closing balance of the oldest file that ends after the last proof."""

    day: date
    balance: Money
    file_name: str


@dataclass(frozen=True, slots=True)
class StatedOpening:
    """The balance at the end of the day before the first line: as the bank states it, or what so many lines leave."""

    day: date
    balance: Money
    line_count: int | None = None


def next_statement(account: FeedAccount, after: date | None, today: date) -> NextStatement | None:
    """Give the statement to reconcile next, after the day of the newest proof.

    None where no imported file states one that has ended by today.
    """
    found = oldest_file(account, after)
    if found is None:
        return None
    file_name, stated = found
    if stated.closing_date is None or stated.closing_balance is None or stated.closing_date > today:
        return None
    return NextStatement(stated.closing_date, stated.closing_balance, file_name)


def stated_opening(account: FeedAccount) -> StatedOpening | None:
    """Give the opening balance that the oldest file states, None where it is nil or the books begin before the file."""
    found = oldest_file(account, None)
    if found is None:
        return None
    _, stated = found
    day = openings.day_before_first_line(account)
    if not stated.opening_balance or stated.first_date is None or day is None:
        return None
    if stated.first_date - timedelta(days=1) != day or openings.absorbed_minor(account, day):
        return None
    return StatedOpening(min(stated.opening_date or day, day), stated.opening_balance)


def oldest_file(account: FeedAccount, after: date | None) -> tuple[str, ImportAccountRecord] | None:
    """Find the file that states the oldest balance after a day, with what it states about the account."""
    import_id = db.session.scalar(*_oldest_stated(account.organization_id, account.id, after or date.min))
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


@made_once
def _oldest_stated(organization_id: str, fa_id: int, after: date) -> sa.Select[Any]:
    balance = ProviderBalance
    return (
        sa.select(balance.import_id)
        .where(
            balance.organization_id == organization_id,
            balance.feed_account_id == fa_id,
            balance.import_id.is_not(None),
            balance.day > after,
        )
        .order_by(balance.day, balance.id)
        .limit(1)
    )


@dataclass(frozen=True, slots=True)
class StatementWarning:
    """What is odd about the figures of a statement; `message` says what to send instead."""

    code: str
    message: str


def warnings(account: FeedAccount, draft: Reconciliation) -> list[StatementWarning]:
    """Give a warning where the sign of a statement's balance is unlike that of the bank on its day.

    Of a card whose bank states nothing, money in credit is unlikely.
    """
    stated, day = draft.statement_balance, draft.statement_date
    found = provider_balances.on(account.organization_id, {account.id: account.currency}, day)[account.id]
    is_card = account.account.type == "LIABILITY"
    if not _is_unlikely(stated, found.amount, is_card=is_card):
        return []
    known = (
        f"The bank's balance on {day:%-d %b %Y} is {found.amount}, and this is" if found.amount else "This is"
    )
    owed = " What you owe is negative." if is_card else ""
    sentence = f"{known} {stated}.{owed} If its sign is wrong, send {-stated} as statementBalance."
    return [StatementWarning(UNLIKELY_SIGN, sentence)]


def _is_unlikely(stated: Money, known: Money | None, *, is_card: bool) -> bool:
    if not known:
        return is_card and stated.minor > 0
    if (stated.minor > 0) == (known.minor > 0) or not stated:
        return False
    return is_card or abs(stated.minor + known.minor) * CLOSE <= abs(known.minor)
