"""The pending lines of a feed account: those of the last file that has the account."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import FeedAccount, Import, ImportLine, Transaction, of_same_organization, refers_to


def update_pending(feed_account: FeedAccount, imports: Sequence[Import]) -> None:
    """Update which lines of an account are pending by its imports, listed from the first to the last.

    A line is pending while the last import has it, else removed by the one that came after the last that had it.
    """
    place = {imported.id: index for index, imported in enumerate(imports)}
    last_named = _last_named(feed_account, place)
    lines = db.session.scalars(
        sa.select(Transaction).where(
            refers_to(Transaction.feed_account_id, feed_account),
            Transaction.import_id.is_not(None),
            sa.or_(Transaction.status == "PENDING", Transaction.removed_by_import_id.is_not(None)),
        )
    )
    for line in lines:
        after = last_named.get(line.id, -1) + 1
        remover = imports[after].id if after < len(imports) else None
        status = "PENDING" if remover is None else "REMOVED"
        if (line.status, line.removed_by_import_id) != (status, remover):
            line.status, line.removed_by_import_id = status, remover
    db.session.flush()


def _last_named(feed_account: FeedAccount, place: dict[int, int]) -> dict[int, int]:
    """Find the place of the last import that has each pending line."""
    rows = db.session.execute(
        sa.select(ImportLine.transaction_id, ImportLine.import_id)
        .join(Transaction, refers_to(ImportLine.transaction_id, Transaction))
        .where(
            of_same_organization(ImportLine, feed_account),
            ImportLine.verdict == "PENDING",
            Transaction.feed_account_id == feed_account.id,
        )
    )
    found: dict[int, int] = {}
    for line_id, import_id in rows:
        if line_id is not None and import_id in place:
            found[line_id] = max(found.get(line_id, -1), place[import_id])
    return found
