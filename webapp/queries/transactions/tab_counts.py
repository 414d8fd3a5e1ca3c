"""How many of an account's lines stand behind each tab of its workspace.

Without a filter the counts come from sums that are kept and from an index of states, so that they do not grow with the
history; with one the lines are gone through.
"""

from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import TRANSACTION_STATUSES
from webapp.models import LineMonthSum, ReconciliationItem, Transaction, refers_to
from webapp.queries.accounts import balances
from webapp.queries.accounts.feed_accounts import FeedAccountRecord
from webapp.queries.common.made_once import made_once
from webapp.queries.transactions.line_filters import (
    OpenDraft,
    WorkspaceFilters,
    conditions,
    shown,
)

TABS = ("statement", "open", "unconfirmed", "pending", "all")


def of_account(
    organization_id: str, account: FeedAccountRecord, filters: WorkspaceFilters, draft: OpenDraft | None
) -> dict[str, int]:
    """Count the lines behind each tab; those of a statement are all without an open draft."""
    if filters.narrows:
        return counted(organization_id, account.fa_id, filters, draft)
    return kept(organization_id, account, draft)


def counted(
    organization_id: str, fa_id: int, filters: WorkspaceFilters, draft: OpenDraft | None
) -> dict[str, int]:
    """Count in one statement the lines that the filters leave."""
    tabs = [sa.func.count().filter(shown(tab, draft)).label(tab) for tab in TABS]
    row = db.session.execute(
        sa.select(*tabs).select_from(Transaction).where(*conditions(organization_id, fa_id, filters))
    ).one()
    return {tab: int(getattr(row, tab)) for tab in TABS}


def kept(organization_id: str, account: FeedAccountRecord, draft: OpenDraft | None) -> dict[str, int]:
    """Add up the counts of all lines of an account from what is kept of them."""
    fa_id = account.fa_id
    of_status = _by_status(organization_id, fa_id)
    listed = sum(count for status, count in of_status.items() if status != "REMOVED")
    every = listed + (_taken_back(organization_id, fa_id) if "REMOVED" in of_status else 0)
    statement = open_lines = every
    if draft is not None:
        statement = balances.unreconciled_until(organization_id, fa_id, draft.statement_date)
        open_lines = statement - _cleared(organization_id, draft)
    return {
        "statement": statement,
        "open": open_lines,
        "unconfirmed": account.unconfirmed_count,
        "pending": of_status.get("PENDING", 0),
        "all": every,
    }


def _by_status(organization_id: str, fa_id: int) -> dict[str, int]:
    return {
        status: int(count) for status, count in db.session.execute(*_status_counts(organization_id, fa_id))
    }


@made_once
def _status_counts(organization_id: str, fa_id: int) -> sa.CompoundSelect[Any]:
    """Select what is kept of the lines that are booked, and count the few others."""
    kept: list[Any] = [
        sa.literal_column("'BOOKED'"),
        sa.func.coalesce(sa.func.sum(LineMonthSum.booked_count), 0),
    ]
    others: list[Any] = [Transaction.status, sa.func.count()]
    return sa.union_all(
        sa.select(*kept).where(
            LineMonthSum.organization_id == organization_id, LineMonthSum.feed_account_id == fa_id
        ),
        sa.select(*others)
        .where(
            Transaction.organization_id == organization_id,
            Transaction.feed_account_id == fa_id,
            Transaction.status.in_([each for each in TRANSACTION_STATUSES if each != "BOOKED"]),
        )
        .group_by(Transaction.status),
    )


def _taken_back(organization_id: str, fa_id: int) -> int:
    """Count the removed lines whose entry stands in the journal."""
    statement = sa.select(sa.func.count()).where(
        Transaction.organization_id == organization_id,
        Transaction.feed_account_id == fa_id,
        Transaction.status == "REMOVED",
        Transaction.journal_entry_id.is_not(None),
    )
    return int(db.session.scalar(statement) or 0)


def _cleared(organization_id: str, draft: OpenDraft) -> int:
    """Count the lines of a statement that its open draft has cleared."""
    statement = (
        sa.select(sa.func.count())
        .select_from(ReconciliationItem)
        .join(Transaction, refers_to(ReconciliationItem.transaction_id, Transaction))
        .where(
            ReconciliationItem.organization_id == organization_id,
            ReconciliationItem.reconciliation_id == draft.id,
            Transaction.status == "BOOKED",
            Transaction.booked_on <= draft.statement_date,
        )
    )
    return int(db.session.scalar(statement) or 0)
