"""The contents of a bank line's row: the entry, day and parts that confirming posts, as one word of text.

A form carries it from the page to the act, which posts nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

_NUMBER = "[1-9][0-9]{0,17}"
_PART = re.compile(rf"({_NUMBER})\.((?:{_NUMBER})?)\.((?:{_NUMBER})?)\.(0|-?{_NUMBER})", re.ASCII)
_LINE = re.compile(
    rf"({_NUMBER})~((?:{_NUMBER})?)~([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})~([^~]*)~([^~]*)(?:~([^~]+))?",
    re.ASCII,
)
_PAYMENT = re.compile(
    rf"((?:{_NUMBER}\.-?{_NUMBER}_)*{_NUMBER}\.-?{_NUMBER})(?:\+(-?{_NUMBER})\.([A-Z_]+)\.([A-Z]{{3}}))?",
    re.ASCII,
)


class ShownPart(NamedTuple):
    """A part of a line: its account, merchant and project, and its amount in minor units with the line's sign."""

    account_id: int
    merchant_id: int | None
    project_id: int | None
    amount_minor: int

    def __str__(self) -> str:
        return f"{self.account_id}.{self.merchant_id or ''}.{self.project_id or ''}.{self.amount_minor}"


class ShownPayment(NamedTuple):
    """The payments of a line: its items with amounts in minor units, and the shortfall with its kind.

    >>> shown = ShownPayment(((12, 40000), (13, -500)), 800, "FEE", "EUR")
    >>> str(shown), ShownPayment.read(str(shown)) == shown
    ('12.40000_13.-500+800.FEE.EUR', True)
    """

    items: tuple[tuple[int, int], ...]
    short_minor: int = 0
    short_as: str = ""
    short_currency: str = ""

    def __str__(self) -> str:
        items = "_".join(f"{item_id}.{amount_minor}" for item_id, amount_minor in self.items)
        return f"{items}+{self.short_minor}.{self.short_as}.{self.short_currency}" if self.short_as else items

    @classmethod
    def read(cls, text: str) -> ShownPayment:
        """Read the text of a row, or raise ValueError."""
        found = _PAYMENT.fullmatch(text)
        if found is None:
            raise ValueError(text)
        parts = (each.split(".") for each in found[1].split("_"))
        items = tuple((int(item_id), int(amount_minor)) for item_id, amount_minor in parts)
        return cls(items, int(found[2] or 0), found[3] or "", found[4] or "")


@dataclass(frozen=True, slots=True)
class ShownLine:
    """The shown state of a line; `accepted` is the part that its suggestion would make, None without one.

    `pays` is what confirming it settles, or None.

    Voiding gives a line another entry, so a repeated confirmation posts nothing twice.

    >>> shown = ShownLine(7, 12, date(2026, 10, 5), (ShownPart(3, None, 4, -1450),), ShownPart(9, 8, 4, -1450))
    >>> str(shown)
    '7~12~2026-10-05~3..4.-1450~9.8.4.-1450'
    >>> ShownLine.read(str(shown)) == shown, str(shown.posts)
    (True, '7~12~2026-10-05~9.8.4.-1450~')
    """

    line_id: int
    entry_id: int | None
    booked_on: date
    parts: tuple[ShownPart, ...]
    accepted: ShownPart | None = None
    pays: ShownPayment | None = None

    def __str__(self) -> str:
        parts = "_".join(map(str, self.parts))
        head = f"{self.line_id}~{self.entry_id or ''}~{self.booked_on.isoformat()}"
        paid = f"~{self.pays}" if self.pays else ""
        return f"{head}~{parts}~{self.accepted or ''}{paid}"

    @classmethod
    def read(cls, text: str) -> ShownLine:
        """Read the text of a row, or raise ValueError."""
        found = _LINE.fullmatch(text)
        if found is None:
            raise ValueError(text)
        line_id, entry_id, day, parts, accepted, pays = found.groups()
        return cls(
            int(line_id),
            _optional(entry_id),
            date.fromisoformat(day),
            tuple(_part(each) for each in parts.split("_") if each),
            _part(accepted) if accepted else None,
            ShownPayment.read(pays) if pays else None,
        )

    @property
    def content(self) -> ShownLine:
        """The same without the suggestion."""
        return replace(self, accepted=None)

    @property
    def posts(self) -> ShownLine:
        """The line as confirming posts it, with or without its suggestion."""
        return self.content if self.accepted is None else replace(self, parts=(self.accepted,), accepted=None)


def summed(parts: Iterable[ShownPart]) -> tuple[ShownPart, ...]:
    """Add up parts of one account, merchant and project, and sort them.

    >>> [str(each) for each in summed([ShownPart(3, None, None, -5), ShownPart(2, 1, None, -1)] * 2)]
    ['2.1..-2', '3...-10']
    """
    sums: dict[tuple[int, int | None, int | None], int] = {}
    for account_id, merchant_id, project_id, amount_minor in parts:
        key = (account_id, merchant_id, project_id)
        sums[key] = sums.get(key, 0) + amount_minor
    found = [ShownPart(*key, amount_minor) for key, amount_minor in sums.items()]
    return tuple(sorted(found, key=lambda part: tuple(each or 0 for each in part)))


def _part(text: str) -> ShownPart:
    found = _PART.fullmatch(text)
    if found is None:
        raise ValueError(text)
    account_id, merchant_id, project_id, amount_minor = found.groups()
    return ShownPart(int(account_id), _optional(merchant_id), _optional(project_id), int(amount_minor))


def _optional(number: str) -> int | None:
    return int(number) if number else None
