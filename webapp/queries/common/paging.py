"""Lists a page at a time, by the keys of the last row: a page deep down costs what the first one costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from webapp.database.sessions import db

Item = TypeVar("Item")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some rows, the key after which the next ones come or none at the end, and what they are a page of.

    `whole` is the list without its pages: how many rows that has, or the statement that selects them, or what makes
    one of these; `beside` are rows of the list that no table has.
    """

    items: Sequence[Item]
    next_key: tuple[Any, ...] | None
    whole: sa.Select[Any] | int | Callable[[], sa.Select[Any] | int]
    beside: int = 0

    def of(self, items: Sequence[Other]) -> Page[Other]:
        """Give the same page with its rows in another shape."""
        return Page(items, self.next_key, self.whole, self.beside)

    def total(self) -> int:
        """Count the rows of all pages."""
        whole = self.whole() if callable(self.whole) else self.whole
        if isinstance(whole, int):
            return whole + self.beside
        rows = whole.with_only_columns(sa.literal(1).label("one"), maintain_column_froms=True)
        counted = sa.select(sa.func.count()).select_from(rows.order_by(None).subquery())
        return int(db.session.execute(counted).scalar_one()) + self.beside


@dataclass(frozen=True, slots=True)
class Order:
    """What a list is ordered by, the last column being unique; newest first unless it ascends."""

    columns: tuple[sa.ColumnElement[Any], ...]
    ascends: bool = False


def page(statement: sa.Select[Any], order: Order, *, after: tuple[Any, ...] | None, limit: int) -> Page[Any]:
    """Read the rows after a key of a statement that selects one entity or column."""
    found = page_of_rows(statement, order, after=after, limit=limit)
    return found.of([row[0] for row in found.items])


def page_of_rows(
    statement: sa.Select[Any], order: Order, *, after: tuple[Any, ...] | None, limit: int
) -> Page[sa.Row[Any]]:
    """Read the rows after a key, and the key of the last one when there are more; key columns are read along."""
    within = statement.add_columns(*order.columns)
    if after is not None:
        key = sa.tuple_(*order.columns)
        last = sa.tuple_(
            *(sa.literal(value, column.type) for value, column in zip(after, order.columns, strict=True))
        )
        within = within.where(key > last if order.ascends else key < last)
    directed = [column.asc() if order.ascends else column.desc() for column in order.columns]
    rows = db.session.execute(within.order_by(*directed).limit(limit + 1)).all()
    shown = rows[:limit]
    next_key = tuple(shown[-1][-len(order.columns) :]) if len(rows) > limit else None
    is_all = after is None and next_key is None
    return Page(shown, next_key, len(shown) if is_all else statement)


def joined(pages: Sequence[Page[Item]], key: Callable[[Item], tuple[Any, ...]], *, limit: int) -> Page[Item]:
    """Join pages of lists that share no row to one of the list of them all, the highest key first."""
    rows = sorted((row for each in pages for row in each.items), key=key, reverse=True)
    shown = rows[:limit]
    is_last = len(rows) <= limit and all(each.next_key is None for each in pages)
    next_key = None if is_last else key(shown[-1])
    return Page(shown, next_key, lambda: sum(each.total() for each in pages))
