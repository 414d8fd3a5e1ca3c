"""The geometry of parts of a whole: expenses as an icicle, and bars of stacked parts; across in hundredths."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money

# The pixels that each row of an icicle takes.
ROW = 34


class Cell(NamedTuple):
    """An account of an icicle with all under it, or all accounts: where it lies, and what it comes to."""

    account_id: int | None
    name: str
    amount: Money
    x: float
    y: int
    width: float


class Icicle:
    """The expenses of a report as accounts under each other, each as wide as what it comes to with those under it.

    `left_out` come to less than nothing. What an account itself comes to has nothing below it.
    """

    def __init__(self, report: Any, within: int | None = None) -> None:
        self.cells: list[Cell] = []
        self.left_out: list[Cell] = []
        self._own: dict[int, Money] = {
            each.account_id: each.amount
            for each in report.lines
            if each.in_scope and each.type == AccountType.EXPENSE
        }
        self._accounts = report.accounts
        self._under: dict[int | None, set[int]] = defaultdict(set)
        for account_id in self._own:
            self._place(account_id, within)
        whole = report.expenses.amount
        if self._own and within is None:
            self.cells.append(Cell(None, "", whole, 0.0, 0, 100.0))
        self._draw(None, whole, 0.0, ROW * len(self.cells), 100.0)

    @property
    def height(self) -> int:
        """The pixels that its rows take."""
        return max((cell.y for cell in self.cells), default=-ROW) + ROW

    def _place(self, account_id: int, within: int | None) -> None:
        """Put an account under the nearest of those above it that is an expense of the business, and that one too."""
        parent = None if account_id == within else self._accounts[account_id].parent_id
        while parent is not None:
            above = self._accounts[parent]
            if above.in_scope and above.type == AccountType.EXPENSE:
                break
            parent = above.parent_id
        is_new = account_id not in self._under[parent]
        self._under[parent].add(account_id)
        if parent is not None and is_new:
            self._place(parent, within)

    def _sum(self, account_id: int, currency: str) -> Money:
        own = self._own.get(account_id, Money.zero(currency))
        return sum((self._sum(each, currency) for each in self._under.get(account_id, ())), start=own)

    def _draw(self, parent: int | None, above: Money, x: float, y: int, width: float) -> None:
        """Draw what stands under an account into its width, the largest first."""
        sums = {each: self._sum(each, above.currency) for each in self._under.get(parent, ())}
        whole = max(sum(max(each.minor, 0) for each in sums.values()), above.minor, 1)
        for account_id, amount in sorted(sums.items(), key=lambda item: (-item[1].minor, item[0])):
            wide = width * max(amount.minor, 0) / whole
            cell = Cell(account_id, self._accounts[account_id].name, amount, round(x, 2), y, round(wide, 2))
            if amount.minor > 0:
                self.cells.append(cell)
                self._draw(account_id, amount, x, y + ROW, wide)
            elif amount:
                self.left_out.append(cell)
            x += wide


class Part(NamedTuple):
    """A part of a stacked bar: what it is of, and where it lies."""

    key: str
    amount: Money
    x: float
    width: float


def stacked(rows: Sequence[Mapping[Any, Money]], sign: int = 1) -> list[list[Part]]:
    """Stack the parts of some bars side by side on one scale; those below nothing lie left of the others.

    A `sign` of -1 turns what is below nothing in the books into what people call positive.

    >>> euros = [{"a": Money(300, "EUR"), "b": Money(-100, "EUR")}, {"a": Money(100, "EUR"), "b": Money(0, "EUR")}]
    >>> [[(part.key, part.x, part.width) for part in row] for row in stacked(euros)]
    [[('b', 0.0, 25.0), ('a', 25.0, 75.0)], [('a', 25.0, 25.0)]]
    """
    rows = [{key: each if sign > 0 else -each for key, each in row.items()} for row in rows]
    minus = [-sum(min(each.minor, 0) for each in row.values()) for row in rows]
    plus = [sum(max(each.minor, 0) for each in row.values()) for row in rows]
    whole = max(minus, default=0) + max(plus, default=0) or 1
    found = []
    for row, below in zip(rows, minus, strict=True):
        parts, x = [], max(minus) - below
        for key, amount in sorted(row.items(), key=lambda item: item[1].minor >= 0):
            if amount:
                size = abs(amount.minor)
                parts.append(Part(key, amount, round(100 * x / whole, 2), round(100 * size / whole, 2)))
                x += size
        found.append(parts)
    return found
