"""The geometry of charts, in the units of their pictures; what they show stands in a table beside them too."""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.queries.reports.stated_balances import BalanceHistory

WIDTH, HEIGHT, BAR, MARGIN = 720, 120, 16, 2


class Bar(NamedTuple):
    """A bar of a month: where it stands, and how high it is."""

    x: float
    y: float
    height: float
    width: int = BAR


class CashMonth(NamedTuple):
    """A month beside a cash line: its days and its figures."""

    period: Period
    income: Money
    expenses: Money
    result: Money
    cash: Money


class CashWeek(NamedTuple):
    """A week of a cash line, which a click opens: its days, the cash at its close, and where it lies in the picture."""

    period: Period
    cash: Money
    x: float
    width: float


class CashChart(NamedTuple):
    """Cash by day as a stepped line, and income and expenses by month as bars."""

    line: str
    months: list[CashMonth]
    weeks: list[CashWeek]
    income: list[Bar]
    expenses: list[Bar]
    highest: tuple[date, Money]
    lowest: tuple[date, Money]
    width: int = WIDTH
    height: int = HEIGHT


def bars(amounts: Sequence[int], most: int, offset: float) -> list[Bar]:
    """Stand a bar for each amount on the ground, `most` being as high as the picture; less than nothing is none.

    >>> bars([50, 0], 100, 10)
    [Bar(x=10.0, y=60.0, height=60.0, width=16), Bar(x=370.0, y=120.0, height=0.0, width=16)]
    """
    step = WIDTH / len(amounts)
    heights = [round(HEIGHT * max(amount, 0) / (most or 1), 1) for amount in amounts]
    return [
        Bar(offset + number * step, round(HEIGHT - height, 1), height)
        for number, height in enumerate(heights)
    ]


def cash_chart(cash: dict[date, Money], months: Iterable[tuple[Period, Money, Money, Money]]) -> CashChart:
    """Draw cash by day, with the income, the expenses and the result of each month."""
    shown = [
        CashMonth(period, income, expenses, result, cash[period.last])
        for period, income, expenses, result in months
    ]
    most = max(max(month.income.minor, month.expenses.minor) for month in shown)
    return CashChart(
        stepped([amount.minor for amount in cash.values()], WIDTH, HEIGHT),
        shown,
        _weeks(cash),
        bars([month.income.minor for month in shown], most, WIDTH / len(shown) / 2 - BAR - 1),
        bars([month.expenses.minor for month in shown], most, WIDTH / len(shown) / 2 + 1),
        max(cash.items(), key=lambda item: item[1].minor),
        min(cash.items(), key=lambda item: item[1].minor),
    )


def _weeks(cash: dict[date, Money]) -> list[CashWeek]:
    days = list(cash)
    across = (WIDTH - 2 * MARGIN) / max(len(days) - 1, 1)
    found = []
    for _, group in groupby(days, key=lambda day: day.isocalendar()[:2]):
        week = list(group)
        x = MARGIN + (week[0] - days[0]).days * across
        found.append(
            CashWeek(Period(week[0], week[-1]), cash[week[-1]], round(x, 1), round(len(week) * across, 1))
        )
    return found


class StatedDot(NamedTuple):
    """A stated balance in a picture: its place, and the height of the books on its day."""

    x: float
    y: float
    books_y: float
    is_apart: bool


class BalanceChart(NamedTuple):
    """The balance of an account by the books as a stepped line, and what its bank states as dots."""

    line: str
    dots: list[StatedDot]
    width: int = WIDTH
    height: int = HEIGHT


def balance_chart(history: BalanceHistory) -> BalanceChart:
    """Draw the balance of an account by day, and each stated one, between the lowest and the highest of both."""
    books, points = history.books, history.points
    heights = [amount.minor for amount in (*books.values(), *(point.stated for point in points))]
    low, high = min(heights), max(heights)
    first, across = next(iter(books)), (WIDTH - 2 * MARGIN) / max(len(books) - 1, 1)

    def top(amount: Money) -> float:
        return round(HEIGHT - MARGIN - (amount.minor - low) * (HEIGHT - 2 * MARGIN) / (high - low or 1), 1)

    return BalanceChart(
        stepped([amount.minor for amount in books.values()], WIDTH, HEIGHT, (low, high)),
        [
            StatedDot(
                round(MARGIN + (point.day - first).days * across, 1),
                top(point.stated),
                top(point.books),
                bool(point.apart),
            )
            for point in points
        ],
    )


def stepped(
    balances: Sequence[int], width: int = 104, height: int = 28, span: tuple[int, int] | None = None
) -> str:
    """The SVG path of a stepped line through the balances of evenly spaced days, in a box of this size.

    The box reaches from the lowest balance to the highest, or from the first to the second figure of `span`.

    Balances are steps, not slopes, because they are not measured between two days.
    A margin of 2 on every side leaves space for the stroke and the dot on the last day.

    >>> stepped([100, 100, 300], width=24, height=14)
    'M2.0 12.0H12.0V12.0H22.0V2.0'
    >>> stepped([5, 5], width=24, height=14)
    'M2.0 12.0H22.0V12.0'
    """
    low, high = span or (min(balances), max(balances))
    across = (width - 4) / max(len(balances) - 1, 1)
    up = (height - 4) / (high - low or 1)
    tops = [height - 2 - (balance - low) * up for balance in balances]
    steps = (f"H{2 + index * across:.1f}V{top:.1f}" for index, top in enumerate(tops) if index)
    return f"M2.0 {tops[0]:.1f}" + "".join(steps)


def placed(value: date, last: date, days: int = 90, width: int = 104) -> str:
    """The position of a day on a stepped line that ends on a last day; empty where it is before the line.

    >>> placed(date(2026, 10, 31), date(2026, 10, 31)), placed(date(2026, 1, 1), date(2026, 10, 31))
    ('102.0', '')
    """
    age = (last - value).days
    return f"{2 + (width - 4) * (1 - age / (days - 1)):.1f}" if 0 <= age < days else ""


# Filters of templates.
PLAIN = (stepped, placed)
