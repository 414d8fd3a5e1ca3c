"""Limits that hold for requests and not for commands: nobody waits for a command's answer, and it runs alone."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_is_unlimited: ContextVar[bool] = ContextVar("is_unlimited", default=False)


@contextmanager
def unlimited() -> Iterator[None]:
    """Let the transactions that begin within take the time and the memory that they need."""
    before = _is_unlimited.set(True)
    try:
        yield
    finally:
        _is_unlimited.reset(before)


def is_unlimited() -> bool:
    """Return whether a transaction that begins now may take what it needs."""
    return _is_unlimited.get()
