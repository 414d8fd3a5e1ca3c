"""Layouts of statements, from the tables in ../layouts: rows that take groups of accounts, and subtotals of rows."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

LAYOUTS: Final = ("simple", "uk", "de")
PRESET: Final = LAYOUTS[0]


class ComputedGroup(StrEnum):
    """Groups that no account is in: what statements set apart of accounts, or compute."""

    OVERDRAFTS = "OVERDRAFTS"
    DUE_WITHIN_A_YEAR = "DUE_WITHIN_A_YEAR"
    RESULT_OF_YEAR = "RESULT_OF_YEAR"


@dataclass(frozen=True, slots=True)
class LayoutRow:
    """A row that takes groups, or adds rows; `sign` is -1 where credits stand above zero."""

    code: str
    name: str
    groups: tuple[str, ...]
    of: tuple[str, ...]
    sign: int

    @property
    def kind(self) -> str:
        """Whether it takes groups of accounts or adds rows."""
        return "SUBTOTAL" if self.of else "GROUP"


@dataclass(frozen=True, slots=True)
class StatementLayout:
    """The rows of profit and loss and of the balance sheet, and who reviewed them."""

    code: str
    name: str
    reviewer: str
    profit: tuple[LayoutRow, ...]
    sheet: tuple[LayoutRow, ...]


@cache
def layout_of(code: str) -> StatementLayout:
    """Read a layout by its code in LAYOUTS."""
    path = Path(__file__).parent.parent / "layouts" / f"{code}.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    profit = tuple(_row(each, -1) for each in table["profit"])
    return StatementLayout(code, table["name"], table["reviewer"], profit, tuple(map(_row, table["sheet"])))


def _row(row: Mapping[str, Any], sign: int = 1) -> LayoutRow:
    of, groups = tuple(row.get("of", ())), tuple(row.get("groups", ()))
    return LayoutRow(row["code"], row["name"], groups, of, -1 if row.get("credit") else sign)


def members(rows: Iterable[LayoutRow]) -> dict[str, frozenset[str]]:
    """Give for each row the groups that it adds in the end.

    >>> sorted(members(layout_of("simple").profit)["GROSS_PROFIT"])
    ['COST_OF_SALES', 'SALES']
    """
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        found[row.code] = frozenset(row.groups).union(*(found[each] for each in row.of))
    return found


def percent(minor: int, of_minor: int) -> str | None:
    """Return a share in per cent with one digit, a half away from zero; None of nothing.

    >>> percent(-40000, 30000), percent(1, 8), percent(5, 0)
    ('-133.3', '12.5', None)
    """
    if not of_minor:
        return None
    tenths = (2 * abs(minor) * 1000 + abs(of_minor)) // (2 * abs(of_minor))
    is_below = tenths and (minor < 0) != (of_minor < 0)
    return f"{'-' if is_below else ''}{tenths // 10}.{tenths % 10}"
