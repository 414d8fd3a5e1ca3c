"""Ids in portions that every database takes as parameters of one statement."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import TypeVar

Id = TypeVar("Id")

MOST_PARAMETERS = 10_000


def batches(ids: Collection[Id]) -> Iterator[tuple[Id, ...]]:
    """Give ids in portions, in their order."""
    rest = iter(ids)
    while portion := tuple(islice(rest, MOST_PARAMETERS)):
        yield portion
