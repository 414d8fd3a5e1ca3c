"""Matching reports of one bank line: pending with booked, and duplicates from a file and from a feed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice
from typing import Final, NamedTuple

from webapp.ledger.matching.lines import compared_text, text_key

PENDING_DAYS: Final = 8
TIP_PERCENT: Final = 30
SIMILAR_PERCENT: Final = 50
LEAST_WORD: Final = 3
# A pending line is compared by its words with so many booked ones; equal texts are found among any number.
COMPARED: Final = 100
_IN_TIME: Final = timedelta(days=PENDING_DAYS)
_ASCII_WORD: Final = re.compile(f"[A-Za-z]{{{LEAST_WORD},}}")


@dataclass(slots=True)
class LineReport:
    """A bank line as reported by a file or a feed, from the account holder's view; it is never changed.

    A stored line that a feed has under several ids has its `others` texts beside its newest one, `names` are the ids
    under which the feed has it as booked, and `is_in_file` tells whether a file has it too.
    A push makes thousands. Frozen, or with `cached_property`, they took twice as long.
    """

    id: int
    day: date
    amount_minor: int
    description: str
    counterparty: str | None
    others: tuple[LineReport, ...] = ()
    names: frozenset[str] = frozenset()
    is_in_file: bool = False
    _text: str | None = field(default=None, init=False, repr=False, compare=False)
    _text_key: int | None = field(default=None, init=False, repr=False, compare=False)
    _words: frozenset[str] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The text as it is compared."""
        if self._text is None:
            self._text = compared_text(self.description, self.counterparty)
        return self._text

    @property
    def text_key(self) -> int:
        """The number by which an index finds lines of this text."""
        if self._text_key is None:
            self._text_key = text_key(self.description, self.counterparty)
        return self._text_key

    @property
    def reports(self) -> tuple[LineReport, ...]:
        """All its texts, the newest last."""
        return (*self.others, self)

    @property
    def words(self) -> frozenset[str]:
        """The words of the text that are compared: of three letters or more, without digits.

        >>> sorted(LineReport(1, date(2026, 3, 1), -5, "Cafe Nero 4711 SE", "Nero").words)
        ['cafe', 'nero']
        """
        if self._words is None:
            self._words = frozenset(words_of(self.text))
        return self._words


def words_of(text: str) -> list[str]:
    """List the runs of three or more letters of any script; a digit ends a run like a blank.

    >>> words_of("cafe4711 nero é öl straße x²y"), words_of("to REWE_2 a-b")
    (['cafe', 'nero', 'straße'], ['REWE'])
    """
    if text.isascii():
        return _ASCII_WORD.findall(text)
    letters = "".join(letter if letter.isalpha() else " " for letter in text)
    return [word for word in letters.split() if len(word) >= LEAST_WORD]


class Pairing(NamedTuple):
    """Two reports of one line; an uncertain pairing is a suggestion for a person."""

    kept_id: int
    joined_id: int
    tier: str
    is_certain: bool
    reason: str


Pairs = Collection[tuple[int, int]]


def pair_pending(
    pending: Sequence[LineReport], booked: Sequence[LineReport], refused: Pairs
) -> list[Pairing]:
    """Pair pending lines with the booked lines that they became; the booked line is kept.

    Equal amount and text within eight days are certain if unambiguous. An amount that
    grew by a tip, or another text with enough common words, is a suggestion. `refused` pairs are excluded.

    >>> day = date(2026, 3, 1)
    >>> before, after = LineReport(1, day, -1000, "Bistro", None), LineReport(2, day, -1150, "Bistro", None)
    >>> [(pairing.tier, pairing.is_certain) for pairing in pair_pending([before], [after], set())]
    [('TIP', False)]
    >>> pair_pending([before], [after], {(2, 1)})
    []
    """
    apart = _apart(refused)
    found = [pairing for group in _alike(pending, booked) for pairing in _exact(*group, apart)]
    taken = {each.kept_id for each in found if each.is_certain} | {
        each.joined_id for each in found if each.is_certain
    }
    named = {(each.kept_id, each.joined_id) for each in found}
    near = _NearAmounts([line for line in booked if line.id not in taken])
    for before in pending:
        if before.id in taken:
            continue
        for line in near.of(before):
            pair = line.id, before.id
            if pair in named or pair in refused:
                continue
            tier, reason = similarity(before, line)
            if tier:
                found.append(Pairing(*pair, tier, is_certain=False, reason=reason))
    return found


class _NearAmounts:
    """Booked lines by amount and day, to find the candidates for a pending line without reading the rest."""

    def __init__(self, booked: Iterable[LineReport]) -> None:
        self._by_amount: dict[int, list[LineReport]] = defaultdict(list)
        self._places: dict[int, int] = {}
        for place, line in enumerate(booked):
            self._by_amount[line.amount_minor].append(line)
            self._places[line.id] = place
        for lines in self._by_amount.values():
            lines.sort(key=_order)
        self._amounts = sorted(self._by_amount)

    def of(self, pending: LineReport) -> list[LineReport]:
        """List lines that are booked in time, with a pending line's amount or a tip more, in order of arrival.

        Of very many only COMPARED are listed, the nearest amounts first, then the first days.
        """
        size = abs(pending.amount_minor)
        most = size + size * TIP_PERCENT // 100
        least, last = (size, most) if pending.amount_minor >= 0 else (-most, -size)
        places = range(bisect_left(self._amounts, least), bisect_right(self._amounts, last))
        found: list[LineReport] = []
        for place in places if pending.amount_minor >= 0 else reversed(places):
            lines = self._by_amount[self._amounts[place]]
            first = bisect_left(lines, pending.day, key=_day)
            end = bisect_right(lines, pending.day + _IN_TIME, key=_day)
            found += lines[first : min(end, first + COMPARED - len(found))]
            if len(found) == COMPARED:
                break
        return sorted(found, key=lambda line: self._places[line.id])


