"""Forms of tax returns: what their boxes show, what is payable, their periods, and when they are due."""

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from webapp.ledger.currencies import digits
from webapp.ledger.money import Money, bounded
from webapp.ledger.periods import Period

FREQUENCIES: Final[Mapping[str, int]] = {"MONTHLY": 1, "QUARTERLY": 3, "YEARLY": 12}
PAY, RECLAIM = "PAY", "RECLAIM"
_MONTHS: Final = 12


@dataclass(frozen=True, slots=True)
class FormBox:
    """A box of a form: the SUM of what is posted to it, or a TOTAL of other boxes, each by its factor.

    `digits` are those that it shows, else the currency's; the rest is cut off. With `is_size` it has no sign. `key` is
    what the authority's own interface calls it, if that has JSON.
    """

    box: str
    label: str
    terms: Mapping[str, int] | None = None
    digits: int | None = None
    is_size: bool = False
    key: str | None = None

    def text_of(self, figure: Money) -> str:
        """Return a figure as a number in the digits that the box shows.

        >>> FormBox("6", "Net", digits=0).text_of(Money(-5000, "GBP")), FormBox("1", "Tax").text_of(Money(5, "GBP"))
        ('-50', '0.05')
        """
        return str(figure) if self.digits is None else f"{figure.decimal:.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class TaxForm:
    """A form: its boxes in order, what is payable of them, and its rules of days and of what comes late.

    Due `due_day` of the `due_months`th month after the period. `errors` are the boxes of net errors, each by its
    factor, of which the law lets only so much be adjusted in a return; `claims` is the box that a purchase raises.
    """

    name: str
    boxes: tuple[FormBox, ...]
    payable: Mapping[str, int]
    claims: str
    due_months: int | None = None
    due_day: int = 1
    errors: Mapping[str, int] | None = None
    turnover: str | None = None
    years: int | None = None
    unpaid_months: int | None = None

    def figures(self, sums: Mapping[str, int], currency: str) -> dict[str, int]:
        """Return the figure of each box, in minor units; digits that a box does not show are cut off, also below zero.

        >>> boxes = FormBox("1", "Tax"), FormBox("2", "Net", digits=0), FormBox("3", "Size", {"1": -1}, is_size=True)
        >>> TaxForm("f", boxes, {"1": 1}, "1").figures({"1": 250, "2": -5066}, "GBP")
        {'1': 250, '2': -5000, '3': 250}
        """
        figures: dict[str, int] = {}
        for each in self.boxes:
            exact = sums.get(each.box, 0) if each.terms is None else total_of(figures, each.terms)
            shown = _cut(exact, digits(currency), each.digits)
            figures[each.box] = abs(shown) if each.is_size else shown
        return figures

    def payable_of(self, figures: Mapping[str, int]) -> int:
        """Return what the figures of the boxes make payable; below zero it is reclaimed."""
        return total_of(figures, self.payable)

    def tax_of(self, sums: Mapping[str, int]) -> int:
        """Return what exact sums of boxes make payable; 0 for a box that has no tax.

        >>> boxes = [*(FormBox(each, each) for each in "146"), FormBox("5", "Net", {"1": 1, "4": -1})]
        >>> form = TaxForm("f", tuple(boxes), {"5": 1}, "4")
        >>> form.tax_of({"1": 250, "6": 999}), form.tax_of({"4": 30})
        (250, -30)
        """
        exact = dict(sums)
        for each in self.boxes:
            if each.terms is not None:
                exact[each.box] = total_of(exact, each.terms)
        return self.payable_of(exact)

    def adds(self, box: str, sums: Mapping[str, int]) -> int:
        """Return what exact sums of boxes add to one box, a total among them.

        >>> boxes = FormBox("1", "Tax"), FormBox("4", "Input"), FormBox("5", "Net", {"1": 1, "4": -1})
        >>> form = TaxForm("f", boxes, {"5": 1}, "4")
        >>> form.adds("5", {"1": 250, "4": 30}), form.adds("4", {"1": 250})
        (220, 0)
        """
        terms = next(each.terms for each in self.boxes if each.box == box)
        if terms is None:
            return sums.get(box, 0)
        return bounded(sum(factor * self.adds(inner, sums) for inner, factor in terms.items()))

    def parts(self, box: str) -> set[str]:
        """Return the boxes that one adds up: those of its terms, else itself.

        >>> boxes = FormBox("1", "Tax"), FormBox("4", "Input"), FormBox("5", "Net", {"1": 1, "4": -1})
        >>> sorted(TaxForm("f", boxes, {"5": 1}, "4").parts("5"))
        ['1', '4']
        """
        terms = next(each.terms for each in self.boxes if each.box == box)
        return {box} if terms is None else {part for inner in terms for part in self.parts(inner)}

    def due_on(self, last: date) -> date | None:
        """Return the day on which the return of a period that ends `last` is due.

        >>> form = TaxForm("f", (), {}, "4", due_months=2, due_day=7)
        >>> form.due_on(date(2026, 6, 30)).isoformat(), form.due_on(date(2026, 12, 31)).isoformat()
        ('2026-08-07', '2027-02-07')
        """
        if self.due_months is None:
            return None
        return months_after(last.replace(day=1), self.due_months).replace(day=self.due_day)

    def is_out_of_time(self, period_end: date, last: date) -> bool:
        """Return whether a period ended too long before the end of another to be put right in its return.

        >>> form = TaxForm("f", (), {}, "4", years=4)
        >>> [form.is_out_of_time(date(*day), date(2026, 3, 31)) for day in ((2022, 3, 31), (2021, 12, 31))]
        [False, True]
        """
        return self.years is not None and months_after(period_end, self.years * _MONTHS) < last

    def net_errors(self, sums: Mapping[str, int]) -> int | None:
        """Return the net error of what late errors add to boxes, on a form that limits it."""
        return None if self.errors is None else total_of(sums, self.errors)


