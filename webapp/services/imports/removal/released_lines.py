"""Reports that were joined to lines of an import that is taken back: they are lines of their own again."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.matching.joins import PENDING_TIERS
from webapp.models import FeedLine, Import, LineChange, LineJoin, Transaction, of_same_organization, refers_to
from webapp.services.transactions import join_records


def release(imported: Import, *, now: datetime) -> None:
    """Let each line of an import that the feed gave too be the feed's, and forget what is known of the import's own."""
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
    """Bring a joined report back as what its own source says; tell whether it is a line in the books then."""
    line = db.session.get_one(Transaction, join.joined_id)
    said = db.session.scalar(sa.select(FeedLine).where(refers_to(FeedLine.transaction_id, line)))
    if said is not None and said.said == "REMOVED":
        return False
    if said.is_pending if said is not None else join.tier in PENDING_TIERS:
        line.status, line.updated_at = "PENDING", now
        return False
    join_records.add_to_books(line, now=now)
    return True
