"""The last events of a feed, and the lines of an account that may be the same as those of a push."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import IN_BOOKS, PENDING_TIERS
from webapp.ledger.matching.joins import LineReport, Pairs
from webapp.models import (
    FeedAccount,
    FeedLine,
    FeedPush,
    JournalEntry,
    LineJoin,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.models.base import table_of
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import ids_where, portions
from webapp.queries.matching import alike_lines

REPORT = (
    Transaction.id,
    Transaction.booked_on,
    Transaction.amount_minor,
    Transaction.description,
    Transaction.counterparty,
)
# Whether a row is only another report of a line that it is joined to.
IS_JOINED = sa.and_(
    refers_to(LineJoin.joined_id, Transaction),
    LineJoin.status == "JOINED",
)


class FeedEvent(NamedTuple):
    """The last event of a line by its provider, and its own row; `kept_id` is the line that the row is joined to."""

    provider_transaction_id: str
    transaction_id: int | None
    event: str
    is_pending: bool
    digest: bytes | None
    status: str | None
    kept_id: int | None

    @property
    def line_id(self) -> int | None:
        """The line in the books that it is."""
        return self.transaction_id if self.kept_id is None else self.kept_id


def push(feed_account: FeedAccount, batch_id: str) -> FeedPush | None:
    """Find a push that was taken before, by the batchId of its sender."""
    return db.session.scalar(
        sa.select(FeedPush).where(
            refers_to(FeedPush.feed_account_id, feed_account),
            FeedPush.batch_id == batch_id,
        )
    )


def pending_until(feed_account: FeedAccount, day: date) -> set[str]:
    """Give the ids of an account's lines that are pending, of a day and before."""
    found = db.session.scalars(
        sa.select(FeedLine.provider_transaction_id)
        .join(
            Transaction,
            of_same_organization(FeedLine, Transaction) & refers_to(FeedLine.transaction_id, Transaction),
        )
        .where(
            refers_to(FeedLine.feed_account_id, feed_account),
            FeedLine.is_pending,
            FeedLine.event != "REMOVED",
            Transaction.status == "PENDING",
            Transaction.booked_on <= day,
        )
    )
    return set(found)


def last_events(feed_account: FeedAccount, ids: Collection[str]) -> dict[str, FeedEvent]:
    """Give the last events under these ids of the provider."""
    if not ids:
        return {}
    rows = db.session.execute(*_last_events(feed_account.organization_id, feed_account.id, list(ids))).all()
    return {row[0]: FeedEvent(*row) for row in rows}


@made_once
def _last_events(
    organization_id: str, feed_account_id: int, names: Sequence[str]
) -> sa.Select[*tuple[Any, ...]]:
    columns = (
        FeedLine.provider_transaction_id,
        FeedLine.transaction_id,
        FeedLine.event,
        FeedLine.is_pending,
        FeedLine.digest,
        Transaction.status,
        LineJoin.kept_id,
    )
    return (
        sa.select(*columns)
        .outerjoin(Transaction, refers_to(FeedLine.transaction_id, Transaction))
        .outerjoin(LineJoin, IS_JOINED)
        .where(
            FeedLine.organization_id == organization_id,
            FeedLine.feed_account_id == feed_account_id,
            among(FeedLine.provider_transaction_id, names),
        )
    )


def by_pending_id(feed_account: FeedAccount, pending_ids: Collection[str]) -> dict[str, int]:
    """Give the lines in the books by the pending ids that they, or a row joined to them, name as their own."""
    found: dict[str, int] = {}
    for portion in portions(pending_ids):
        rows = db.session.execute(
            sa.select(FeedLine.pending_id, sa.func.coalesce(LineJoin.kept_id, FeedLine.transaction_id))
            .join(Transaction, refers_to(FeedLine.transaction_id, Transaction))
            .outerjoin(LineJoin, IS_JOINED)
            .where(
                refers_to(FeedLine.feed_account_id, feed_account),
                FeedLine.pending_id.in_(portion),
                FeedLine.event != "REMOVED",
                sa.not_(FeedLine.is_pending),
            )
        )
        found |= {str(name): int(line_id or 0) for name, line_id in rows}
    return found


def newest_booked_rows(organization_id: str, line_ids: Collection[int]) -> dict[int, int]:
    """Give the lines among these that the feed still has as booked, each with the newest of its rows."""
    found: dict[int, int] = {}
    is_booked = (
        FeedLine.organization_id == organization_id,
        FeedLine.event != "REMOVED",
        sa.not_(FeedLine.is_pending),
    )
    of_join = sa.and_(of_same_organization(FeedLine, LineJoin), FeedLine.transaction_id == LineJoin.joined_id)
    row_id = sa.type_coerce(FeedLine.transaction_id, sa.BigInteger)
    for portion in portions(line_ids):
        own = sa.select(row_id, row_id.label("newest")).where(*is_booked, row_id.in_(portion))
        joined = (
            sa.select(LineJoin.kept_id, row_id)
            .join(FeedLine, of_join)
            .where(*is_booked, LineJoin.status == "JOINED", LineJoin.kept_id.in_(portion))
        )
        for statement in (own, joined):
            for line_id, newest in db.session.execute(statement):
                found[line_id] = max(newest, found.get(line_id, newest))
    return found


def has_feed_lines(feed_account: FeedAccount) -> bool:
    """Return whether any line of this account came by a push."""
    return _exists(refers_to(FeedLine.feed_account_id, feed_account))