def is_over_limit(errors: int, turnover: int, currency: str) -> bool:
    """Return whether a net error is too large for a return: over 50,000, or over 10,000 and 1 % of its turnover.

    >>> [is_over_limit(size, 136000000, "GBP") for size in (1200000, 1400000, -1400000, 1000000)]
    [False, True, True, False]
    """
    size, unit = abs(errors), 10 ** digits(currency)
    return size > 50_000 * unit or (size > 10_000 * unit and size * 100 > turnover)


def direction_of(payable: int) -> str:
    """Return whether a return is paid or reclaimed; one of nothing is paid."""
    return RECLAIM if payable < 0 else PAY


def total_of(figures: Mapping[str, int], terms: Mapping[str, int]) -> int:
    """Add up boxes, each by its factor."""
    return bounded(sum(figures.get(box, 0) * factor for box, factor in terms.items()))


def period_of(day: date, start: date, frequency: str) -> Period:
    """Return the period of a day, counted from the first day of one, also before it.

    >>> for day in (date(2026, 3, 31), date(2026, 4, 1), date(2025, 12, 31), date(2021, 6, 10)):
    ...     print(period_of(day, date(2026, 2, 1), "QUARTERLY").last)
    2026-04-30
    2026-04-30
    2026-01-31
    2021-07-31
    """
    months = FREQUENCIES[frequency]
    apart = (day.year - start.year) * _MONTHS + day.month - start.month - (day.day < start.day)
    first = months_after(start, apart // months * months)
    return Period(first, months_after(start, (apart // months + 1) * months) - timedelta(days=1))


def months_after(day: date, months: int) -> date:
    """Return the day some months later, or the last of its month.

    >>> months_after(date(2026, 8, 31), 6), months_after(date(2026, 1, 31), 6), months_after(date(2026, 1, 15), -2)
    (datetime.date(2027, 2, 28), datetime.date(2026, 7, 31), datetime.date(2025, 11, 15))
    """
    year, month = divmod(day.year * _MONTHS + day.month - 1 + months, _MONTHS)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _cut(amount: int, of_currency: int, shown: int | None) -> int:
    """Cut off the digits that a box does not show, toward zero."""
    if shown is None or shown >= of_currency:
        return amount
    unit: int = 10 ** (of_currency - shown)
    return abs(amount) // unit * unit * (-1 if amount < 0 else 1)
