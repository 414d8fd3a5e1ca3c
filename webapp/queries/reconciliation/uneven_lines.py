"""Lines and entries that some proof of their account sees otherwise than the books, found by one look at each.

The books beside a statement are few items, but they are found among all lines before it: for all proofs of an account
that is each line as often as there are statements after it. Nearly every line is posted and cleared with no statement
between the two days, and none can differ from the books by it. The others are found here, and only these are compared
with every statement.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from operator import itemgetter
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.proofs.equations import BOOKED
from webapp.models import (
    FeedAccount,
    JournalEntry,
    LineDaySum,
    Posting,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.accounts.feed_postings import is_line_of, posted_to_feed_accounts
from webapp.queries.common.made_once import made_once
from webapp.queries.reconciliation import openings
from webapp.queries.reconciliation.openings import opening_day_of

# Fewer statements are compared one by one.
MANY = 2
AT_ONCE = 500
LATE: Final[list[Any]] = [
    Transaction.id,
    Transaction.journal_entry_id,
    Transaction.provider_transaction_id,
    Transaction.booked_on,
    Transaction.amount_minor,
]


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
            line.status == BOOKED,
            _has_statement_between(line, line.booked_on, proof.statement_date),
        )
    )
    return _parts(found)


def late(organization_id: str, proofs: Sequence[Reconciliation]) -> Sequence[Sequence[Any]]:
    """Read the booked lines dated by a statement that neither its proof nor an earlier one cleared, by day.

    Answers rows of the proof's id and the line's id, entry, reference, day and amount. For many proofs it looks only
    among the lines that one of them can miss.
    """
    ids = [proof.id for proof in proofs]
    found = (
        [(proof.id, *row) for proof in proofs for row in _late_for(proof)]
        if len(ids) < MANY
        else [
            row
            for some in booked_lines(organization_id, ids)
            for row in db.session.execute(*_late_among(organization_id, ids, some))
        ]
    )
    return sorted(found, key=itemgetter(4, 1))


def _late_for(proof: Reconciliation) -> Iterator[Any]:
    """Read the late lines of one proof without the history that was cleared in time: few are left."""
    opens_on = openings.opening_day(proof.organization_id, proof.feed_account_id) or date.min
    bounds = (proof.organization_id, proof.feed_account_id, opens_on, proof.statement_date)
    for statement in (_never_cleared, _cleared_later):
        yield from db.session.execute(*statement(*bounds))


@made_once
def _never_cleared(
    organization_id: str, feed_account_id: int, after: date, until: date
) -> sa.Select[*tuple[Any, ...]]:
    """Select the booked lines that no proof cleared, of the days that the kept sums say have some."""
    line, day, item, proof = Transaction, LineDaySum, ReconciliationItem, Reconciliation
    days = sa.select(day.day).where(
        day.organization_id == organization_id,
        day.feed_account_id == feed_account_id,
        day.day > after,
        day.day <= until,
        day.unreconciled_count > 0,
    )
    is_cleared = (
        sa.select(1)
        .select_from(item)
        .join(proof, refers_to(item.reconciliation_id, proof))
        .where(refers_to(item.transaction_id, line), item.is_standing, proof.status == "COMPLETED")
        .exists()
    )
    return sa.select(*LATE).where(
        line.organization_id == organization_id,
        line.feed_account_id == feed_account_id,
        line.booked_on.in_(days),
        line.status == BOOKED,
        sa.not_(is_cleared),
    )


@made_once
def _cleared_later(
    organization_id: str, feed_account_id: int, after: date, until: date
) -> sa.Select[*tuple[Any, ...]]:
    """Select the booked lines dated by a statement that a later proof of the account cleared."""
    line, item, later = Transaction, ReconciliationItem, Reconciliation
    later_ids = sa.select(later.id).where(
        later.organization_id == organization_id,
        later.feed_account_id == feed_account_id,
        later.status == "COMPLETED",
        later.statement_date > until,
    )
    return (
        sa.select(*LATE)
        .select_from(item)
        # From the proofs to the lines: few are later, and many lines earlier.
        .join(line, line.id == item.transaction_id)
        .where(
            item.organization_id == organization_id,
            item.reconciliation_id.in_(later_ids),
            item.is_standing,
            line.organization_id == organization_id,
            line.status == BOOKED,
            line.booked_on > after,
            line.booked_on <= until,
        )
    )


@made_once
def _late_among(
    organization_id: str, ids: Sequence[int], line_ids: Sequence[int]
) -> sa.Select[*tuple[Any, ...]]:
    """Select the late lines of proofs among some lines."""
    line, opens_on = Transaction, opening_day_of(Reconciliation)
    is_of_account = sa.and_(
        of_same_organization(line, Reconciliation), line.feed_account_id == Reconciliation.feed_account_id
    )
    return (
        sa.select(Reconciliation.id, *LATE)
        .select_from(Reconciliation)
        .join(line, is_of_account)
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.id.in_(ids),
            line.id.in_(line_ids),
            line.status == BOOKED,
            line.booked_on <= Reconciliation.statement_date,
            sa.or_(opens_on.is_(None), line.booked_on > opens_on),
            sa.not_(is_cleared_by(Reconciliation, line.id)),
        )
    )


def is_cleared_by(statement: Any, line_id: Any, entry_id: Any = None) -> sa.ColumnElement[bool]:
    """Build the condition that a line, or an entry without one, is cleared in a statement or an earlier standing proof.

    Items of a reopened proof do not count, and an open draft's statement is later than every proof's.
    """
    item = orm.aliased(ReconciliationItem)
    by_line = _cleared(statement, item, item.transaction_id == line_id)
    if entry_id is None:
        return by_line
    item = orm.aliased(ReconciliationItem)
    return sa.or_(
        by_line, _cleared(statement, item, sa.and_(item.journal_entry_id == entry_id, line_id.is_(None)))
    )


def _cleared(statement: Any, item: Any, named: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    proof = orm.aliased(Reconciliation)
    return (
        sa.select(1)
        .select_from(item)
        .join(proof, refers_to(item.reconciliation_id, proof))
        .where(
            of_same_organization(item, statement),
            item.feed_account_id == statement.feed_account_id,
            item.is_standing,
            named,
            proof.statement_date <= statement.statement_date,
        )
        .exists()
    )


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
