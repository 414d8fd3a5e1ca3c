"""Bound rows: the event of an act binds what the act wrote, as the database noted it."""

from collections.abc import Collection
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.bound_rows import FORMAT, BoundDigest, digest_of, summary_of
from webapp.models import BoundRow
from webapp.models.base import table_of
from webapp.queries.audit.bound_rows import rows_of

_NEW: Final = sa.insert(table_of(BoundRow))


def bind(organization_id: str, sequence: int, kinds: Collection[str]) -> dict[str, object]:
    """Bind what was written of some kinds to an event, and give what its body says of it; nothing where none was."""
    rows = [
        BoundDigest(
            kind, row_id, None if values is None else digest_of(kind, organization_id, row_id, values)
        )
        for kind in kinds
        for row_id, values in rows_of(kind, organization_id, are_written=True)
    ]
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
