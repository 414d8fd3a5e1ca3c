"""Lists a page at a time, by the keys of the last row: a page deep down costs what the first one costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from webapp.db import db
from webapp.queries.common import changed_since

Item = TypeVar("Item")
# What the session knows of the list that a request reads.
WHOLE, SINCE = "whole_list", "updated_since"


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some rows, and the key after which the next ones come; none at the end."""

    items: Sequence[Item]
    next_key: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What a list is ordered by, the last column being unique; newest first unless it ascends."""

    columns: tuple[sa.ColumnElement[Any], ...]
    ascends: bool = False


def page(
    statement: sa.Select[Any], order: Order, *, after: tuple[Any, ...] | None, limit: int
) -> tuple[Sequence[Any], tuple[Any, ...] | None]:
    """Read the rows after a key, and the key of the last one when there are more.

    The statement selects one entity; its key columns are read along.
    """
    if (named := db.session.info.get(SINCE)) is not None:
        statement = statement.where(changed_since.since(statement.column_descriptions[0]["entity"], *named))
    note(statement)
    statement = statement.add_columns(*order.columns)
    if after is not None:
        key = sa.tuple_(*order.columns)
        last = sa.tuple_(
            *(sa.literal(value, column.type) for value, column in zip(after, order.columns, strict=True))
        )
        statement = statement.where(key > last if order.ascends else key < last)
    directed = [column.asc() if order.ascends else column.desc() for column in order.columns]
    rows = db.session.execute(statement.order_by(*directed).limit(limit + 1)).all()
    shown = rows[:limit]
    next_key = tuple(shown[-1][-len(order.columns) :]) if len(rows) > limit else None
    return [row[0] for row in shown], next_key


def only_since(organization_id: str, instant: datetime) -> None:
    """Let the list that is read next leave out what did not change at or after an instant."""
    db.session.info[SINCE] = organization_id, instant


def note(whole: sa.Select[Any] | int) -> None:
    """Remember what the list that is being read is a part of, in case somebody asks how much that is."""
    db.session.info[WHOLE] = whole


def total() -> int:
    """Count the whole of the list that was read last."""
    whole: sa.Select[Any] | int = db.session.info[WHOLE]
    if isinstance(whole, int):
        return whole
    rows = whole.with_only_columns(sa.literal(1).label("one"), maintain_column_froms=True)
    counted = sa.select(sa.func.count()).select_from(rows.order_by(None).subquery())
    return int(db.session.execute(counted).scalar_one())