def only_in_files(
    feed_account: FeedAccount, new: Sequence[LineReport], refused: Pairs = ()
) -> list[LineReport]:
    """Find the booked lines that came by files and not yet by the feed, deleted ones too, and new reports may be."""
    of_account = feed_account.organization_id, feed_account.id

    def read(row_ids: Collection[int]) -> dict[int, LineReport]:
        rows = (
            row
            for portion in portions(row_ids)
            for row in db.session.execute(*_only_in_files(*of_account, portion))
        )
        return {row.id: LineReport(*row) for row in rows}

    return alike_lines.found(feed_account, new, read, refused=refused)


@made_once
def _only_in_files(
    organization_id: str, feed_account_id: int, line_ids: Sequence[int]
) -> sa.Select[*tuple[Any, ...]]:
    duplicate = sa.orm.aliased(Transaction)
    came_by_feed = (
        sa.exists()
        .where(
            refers_to(LineJoin.kept_id, Transaction),
            LineJoin.status == "JOINED",
            refers_to(LineJoin.joined_id, duplicate),
            duplicate.line_key.is_(None),
            LineJoin.tier.not_in(PENDING_TIERS),
        )
        .correlate(Transaction)
    )
    return sa.select(*REPORT).where(
        Transaction.organization_id == organization_id,
        Transaction.feed_account_id == feed_account_id,
        among(Transaction.id, line_ids),
        Transaction.line_key.is_not(None),
        Transaction.status.in_((*IN_BOOKS, "DELETED")),
        ~came_by_feed,
    )


def removed(feed_account: FeedAccount, first: date, last: date) -> list[LineReport]:
    """List the booked lines of some days that the feed removed again."""
    return line_reports(
        *was_booked_by_feed(feed_account, first, last),
        Transaction.status == "REMOVED",
        ~sa.exists().where(IS_JOINED).correlate(Transaction),
    )


def removed_posted(feed_account: FeedAccount) -> list[LineReport]:
    """List the lines that the feed removed while their entries were posted, and that nobody voided yet."""
    return line_reports(Transaction.id.in_(taken_back(feed_account.organization_id, feed_account.id)))


def taken_back(organization_id: Any, feed_account_id: Any) -> sa.Select[Any]:
    """Select the ids of the lines that the feed removed while their entries were posted."""
    line = table_of(Transaction)
    return sa.select(line.c.id).where(
        line.c.organization_id == organization_id,
        line.c.feed_account_id == feed_account_id,
        line.c.status == sa.literal_column("'REMOVED'"),
        line.c.journal_entry_id.is_not(None),
    )


def with_drafts(feed_account: FeedAccount, first: date, last: date) -> list[LineReport]:
    """List the booked lines of some days that came by the feed and whose entries are drafts."""
    is_draft = sa.exists().where(
        refers_to(Transaction.journal_entry_id, JournalEntry),
        JournalEntry.status == "DRAFT",
    )
    return line_reports(
        *was_booked_by_feed(feed_account, first, last),
        Transaction.status.in_(IN_BOOKS),
        is_draft.correlate(Transaction),
    )


def was_booked_by_feed(
    feed_account: FeedAccount, first: date, last: date
) -> tuple[sa.ColumnElement[bool], ...]:
    """Build the condition that a line of some days came by the feed, as booked."""
    by_feed = (
        sa.exists()
        .where(refers_to(FeedLine.transaction_id, Transaction), sa.not_(FeedLine.is_pending))
        .correlate(Transaction)
    )
    return (
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        Transaction.line_key.is_(None),
        by_feed,
    )


def deleted_among(organization_id: str, line_ids: Collection[int]) -> set[int]:
    """Return which of these lines somebody deleted."""
    statement = sa.select(Transaction.id).where(
        Transaction.organization_id == organization_id, Transaction.status == "DELETED"
    )
    return ids_where(statement, Transaction.id, line_ids)


def join_statuses(organization_id: str, line_ids: Iterable[int]) -> dict[tuple[int, int], str]:
    """Give the status of every join and suggestion that one of these lines is in."""
    found: dict[tuple[int, int], str] = {}
    for portion in portions(set(line_ids)):
        rows = db.session.execute(*_of_either(organization_id, portion))
        found |= {(kept_id, joined_id): status for kept_id, joined_id, status in rows}
    return found


@made_once
def _of_either(organization_id: str, line_ids: Sequence[int]) -> sa.Select[*tuple[Any, ...]]:
    return sa.select(LineJoin.kept_id, LineJoin.joined_id, LineJoin.status).where(
        LineJoin.organization_id == organization_id,
        sa.or_(among(LineJoin.kept_id, line_ids), among(LineJoin.joined_id, line_ids)),
    )


def refused(organization_id: str, line_ids: Iterable[int]) -> set[tuple[int, int]]:
    """Give the pairs of these lines that a person refused to join, both ways round."""
    found = [pair for pair, status in join_statuses(organization_id, line_ids).items() if status == "REFUSED"]
    return {*found, *((other, one) for one, other in found)}


def line_reports(*chosen: sa.ColumnElement[bool]) -> list[LineReport]:
    """List lines as matching compares them, in the order of days."""
    in_order = sa.select(*REPORT).where(*chosen).order_by(Transaction.booked_on, Transaction.id)
    return [LineReport(*row) for row in db.session.execute(in_order)]


def _exists(*chosen: sa.ColumnElement[bool]) -> bool:
    return db.session.execute(sa.select(sa.literal(1)).where(*chosen).limit(1)).first() is not None
