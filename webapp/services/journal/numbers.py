"""Numbers of entries: posting a draft gives it the next one."""

from __future__ import annotations

import sqlalchemy as sa

from webapp.db import db
from webapp.models import JournalEntry
from webapp.models.base import table_of
from webapp.services.audit.act import Act

_ENTRY = table_of(JournalEntry)
_NUMBERED = _ENTRY.alias()
# Whoever posts holds the books' lock, so that two never take one number, and none is lost when an act fails.
_LAST = sa.select(sa.func.max(_NUMBERED.c.number)).where(_NUMBERED.c.organization_id == sa.bindparam("of"))
_POSTED = {
    "status": "POSTED",
    "posted_at": sa.bindparam("at"),
    "action_request_id": sa.bindparam("act"),
    "number": sa.func.coalesce(_LAST.scalar_subquery(), 0) + 1,
}
# Made once, and sent past the session, which would compare it with every entry that it holds in a bulk act.
_POST = (
    sa.update(_ENTRY)
    .where(_ENTRY.c.organization_id == sa.bindparam("of"), _ENTRY.c.id == sa.bindparam("entry"))
    .where(_ENTRY.c.status == "DRAFT")
    .values(_POSTED)
)


def post(entry: JournalEntry, doing: Act) -> bool:
    """Post a draft under the next number by one conditional update; answers whether it was still a draft."""
    db.session.flush()
    asked = {"of": entry.organization_id, "entry": entry.id, "at": doing.now, "act": doing.id}
    posted = db.session.connection().execute(_POST, asked).rowcount == 1
    db.session.expire(entry, list(_POSTED))
    return posted
