"""The legs of many drafts at once, written past the session; the number of statements does not grow with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.entries import Leg
from webapp.models import Organization, Posting
from webapp.models.base import table_of
from webapp.queries.common.portions import portions
from webapp.services.journal import entries as journal_entries

_POSTING = table_of(Posting)


def write(organization: Organization, targets: Mapping[int, Sequence[Leg]]) -> None:
    """Write legs to drafts that have none, by the ids of these."""
    rows = [
        row
        for entry_id, target in targets.items()
        for row in journal_entries.leg_rows(organization.id, entry_id, organization.base_currency, target)
    ]
    if rows:
        db.session.connection().execute(sa.insert(_POSTING), rows)


def delete(organization_id: str, entry_ids: Collection[int]) -> None:
    """Delete the legs of drafts."""
    for portion in portions(entry_ids):
        of_them = (_POSTING.c.organization_id == organization_id, _POSTING.c.journal_entry_id.in_(portion))
        db.session.connection().execute(sa.delete(_POSTING).where(*of_them))
