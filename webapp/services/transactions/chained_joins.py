"""Joins of a line that is joined itself: all reports of one line of the bank hang on the one that is in the books."""

from __future__ import annotations

import sqlalchemy as sa

from webapp.db import db
from webapp.models import LineJoin, Transaction


def bring_along(joined: Transaction, kept: Transaction) -> None:
    """Let what was joined to a row be joined to the one that it is joined to now: there are no chains.

    What was suspected or settled between those rows before gives way.
    """
    of_rows = sa.select(LineJoin).where(LineJoin.organization_id == joined.organization_id)
    brought = db.session.scalars(
        of_rows.where(LineJoin.kept_id == joined.id, LineJoin.status == "JOINED")
    ).all()
    ids = [found.joined_id for found in brought]
    for earlier in db.session.scalars(
        of_rows.where(LineJoin.kept_id == kept.id, LineJoin.joined_id.in_(ids))
    ):
        db.session.delete(earlier)
    db.session.flush()
    for found in brought:
        found.kept_id = kept.id
    db.session.flush()
