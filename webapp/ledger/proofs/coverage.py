"""Coverage: the days of a bank account that its statements cover, with gaps and overlaps between them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from webapp.ledger.money import Money

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Covered:
    """The days that one statement covers, both inclusive, and the balances that it opens and closes with, if stated."""

    first: date
    last: date
    opening: Money | None = None
    closing: Money | None = None


@dataclass(frozen=True, slots=True)
class Days:
    """Days in a row, both ends inclusive."""

    first: date
    last: date

    @property
    def count(self) -> int:
        """The number of days.

        >>> Days(date(2026, 2, 27), date(2026, 3, 1)).count
        3
        """
        return (self.last - self.first).days + 1


@dataclass(frozen=True, slots=True)
class CoverageFindings:
    """A new statement compared with those of its account; None if nothing is wrong or known.

    `before` and `after` are the nearest statements on either side. `gap_before` and `gap_after` are the uncovered
    days between them; `off_before` is the difference between this opening balance and the previous closing
    balance, `off_after` the same with the next statement. `overlap` are the days
    that other statements cover too.
    """

    before: Covered | None = None
    after: Covered | None = None
    gap_before: Days | None = None
    gap_after: Days | None = None
    off_before: Money | None = None
    off_after: Money | None = None
    overlap: Days | None = None


def findings(new: Covered, statements: Iterable[Covered]) -> CoverageFindings:
    """Compare a statement with the others of its account.

    Balances that agree prove that nothing is missing, so quiet days between two statements are no gap then.

    >>> october = Covered(date(2026, 10, 1), date(2026, 10, 30), closing=Money(500, "EUR"))
    >>> found = findings(Covered(date(2026, 11, 2), date(2026, 11, 30)), [october])
    >>> found.gap_before, found.off_before, found.overlap
    (Days(first=datetime.date(2026, 10, 31), last=datetime.date(2026, 11, 1)), None, None)
    >>> findings(Covered(date(2026, 11, 2), date(2026, 11, 30), Money(500, "EUR")), [october]).gap_before
    >>> str(findings(Covered(date(2026, 11, 2), date(2026, 11, 30), Money(450, "EUR")), [october]).off_before)
    '-0.50'
    >>> findings(Covered(date(2026, 10, 20), date(2026, 11, 30)), [october]).overlap.count
    11
    """
    statements = list(statements)
    touching = [each for each in statements if each.first <= new.last and each.last >= new.first]
    # Two statements may part a day between them; where the balances continue, that is no overlap.
    overlapping = [each for each in touching if not _continues(each, new) and not _continues(new, each)]
    before = max(
        (each for each in statements if each.last < new.first or _continues(each, new)),
        key=lambda each: (each.last, each.first),
        default=None,
    )
    after = min(
        (each for each in statements if each.first > new.last or _continues(new, each)),
        key=lambda each: (each.first, each.last),
        default=None,
    )
    covers_start = any(each.first < new.first for each in overlapping)
    covers_end = any(each.last > new.last for each in overlapping)
    return CoverageFindings(
        before=before,
        after=after,
        gap_before=None if covers_start else _gap(before, new),
        gap_after=None if covers_end else _gap(new, after),
        off_before=None if covers_start else _off(before, new),
        off_after=None if covers_end else _off(new, after),
        overlap=_shared(new, overlapping),
    )


def merged(statements: Iterable[Covered]) -> list[Days]:
    """Return the covered days as runs, oldest first; days that balances prove quiet are covered.

    >>> [run.count for run in merged([Covered(date(2026, 3, 1), date(2026, 3, 31)),
    ...     Covered(date(2026, 4, 1), date(2026, 4, 2)), Covered(date(2026, 5, 1), date(2026, 5, 2))])]
    [33, 2]
    """
    runs: list[Days] = []
    last: Covered | None = None
    for each in sorted(statements, key=lambda each: (each.first, each.last)):
        if runs and last and (each.first <= runs[-1].last + DAY or _continues(last, each)):
            runs[-1] = Days(runs[-1].first, max(runs[-1].last, each.last))
        else:
            runs.append(Days(each.first, each.last))
        if last is None or each.last >= last.last:
            last = each
    return runs


def overlaps(statements: Iterable[Covered]) -> list[Days]:
    """Return the days covered by several statements as runs, oldest first; a shared border day is none.

    >>> [run.count for run in overlaps([Covered(date(2026, 3, 1), date(2026, 3, 10)),
    ...     Covered(date(2026, 3, 8), date(2026, 3, 20)), Covered(date(2026, 3, 9), date(2026, 3, 9))])]
    [3]
    """
    runs: list[Days] = []
    earlier: list[Covered] = []
    for each in sorted(statements, key=lambda each: (each.first, each.last)):
        last = max((one.last for one in earlier if not _continues(one, each)), default=None)
        earlier.append(each)
        if last is None or last < each.first:
            continue
        shared = Days(each.first, min(last, each.last))
        if runs and shared.first <= runs[-1].last + DAY:
            shared = Days(runs[-1].first, max(runs.pop().last, shared.last))
        runs.append(shared)
    return runs


def _continues(one: Covered, other: Covered) -> bool:
    """Return whether balances prove that a statement continues another that ends no later."""
    return (
        one.closing is not None
        and one.closing == other.opening
        and one.first <= other.first
        and one.last <= other.first
    )


def _gap(one: Covered | None, other: Covered | None) -> Days | None:
    if one is None or other is None or other.first <= one.last + DAY or _continues(one, other):
        return None
    return Days(one.last + DAY, other.first - DAY)


def _off(one: Covered | None, other: Covered | None) -> Money | None:
    if one is None or other is None or one.closing is None or other.opening is None:
        return None
    return None if one.closing == other.opening else other.opening - one.closing


def _shared(new: Covered, others: Sequence[Covered]) -> Days | None:
    if not others:
        return None
    first = max(new.first, min(each.first for each in others))
    last = min(new.last, max(each.last for each in others))
    return Days(first, last)
