"""Figures and days in an invoice, exactly as written; unreadable ones are reported, never guessed."""

import re
from contextlib import suppress
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.invoices.trees import Node

# xs:decimal: no exponent, no thousands, a point for the decimals.
_DECIMAL: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_MOST_DIGITS: Final = 40
MOST_SENTENCES: Final = 20
_DAY: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[T+Z-].*)?", re.ASCII)


class InvoiceValues:
    """The figures and days at paths of a tree; `unreadable` collects sentences on those that cannot be read."""

    def __init__(self) -> None:
        """Begin with nothing unreadable."""
        self.unreadable: list[str] = []

    def decimal(self, node: Node | None, *path: str) -> Decimal | None:
        """Return the decimal at a path with all its digits, None if it is missing or unreadable."""
        found = None if node is None else node.first(*path)
        if found is None or not found.text:
            return None
        if len(found.text) > _MOST_DIGITS or not _DECIMAL.fullmatch(found.text):
            self._add(f'{found.name} is "{found.text[:60]}", which is not a decimal number.')
            return None
        return Decimal(found.text)

    def day(self, node: Node | None, *path: str) -> date | None:
        """Return the day at a path, written as 2026-03-31 or 20260331."""
        found = None if node is None else node.first(*path)
        if found is None or not found.text:
            return None
        matched = _DAY.fullmatch(found.text)
        if matched is not None:
            with suppress(ValueError):
                return date(*map(int, matched.groups()))
        self._add(f'{found.name} is "{found.text[:60]}", which is not a day.')
        return None

    def _add(self, sentence: str) -> None:
        if len(self.unreadable) < MOST_SENTENCES:
            self.unreadable.append(sentence)
