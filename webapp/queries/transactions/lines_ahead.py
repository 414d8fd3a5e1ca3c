"""What confirming or changing lines asks of the books, read once for all of them; of one line in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import load_only
from sqlalchemy.orm.attributes import set_committed_value

from webapp.db import db
from webapp.models import (
    Account,
    FeedAccount,
    JournalEntry,
    Organization,
    Posting,
    Transaction,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.accounts.accounts import by_roles
from webapp.queries.common import lookups, read_ahead
from webapp.queries.common.made_once import made_once
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
        plain=_plain(accounts.values()),
        opened_on=opened_on,
    )


def reading_one(organization_id: str, line_id: int) -> AbstractContextManager[None]:
    """Answer from one statement what confirming a line asks within the block; of an unknown line nothing is read."""
    return read_ahead.answering(_read_one(organization_id, line_id))


def _read_one(organization_id: str, line_id: int) -> ReadAhead:
    found = db.session.execute(*_of_one(organization_id, line_id)).all()
    if not found:
        return ReadAhead()
    line, entry, organization, *_ = found[0]
    set_committed_value(line, "journal_entry", entry)
    if entry is not None:
        set_committed_value(entry, "postings", [row.Posting for row in found if row.Posting is not None])
    is_documented = any(row.is_documented for row in found)
    accounts = {row.Account.id: row.Account for row in found if row.Account is not None}
    # What no proof keeps as new takes a posting of any day.
    opened_on = {row.Account.id: row.opened_on or date.min for row in found if row.Account is not None}
    return ReadAhead(
        rows={
            (Organization, organization_id): organization,
            (Transaction, line_id): line,
            **{(Account, account_id): account for account_id, account in accounts.items()},
        },
        unpaying=_unless(line_id, found[0].is_paying),
        unexplained=_unless(line_id, found[0].is_explained),
        unpaired=_unless(line_id, found[0].is_paired),
        undocumented=_unless(None if entry is None else entry.id, is_documented),
        plain=_plain(accounts.values()),
        opened_on=opened_on,
    )


def _unless(row_id: int | None, has_some: object) -> frozenset[int]:
    return frozenset() if has_some or row_id is None else frozenset({row_id})


def _plain(accounts: Iterable[Account]) -> frozenset[int]:
    return frozenset(each.id for each in accounts if not each.is_archived and not each.requires_counterparty)


@made_once
def _of_one(organization_id: str, line_id: int) -> Any:
    """Select a line with all that it consists of, a row for each posting of its entry, and what hangs on it."""
    return (
        sa.select(
            *(Transaction, JournalEntry, Organization, Posting, Account),
            line_payments.is_paying(Transaction).label("is_paying"),
            booked_by_hand.may_explain(Transaction, FeedAccount).label("is_explained"),
            transfer_pairs.is_paired(Transaction).label("is_paired"),
            attachments.is_documented(JournalEntry, Posting).label("is_documented"),
            openings.latest_of(Account).label("opened_on"),
        )
        .join(FeedAccount, refers_to(Transaction.feed_account_id, FeedAccount))
        .join(Organization, Organization.id == Transaction.organization_id)
        .outerjoin(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .outerjoin(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .outerjoin(Account, refers_to(Posting.account_id, Account))
        .where(
            Transaction.organization_id == organization_id,
            Transaction.id == line_id,
            Organization.id == organization_id,
        )
        .order_by(Posting.position)
        # Whatever else is asked of them is read then.
        .options(
            load_only(Organization.lock_date, Organization.time_zone, Organization.base_currency),
            load_only(Account.name, Account.is_archived, Account.requires_counterparty),
        )
    )
