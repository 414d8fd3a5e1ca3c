"""What a feed said before, and the lines of an account that may be the same as what it says now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from typing import NamedTuple

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.codes import PENDING_TIERS
from webapp.ledger.matching.joins import LineReport
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
from webapp.queries.common.portions import ids_where, portions

REPORT = (
    Transaction.id,
    Transaction.booked_on,
    Transaction.amount_minor,
    Transaction.description,
    Transaction.counterparty,
)
IN_BOOKS = ("BOOKED", "SET_ASIDE")
JOINED_TO = sa.and_(
    refers_to(LineJoin.joined_id, Transaction),
    LineJoin.status == "JOINED",
)


class FeedEvent(NamedTuple):
    """A line as its provider said it last, and what it is in the books; `kept_id` is the line that it is joined to."""

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
    """Find a batch that was taken before."""
    return db.session.scalar(
        sa.select(FeedPush).where(
            refers_to(FeedPush.feed_account_id, feed_account),
            FeedPush.batch_id == batch_id,
        )
    )


def last_events(feed_account: FeedAccount, ids: Collection[str]) -> dict[str, FeedEvent]:
    """Give what the feed said before under these ids of its provider."""
    found: dict[str, FeedEvent] = {}
    for portion in portions(ids):
        rows = db.session.execute(
            sa.select(
                FeedLine.provider_transaction_id,
                FeedLine.transaction_id,
                FeedLine.event,
                FeedLine.is_pending,
                FeedLine.digest,
                Transaction.status,
                LineJoin.kept_id,
            )
            .outerjoin(Transaction, refers_to(FeedLine.transaction_id, Transaction))
            .outerjoin(LineJoin, JOINED_TO)
            .where(
                refers_to(FeedLine.feed_account_id, feed_account),
                FeedLine.provider_transaction_id.in_(portion),
            )
        )
        found |= {row[0]: FeedEvent(*row) for row in rows}
    return found


def naming(feed_account: FeedAccount, pending_ids: Collection[str]) -> dict[str, int]:
    """Give the booked lines that name these pending ids of their provider as what they were."""
    found: dict[str, int] = {}
    for portion in portions(pending_ids):
        rows = db.session.execute(
            sa.select(FeedLine.pending_id, FeedLine.transaction_id).where(
                refers_to(FeedLine.feed_account_id, feed_account),
                FeedLine.pending_id.in_(portion),
                FeedLine.transaction_id.is_not(None),
                FeedLine.event != "REMOVED",
                sa.not_(FeedLine.is_pending),
            )
        )
        found |= {str(name): int(line_id or 0) for name, line_id in rows}
    return found


def said_elsewhere(organization_id: str, line_ids: Collection[int]) -> dict[int, int]:
    """Give the lines among these that the feed still gives as booked, with the newest row that it gives each by."""
    found: dict[int, int] = {}
    is_given = (
        FeedLine.organization_id == organization_id,
        FeedLine.event != "REMOVED",
        sa.not_(FeedLine.is_pending),
    )
    of_join = sa.and_(of_same_organization(FeedLine, LineJoin), FeedLine.transaction_id == LineJoin.joined_id)
    row_id = sa.type_coerce(FeedLine.transaction_id, sa.BigInteger)
    for portion in portions(line_ids):
        own = sa.select(row_id, row_id.label("newest")).where(*is_given, row_id.in_(portion))
        joined = (
            sa.select(LineJoin.kept_id, row_id)
            .join(FeedLine, of_join)
            .where(*is_given, LineJoin.status == "JOINED", LineJoin.kept_id.in_(portion))
        )
        for statement in (own, joined):
            for line_id, newest in db.session.execute(statement):
                found[line_id] = max(newest, found.get(line_id, newest))
    return found


def has_file_lines(feed_account: FeedAccount) -> bool:
    """Tell whether any file brought lines of this account."""
    return _any(refers_to(Transaction.feed_account_id, feed_account), Transaction.line_key > "")


def has_feed_lines(feed_account: FeedAccount) -> bool:
    """Tell whether any push brought lines of this account."""
    return _any(refers_to(FeedLine.feed_account_id, feed_account))


def only_in_files(feed_account: FeedAccount, first: date, last: date) -> list[LineReport]:
    """List the booked lines of some days that files brought and the feed did not give yet, deleted ones too."""
    twin = sa.orm.aliased(Transaction)
    is_given = (
        sa.exists()
        .where(
            refers_to(LineJoin.kept_id, Transaction),
            LineJoin.status == "JOINED",
            refers_to(LineJoin.joined_id, twin),
            twin.line_key.is_(None),
            LineJoin.tier.not_in(PENDING_TIERS),
        )
        .correlate(Transaction)
    )
    return reports(
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        Transaction.line_key.is_not(None),
        Transaction.status.in_((*IN_BOOKS, "DELETED")),
        ~is_given,
    )


def taken_back(feed_account: FeedAccount, first: date, last: date) -> list[LineReport]:
    """List the booked lines of some days that the feed gave and took back."""
    return reports(
        *fed(feed_account, first, last),
        Transaction.status == "REMOVED",
        ~sa.exists().where(JOINED_TO).correlate(Transaction),
    )


def taken_back_posted(feed_account: FeedAccount) -> list[LineReport]:
    """List the lines that the feed took back while their entries were posted, and that nobody voided yet."""
    return reports(
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.status == "REMOVED",
        Transaction.journal_entry_id.is_not(None),
    )


def drafted(feed_account: FeedAccount, first: date, last: date) -> list[LineReport]:
    """List the lines of some days that the feed gave as booked and whose entries are drafts."""
    is_draft = sa.exists().where(
        refers_to(Transaction.journal_entry_id, JournalEntry),
        JournalEntry.status == "DRAFT",
    )
    return reports(
        *fed(feed_account, first, last), Transaction.status.in_(IN_BOOKS), is_draft.correlate(Transaction)
    )


def fed(feed_account: FeedAccount, first: date, last: date) -> tuple[sa.ColumnElement[bool], ...]:
    """Say in SQL that the feed gave a line of some days as booked."""
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
    """Tell which of these lines somebody deleted."""
    statement = sa.select(Transaction.id).where(
        Transaction.organization_id == organization_id, Transaction.status == "DELETED"
    )
    return ids_where(statement, Transaction.id, line_ids)


def pending(feed_account: FeedAccount) -> list[LineReport]:
    """List the lines that wait for the bank."""
    return reports(refers_to(Transaction.feed_account_id, feed_account), Transaction.status == "PENDING")


def never_pending(feed_account: FeedAccount, first: date, last: date) -> list[LineReport]:
    """List the booked lines of some days that are not known to have been pending."""
    was_pending = (
        sa.exists()
        .where(
            refers_to(LineJoin.kept_id, Transaction),
            LineJoin.status == "JOINED",
            LineJoin.tier.in_(PENDING_TIERS),
        )
        .correlate(Transaction)
    )
    return reports(
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        Transaction.status.in_(IN_BOOKS),
        ~was_pending,
    )


def pairs(organization_id: str, line_ids: Iterable[int]) -> dict[tuple[int, int], str]:
    """Give the status of every join and suggestion that one of these lines is in."""
    found: dict[tuple[int, int], str] = {}
    for portion in portions(set(line_ids)):
        rows = db.session.execute(
            sa.select(LineJoin.kept_id, LineJoin.joined_id, LineJoin.status).where(
                LineJoin.organization_id == organization_id,
                sa.or_(LineJoin.kept_id.in_(portion), LineJoin.joined_id.in_(portion)),
            )
        )
        found |= {(kept_id, joined_id): status for kept_id, joined_id, status in rows}
    return found


def refused(organization_id: str, line_ids: Iterable[int]) -> set[tuple[int, int]]:
    """Give the pairs of these lines that were settled as two lines, both ways round."""
    found = [pair for pair, status in pairs(organization_id, line_ids).items() if status == "REFUSED"]
    return {*found, *((other, one) for one, other in found)}


def reports(*chosen: sa.ColumnElement[bool]) -> list[LineReport]:
    """List lines as joins compare them, in the order of days."""
    rows = db.session.execute(
        sa.select(*REPORT).where(*chosen).order_by(Transaction.booked_on, Transaction.id)
    )
    return [LineReport(*row) for row in rows]


def _any(*chosen: sa.ColumnElement[bool]) -> bool:
    return db.session.execute(sa.select(sa.literal(1)).where(*chosen).limit(1)).first() is not None
