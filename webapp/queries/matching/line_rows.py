"""Which tables have rows about bank lines: about most lines they have none, and one statement says so of all tables."""

from collections.abc import Collection, Sequence
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    DocumentRelation,
    FeedLine,
    LineChange,
    LineJoin,
    LinePayment,
    ReconciliationItem,
    RuleSetting,
    TransferPair,
)
from webapp.models.base import table_of
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions

# The tables, each with its columns that name a line.
TABLES: Final[dict[type[Any], tuple[str, ...]]] = {
    DocumentRelation: ("transaction_id",),
    FeedLine: ("transaction_id",),
    LineChange: ("transaction_id",),
    LineJoin: ("kept_id", "joined_id"),
    LinePayment: ("transaction_id",),
    ReconciliationItem: ("transaction_id",),
    RuleSetting: ("transaction_id",),
    TransferPair: ("transaction_id",),
}


class LineRows:
    """The lines, of some, that have rows in each of these tables, in one statement."""

    def __init__(self, organization_id: str, line_ids: Collection[int]) -> None:
        self._found: dict[str, set[int]] = {}
        for ids in portions(line_ids):
            for table, line_id in db.session.execute(*_rows(organization_id, ids)):
                self._found.setdefault(table, set()).add(line_id)

    def of(self, model: type[Any]) -> list[int]:
        """List the lines that have rows of a model."""
        return sorted(self._found.get(model.__tablename__, ()))


@made_once
def _rows(organization_id: str, line_ids: Sequence[int]) -> sa.CompoundSelect[str, int]:
    return sa.union_all(
        *(
            sa.select(sa.literal(model.__tablename__), table_of(model).c[name]).where(
                table_of(model).c.organization_id == organization_id, among(table_of(model).c[name], line_ids)
            )
            for model, names in TABLES.items()
            for name in names
        )
    )
