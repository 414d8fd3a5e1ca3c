"""The lines that a feed has as booked, with the ids it has them under, and whether files have them too."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import IN_BOOKS, PENDING_TIERS
from webapp.ledger.matching.joins import LineReport
from webapp.models import (
    FeedAccount,
    FeedLine,
    Import,
    LineChange,
    LineJoin,
    Transaction,
    refers_to,
)
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions
from webapp.queries.matching import alike_lines, feed_lines
from webapp.queries.matching.alike_lines import DayAmount
from webapp.queries.matching.feed_lines import REPORT, line_reports, was_booked_by_feed

ALSO_DELETED = (*IN_BOOKS, "DELETED")


def found(
    feed_account: FeedAccount,
    new: Sequence[LineReport],
    *,
    brought: Collection[str],
    removed: Collection[str],
) -> list[LineReport]:
    """Find the lines that the feed has as booked, and new reports may be.

    Lines that the feed has under one of the `brought` ids are left out; those of `removed` ids are all found.
    """

    def read(row_ids: Collection[int]) -> dict[int, LineReport]:
        lines = of_rows(feed_account, row_ids)
        return {line_id: line for line_id, line in lines.items() if line.names.isdisjoint(brought)}

    going = feed_lines.last_events(feed_account, removed).values()
    leaving = read({each.line_id for each in going if each.line_id is not None})
    spare = [DayAmount(each.day, each.amount_minor) for each in leaving.values()]
    others = alike_lines.found(feed_account, new, read, spare=spare)
    lines = {each.id: each for each in others} | leaving
    return sorted(lines.values(), key=lambda line: (line.day, line.id))


def of_rows(feed_account: FeedAccount, row_ids: Collection[int]) -> dict[int, LineReport]:
    """Read the lines that the feed has as booked whose rows, or rows joined to them, these are."""
    if not row_ids:
        return {}
    rows = _rows(feed_account, _line_ids(feed_account, row_ids))
    names_of = _booked_names(feed_account, {each.row_id for each in rows})
    of_line: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        if row.row_id in names_of:
            of_line[row.id].append(row)
    return {line_id: _line(each, names_of) for line_id, each in of_line.items()}


def _line(rows: list[Any], names_of: Mapping[int, set[str]]) -> LineReport:
    """Give a line of its rows: of those with the same text the last one is its report."""
    if len(rows) == 1:
        # As most are: nothing is put in order then, and no text compared.
        ((line_id, day, amount_minor, description, counterparty, row_id, is_in_file),) = rows
        names = frozenset(names_of[row_id])
        return LineReport(line_id, day, amount_minor, description, counterparty, (), names, is_in_file)
    # A line's own text comes before those of its joined rows, and these in the order of the provider's ids: which of
    # several texts is the last one must not depend on the order of the database.
    rows.sort(key=lambda row: (row.row_id != row.id, max(names_of[row.row_id])))
    reports: dict[str, LineReport] = {}
    for row in rows:
        report = LineReport(*row[:-2])
        reports.pop(report.text, None)
        reports[report.text] = report
    *others, newest = reports.values()
    names = frozenset[str]().union(*(names_of[row.row_id] for row in rows))
    is_in_file = any(row.is_in_file for row in rows)
    return replace(newest, others=tuple(others), names=names, is_in_file=is_in_file)


def _line_ids(feed_account: FeedAccount, row_ids: Collection[int]) -> set[int]:
    """Give rows, and the lines that they are joined to."""
    found = set(row_ids)
    for portion in portions(row_ids):
        found |= set(db.session.scalars(*_kept(feed_account.organization_id, portion)))
    return found


@made_once
def _kept(organization_id: str, row_ids: Sequence[int]) -> sa.Select[*tuple[Any, ...]]:
    return sa.select(LineJoin.kept_id).where(
        LineJoin.organization_id == organization_id,
        LineJoin.status == "JOINED",
        among(LineJoin.joined_id, row_ids),
    )


def _rows(feed_account: FeedAccount, line_ids: Collection[int]) -> list[sa.Row[Any]]:
    """Read lines by their own texts, and once more by the text of each row that is joined to them.

    A line of a file has the text of the file; the row that was joined to it has that of the feed, which is the one
    to compare with what the feed sends next.
    """
    return [
        row
        for portion in portions(line_ids)
        for statement in (_own, _joined)
        for row in db.session.execute(*statement(feed_account.organization_id, feed_account.id, portion))
    ]


@made_once
def _own(organization_id: str, feed_account_id: int, line_ids: Sequence[int]) -> sa.Select[*tuple[Any, ...]]:
    columns = (*REPORT, Transaction.id.label("row_id"), _in_file().label("is_in_file"))
    return sa.select(*columns).where(*_among(organization_id, feed_account_id, line_ids))


@made_once
def _joined(
    organization_id: str, feed_account_id: int, line_ids: Sequence[int]
) -> sa.Select[*tuple[Any, ...]]:
    row = sa.orm.aliased(Transaction)
    columns = (*REPORT[:3], row.description, row.counterparty, row.id.label("row_id"))
    return sa.select(*columns, _in_file().label("is_in_file")).where(
        *_among(organization_id, feed_account_id, line_ids),
        refers_to(LineJoin.kept_id, Transaction),
        LineJoin.status == "JOINED",
        refers_to(LineJoin.joined_id, row),
    )


def _among(organization_id: str, feed_account_id: int, line_ids: Sequence[int]) -> tuple[Any, ...]:
    return (
        Transaction.organization_id == organization_id,
        Transaction.feed_account_id == feed_account_id,
        among(Transaction.id, line_ids),
        Transaction.status.in_(ALSO_DELETED),
    )


def _booked_names(feed_account: FeedAccount, row_ids: Collection[int]) -> dict[int, set[str]]:
    """Give the provider's ids under which the feed has rows as booked."""
    found: dict[int, set[str]] = {}
    for portion in portions(row_ids):
        rows = db.session.execute(*_names(feed_account.organization_id, portion))
        for row_id, feed_account_id, name in rows:
            if feed_account_id == feed_account.id:
                found.setdefault(row_id, set()).add(name)
    return found


@made_once
def _names(organization_id: str, row_ids: Sequence[int]) -> sa.Select[*tuple[Any, ...]]:
    """Ask for any feed account: with one, or by itself, a database may take the key, and read all lines of the feed."""
    columns = (FeedLine.transaction_id, FeedLine.feed_account_id, FeedLine.provider_transaction_id)
    return sa.select(*columns).where(
        FeedLine.organization_id == organization_id,
        among(FeedLine.transaction_id, row_ids),
        FeedLine.event != "REMOVED",
        sa.not_(FeedLine.is_pending),
    )


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
