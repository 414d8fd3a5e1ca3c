"""Ids in portions that every database takes as parameters of one statement."""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa

from webapp.database.sessions import db

Id = TypeVar("Id")

MOST_PARAMETERS = 10_000


def portions(ids: Collection[Id], most: int = MOST_PARAMETERS) -> Iterator[tuple[Id, ...]]:
    """Give ids in portions of so many at most, in their order."""
    rest = iter(ids)
    while portion := tuple(islice(rest, most)):
        yield portion


def ids_where(statement: sa.Select[Any], column: Any, ids: Collection[int]) -> set[int]:
    """Give the ids that a statement selects where a column holds one of these, in as many statements as it takes."""
    return {
        found
        for portion in portions(ids)
        for found in db.session.scalars(statement.where(column.in_(portion)))
    }


def near(column: Any, ids: Collection[int]) -> sa.ColumnElement[bool]:
    """Build the condition that a column has one of some ids; where they lie close, any between first and last.

    A range reads one stretch of the index where a list looks each id up; the caller drops the ids between.
    """
    first, last = min(ids), max(ids)
    is_one: sa.ColumnElement[bool] = column.in_(ids)
    return column.between(first, last) if last - first < 2 * len(ids) else is_one
