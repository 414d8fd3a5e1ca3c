"""The geometry of pictures of figures: across in hundredths of their width, down in pixels.

So a picture fits each screen without scaling its words. What it shows stands in a table behind it too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count, groupby, pairwise
from typing import Any, NamedTuple

from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.web.rendering.figures import round_figure

# The row of the value that is pointed at, the drawing, and the row of the months.
TOP, PLOT, FOOT = 22, 150, 22
MOST_LABELS = 12
DAY = timedelta(days=1)


class Tick(NamedTuple):
    """A round amount of an axis, and how far down its line lies."""

    y: float
    amount: Money


class Label(NamedTuple):
    """The name of a month under a picture, where its middle is; the first of a new year has the year instead."""

    x: float
    day: date
    is_year: bool = False


class Series(NamedTuple):
    """A figure of each period, none where nothing is known yet; one that is not drawn stands in the table alone."""

    key: str
    amounts: Sequence[Money | None]
    is_drawn: bool = True


class ChartMark(NamedTuple):
    """A bar of a series, or the days of a line: the figures that it shows, what a click opens, and where it stands."""

    key: str
    period: Period
    amounts: Mapping[str, Money]
    x: float
    width: float
    y: float = TOP
    height: float = PLOT


class Dot(NamedTuple):
    """A stated amount of a day, and how far down the line lies there where that differs."""

    x: float
    y: float
    line_y: float | None


@dataclass(frozen=True, slots=True)
class Picture:
    """Figures of some periods as bars, or as a line with dots; `series` are the columns of the table behind it."""

    periods: Sequence[Period]
    series: Sequence[Series]
    scale: "Scale"
    labels: Sequence[Label]
    marks: Sequence[ChartMark]
    line: str = ""
    dots: Sequence[Dot] = ()
    height: int = TOP + PLOT + FOOT

    @property
    def area(self) -> str:
        """The path between the line and nothing."""
        start = self.line.partition(" ")[0].removeprefix("M")
        return f"{self.line}V{self.scale.zero}H{start}Z"

    @property
    def margin(self) -> int:
        """The pixels that the longest amount of the axis takes."""
        return 12 + 7 * max(len(round_figure(tick.amount)) for tick in self.scale.ticks)

    @property
    def rows(self) -> Iterator[tuple[Period, list[Money | None]]]:
        """The rows of the table, the newest first."""
        rows = zip(self.periods, *(each.amounts for each in self.series), strict=True)
        return ((period, amounts) for period, *amounts in reversed(list(rows)))


class Scale:
    """Heights of amounts, between two round ones around them and nothing."""

    def __init__(self, amounts: Iterable[Money], currency: str) -> None:
        minors = [0, *(each.minor for each in amounts)]
        steps = ticks(min(minors), max(minors))
        self._low, self._high = steps[0], max(steps[-1], steps[0] + 1)
        self.ticks = [Tick(self.y(each), Money(each, currency)) for each in steps]
        self.zero = self.y(0)

    def y(self, minor: int) -> float:
        """How far down an amount lies."""
        return round(TOP + PLOT * (self._high - minor) / (self._high - self._low), 1)


def ticks(low: int, high: int, most: int = 4) -> list[int]:
    """List round amounts at even steps, from one that is not above the lowest to one that is not below the highest.

    >>> ticks(0, 123400), ticks(-700, 1900), ticks(0, 7)
    ([0, 50000, 100000, 150000], [-1000, 0, 1000, 2000], [0, 2, 4, 6, 8])
    >>> ticks(0, 0)
    [0]
    """
    step = next(each for power in count() for each in _round(power) if high - low <= each * most)
    return list(range(low // step * step, -(-high // step) * step + 1, step))


def _round(power: int) -> tuple[int, ...]:
    return 10**power, 2 * 10**power, 5 * 10**power


def bars(periods: Sequence[Period], series: Sequence[Series], currency: str) -> Picture:
    """Stand a bar on the line of nothing for each figure of each period, those of a period side by side.

    >>> months = [Period(date(2026, 1, 1), date(2026, 1, 31)), Period(date(2026, 2, 1), date(2026, 2, 28))]
    >>> made = bars(months, [Series("income", [Money(500, "EUR"), Money(-500, "EUR")])], "EUR")
    >>> [mark[3:] for mark in made.marks], made.scale.zero
    ([(10.0, 30.0, 22.0, 75.0), (60.0, 30.0, 97.0, 75.0)], 97.0)
    >>> bars(months, [Series("income", [None, Money(0, "EUR")])], "EUR").marks
    []
    """
    drawn = [each for each in series if each.is_drawn]
    scale = Scale((amount for each in drawn for amount in each.amounts if amount is not None), currency)
    step = 100 / len(periods)
    wide = round(step * 0.6 / len(drawn), 2)
    marks = []
    for at, period in enumerate(periods):
        for number, each in enumerate(drawn):
            if amount := each.amounts[at]:
                x = round((at + 0.2) * step + number * wide, 2)
                top, bottom = sorted((scale.y(amount.minor), scale.zero))
                marks.append(
                    ChartMark(each.key, period, {each.key: amount}, x, wide, top, round(bottom - top, 1))
                )
    labels = [Label(round((at + 0.5) * step, 2), period.last) for at, period in enumerate(periods)]
    return Picture(periods, series, scale, thinned(labels), marks)


def thinned(labels: Sequence[Label]) -> Sequence[Label]:
    """Leave out labels evenly where there are more than fit, and keep the last one.

    >>> months = Period(date(2024, 9, 1), date(2026, 1, 9)).months
    >>> shown = thinned([Label(x, each.last) for x, each in enumerate(months)])
    >>> [(label.x, label.day.month, label.is_year) for label in shown][:4]
    [(0, 9, False), (2, 11, False), (4, 1, True), (6, 3, False)]
    """
    step = -(-len(labels) // MOST_LABELS)
    shown = [label for at, label in enumerate(reversed(labels)) if at % step == 0][::-1]
    years = [label.day.year for label in shown]
    return [
        label._replace(is_year=before != label.day.year)
        for label, before in zip(shown, [*years[:1], *years], strict=False)
    ]


def line(
    span: Period,
    known: Mapping[date, Money],
    periods: Sequence[Period],
    currency: str,
    stated: Mapping[date, Money],
) -> Picture:
    """Draw the amounts of days as a stepped line, which begins where they are known, and stated ones as dots.

    Each of the periods has the amounts at its close.

    >>> days = [date(2026, 1, day) for day in range(1, 5)]
    >>> made = line(Period(days[0], days[-1]), {days[2]: Money(0, "EUR"), days[3]: Money(400, "EUR")}, [], "EUR", {})
    >>> made.line, made.area
    ('M50.00 172.0H75.00V22.0H100.00', 'M50.00 172.0H75.00V22.0H100.00V172.0H50.00Z')
    """
    scale = Scale([*known.values(), *stated.values()], currency)
    days = (span.last - span.first).days + 1

    def at(day: date) -> float:
        return round(100 * (day - span.first).days / days, 2)

    columns = {"books": known, **({"bank": stated} if stated else {})}
    rows = {each: {key: of[each.last] for key, of in columns.items() if each.last in of} for each in periods}
    dots = (
        (day, amount.minor, known[day].minor if known.get(day, amount) != amount else None)
        for day, amount in stated.items()
    )
    return Picture(
        periods,
        [Series(key, [row.get(key) for row in rows.values()]) for key in columns],
        scale,
        thinned([Label(at(each.first + (each.last - each.first) / 2), each.last) for each in span.months]),
        [
            ChartMark("", each, row, at(each.first), round(at(each.last + DAY) - at(each.first), 2))
            for each, row in rows.items()
            if row
        ],
        stepped([(at(day), scale.y(amount.minor)) for day, amount in known.items()], 100),
        [Dot(at(day + DAY), scale.y(minor), None if of is None else scale.y(of)) for day, minor, of in dots],
    )


def stepped(points: Sequence[tuple[float, float]], end: float) -> str:
    """Write the SVG path of a stepped line through points, on to an end.

    Balances are steps, not slopes, because they are not measured between two days.

    >>> stepped([(2.0, 12.0), (12.0, 12.0), (22.0, 2.0)], 32)
    'M2.00 12.0H22.00V2.0H32.00'
    >>> stepped([], 32)
    ''
    """
    if not points:
        return ""
    turns = (f"H{x:.2f}V{y:.1f}" for (_, before), (x, y) in pairwise(points) if y != before)
    return f"M{points[0][0]:.2f} {points[0][1]:.1f}{''.join(turns)}H{end:.2f}"


def weeks(span: Period) -> list[Period]:
    """List the weeks of a period, cut at its ends and at the ends of months.

    >>> [str(each.last) for each in weeks(Period(date(2026, 10, 29), date(2026, 11, 3)))]
    ['2026-10-31', '2026-11-01', '2026-11-03']
    """
    days = (date.fromordinal(each) for each in range(span.first.toordinal(), span.last.toordinal() + 1))
    groups = (list(group) for _, group in groupby(days, key=lambda day: (day.month, day.isocalendar()[:2])))
    return [Period(each[0], each[-1]) for each in groups]


def result_chart(months: Sequence[Period], report: Any, first: date | None, *beside: Series) -> Picture:
    """Draw income and expenses by month, as a profit and loss statement has them; before a first day there are none."""
    figures = {"income": -report.income, "expenses": report.expenses, "result": report.result}
    series = [
        Series(key, amounts_since(months, sums.months or (), first), is_drawn=key != "result")
        for key, sums in figures.items()
    ]
    return bars(months, [*series, *beside], report.base_currency)


def amounts_since(
    periods: Sequence[Period], amounts: Sequence[Money | None], first: date | None
) -> list[Money | None]:
    """Leave out the amounts of periods that end before the first day of the books.

    >>> months = list(Period(date(2026, 1, 1), date(2026, 3, 9)).months)
    >>> amounts_since(months, [Money(0, "EUR")] * 3, date(2026, 2, 28)).count(None)
    1
    """
    pairs = zip(periods, amounts, strict=True)
    return [amount if first is not None and each.last >= first else None for each, amount in pairs]


def small_line(balances: Sequence[int], width: int = 104, height: int = 28) -> str:
    """Write the path of balances of evenly spaced days in a small box, with a margin of 2 for its stroke and dot.

    >>> small_line([100, 100, 300], width=24, height=14), small_line([5, 5], width=24, height=14)
    ('M2.00 12.0H22.00V2.0H22.00', 'M2.00 12.0H22.00')
    """
    low, high = min(balances), max(balances)
    across = (width - 4) / max(len(balances) - 1, 1)
    up = (height - 4) / (high - low or 1)
    turns = [at for at, each in enumerate(balances) if not at or each != balances[at - 1]]
    points = [(2 + at * across, height - 2 - (balances[at] - low) * up) for at in turns]
    return stepped(points, width - 2)


def placed(value: date, last: date, days: int = 90, width: int = 104) -> str:
    """Write the position of a day on a sparkline that ends on a last day; nothing where it is before the line.

    >>> placed(date(2026, 10, 31), date(2026, 10, 31)), placed(date(2026, 1, 1), date(2026, 10, 31))
    ('102.0', '')
    """
    age = (last - value).days
    return f"{2 + (width - 4) * (1 - age / (days - 1)):.1f}" if 0 <= age < days else ""


# Filters of templates.
PLAIN = (small_line, placed)
