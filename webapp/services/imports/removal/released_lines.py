"""The lines that an import which is taken back leaves: reports to release, and pending lines of the file before."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import PENDING_TIERS
from webapp.models import (
    FeedAccount,
    Import,
    ImportLine,
    LineChange,
    LineJoin,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.services.transactions import join_records


def release(imported: Import, *, now: datetime) -> None:
    """Give each line that the feed has too back to the feed, and delete the joins and changes of the import's lines."""
    own = sa.select(Transaction.id).where(refers_to(Transaction.import_id, imported))
    found = db.session.scalars(
        sa.select(LineJoin)
        .where(
            of_same_organization(LineJoin, imported),
            LineJoin.status == "JOINED",
            LineJoin.kept_id.in_(own),
            LineJoin.joined_id.not_in(own),
        )
        .order_by(LineJoin.tier.in_(PENDING_TIERS), LineJoin.id)
    ).all()
    heirs: dict[int, int] = {}
    for join in found:
        kept_id = join.kept_id
        if kept_id in heirs:
            join.kept_id = heirs[kept_id]
        elif _comes_back(join, now):
            heirs[kept_id] = join.joined_id
    db.session.flush()
    for model, columns in (
        (LineJoin, (LineJoin.kept_id, LineJoin.joined_id)),
        (LineChange, (LineChange.transaction_id,)),
    ):
        db.session.execute(
            sa.delete(model)
            .where(
                of_same_organization(model, imported),
                sa.or_(*(column.in_(own) for column in columns)),
            )
            .execution_options(synchronize_session=False)
        )
    db.session.expire_all()


def _comes_back(join: LineJoin, now: datetime) -> bool:
    """Restore a joined report as its own source has it; tell whether it is a line in the books then."""
    line = db.session.get_one(Transaction, (join.organization_id, join.joined_id))
    feed_line = join_records.feed_line_of(line)
    if feed_line is not None and feed_line.event == "REMOVED":
        return False
    if join_records.was_pending(join, feed_line):
        line.status = "PENDING"
        return False
    join_records.add_to_books(line, now=now)
    return True


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
