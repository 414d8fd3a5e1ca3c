"""The open reconciliation draft of a feed account: its version, and the items that it may clear."""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.models import FeedAccount, Reconciliation, ReconciliationItem, of_same_organization, refers_to
from webapp.queries.common.portions import portions
from webapp.queries.reconciliation import reconciliations
from webapp.queries.reconciliation.statement_items import IS_LINE


class NoDraftError(LedgerError):
    """This account has no open reconciliation draft; start one with the date and balance of the statement."""

    code = "no_draft"


class StaleDraftError(LedgerError):
    """Somebody changed this draft after you opened it; look at it again, then repeat."""

    code = "stale_version"

    def __init__(self, current: int | None) -> None:
        message = (
            None
            if current is not None
            else "This draft no longer exists: it was completed or cancelled. Look again."
        )
        super().__init__(message, details={"version": current})


def require(account: FeedAccount, version: int | None) -> Reconciliation:
    """Find the open draft, in the version that the caller saw where one is named; else raises StaleDraftError."""
    draft = reconciliations.draft_of(account)
    if draft is None:
        raise NoDraftError if version is None else StaleDraftError(None)
    if version is not None and version != draft.version:
        raise StaleDraftError(draft.version)
    return draft


def advance(draft: Reconciliation, **values: Any) -> None:
    """Change a draft to its next version by one conditional update, or raise StaleVersionError."""
    db.session.flush()
    changed = db.session.execute(
        sa.update(Reconciliation)
        .where(
            of_same_organization(Reconciliation, draft),
            Reconciliation.id == draft.id,
            Reconciliation.status == "DRAFT",
            Reconciliation.version == draft.version,
        )
        .values(version=draft.version + 1, **values)
        .execution_options(synchronize_session=False)
    )
    if changed.rowcount != 1:  # type: ignore[attr-defined]
        current = db.session.scalar(
            sa.select(Reconciliation.version).where(
                of_same_organization(Reconciliation, draft),
                Reconciliation.id == draft.id,
                Reconciliation.status == "DRAFT",
            )
        )
        raise StaleDraftError(current)
    db.session.refresh(draft)


def prune(account: FeedAccount, draft: Reconciliation) -> tuple[list[int], list[int]]:
    """Unclear what the draft may not clear: no item any more, or dated after its statement.

    Answers the ids of the lines and of the entries that it unclears.
    """
    kept = {
        (row.kind == IS_LINE, row.id)
        for row in reconciliations.open_lines(account, draft, is_cleared=True, until=draft.statement_date)
    }
    removed = [item for item in items_of(draft) if key_of(item) not in kept]
    _delete([item.id for item in removed], draft.organization_id)
    return (
        [item.transaction_id for item in removed if item.transaction_id is not None],
        [item.journal_entry_id for item in removed if item.journal_entry_id is not None],
    )


def items_of(statement: Reconciliation) -> Sequence[ReconciliationItem]:
    """Read the cleared items of a draft or proof, the first cleared first."""
    return db.session.scalars(
        sa.select(ReconciliationItem)
        .where(refers_to(ReconciliationItem.reconciliation_id, statement))
        .order_by(ReconciliationItem.id)
    ).all()


def unclear_lines(organization_id: str, transaction_ids: Collection[int]) -> None:
    """Take lines that are gone out of whichever open drafts clear them; those get a new version."""
    cleared = (
        sa.select(ReconciliationItem.id, ReconciliationItem.reconciliation_id)
        .join(Reconciliation, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .where(
            ReconciliationItem.organization_id == organization_id,
            ReconciliationItem.transaction_id.in_(transaction_ids),
            Reconciliation.status == "DRAFT",
        )
    )
    rows = db.session.execute(cleared).all()
    _delete([item_id for item_id, _ in rows], organization_id)
    for draft_id in {draft_id for _, draft_id in rows}:
        advance(reconciliations.get(organization_id, draft_id))


def key_of(item: ReconciliationItem) -> tuple[bool, int | None]:
    """Return whether it is a line or an entry, and which."""
    is_line = item.transaction_id is not None
    return is_line, item.transaction_id if is_line else item.journal_entry_id


def _delete(item_ids: Collection[int], organization_id: str) -> None:
    for ids in portions(item_ids):
        db.session.execute(
            sa.delete(ReconciliationItem).where(
                ReconciliationItem.organization_id == organization_id, ReconciliationItem.id.in_(ids)
            )
        )
