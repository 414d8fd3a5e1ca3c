"""Reading the rows that rows own, as the postings of entries, in one statement for all of them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm.attributes import set_committed_value

from webapp.database.sessions import db
from webapp.models.base import Numbered
from webapp.queries.common.portions import portions

Owner = TypeVar("Owner", bound=Numbered)


def with_parts(
    owned: orm.InstrumentedAttribute[Any], owners: Iterable[Owner], *, again: bool = False
) -> list[Owner]:
    """Read what each of an organization's rows owns, and give the rows: `with_parts(JournalEntry.postings, entries)`.

    What was read before is not read `again` without being asked to. An eager load of SQLAlchemy's would look for
    pairs of organization and id, for which neither database uses an index of ids as it does for one list of them.
    """
    rows = list(owners)
    waiting = {row.id: row for row in rows if again or owned.key in sa.inspect(row).unloaded}
    found = defaultdict(list)
    for portion in portions(waiting):
        for part_of, part in db.session.execute(
            _parts(owned, rows[0].organization_id, portion), execution_options={"populate_existing": again}
        ):
            found[part_of].append(part)
    for row_id, row in waiting.items():
        set_committed_value(row, owned.key, found[row_id])
    return rows


def _parts(owned: orm.InstrumentedAttribute[Any], organization_id: str, ids: Iterable[int]) -> sa.Select[Any]:
    relationship, part = owned.property, owned.property.mapper.class_
    ((_, key),) = relationship.synchronize_pairs
    return (
        sa.select(key, part)
        .where(part.organization_id == organization_id, key.in_(ids))
        .order_by(*relationship.order_by)
    )