def _apart(refused: Pairs) -> dict[int, set[int]]:
    """Map each booked line to its refused pending lines, and the other way round."""
    found: dict[int, set[int]] = defaultdict(set)
    for kept_id, joined_id in refused:
        found[kept_id].add(joined_id)
        found[joined_id].add(kept_id)
    return found


def _alike(
    pending: Iterable[LineReport], booked: Iterable[LineReport]
) -> Iterator[tuple[list[LineReport], list[LineReport]]]:
    """Group reports of equal amount and text, without empty texts."""
    groups: dict[tuple[int, str], tuple[list[LineReport], list[LineReport]]] = defaultdict(lambda: ([], []))
    for side, reports in enumerate((pending, booked)):
        for report in reports:
            if report.text:
                groups[report.amount_minor, report.text][side].append(report)
    yield from groups.values()


def _exact(
    pending: list[LineReport], booked: list[LineReport], apart: Mapping[int, set[int]]
) -> Iterator[Pairing]:
    """Pair lines of equal amount and text in order: certain if no other pairing would differ.

    Both lists are read once, from the first day to the last.
    """
    lines, befores = sorted(booked, key=_order), sorted(pending, key=_order)
    is_certain = _is_of_one_day(lines, befores, apart)
    first, taken = 0, [False] * len(befores)
    for line in lines:
        while first < len(befores) and (taken[first] or befores[first].day + _IN_TIME < line.day):
            first += 1
        refused: Collection[int] = apart.get(line.id, ())
        for place in range(first, len(befores)):
            before = befores[place]
            if before.day > line.day:
                break
            if taken[place] or before.id in refused:
                continue
            taken[place] = True
            yield Pairing(
                line.id, before.id, "EXACT", is_certain, _alike_reason(before, is_certain=is_certain)
            )
            break


def _alike_reason(before: LineReport, *, is_certain: bool) -> str:
    if is_certain:
        return f"It was pending on {before.day:%-d %b %Y} with the same amount and text."
    return f"A pending line of {before.day:%-d %b %Y} has the same amount and text, and so have others."


def _is_of_one_day(
    lines: Sequence[LineReport], befores: Sequence[LineReport], apart: Mapping[int, set[int]]
) -> bool:
    """Return whether all candidates of each pending line, and of each booked line, have one day."""
    booked_on = {
        line.day for line in lines if _has_any(befores, line.day - _IN_TIME, line.day, apart.get(line.id))
    }
    pending_on = {
        each.day for each in befores if _has_any(lines, each.day, each.day + _IN_TIME, apart.get(each.id))
    }
    return len(booked_on) == 1 and len(pending_on) == 1


def _has_any(reports: Sequence[LineReport], first: date, last: date, refused: Collection[int] | None) -> bool:
    """Return whether any of these reports, ordered by day, is within the days and not refused."""
    begin, end = bisect_left(reports, first, key=_day), bisect_right(reports, last, key=_day)
    if not refused:
        return begin < end
    return any(each.id not in refused for each in islice(reports, begin, end))


def _day(report: LineReport) -> date:
    return report.day


def _order(report: LineReport) -> tuple[date, int]:
    return report.day, report.id


def similarity(pending: LineReport, booked: LineReport) -> tuple[str | None, str]:
    """Return the tier and the reason by which a booked line may be a pending one of another text or amount."""
    day = f"{pending.day:%-d %b %Y}"
    if pending.amount_minor == booked.amount_minor:
        if are_similar(pending, booked):
            return "REWORDED", f"A pending line of {day} has the same amount and a similar text."
        return None, ""
    more = abs(booked.amount_minor) - abs(pending.amount_minor)
    is_tip = 0 < more * 100 <= abs(pending.amount_minor) * TIP_PERCENT
    same_sign = (pending.amount_minor < 0) == (booked.amount_minor < 0)
    if is_tip and same_sign and _same_merchant(pending, booked):
        percent = more * 100 / abs(pending.amount_minor)
        reason = (
            f"A pending line of {day} has the same counterparty and {percent:.0f} % less, as before a tip."
        )
        return "TIP", reason
    return None, ""


def _same_merchant(one: LineReport, other: LineReport) -> bool:
    return bool(one.words and other.words) and (one.words <= other.words or other.words <= one.words)


def are_similar(one: LineReport, other: LineReport) -> bool:
    """Return whether the other text has half the words of the shorter one."""
    shorter = min(len(one.words), len(other.words))
    return shorter > 0 and len(one.words & other.words) * 100 >= shorter * SIMILAR_PERCENT


def contradict(one: LineReport, other: LineReport) -> bool:
    """Return whether two texts have words, and none in common.

    >>> day = date(2026, 3, 1)
    >>> rent, food = LineReport(1, day, -5, "Rent March", None), LineReport(2, day, -5, "REWE says thanks", None)
    >>> contradict(rent, food), contradict(rent, LineReport(3, day, -5, "RENT", "Landlord"))
    (True, False)
    """
    if one.text == other.text:
        return False
    return bool(one.words and other.words) and one.words.isdisjoint(other.words)
