"""Lines in the books that the feed gives as booked: under which ids, and whether files gave them too."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import NamedTuple

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.joins import PENDING_TIERS, Report
from webapp.models import FeedAccount, FeedLine, Import, LineChange, LineJoin, Transaction
from webapp.queries.feed_lines import REPORT, fed, reports

THERE = ("BOOKED", "SET_ASIDE", "DELETED")


class GivenLine(NamedTuple):
    """A line that is there, deleted ones too, all ids under which the feed gives it, and whether a file gave it too.

    `others` are the same line in the other words that the feed has for it, where it gives it more than once.
    """

    report: Report
    others: tuple[Report, ...]
    names: frozenset[str]
    is_in_file: bool


def given(feed_account: FeedAccount, first: date, last: date, amounts: Collection[int]) -> list[GivenLine]:
    """List the lines of some days, from the smallest of some amounts to the largest, that the feed gave."""
    wanted = (
        Transaction.organization_id == feed_account.organization_id,
        Transaction.feed_account_id == feed_account.id,
        Transaction.booked_on.between(first, last),
        Transaction.amount_minor.between(min(amounts), max(amounts)),
        Transaction.status.in_(THERE),
        FeedLine.organization_id == Transaction.organization_id,
        FeedLine.said != "REMOVED",
        sa.not_(FeedLine.is_pending),
    )
    name = FeedLine.provider_transaction_id
    own = sa.select(*REPORT, name, _in_file()).where(*wanted, FeedLine.transaction_id == Transaction.id)
    # What was joined to a file's line has the words of the feed, and those are the ones to compare.
    row = sa.orm.aliased(Transaction)
    joined = sa.select(*REPORT[:3], row.description, row.counterparty, name, _in_file()).where(
        *wanted,
        LineJoin.organization_id == Transaction.organization_id,
        LineJoin.kept_id == Transaction.id,
        LineJoin.status == "JOINED",
        row.organization_id == LineJoin.organization_id,
        row.id == LineJoin.joined_id,
        FeedLine.transaction_id == row.id,
    )
    found: dict[int, dict[str, Report]] = {}
    names: dict[int, set[str]] = {}
    in_files: set[int] = set()
    for statement in (own, joined):
        for line_id, day, amount, description, counterparty, its_name, is_in_file in db.session.execute(
            statement.order_by(name)
        ):
            report = Report(line_id, day, amount, description, counterparty)
            texts = found.setdefault(line_id, {})
            texts.pop(report.text, None)
            texts[report.text] = report
            names.setdefault(line_id, set()).add(its_name)
            in_files |= {line_id} if is_in_file else set()
    given_lines = []
    for line_id, texts in found.items():
        *others, report = texts.values()
        its_names = frozenset(names[line_id])
        given_lines.append(GivenLine(report, tuple(others), its_names, line_id in in_files))
    return sorted(given_lines, key=lambda line: (line.report.day, line.report.id))


def _in_file() -> sa.ColumnElement[bool]:
    """Say in SQL that a file gave the line, by itself or joined to it."""
    twin = sa.orm.aliased(Transaction)
    join = sa.orm.aliased(LineJoin)
    joined = sa.exists().where(
        join.organization_id == Transaction.organization_id,
        join.kept_id == Transaction.id,
        join.status == "JOINED",
        twin.organization_id == join.organization_id,
        twin.id == join.joined_id,
        twin.line_key.is_not(None),
    )
    return sa.or_(Transaction.line_key.is_not(None), joined.correlate(Transaction))


def only_in_feed(feed_account: FeedAccount, first: date, last: date, bank_format: str) -> list[Report]:
    """List the booked lines of some days that the feed gave and no file of this format did, deleted ones too.

    A file that gave a line as it was before the feed changed it did not give it as it is now.
    """
    twin = sa.orm.aliased(Transaction)
    is_given = (
        sa.exists()
        .where(
            Import.organization_id == twin.organization_id,
            Import.id == twin.import_id,
            Import.format == bank_format,
            LineJoin.organization_id == Transaction.organization_id,
            LineJoin.kept_id == Transaction.id,
            LineJoin.status == "JOINED",
            twin.organization_id == LineJoin.organization_id,
            twin.id == LineJoin.joined_id,
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
    changed = sa.exists().where(
        LineChange.organization_id == Transaction.organization_id,
        LineChange.transaction_id == Transaction.id,
    )
    return (
        Transaction.organization_id == feed_account.organization_id,
        Transaction.feed_account_id == feed_account.id,
        Transaction.booked_on.between(first, last),
        Transaction.line_key.is_not(None),
        changed.correlate(Transaction),
    )
