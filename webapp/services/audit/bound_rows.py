"""Bound rows: the event of an act binds what the act wrote, as the database noted it."""

from collections.abc import Collection, Mapping
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.bound_rows import FORMAT, BoundDigest, digest_of, summary_of
from webapp.models import BoundRow
from webapp.models.base import table_of
from webapp.queries.audit.bound_rows import rows_of

_NEW: Final = sa.insert(table_of(BoundRow))


def bind(organization_id: str, sequence: int, written: Mapping[str, Collection[int]]) -> dict[str, object]:
    """Bind rows to an event, by its number, and give what its body says of them; nothing where none was written."""
    rows = [row for kind, ids in written.items() for row in _bound(kind, organization_id, ids)]
    if not rows:
        return {}
    db.session.execute(
        _NEW,
        [
            {
                "organization_id": organization_id,
                "sequence": sequence,
                "format": FORMAT,
                "kind": kind,
                "row_id": row_id,
                "digest": digest,
            }
            for kind, row_id, digest in rows
        ],
    )
    return {"rows": summary_of(rows)}


def _bound(kind: str, organization_id: str, ids: Collection[int]) -> list[BoundDigest]:
    found = {
        row_id: digest_of(kind, organization_id, row_id, values)
        for row_id, values in rows_of(kind, organization_id, ids)
    }
    return [BoundDigest(kind, row_id, found.get(row_id)) for row_id in ids]
