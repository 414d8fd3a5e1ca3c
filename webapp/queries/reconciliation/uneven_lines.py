"""Lines and entries that some proof of their account sees otherwise than the books, found by one look at each.

The books beside a statement are few items, but they are found among all lines before it: for all proofs of an account
that is each line as often as there are statements after it. Nearly every line is posted and cleared with no statement
between the two days, and none can differ from the books by it. The others are found here, and only these are compared
with every statement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.models import (
    FeedAccount,
    JournalEntry,
    Posting,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.reconciliation.statement_items import is_line_of, posted_to_feed_accounts

# Fewer statements are compared with all lines of their accounts at once.
MANY = 12
AT_ONCE = 500


def entries(organization_id: str, proof_ids: Collection[int]) -> Iterator[Sequence[int]]:
    """List the ids of entries on the accounts of some proofs that may be outstanding or in transit, a part at a time.

    Among them are all that come from no line, and all that are voided.
    """
    line, item, proof = _cleared_line()
    found = (
        posted_to_feed_accounts(sa.select(JournalEntry.id).distinct(), FeedAccount)
        .outerjoin(line, is_line_of(line, Posting, FeedAccount))
        .outerjoin(item, _is_item_of(item, line))
        .outerjoin(proof, refers_to(item.reconciliation_id, proof))
        .where(
            FeedAccount.organization_id == organization_id,
            FeedAccount.id.in_(_accounts(organization_id, proof_ids)),
            sa.or_(
                line.id.is_(None),
                line.status == "SET_ASIDE",
                JournalEntry.status == "VOIDED",
                _has_statement_between(line, JournalEntry.effective_on, proof.statement_date),
            ),
        )
    )
    return _parts(found)


def booked_lines(organization_id: str, proof_ids: Collection[int]) -> Iterator[Sequence[int]]:
    """List the ids of booked lines that a proof of their account after them did not clear, a part at a time."""
    line, item, proof = _cleared_line()
    found = (
        sa.select(line.id)
        .outerjoin(item, _is_item_of(item, line))
        .outerjoin(proof, refers_to(item.reconciliation_id, proof))
        .where(
            line.organization_id == organization_id,
            line.feed_account_id.in_(_accounts(organization_id, proof_ids)),
            line.status == "BOOKED",
            _has_statement_between(line, line.booked_on, proof.statement_date),
        )
    )
    return _parts(found)


def _cleared_line() -> tuple[Any, Any, Any]:
    return orm.aliased(Transaction), orm.aliased(ReconciliationItem), orm.aliased(Reconciliation)


def _is_item_of(item: Any, line: Any) -> sa.ColumnElement[bool]:
    return sa.and_(
        refers_to(item.transaction_id, line), item.is_standing, item.feed_account_id == line.feed_account_id
    )


def _accounts(organization_id: str, proof_ids: Collection[int]) -> sa.Select[Any]:
    return sa.select(Reconciliation.feed_account_id).where(
        Reconciliation.organization_id == organization_id, Reconciliation.id.in_(proof_ids)
    )


def _has_statement_between(line: Any, day: Any, cleared_on: Any) -> sa.ColumnElement[bool]:
    """Build the condition that a standing proof lies between the days on which a line is in the books and cleared.

    The days are the line's own, that of its entry, and the statement that cleared it: none is the end of time.
    """
    statement = orm.aliased(Reconciliation)
    first = _less(_less(line.booked_on, day), sa.func.coalesce(cleared_on, day))
    last = sa.case((cleared_on < day, day), else_=cleared_on)
    return (
        sa.select(1)
        .where(
            of_same_organization(statement, line),
            statement.feed_account_id == line.feed_account_id,
            # Written out, so that the index of standing proofs answers it.
            statement.status == sa.literal_column("'COMPLETED'"),
            statement.statement_date >= first,
            sa.or_(cleared_on.is_(None), statement.statement_date < last),
        )
        .correlate_except(statement)
        .exists()
    )


def _less(one: Any, other: Any) -> sa.ColumnElement[Any]:
    return sa.case((other < one, other), else_=one)


def _parts(statement: sa.Select[Any]) -> Iterator[Sequence[int]]:
    ids = db.session.scalars(statement).all()
    for start in range(0, len(ids), AT_ONCE):
        yield ids[start : start + AT_ONCE]
