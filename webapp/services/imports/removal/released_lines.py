"""Releasing the reports that were joined to lines of an import that is taken back."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import PENDING_TIERS
from webapp.models import Import, LineChange, LineJoin, Transaction, of_same_organization, refers_to
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
