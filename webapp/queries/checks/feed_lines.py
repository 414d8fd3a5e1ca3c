"""Lines of feeds and joins: each id has its own row, and a joined row is not in the books."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.ledger.codes import IN_BOOKS
from webapp.models import FeedLine, LineJoin, Transaction, of_same_organization, refers_to
from webapp.queries.checks.violations import Violation, found


def _feed_lines(*wrong: sa.ColumnElement[bool]) -> sa.Executable:
    return (
        sa.select(
            FeedLine.organization_id,
            FeedLine.feed_account_id,
            FeedLine.provider_transaction_id,
            FeedLine.transaction_id.label("line_id"),
            Transaction.status,
        )
        .outerjoin(Transaction, refers_to(FeedLine.transaction_id, Transaction))
        .where(*wrong)
        .order_by(FeedLine.feed_account_id, FeedLine.provider_transaction_id)
    )


def _id_and_line(row: Any) -> dict[str, object]:
    return {
        "faId": row.feed_account_id,
        "providerTransactionId": row.provider_transaction_id,
        "transactionId": row.line_id,
    }


def without_line() -> Iterable[Violation]:
    """Find ids that a feed added and never removed, and that have no line."""
    return found(
        "feed_line_without_line",
        _feed_lines(FeedLine.event != "REMOVED", Transaction.id.is_(None)),
        lambda row: f"The feed gave {row.provider_transaction_id}, and there is no line for it.",
        _id_and_line,
    )


def of_another_account() -> Iterable[Violation]:
    """Find ids whose line is of another feed account."""
    return found(
        "feed_line_of_another_account",
        _feed_lines(Transaction.feed_account_id != FeedLine.feed_account_id),
        lambda row: f"{row.provider_transaction_id} names line {row.line_id}, which is another account's.",
        _id_and_line,
    )


def of_another_state() -> Iterable[Violation]:
    """Find ids that are pending in the feed and booked in the books, or the other way round."""
    return found(
        "feed_line_state",
        _feed_lines(
            FeedLine.event != "REMOVED",
            sa.or_(
                sa.and_(FeedLine.is_pending, Transaction.status.in_(IN_BOOKS)),
                sa.and_(sa.not_(FeedLine.is_pending), Transaction.status == "PENDING"),
            ),
        ),
        lambda row: f"Line {row.line_id} is {row.status}, which does not match its feed.",
        _id_and_line,
    )


def joins() -> Iterable[Violation]:
    """Find joined rows that are in the books all the same, are another account's, or are joined on to a third."""
    kept, joined, onward = orm.aliased(Transaction), orm.aliased(Transaction), orm.aliased(LineJoin)
    is_chain = sa.exists().where(
        of_same_organization(onward, LineJoin),
        onward.joined_id == LineJoin.kept_id,
        onward.status == "JOINED",
    )
    statement = (
        sa.select(
            LineJoin.organization_id, LineJoin.kept_id, LineJoin.joined_id.label("line_id"), joined.status
        )
        .join(kept, refers_to(LineJoin.kept_id, kept))
        .join(joined, refers_to(LineJoin.joined_id, joined))
        .where(
            LineJoin.status == "JOINED",
            sa.or_(
                joined.status != "REMOVED",
                kept.feed_account_id != joined.feed_account_id,
                kept.status == "PENDING",
                is_chain,
            ),
        )
        .order_by(LineJoin.id)
    )
    return found(
        "line_join",
        statement,
        lambda row: f"Line {row.line_id} is {row.status} and joined to line {row.kept_id}, which cannot be.",
        lambda row: {"transactionId": row.line_id, "keptId": row.kept_id},
    )


CHECKS = (without_line, of_another_account, of_another_state, joins)
