"""Which lines of a bank account stand in its workspace: behind a tab, and after what narrows the list."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.dimensions import DimensionSelection
from webapp.models import Reconciliation, ReconciliationItem, Transaction, refers_to
from webapp.queries.common.made_once import made_once
from webapp.queries.common.search import matches_text_or_amount
from webapp.queries.transactions import line_entries, transactions

# So many lines that a search finds are named by their ids in the next statements, instead of being searched again.
FEW: Final = 500


@dataclass(frozen=True, slots=True)
class WorkspaceFilters:
    """The tab and the filters of the list of lines; `found` are the lines with the text `q`, once they are known."""

    show: str = "all"
    q: str | None = None
    from_date: date | None = None
    to_date: date | None = None
    cursor: str | None = None
    project_id: int | None = None
    project_group_id: int | None = None
    org_merchant_id: int | None = None
    found: tuple[int, ...] | None = None

    @property
    def narrows(self) -> bool:
        """Whether any filter leaves lines out, the tab apart."""
        dimensions = (self.project_id, self.project_group_id, self.org_merchant_id)
        return any((self.q, self.from_date, self.to_date, *dimensions))


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """The open reconciliation draft of an account."""

    id: int
    statement_date: date


def open_draft(organization_id: str, fa_id: int) -> OpenDraft | None:
    """Find the open draft of an account."""
    row = db.session.execute(*_open_draft(organization_id, fa_id)).one_or_none()
    return OpenDraft(*row) if row is not None else None


@made_once
def _open_draft(organization_id: str, fa_id: int) -> sa.Select[int, date]:
    return sa.select(Reconciliation.id, Reconciliation.statement_date).where(
        Reconciliation.organization_id == organization_id,
        Reconciliation.feed_account_id == fa_id,
        Reconciliation.status == "DRAFT",
    )


def searched(organization_id: str, fa_id: int, filters: WorkspaceFilters) -> WorkspaceFilters:
    """Search an account's lines once for what several statements ask; where it finds more than a few, each searches."""
    if not filters.q:
        return filters
    statement = sa.select(Transaction.id).where(*conditions(organization_id, fa_id, filters)).limit(FEW + 1)
    found = tuple(db.session.scalars(statement))
    return filters if len(found) > FEW else replace(filters, found=found)


def conditions(organization_id: str, fa_id: int, filters: WorkspaceFilters) -> list[sa.ColumnElement[bool]]:
    """Build the conditions of an account's lines that the filters leave, whatever the tab."""
    found = [
        Transaction.organization_id == organization_id,
        Transaction.feed_account_id == fa_id,
    ]
    if filters.found is not None:
        found.append(Transaction.id.in_(filters.found))
    elif filters.q:
        found.append(matches_text_or_amount(filters.q))
    if filters.from_date:
        found.append(Transaction.booked_on >= filters.from_date)
    if filters.to_date:
        found.append(Transaction.booked_on <= filters.to_date)
    selection = DimensionSelection(filters.project_id, filters.project_group_id, filters.org_merchant_id)
    return [*found, *line_entries.posts_to(organization_id, selection)]


def shown(show: str, draft: OpenDraft | None) -> sa.ColumnElement[bool]:
    """Build the condition of the lines of a tab; a removed line that was never posted is on none."""
    is_booked = Transaction.status == "BOOKED"
    if show == "pending":
        return Transaction.status == "PENDING"
    if show == "unconfirmed":
        return sa.and_(is_booked, line_entries.is_unconfirmed())
    if show in ("statement", "open") and draft is not None:
        of_statement = sa.and_(
            is_booked, Transaction.booked_on <= draft.statement_date, sa.not_(transactions.is_reconciled())
        )
        return of_statement if show == "statement" else sa.and_(of_statement, sa.not_(_is_cleared(draft)))
    return sa.or_(Transaction.status != "REMOVED", Transaction.journal_entry_id.is_not(None))


def _is_cleared(draft: OpenDraft) -> sa.ColumnElement[bool]:
    return sa.exists().where(
        refers_to(ReconciliationItem.transaction_id, Transaction),
        ReconciliationItem.reconciliation_id == draft.id,
    )
