"""Amounts that somebody sends: made money of, or refused at their place in the body."""

from __future__ import annotations

from typing import Any

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money


def money_at(amount: Any, currency: str, path: str) -> Money:
    """Make money of an amount that a body names at `path`, or say at that path why it is none."""
    try:
        return Money.of(amount, currency)
    except UnprocessableError as error:
        raise UnprocessableError(str(error), fields={path: [str(error)]}, code=error.code) from error
