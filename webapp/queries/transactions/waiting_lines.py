"""The bank lines that wait for a person, over all accounts: how many, and how many are uncategorised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import leakproof_coalesce
from webapp.database.sessions import db
from webapp.ledger.chart import UNCATEGORISED
from webapp.models import Account, JournalEntry, Posting, Transaction, refers_to
from webapp.queries.accounts.feed_accounts import FeedAccountRecord
from webapp.queries.common.made_once import made_once

# Of more lines than `ALL` not all are counted: the hub says "over 100", and stays as fast.
MOST, ALL = 100, 10_000


@dataclass(frozen=True, slots=True)
class WaitingLines:
    """The unconfirmed lines of some accounts; `account` has most of them.

    `uncategorised_of` counts up to `most` and one in all accounts: beyond that it only shows that there are more.
    """

    count: int
    account_count: int
    account: FeedAccountRecord
    uncategorised_of: Mapping[int, int]
    most: int

    @property
    def uncategorised(self) -> int:
        """The uncategorised lines of all accounts."""
        return sum(self.uncategorised_of.values())


def of_accounts(organization_id: str, accounts: Sequence[FeedAccountRecord]) -> WaitingLines | None:
    """Count the unconfirmed lines of accounts; None where there is none."""
    waiting = [account for account in accounts if account.unconfirmed_count]
    if not waiting:
        return None
    count = sum(account.unconfirmed_count for account in waiting)
    most = ALL if count <= ALL else MOST
    return WaitingLines(
        count=count,
        account_count=len(waiting),
        account=max(waiting, key=lambda account: account.unconfirmed_count),
        uncategorised_of=_uncategorised(organization_id, [account.fa_id for account in waiting], most),
        most=most,
    )


def _uncategorised(organization_id: str, fa_ids: Sequence[int], most: int) -> dict[int, int]:
    """Count the BOOKED lines whose draft or correction posts to an uncategorised account, up to `most` and one more."""
    return dict(db.session.execute(*_count(organization_id, fa_ids, most + 1)).all())


@made_once
def _count(organization_id: str, fa_ids: Sequence[int], limit: int) -> sa.Select[*tuple[Any, ...]]:
    """Count from the postings on these accounts, which ends early.

    To leave out doubles before there are enough, PostgreSQL would read all of them. SQLite has no index on
    `feed_account_id + 0`: with the plain column it would go through all lines of an account for each draft.
    """
    uncategorised = sa.select(Account.id).where(
        Account.organization_id == organization_id, Account.role.in_(UNCATEGORISED)
    )
    drafts = (
        sa.select(leakproof_coalesce(JournalEntry.corrects_id, JournalEntry.id).label("entry_id"))
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            Posting.account_id.in_(uncategorised),
            JournalEntry.status == "DRAFT",
        )
        .limit(limit)
        .subquery()
    )
    entries = sa.select(drafts.c.entry_id).distinct().subquery()
    fa_id = Transaction.feed_account_id + 0
    return (
        sa.select(fa_id, sa.func.count())
        .select_from(entries)
        .join(Transaction, Transaction.journal_entry_id == entries.c.entry_id)
        .where(
            Transaction.organization_id == organization_id,
            fa_id.in_(fa_ids),
            Transaction.status == "BOOKED",
        )
        .group_by(fa_id)
    )
