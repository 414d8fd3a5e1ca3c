"""The lines that a feed has as booked, with the ids it has them under, and whether files have them too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.codes import IN_BOOKS, PENDING_TIERS
from webapp.ledger.matching.joins import LineReport
from webapp.models import (
    FeedAccount,
    FeedLine,
    Import,
    LineChange,
    LineJoin,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common.portions import portions
from webapp.queries.matching.feed_lines import REPORT, line_reports, was_booked_by_feed

MOST_AMOUNTS = 5000
ALSO_DELETED = (*IN_BOOKS, "DELETED")


class BookedFeedLine(NamedTuple):
    """A line, also a deleted one, with all ids under which the feed has it as booked, and whether a file has it too.

    `report` is the newest text that the feed has for it, `others` are its other texts, where the feed has it under
    several ids.
    """

    report: LineReport
    others: tuple[LineReport, ...]
    names: frozenset[str]
    is_in_file: bool


@dataclass(slots=True)
class _Collected:
    """The reports of one line so far, by their text; the last one of a text is the last of all."""

    reports: dict[str, LineReport] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    is_in_file: bool = False

    def add(self, report: LineReport, names: set[str], *, is_in_file: bool) -> None:
        self.reports.pop(report.text, None)
        self.reports[report.text] = report
        self.names |= names
        self.is_in_file |= is_in_file

    def line(self) -> BookedFeedLine:
        *others, report = self.reports.values()
        return BookedFeedLine(report, tuple(others), frozenset(self.names), self.is_in_file)


def listed(
    feed_account: FeedAccount, first: date, last: date, amounts: Collection[int]
) -> list[BookedFeedLine]:
    """List the lines of some days and amounts that the feed has as booked; of very many amounts, all between them."""
    rows = _rows(feed_account, first, last, amounts)
    names_of = _booked_names(feed_account, {each.row_id for each in rows})
    lines: dict[int, _Collected] = defaultdict(_Collected)
    # A line's own text comes before those of its joined rows, and these in the order of the provider's ids: which of
    # several texts is the last one must not depend on the order of the database.
    for row in sorted(
        (each for each in rows if each.row_id in names_of),
        key=lambda each: (each.row_id != each.id, max(names_of[each.row_id])),
    ):
        report = LineReport(row.id, row.booked_on, row.amount_minor, row.description, row.counterparty)
        lines[row.id].add(report, names_of[row.row_id], is_in_file=row.is_in_file)
    found = [each.line() for each in lines.values()]
    return sorted(found, key=lambda line: (line.report.day, line.report.id))


def _rows(feed_account: FeedAccount, first: date, last: date, amounts: Collection[int]) -> list[sa.Row[Any]]:
    """Read lines by their own texts, and once more by the text of each row that is joined to them.

    A line of a file has the text of the file; the row that was joined to it has that of the feed, which is the one
    to compare with what the feed sends next.
    """
    conditions = (
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        _among(amounts),
        Transaction.status.in_(ALSO_DELETED),
    )
    row = sa.orm.aliased(Transaction)
    is_in_file = _in_file().label("is_in_file")
    own = sa.select(*REPORT, Transaction.id.label("row_id"), is_in_file).where(*conditions)
    joined = sa.select(
        *REPORT[:3], row.description, row.counterparty, row.id.label("row_id"), is_in_file
    ).where(
        *conditions,
        refers_to(LineJoin.kept_id, Transaction),
        LineJoin.status == "JOINED",
        refers_to(LineJoin.joined_id, row),
    )
    return [each for statement in (own, joined) for each in db.session.execute(statement)]


def _among(amounts: Collection[int]) -> sa.ColumnElement[bool]:
    if len(amounts) > MOST_AMOUNTS:
        return Transaction.amount_minor.between(min(amounts), max(amounts))
    return Transaction.amount_minor.in_(amounts)


def _booked_names(feed_account: FeedAccount, row_ids: Collection[int]) -> dict[int, set[str]]:
    """Give the provider's ids under which the feed has rows as booked.

    Two statements, each by an index of its own: for one over both, SQLite reads all lines of the feed one by one.
    """
    name, of_organization = FeedLine.provider_transaction_id, of_same_organization(FeedLine, feed_account)
    rows: dict[str, int] = {}
    for ids in portions(row_ids):
        statement = sa.select(name, FeedLine.transaction_id).where(
            of_organization, FeedLine.transaction_id.in_(ids)
        )
        rows |= {each.provider_transaction_id: each.transaction_id for each in db.session.execute(statement)}
    found: dict[int, set[str]] = {}
    for portion in portions(rows):
        booked = sa.select(name).where(
            of_organization,
            FeedLine.feed_account_id == feed_account.id,
            name.in_(portion),
            FeedLine.event != "REMOVED",
            sa.not_(FeedLine.is_pending),
        )
        for booked_name in db.session.scalars(booked):
            found.setdefault(rows[booked_name], set()).add(booked_name)
    return found


def _in_file() -> sa.ColumnElement[bool]:
    """Build the condition that the line came by a file, itself or a row that is joined to it."""
    duplicate = sa.orm.aliased(Transaction)
    join = sa.orm.aliased(LineJoin)
    joined = sa.exists().where(
        refers_to(join.kept_id, Transaction),
        join.status == "JOINED",
        refers_to(join.joined_id, duplicate),
        duplicate.line_key.is_not(None),
    )
    return sa.or_(Transaction.line_key.is_not(None), joined.correlate(Transaction))


def only_in_feed(feed_account: FeedAccount, first: date, last: date, bank_format: str) -> list[LineReport]:
    """List the booked lines of some days that came by the feed and by no file of this format, deleted ones too.

    A file that has a line as it was before the feed changed it does not have it as it is now.
    """
    duplicate = sa.orm.aliased(Transaction)
    is_in_file_of_format = (
        sa.exists()
        .where(
            refers_to(duplicate.import_id, Import),
            Import.format == bank_format,
            refers_to(LineJoin.kept_id, Transaction),
            LineJoin.status == "JOINED",
            refers_to(LineJoin.joined_id, duplicate),
            duplicate.line_key.is_not(None),
            duplicate.booked_on == Transaction.booked_on,
            duplicate.amount_minor == Transaction.amount_minor,
            LineJoin.tier.not_in(PENDING_TIERS),
        )
        .correlate(Transaction)
    )
    is_kept = Transaction.status.in_(ALSO_DELETED)
    found = line_reports(*was_booked_by_feed(feed_account, first, last), is_kept, ~is_in_file_of_format)
    found += line_reports(*_changed(feed_account, first, last), is_kept, ~is_in_file_of_format)
    return sorted(found, key=lambda report: (report.day, report.id))


def _changed(feed_account: FeedAccount, first: date, last: date) -> tuple[sa.ColumnElement[bool], ...]:
    """Build the condition that a line of some days came by a file and was changed by the feed since."""
    changed = sa.exists().where(refers_to(LineChange.transaction_id, Transaction))
    return (
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        Transaction.line_key.is_not(None),
        changed.correlate(Transaction),
    )
