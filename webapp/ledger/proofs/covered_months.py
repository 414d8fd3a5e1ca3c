"""Coverage by month: the sources of a bank account's lines, the stated balances, and whether both agree."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Final, Literal

from webapp.ledger.money import Money
from webapp.ledger.proofs.coverage import DAY, Covered, Days, merged, overlaps

Proved = Literal["WHOLE", "PARTLY", "NO"]
MonthStatus = Literal["OFF", "BROKEN", "GAP", "PROVED", "AGREES", "UNSTATED", "NOTHING"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A balance that the bank stated for the close of a day."""

    day: date
    amount: Money


@dataclass(frozen=True, slots=True)
class CoveringProof:
    """A standing proof with the days of its statement; `first` is None for the first proof of an account."""

    id: int
    first: date | None
    statement_date: date
    holds: bool

    def covers(self, month: date, end: date) -> bool:
        """Return whether its statement has one of these days."""
        return self.statement_date >= month and (self.first is None or self.first <= end)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for an account's coverage, in its currency.

    `stated` is in the order of days, one per day; `moved` is the sum of each day's lines, in minor units.
    `proofs` are the standing ones, oldest first, `open_months` the first days of months with a line that no
    proof cleared.
    """

    currency: str
    files: Sequence[Covered] = ()
    feed: Covered | None = None
    fed_months: Collection[date] = ()
    stated: Sequence[Stated] = ()
    moved: Mapping[date, int] = field(default_factory=dict)
    proofs: Sequence[CoveringProof] = ()
    open_months: Collection[date] = ()


@dataclass(frozen=True, slots=True)
class CoveredMonth:
    """One month of an account; `month` is its first day.

    `computed` is the balance at the close of the stated day, from the lines since the balance stated before
    this month, or since the opening of the first file, or None. `adds_up` if it lies between stated
    balances that the lines explain. `gaps` are uncovered days between covered ones,
    on which money can have moved; `overlaps` came more than once.
    """

    month: date
    by_file: bool
    by_feed: bool
    stated: Stated | None
    computed: Money | None
    adds_up: bool
    proved: Proved
    proofs: tuple[CoveringProof, ...]
    gaps: tuple[Days, ...]
    overlaps: tuple[Days, ...]

    @property
    def mismatch(self) -> Money | None:
        """The difference between the bank's balance and its lines; None if either is unknown."""
        return self.stated.amount - self.computed if self.stated and self.computed is not None else None

    @property
    def holds(self) -> bool | None:
        """Whether every proof of the month holds; None without proofs."""
        return all(proof.holds for proof in self.proofs) if self.proofs else None

    @property
    def status(self) -> MonthStatus:
        """The status of the month, the most urgent that applies."""
        if self.mismatch:
            return "OFF"
        if self.holds is False:
            return "BROKEN"
        if self.gaps:
            return "GAP"
        if self.proved == "WHOLE":
            return "PROVED"
        if self.mismatch is not None or self.adds_up:
            return "AGREES"
        return "UNSTATED" if self.by_file or self.by_feed else "NOTHING"


# The most urgent first.
URGENT: Final[Sequence[MonthStatus]] = ("OFF", "BROKEN", "GAP", "UNSTATED", "AGREES", "PROVED", "NOTHING")


def in_one_word(months: Sequence[CoveredMonth]) -> MonthStatus:
    """Return the most urgent status of months."""
    return min((each.status for each in months), key=URGENT.index, default="NOTHING")


