"""Matching reports of one bank line: pending with booked, and duplicates from a file and from a feed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final, NamedTuple

from webapp.ledger.matching.lines import compared_text, key_of

PENDING_DAYS: Final = 8
TIP_PERCENT: Final = 30
SIMILAR_PERCENT: Final = 50
LEAST_WORD: Final = 3


@dataclass(frozen=True)
class LineReport:
    """A bank line as one source, a file or a feed, reports it, from the account holder's view."""

    id: int
    day: date
    amount_minor: int
    description: str
    counterparty: str | None

    @cached_property
    def text(self) -> str:
        """The text as it is compared."""
        return compared_text(self.description, self.counterparty)

    @cached_property
    def text_key(self) -> int:
        """The number by which an index finds lines of this text."""
        return key_of(self.text)

    @property
    def reports(self) -> tuple[LineReport, ...]:
        """The line's only report: itself."""
        return (self,)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text that are compared: of three letters or more, without digits.

        >>> sorted(LineReport(1, date(2026, 3, 1), -5, "Cafe Nero 4711 SE", "Nero").words)
        ['cafe', 'nero']
        """
        letters = "".join(letter if letter.isalpha() else " " for letter in self.text)
        return frozenset(word for word in letters.split() if len(word) >= LEAST_WORD)


class Pairing(NamedTuple):
    """Two reports of one line; one that is not certain is a suggestion for a person."""

    kept_id: int
    joined_id: int
    tier: str
    is_certain: bool
    reason: str


Pairs = Collection[tuple[int, int]]


def pair_pending(
    pending: Sequence[LineReport], booked: Sequence[LineReport], refused: Pairs
) -> list[Pairing]:
    """Find which pending lines became which booked ones; the booked one is kept.

    Amount and text alike and at most eight days later is certain where it is unambiguous. An amount that
    grew by a tip, or another text with as many words in common, is a suggestion. `refused` pairs are none.

    >>> day = date(2026, 3, 1)
    >>> before, after = LineReport(1, day, -1000, "Bistro", None), LineReport(2, day, -1150, "Bistro", None)
    >>> [(pairing.tier, pairing.is_certain) for pairing in pair_pending([before], [after], set())]
    [('TIP', False)]
    >>> pair_pending([before], [after], {(2, 1)})
    []
    """
    found = [pairing for group in _alike(pending, booked) for pairing in _exact(*group, refused)]
    taken = {each.kept_id for each in found if each.is_certain} | {
        each.joined_id for each in found if each.is_certain
    }
    named = {(each.kept_id, each.joined_id) for each in found}
    for before in pending:
        for line in booked:
            pair = line.id, before.id
            if pair in named or pair in refused or taken & set(pair) or not _in_time(before, line):
                continue
            tier, reason = _similarity(before, line)
            if tier:
                found.append(Pairing(*pair, tier, is_certain=False, reason=reason))
    return found


def _in_time(pending: LineReport, booked: LineReport) -> bool:
    return 0 <= (booked.day - pending.day).days <= PENDING_DAYS


def _alike(
    pending: Iterable[LineReport], booked: Iterable[LineReport]
) -> Iterator[tuple[list[LineReport], list[LineReport]]]:
    """Group reports of one amount and one text that is not empty."""
    groups: dict[tuple[int, str], tuple[list[LineReport], list[LineReport]]] = defaultdict(lambda: ([], []))
    for side, reports in enumerate((pending, booked)):
        for report in reports:
            if report.text:
                groups[report.amount_minor, report.text][side].append(report)
    yield from groups.values()


def _exact(pending: list[LineReport], booked: list[LineReport], refused: Pairs) -> Iterator[Pairing]:
    """Pair lines of one amount and text in their order: certain where no other way is any different."""
    fitting = [
        (line, before)
        for line in sorted(booked, key=_order)
        for before in sorted(pending, key=_order)
        if _in_time(before, line) and (line.id, before.id) not in refused
    ]
    days = {line.day for line, _ in fitting}, {before.day for _, before in fitting}
    is_certain = all(len(each) == 1 for each in days)
    taken: set[int] = set()
    for line, before in fitting:
        if line.id in taken or before.id in taken:
            continue
        taken |= {line.id, before.id}
        reason = f"It was pending on {before.day:%-d %b %Y} with the same amount and text."
        if not is_certain:
            reason = (
                f"A pending line of {before.day:%-d %b %Y} has the same amount and text, and so have others."
            )
        yield Pairing(line.id, before.id, "EXACT", is_certain, reason)


def _order(report: LineReport) -> tuple[date, int]:
    return report.day, report.id


def _similarity(pending: LineReport, booked: LineReport) -> tuple[str | None, str]:
    """Give the tier by which a booked line may be a pending one of another text or amount, and the reason."""
    when = f"A pending line of {pending.day:%-d %b %Y}"
    if pending.amount_minor == booked.amount_minor:
        if are_similar(pending, booked):
            return "REWORDED", f"{when} has the same amount and a similar text."
        return None, ""
    more = abs(booked.amount_minor) - abs(pending.amount_minor)
    is_tip = 0 < more * 100 <= abs(pending.amount_minor) * TIP_PERCENT
    same_sign = (pending.amount_minor < 0) == (booked.amount_minor < 0)
    if is_tip and same_sign and _same_merchant(pending, booked):
        percent = more * 100 / abs(pending.amount_minor)
        return "TIP", f"{when} has the same merchant and {percent:.0f} % less, as before a tip."
    return None, ""


def _same_merchant(one: LineReport, other: LineReport) -> bool:
    return bool(one.words and other.words) and (one.words <= other.words or other.words <= one.words)


def are_similar(one: LineReport, other: LineReport) -> bool:
    """Return whether half the words of the shorter text are in the other."""
    shorter = min(len(one.words), len(other.words))
    return shorter > 0 and len(one.words & other.words) * 100 >= shorter * SIMILAR_PERCENT


def contradict(one: LineReport, other: LineReport) -> bool:
    """Return whether two texts have words, and none in common.

    >>> day = date(2026, 3, 1)
    >>> rent, food = LineReport(1, day, -5, "Rent March", None), LineReport(2, day, -5, "REWE says thanks", None)
    >>> contradict(rent, food), contradict(rent, LineReport(3, day, -5, "RENT", "Landlord"))
    (True, False)
    """
    return bool(one.words and other.words) and not one.words & other.words
