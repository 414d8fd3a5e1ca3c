"""Lines that may be the same as new ones: of each day and amount as many as pairing can need, and not all there are."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple, TypeVar

import sqlalchemy as sa

from webapp.database.functions import days_after, listed_ids
from webapp.database.sessions import db
from webapp.ledger.matching.joins import LineReport, Pairs
from webapp.models import FeedAccount, Transaction
from webapp.models.base import table_of
from webapp.queries.common.among import each_of, number_in
from webapp.queries.common.made_once import made_once

# So many lines of a day and amount are always compared by their words; equal texts are found among any number.
COMPARED: Final = 100
FEW: Final = 2
FIRST_PAGE: Final = 4
GROWTH: Final = 4
# A new line may have as many equals that are known under their own ids as a batch has lines.
MOST_TWINS: Final = 20_000
# The first lines of a day and amount are chosen among so many.
LEAST_ORDERED: Final = 1000


class DayAmount(NamedTuple):
    """A day, and an amount in minor units."""

    day: date
    amount_minor: int


class AmountText(NamedTuple):
    """A day, an amount in minor units, and the key of a text."""

    day: date
    amount_minor: int
    text_key: int


Statement = Callable[[str, int, Mapping[str, Any], int], tuple[sa.Select[Any], dict[str, Any]]]
Load = Callable[[Collection[int]], Mapping[int, LineReport]]
Wanted = TypeVar("Wanted", DayAmount, AmountText)


def found(
    feed_account: FeedAccount,
    new: Iterable[LineReport],
    load: Load,
    *,
    refused: Pairs = (),
    spare: Iterable[DayAmount] = (),
) -> list[LineReport]:
    """Read the lines that pairing can need for new reports, in the order of their days and ids.

    `load` reads lines by the ids of their rows, without those that are not to be compared. `spare` has the day and
    amount of each line that is paired before. Where a day and amount has more than COMPARED lines, those are left out
    that have another text than each new report and are not among the first.
    """
    groups: dict[DayAmount, list[LineReport]] = defaultdict(list)
    for report in new:
        groups[DayAmount(report.day, report.amount_minor)].append(report)
    several = max(Counter(each for pair in refused for each in pair).values(), default=0)
    taken = Counter(spare)
    search = _AlikeSearch(feed_account, load, groups, {each: taken[each] + several for each in groups})
    full = search.look(_peek, groups, FEW, search.read)
    search.find_twins(full)
    search.find_first(full)
    return sorted(search.lines.values(), key=_order)


def _texts(line: LineReport) -> set[AmountText]:
    return {AmountText(each.day, each.amount_minor, each.text_key) for each in line.reports}


def _order(line: LineReport) -> tuple[date, int]:
    return line.day, line.id


class _AlikeSearch:
    """What has been read so far for new reports of some days and amounts."""

    def __init__(
        self,
        feed_account: FeedAccount,
        load: Load,
        groups: Mapping[DayAmount, Sequence[LineReport]],
        taken: Mapping[DayAmount, int],
    ) -> None:
        self.lines: dict[int, Any] = {}
        self._feed_account, self._load = feed_account, load
        self._groups, self._taken = groups, taken
        self._rows: set[int] = set()
        self._with_text: Counter[AmountText] = Counter()

    def look(
        self,
        statement: Statement,
        wanted: Collection[Wanted],
        most: int,
        read: Callable[[Iterable[int]], None],
    ) -> list[Wanted]:
        """Read the rows of each of these, and give those that may have more."""
        if not wanted:
            return []
        ids = _ids(statement, self._feed_account, wanted, most)
        full = [each for each, rows in zip(wanted, ids, strict=True) if len(rows) == most]
        left = set(full)
        read(
            row
            for each, rows in zip(wanted, ids, strict=True)
            if statement is not _peek or each not in left
            for row in rows
        )
        return full

    def read(self, rows: Iterable[int]) -> None:
        """Read the lines of rows that were not read yet."""
        new = set(rows) - self._rows
        self._rows |= new
        if not new:
            return
        lines = {each: line for each, line in self._load(new).items() if each not in self.lines}
        self.lines |= lines
        self._with_text.update(text for line in lines.values() for text in _texts(line))

    def find_twins(self, full: Collection[DayAmount]) -> None:
        """Read as many lines of equal texts as new reports have, and those that are taken before."""
        needed = Counter(
            AmountText(*group, report.text_key) for group in full for report in self._groups[group]
        )
        for text in needed:
            needed[text] += self._taken[DayAmount(text.day, text.amount_minor)]
        most, open_ = FEW, list(needed)
        while open_ and most <= MOST_TWINS:
            open_ = self.look(_twins, open_, most, self.read)
            open_ = [text for text in open_ if self._with_text[text] < needed[text]]
            most *= GROWTH

    def find_first(self, full: Collection[DayAmount]) -> None:
        """Read the first lines of each day and amount that has reports without a line of their text."""
        lonely = {group: self._lonely(group) for group in full}
        most, open_ = FIRST_PAGE, [group for group, reports in lonely.items() if reports]
        while open_:
            open_ = self.look(_first, open_, most, self.read)
            compared = self._lines_of(open_)
            open_ = [
                group
                for group in open_
                if most < COMPARED + GROWTH * len(self._groups[group])
                and not _fit(
                    lonely[group], compared[group], len(self._groups[group]) + self._taken[group] + FEW
                )
            ]
            most *= GROWTH

    def _lonely(self, group: DayAmount) -> list[LineReport]:
        """Give the reports of a text that not every one of them finds a line of."""
        texts = Counter(report.text_key for report in self._groups[group])
        short = {
            key
            for key, count in texts.items()
            if self._with_text[AmountText(*group, key)] < count + self._taken[group]
        }
        return [report for report in self._groups[group] if report.text_key in short]

    def _lines_of(self, groups: Collection[DayAmount]) -> Mapping[DayAmount, list[LineReport]]:
        found: dict[DayAmount, list[LineReport]] = {group: [] for group in groups}
        for line in self.lines.values():
            if (line.day, line.amount_minor) in found:
                found[DayAmount(line.day, line.amount_minor)].append(line)
        return found


def _fit(new: Sequence[LineReport], existing: Sequence[LineReport], least: int) -> bool:
    """Return whether no text contradicts at least so many lines for each of the reports."""
    words = Counter(word for line in existing for word in line.words)
    wordless = sum(not line.words for line in existing)

    def fitting(report: LineReport) -> int:
        if not report.words:
            return len(existing)
        return wordless + max(words[word] for word in report.words)

    return all(fitting(report) >= least for report in new)


def _ids(
    statement: Statement, feed_account: FeedAccount, wanted: Collection[Wanted], most: int
) -> list[list[int]]:
    """Give the ids of at most so many rows for each of the wanted, in their order."""
    named = {str(place): [str(day), *rest] for place, (day, *rest) in enumerate(wanted)}
    of_account = feed_account.organization_id, feed_account.id
    rows: Iterable[Any] = db.session.execute(*statement(*of_account, named, most))
    found: dict[str, list[int]] = dict(tuple(row) for row in rows)
    return [found[place] for place in named]


def _of_day_and_amount(
    organization_id: str, feed_account_id: int, each: sa.TableValuedAlias
) -> sa.Select[int]:
    return sa.select(_LINE.c.id).where(
        _LINE.c.organization_id == organization_id,
        _LINE.c.feed_account_id == feed_account_id,
        # JSON has text; this makes a day of it.
        _LINE.c.booked_on == days_after(each.c.value[0].as_string(), 0),
        _LINE.c.amount_minor == number_in(each, 1),
    )


@made_once
def _peek(organization_id: str, feed_account_id: int, wanted: Mapping[str, Any], most: int) -> sa.Select[Any]:
    each = each_of(wanted)
    found = _of_day_and_amount(organization_id, feed_account_id, each).limit(most)
    return sa.select(each.c.key, listed_ids(found.scalar_subquery()))


@made_once
def _twins(
    organization_id: str, feed_account_id: int, wanted: Mapping[str, Any], most: int
) -> sa.Select[Any]:
    each = each_of(wanted)
    found = (
        _of_day_and_amount(organization_id, feed_account_id, each)
        .where(_LINE.c.text_key == number_in(each, 2))
        .order_by(_LINE.c.id)
        .limit(most)
    )
    return sa.select(each.c.key, listed_ids(found.scalar_subquery()))


@made_once
def _first(
    organization_id: str, feed_account_id: int, wanted: Mapping[str, Any], most: Any
) -> sa.Select[Any]:
    """Select the first lines of each day and amount, chosen in the order in which an index has them."""
    each = each_of(wanted)
    among_these = (
        _of_day_and_amount(organization_id, feed_account_id, each)
        .order_by(_LINE.c.text_key, _LINE.c.id)
        .limit(LEAST_ORDERED + 2 * sa.bindparam(most.key, type_=sa.Integer))
        .correlate(each)
        .subquery()
    )
    found = sa.select(among_these.c.id).order_by(among_these.c.id).limit(most)
    return sa.select(each.c.key, listed_ids(found.scalar_subquery()))


_LINE: Final = table_of(Transaction)