def last_of_month(month: date) -> date:
    """Return the last day of the month beginning on a day.

    >>> last_of_month(date(2028, 2, 1)), last_of_month(date(2026, 12, 1))
    (datetime.date(2028, 2, 29), datetime.date(2026, 12, 31))
    """
    return date(month.year + month.month // 12, month.month % 12 + 1, 1) - DAY


def by_month(evidence: Evidence) -> list[CoveredMonth]:
    """List the months from the first to the last evidence, newest first.

    >>> march = Covered(date(2026, 3, 1), date(2026, 3, 31))
    >>> evidence = Evidence("EUR", [march], stated=[Stated(date(2026, 2, 28), Money(900, "EUR")),
    ...     Stated(date(2026, 3, 31), Money(500, "EUR"))], moved={date(2026, 3, 2): -350})
    >>> [(str(each.month), str(each.mismatch)) for each in by_month(evidence)]
    [('2026-03-01', '-0.50'), ('2026-02-01', 'None')]
    """
    months = list(_months(evidence))
    sources = [*evidence.files, *([evidence.feed] if evidence.feed else [])]
    begun = min((each.first for each in sources), default=date.min)
    runs = merged(sources)
    quiet = list(_added_up(evidence))
    gaps = [Days(one.last + DAY, other.first - DAY) for one, other in pairwise(runs)]
    gaps = [gap for gap in gaps if not _lies_in(gap, quiet)]
    shared = overlaps(sources)
    computed = _computed(evidence)
    closing = {each.day.replace(day=1): each for each in evidence.stated}
    found = [
        CoveredMonth(
            month,
            by_file=any(each.first <= end and each.last >= month for each in evidence.files),
            by_feed=month in evidence.fed_months,
            stated=closing.get(month),
            computed=computed.get(month),
            adds_up=_lies_in(Days(max(month, begun), end), quiet),
            proved=_proved(evidence, month, end),
            proofs=tuple(each for each in evidence.proofs if each.covers(month, end)),
            gaps=tuple(_within(gaps, month, end)),
            overlaps=tuple(_within(shared, month, end)),
        )
        for month, end in months
    ]
    return found[::-1]


def _months(evidence: Evidence) -> Iterator[tuple[date, date]]:
    """Yield the first and last day of each month of the evidence, oldest first; the last month may be cut."""
    sources = [*evidence.files, *([evidence.feed] if evidence.feed else [])]
    days = [day for each in sources for day in (each.first, each.last)]
    days += [*evidence.moved, *(each.day for each in evidence.stated)]
    if not days:
        return
    month, last = min(days).replace(day=1), max(days)
    while month <= last:
        end = last_of_month(month)
        yield month, min(end, last)
        month = end + DAY


def _added_up(evidence: Evidence) -> Iterator[Days]:
    """Yield the days between stated balances that the lines explain, as runs, oldest first.

    Within them, nothing moved on a day without a line.
    """
    points = [*([opening] if (opening := _opening(evidence)) else []), *evidence.stated]
    days, at = sorted(evidence.moved), 0
    run: Days | None = None
    for one, other in pairwise(points):
        while at < len(days) and days[at] <= one.day:
            at += 1
        moved = 0
        while at < len(days) and days[at] <= other.day:
            moved += evidence.moved[days[at]]
            at += 1
        agrees = one.day < other.day and one.amount + Money(moved, evidence.currency) == other.amount
        if agrees and run is not None and run.last == one.day:
            run = Days(run.first, other.day)
        elif agrees:
            if run is not None:
                yield run
            run = Days(one.day + DAY, other.day)
    if run is not None:
        yield run


def _lies_in(days: Days, runs: Iterable[Days]) -> bool:
    return any(run.first <= days.first and days.last <= run.last for run in runs)


def _computed(evidence: Evidence) -> dict[date, Money]:
    """Roll the balance stated before each month forward to the month's last stated day."""
    closing = {each.day.replace(day=1): each for each in evidence.stated}
    before = _opening(evidence)
    days = sorted(evidence.moved)
    found, at, running = {}, 0, 0
    for month in sorted(closing):
        stated = closing[month]
        # Days before the first opening are no part of what it goes on to.
        while at < len(days) and days[at] <= stated.day:
            running += evidence.moved[days[at]] if before is None or days[at] > before.day else 0
            at += 1
        if before is not None and before.day < stated.day:
            found[month] = before.amount + Money(running, evidence.currency)
        before, running = stated, 0
    return found


def _opening(evidence: Evidence) -> Stated | None:
    """Take the opening balance of the first file as stated for the day before."""
    first = min(evidence.files, key=lambda each: (each.first, each.last), default=None)
    return Stated(first.first - DAY, first.opening) if first and first.opening is not None else None


def _proved(evidence: Evidence, month: date, end: date) -> Proved:
    last = max((each.statement_date for each in evidence.proofs), default=None)
    if last is None or last < month:
        return "NO"
    return "WHOLE" if last >= end and month not in evidence.open_months else "PARTLY"


def _within(runs: Iterable[Days], first: date, last: date) -> Iterator[Days]:
    """Cut runs of days to the days between two days."""
    for run in runs:
        if run.first <= last and run.last >= first:
            yield Days(max(run.first, first), min(run.last, last))
