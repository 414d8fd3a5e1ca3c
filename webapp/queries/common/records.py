"""Records that repeat the columns of a row, and add what the row does not have."""

from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

Record = TypeVar("Record")


def record_of(made: type[Record], row: Any, **others: Any) -> Record:
    """Make a record of others and of a row: a field that has no default and is no other is the row's of that name."""
    kind: Any = made
    names, read = _from_row(kind, frozenset(others))
    return made(**dict(zip(names, read(row), strict=True)), **others)


@cache
def _from_row(made: Any, others: frozenset[str]) -> tuple[list[str], Callable[[Any], tuple[Any, ...]]]:
    required = [
        each.name for each in fields(made) if each.default is MISSING and each.default_factory is MISSING
    ]
    names = [name for name in required if name not in others]
    read = attrgetter(*names) if len(names) > 1 else lambda row: tuple(getattr(row, name) for name in names)
    return names, read
