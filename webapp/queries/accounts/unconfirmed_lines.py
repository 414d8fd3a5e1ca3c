"""How many lines of feed accounts wait to be confirmed, counted from whichever is less: what is, or what is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import is_among, unindexed
from webapp.database.sessions import db
from webapp.models import JournalEntry, LineMonthSum, Transaction
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once


def counts(organization_id: str, ids: Sequence[int]) -> dict[int, int]:
    """Count the BOOKED lines of each whose entry is a draft or has an open correction marker.

    It starts from the drafts or from what was ever posted, whichever are fewer: neither count is a look at all lines.
    """
    ever_posted, drafts = db.session.execute(*_entries(organization_id)).one()
    return (by_drafts if drafts <= ever_posted else by_posted)(organization_id, ids)


def by_drafts(organization_id: str, ids: Sequence[int]) -> dict[int, int]:
    """Count them from the drafts."""
    return {row[0]: int(row[1]) for row in db.session.execute(*_of_drafts(organization_id, ids))}


def by_posted(organization_id: str, ids: Sequence[int]) -> dict[int, int]:
    """Count them as the BOOKED lines, all of which have an entry, less those with a posted one and no marker."""
    found: Counter[int] = Counter()
    for fa_id, count in db.session.execute(*_less_posted(organization_id, ids)):
        found[fa_id] += int(count)
    return {fa_id: count for fa_id, count in found.items() if count}


@made_once
def _entries(organization_id: str) -> sa.Select[Any]:
    """Select how many entries were ever posted, and how many drafts there are, which are counted up to one more."""
    posted = sa.select(sa.func.coalesce(sa.func.max(JournalEntry.number), 0)).where(
        JournalEntry.organization_id == organization_id
    )
    some = _drafts(JournalEntry.id, organization_id).limit(posted.scalar_subquery() + 1)
    drafts = sa.select(sa.func.count()).select_from(some.subquery())
    return sa.select(posted.scalar_subquery(), drafts.scalar_subquery())


@made_once
def _of_drafts(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    named = sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.id)
    return _with_entries(organization_id, ids, _drafts(named, organization_id))


@made_once
def _less_posted(organization_id: str, ids: Sequence[int]) -> sa.CompoundSelect[Any]:
    posted = sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id, JournalEntry.number > 0
    )
    markers = _drafts(JournalEntry.corrects_id, organization_id)
    columns: list[Any] = [LineMonthSum.feed_account_id, sa.func.sum(LineMonthSum.booked_count)]
    of_feeds = LineMonthSum.organization_id == organization_id, among(LineMonthSum.feed_account_id, ids)
    return sa.union_all(
        sa.select(*columns).where(*of_feeds).group_by(LineMonthSum.feed_account_id),
        _with_entries(organization_id, ids, posted, sign=-1),
        _with_entries(organization_id, ids, markers.where(JournalEntry.corrects_id.is_not(None))),
    )


def _with_entries(
    organization_id: str, ids: Sequence[int], entries: sa.Select[Any], sign: int = 1
) -> sa.Select[Any]:
    """Count the BOOKED lines of some entries; left alone, SQLite would go through the entries for each line."""
    columns: list[Any] = [Transaction.feed_account_id, sa.func.count() * sign]
    return (
        sa.select(*columns)
        .where(
            unindexed(Transaction.organization_id) == organization_id,
            among(unindexed(Transaction.feed_account_id), ids),
            unindexed(Transaction.status) == "BOOKED",
            is_among(Transaction.journal_entry_id, entries.scalar_subquery()),
        )
        .group_by(Transaction.feed_account_id)
    )


def _drafts(column: Any, organization_id: str) -> sa.Select[Any]:
    # The status is written out, as the indexes have it.
    return (
        sa.select(column)
        .select_from(JournalEntry)
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == sa.literal_column("'DRAFT'"),
        )
    )
