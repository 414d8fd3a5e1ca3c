"""What confirming or changing lines asks of the books, read once for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import Account, FeedAccount, JournalEntry, Organization, Transaction
from webapp.queries.access import organizations
from webapp.queries.accounts.accounts import by_roles
from webapp.queries.common import lookups, read_ahead
from webapp.queries.common.parts import with_parts
from webapp.queries.common.read_ahead import ReadAhead
from webapp.queries.items import line_payments
from webapp.queries.journal import attachments
from webapp.queries.matching import booked_by_hand, transfer_pairs
from webapp.queries.reconciliation import openings


def reading(
    organization_id: str, ids: Sequence[int], account_ids: Iterable[int | None] = ()
) -> AbstractContextManager[None]:
    """Answer from one reading what is asked within the block of these lines, their entries and accounts.

    `account_ids` are other accounts that the act names.
    """
    return read_ahead.answering(_read(organization_id, ids, account_ids))


def _read(organization_id: str, ids: Sequence[int], named: Iterable[int | None]) -> ReadAhead:
    lines = db.session.scalars(
        sa.select(Transaction).where(Transaction.organization_id == organization_id, Transaction.id.in_(ids))
    ).all()
    found = lookups.by_id(JournalEntry, organization_id, {line.journal_entry_id for line in lines})
    with_parts(JournalEntry.postings, found.values())
    feeds = lookups.by_id(FeedAccount, organization_id, {line.feed_account_id for line in lines})
    # Each line finds its entry among those of the session, and keeps it there.
    entries = {line.journal_entry.id: line.journal_entry for line in lines if line.journal_entry is not None}
    account_ids = {posting.account_id for entry in entries.values() for posting in entry.postings}
    accounts = lookups.by_id(Account, organization_id, {*account_ids, *named})
    rows: dict[tuple[type[Any], object], Any] = {
        (Organization, organization_id): organizations.get(organization_id),
        **{(Transaction, line.id): line for line in lines},
        **{(FeedAccount, feed_id): feed for feed_id, feed in feeds.items()},
        **{(Account, account_id): account for account_id, account in accounts.items()},
        **by_roles(organization_id),
    }
    opened_on = dict.fromkeys(account_ids, date.min) | openings.latest(organization_id)
    return ReadAhead(
        rows=rows,
        unpaying=frozenset(ids) - line_payments.paying(organization_id, ids),
        unexplained=frozenset(ids).difference(booked_by_hand.of_lines(lines, feeds)),
        unpaired=frozenset(ids) - transfer_pairs.others(organization_id, ids).keys(),
        undocumented=frozenset(entries) - attachments.documented(organization_id, entries.values()),
        plain=frozenset(
            each.id for each in accounts.values() if not each.is_archived and not each.requires_counterparty
        ),
        opened_on=opened_on,
    )
