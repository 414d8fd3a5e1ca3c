"""The geometry of parts of a whole: expenses as an icicle, and bars of stacked parts; across in hundredths."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from webapp.ledger.chart import AccountType, ancestors
from webapp.ledger.money import Money

# The pixels that a row of an icicle takes, the most rows, and the hundredths below which what is left is one cell.
ROW, MOST_ROWS, NARROW = 34, 8, 3


class Cell(NamedTuple):
    """An account of an icicle with all under it, or several together: where it lies, and what it comes to."""

    account_ids: Sequence[int]
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
        self._accounts, self._currency = report.accounts, report.base_currency
        self._under: dict[int | None, Counter[int]] = defaultdict(Counter)
        own = [each for each in report.lines if each.in_scope and each.type == AccountType.EXPENSE]
        for line in own:
            path = self._path(line.account_id, within)
            for account_id, above in zip(path, [*path[1:], None], strict=True):
                self._under[above][account_id] += line.amount.minor
        if own and within is None:
            self.cells.append(Cell((), "", report.expenses.amount, 0.0, 0, 100.0))
        self._draw(None, report.expenses.amount.minor, 0.0, ROW * len(self.cells), 100.0)

    @property
    def height(self) -> int:
        """The pixels that its rows take."""
        return max((cell.y for cell in self.cells), default=-ROW) + ROW

    def _path(self, account_id: int, within: int | None) -> list[int]:
        """List an account and the expenses of the business that it stands under, up to one, the nearest first."""
        parents = {each.id: each.parent_id for each in self._accounts.values()}
        above = [self._accounts[each] for each in ancestors(account_id, parents)]
        path = [
            account_id,
            *(each.id for each in above if each.in_scope and each.type == AccountType.EXPENSE),
        ]
        return path[: path.index(within) + 1] if within in path else path

    def _draw(self, above: int | None, whole: int, x: float, y: int, width: float) -> None:
        """Draw what stands under an account into its width, the largest first, and what is left as one cell."""
        under = self._under[above] if y < ROW * MOST_ROWS else Counter()
        ranked = sorted((each for each in under if under[each]), key=lambda each: (-under[each], each))
        shown = [each for each in ranked if under[each] > 0]
        self.left_out += [self._cell([each], under[each]) for each in ranked[len(shown) :]]
        left = sum(under[each] for each in shown)
        across = width / max(left, whole, 1)
        for at, account_id in enumerate(shown):
            some = shown[at:] if left * across < NARROW else [account_id]
            minor = sum(under[each] for each in some)
            self.cells.append(self._cell(some, minor, x, y, minor * across))
            if len(some) > 1:
                break
            self._draw(account_id, minor, x, y + ROW, minor * across)
            x += minor * across
            left -= minor

    def _cell(self, ids: Sequence[int], minor: int, x: float = 0, y: int = 0, width: float = 0) -> Cell:
        name = self._accounts[ids[0]].name if len(ids) == 1 else ""
        return Cell(ids, name, Money(minor, self._currency), round(x, 2), y, round(width, 2))


class Share(NamedTuple):
    """A part of a stacked bar: what it is of, and where it lies."""

    key: str
    amount: Money
    x: float
    width: float


def stacked(rows: Sequence[Mapping[Any, Money]], sign: int = 1) -> list[list[Share]]:
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
                parts.append(Share(key, amount, round(100 * x / whole, 2), round(100 * size / whole, 2)))
                x += size
        found.append(parts)
    return found
