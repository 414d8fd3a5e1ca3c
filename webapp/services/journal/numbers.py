"""Numbers of entries: posting a draft gives it the next one."""

from __future__ import annotations

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import JournalEntry
from webapp.models.base import table_of
from webapp.services.audit.act import Act

_ENTRY, _OTHER = table_of(JournalEntry), table_of(JournalEntry).alias("other")
_LAST = (
    sa.select(sa.func.max(_OTHER.c.number))
    .where(_OTHER.c.organization_id == sa.bindparam("of_organization"))
    .scalar_subquery()
)
# Whoever posts holds the books' lock, so that two never take one number, and none is lost when an act fails. It is a
# change of the table: one of the model would be compared with every entry that the session holds in a bulk act.
_POST = (
    sa.update(_ENTRY)
    .where(
        _ENTRY.c.organization_id == sa.bindparam("of_organization"),
        _ENTRY.c.id == sa.bindparam("entry_id"),
        _ENTRY.c.status == "DRAFT",
    )
    .values(
        status="POSTED",
        posted_at=sa.bindparam("at"),
        action_request_id=sa.bindparam("act"),
        number=sa.func.coalesce(_LAST, 0) + 1,
    )
    .returning(_ENTRY.c.number)
)
# The columns that it writes.
WRITTEN = ("status", "posted_at", "action_request_id", "number")


def post(draft: JournalEntry, doing: Act) -> bool:
    """Post a draft under the next number by one conditional update; answers whether it was still a draft."""
    db.session.flush()
    of = {"of_organization": draft.organization_id, "entry_id": draft.id}
    return db.session.scalar(_POST, {**of, "at": doing.now, "act": doing.id}) is not None
