"""Lines in the books that the feed gives as booked: under which ids, and whether files gave them too."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import NamedTuple

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.codes import PENDING_TIERS
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
from webapp.queries.matching.feed_lines import REPORT, fed, reports

MOST_AMOUNTS = 5000
THERE = ("BOOKED", "SET_ASIDE", "DELETED")


class GivenLine(NamedTuple):
    """A line that is there, deleted ones too, all ids under which the feed gives it, and whether a file gave it too.

    `others` are the same line in the other words that the feed has for it, where it gives it more than once.
    """

    report: LineReport
    others: tuple[LineReport, ...]
    names: frozenset[str]
    is_in_file: bool


def given(feed_account: FeedAccount, first: date, last: date, amounts: Collection[int]) -> list[GivenLine]:
    """List the lines of some days and amounts that the feed gave; of very many amounts, all between them."""
    wanted = (
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        _among(amounts),
        Transaction.status.in_(THERE),
    )
    # What was joined to a file's line has the words of the feed, and those are the ones to compare.
    row = sa.orm.aliased(Transaction)
    own = sa.select(*REPORT, Transaction.id.label("row_id"), _in_file()).where(*wanted)
    joined = sa.select(
        *REPORT[:3], row.description, row.counterparty, row.id.label("row_id"), _in_file()
    ).where(
        *wanted,
        refers_to(LineJoin.kept_id, Transaction),
        LineJoin.status == "JOINED",
        refers_to(LineJoin.joined_id, row),
    )
    rows = [each for statement in (own, joined) for each in db.session.execute(statement)]
    names_of = _booked_names(feed_account, {each.row_id for each in rows})
    found: dict[int, dict[str, LineReport]] = {}
    names: dict[int, set[str]] = {}
    in_files: set[int] = set()
    # Own words before joined ones, each in the order of the ids, so that the last words are the same ones each time.
    told = [each for each in rows if each.row_id in names_of]
    for line_id, day, amount, description, counterparty, row_id, is_in_file in sorted(
        told, key=lambda each: (each.row_id != each.id, max(names_of[each.row_id]))
    ):
        report = LineReport(line_id, day, amount, description, counterparty)
        texts = found.setdefault(line_id, {})
        texts.pop(report.text, None)
        texts[report.text] = report
        names.setdefault(line_id, set()).update(names_of[row_id])
        in_files |= {line_id} if is_in_file else set()
    given_lines = []
    for line_id, texts in found.items():
        *others, report = texts.values()
        its_names = frozenset(names[line_id])
        given_lines.append(GivenLine(report, tuple(others), its_names, line_id in in_files))
    return sorted(given_lines, key=lambda line: (line.report.day, line.report.id))


def _among(amounts: Collection[int]) -> sa.ColumnElement[bool]:
    if len(amounts) > MOST_AMOUNTS:
        return Transaction.amount_minor.between(min(amounts), max(amounts))
    return Transaction.amount_minor.in_(amounts)


def _booked_names(feed_account: FeedAccount, row_ids: Collection[int]) -> dict[int, set[str]]:
    """Give the ids under which the feed gives rows as booked.

    Asked in two steps, each by an index alone: in one, SQLite would read all that the feeds ever gave, line by line.
    """
    name, of_organization = (
        FeedLine.provider_transaction_id,
        of_same_organization(FeedLine, feed_account),
    )
    rows: dict[str, int] = {}
    for ids in portions(row_ids):
        statement = sa.select(name, FeedLine.transaction_id).where(
            of_organization, FeedLine.transaction_id.in_(ids)
        )
        rows |= {each.provider_transaction_id: each.transaction_id for each in db.session.execute(statement)}
    found: dict[int, set[str]] = {}
    for portion in portions(rows):
        standing = sa.select(name).where(
            of_organization,
            FeedLine.feed_account_id == feed_account.id,
            name.in_(portion),
            FeedLine.event != "REMOVED",
            sa.not_(FeedLine.is_pending),
        )
        for booked in db.session.scalars(standing):
            found.setdefault(rows[booked], set()).add(booked)
    return found


def _in_file() -> sa.ColumnElement[bool]:
    """Say in SQL that a file gave the line, by itself or joined to it."""
    twin = sa.orm.aliased(Transaction)
    join = sa.orm.aliased(LineJoin)
    joined = sa.exists().where(
        refers_to(join.kept_id, Transaction),
        join.status == "JOINED",
        refers_to(join.joined_id, twin),
        twin.line_key.is_not(None),
    )
    return sa.or_(Transaction.line_key.is_not(None), joined.correlate(Transaction))


def only_in_feed(feed_account: FeedAccount, first: date, last: date, bank_format: str) -> list[LineReport]:
    """List the booked lines of some days that the feed gave and no file of this format did, deleted ones too.

    A file that gave a line as it was before the feed changed it did not give it as it is now.
    """
    twin = sa.orm.aliased(Transaction)
    is_given = (
        sa.exists()
        .where(
            refers_to(twin.import_id, Import),
            Import.format == bank_format,
            refers_to(LineJoin.kept_id, Transaction),
            LineJoin.status == "JOINED",
            refers_to(LineJoin.joined_id, twin),
            twin.line_key.is_not(None),
            twin.booked_on == Transaction.booked_on,
            twin.amount_minor == Transaction.amount_minor,
            LineJoin.tier.not_in(PENDING_TIERS),
        )
        .correlate(Transaction)
    )
    there = Transaction.status.in_(THERE)
    found = reports(*fed(feed_account, first, last), there, ~is_given)
    found += reports(*_changed(feed_account, first, last), there, ~is_given)
    return sorted(found, key=lambda report: (report.day, report.id))


def _changed(feed_account: FeedAccount, first: date, last: date) -> tuple[sa.ColumnElement[bool], ...]:
    """Say in SQL that a file gave a line of some days, which the feed has changed since."""
    changed = sa.exists().where(refers_to(LineChange.transaction_id, Transaction))
    return (
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        Transaction.line_key.is_not(None),
        changed.correlate(Transaction),
    )
