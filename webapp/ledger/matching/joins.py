"""Matching reports of one bank line: pending with booked, and duplicates from a file and from a feed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final, NamedTuple

from webapp.ledger.matching.lines import normalised

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
        """The text as it is compared; one of its two parts that is contained in the other is left out.

        >>> LineReport(1, date(2026, 3, 1), -5, "REWE says thanks", "Rewe").text
        'rewe says thanks'
        """
        description, counterparty = normalised(self.description), normalised(self.counterparty or "")
        if counterparty in description:
            return description
        return counterparty if description in counterparty else f"{description} {counterparty}"

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


def pair_duplicates(
    new: Sequence[LineReport], existing: Sequence[LineReport], refused: Pairs
) -> list[Pairing]:
    """Find which new reports are duplicates of existing lines from another source: of one day and amount.

    Each existing line has one duplicate at most. Texts alike pair first. What is left is certain where as many are
    left on both sides and no text contradicts, or where only one and the same of each fits. All others are
    suggestions, as many as there are existing lines.

    >>> day = date(2026, 3, 1)
    >>> one, two = LineReport(1, day, -250, "Coffee", None), LineReport(2, day, -250, "Coffee", None)
    >>> [(pairing.kept_id, pairing.joined_id) for pairing in pair_duplicates([two], [one], set())]
    [(1, 2)]
    """
    groups: dict[tuple[date, int], tuple[list[LineReport], list[LineReport]]] = {}
    for side, reports in enumerate((new, existing)):
        for report in reports:
            groups.setdefault((report.day, report.amount_minor), ([], []))[side].append(report)
    return [pairing for group in groups.values() if all(group) for pairing in _duplicates(*group, refused)]


def _duplicates(new: list[LineReport], existing: list[LineReport], refused: Pairs) -> Iterator[Pairing]:
    same = "Another source has this line: same day, amount and text."
    for report in list(new):
        duplicate = next(
            (each for each in existing if each.text == report.text and _may_pair(each, report, refused)), None
        )
        if duplicate is not None:
            new.remove(report)
            existing.remove(duplicate)
            yield Pairing(duplicate.id, report.id, "TWIN", is_certain=True, reason=same)
    fits = {
        report.id: [
            each for each in existing if _may_pair(each, report, refused) and not contradict(each, report)
        ]
        for report in new
    }
    if len(new) == len(existing) and all(len(fits[report.id]) == len(existing) for report in new):
        for report, duplicate in zip(new, existing, strict=True):
            reason = "Another source has this line: same day and amount, equally often, and no text contradicts it."
            yield Pairing(duplicate.id, report.id, "TWIN", is_certain=True, reason=reason)
        return
    yield from _only_ones(new, existing, fits, refused)


def _only_ones(
    new: list[LineReport], existing: list[LineReport], fits: dict[int, list[LineReport]], refused: Pairs
) -> Iterator[Pairing]:
    """Pair reports that fit one line which no other fits; suggest the rest, as long as there are lines."""
    left = list(existing)
    for report in list(new):
        only = fits[report.id][0] if len(fits[report.id]) == 1 else None
        if only is None or sum(only in others for others in fits.values()) > 1:
            continue
        new.remove(report)
        left.remove(only)
        reason = "Another source has this line: same day and amount, and only its text matches."
        yield Pairing(only.id, report.id, "TWIN", is_certain=True, reason=reason)
    for report in new:
        duplicate = next((each for each in left if _may_pair(each, report, refused)), None)
        if duplicate is not None:
            left.remove(duplicate)
            reason = "Another source gave a line of this day and amount; check whether it is the same."
            yield Pairing(duplicate.id, report.id, "TWIN", is_certain=False, reason=reason)


def _may_pair(existing: LineReport, new: LineReport, refused: Pairs) -> bool:
    return (existing.id, new.id) not in refused and (new.id, existing.id) not in refused
