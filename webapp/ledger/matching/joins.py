"""When two reports of one account are the same line of the bank: pending and booked, or from a file and from a feed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final, NamedTuple

from webapp.ledger.matching.lines import normalised

# The tiers by which a pending line became a booked one, the surest first; the others tell twins of booked lines.
PENDING_TIERS: Final = ("LINK", "EXACT", "TIP", "REWORDED")
PENDING_DAYS: Final = 8
TIP_PERCENT: Final = 30
SIMILAR_PERCENT: Final = 50
LEAST_WORD: Final = 3


@dataclass(frozen=True)
class Report:
    """What a source says of a line, from the account holder's view."""

    id: int
    day: date
    amount_minor: int
    description: str
    counterparty: str | None

    @cached_property
    def text(self) -> str:
        """The text as it is compared; one of its two parts that says nothing more than the other is left out.

        >>> Report(1, date(2026, 3, 1), -5, "REWE says thanks", "Rewe").text
        'rewe says thanks'
        """
        description, counterparty = normalised(self.description), normalised(self.counterparty or "")
        if counterparty in description:
            return description
        return counterparty if description in counterparty else f"{description} {counterparty}"

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text that tell lines apart: of three letters or more, without digits.

        >>> sorted(Report(1, date(2026, 3, 1), -5, "Cafe Nero 4711 SE", "Nero").words)
        ['cafe', 'nero']
        """
        letters = "".join(letter if letter.isalpha() else " " for letter in self.text)
        return frozenset(word for word in letters.split() if len(word) >= LEAST_WORD)


class Pairing(NamedTuple):
    """Two reports of one line; one that is not certain waits for a person."""

    kept_id: int
    joined_id: int
    tier: str
    is_certain: bool
    reason: str


Pairs = Collection[tuple[int, int]]


def pair_pending(pending: Sequence[Report], booked: Sequence[Report], refused: Pairs) -> list[Pairing]:
    """Find which pending lines became which booked ones; the booked one is kept.

    Amount and text alike and at most eight days later is certain where it is unambiguous. An amount that
    grew by a tip, or another text with as many words in common, is a suggestion. `refused` pairs are none.

    >>> day = date(2026, 3, 1)
    >>> before, after = Report(1, day, -1000, "Bistro", None), Report(2, day, -1150, "Bistro", None)
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
    for waiting in pending:
        for line in booked:
            pair = line.id, waiting.id
            if pair in named or pair in refused or taken & set(pair) or not _in_time(waiting, line):
                continue
            tier, reason = _likeness(waiting, line)
            if tier:
                found.append(Pairing(*pair, tier, is_certain=False, reason=reason))
    return found


def _in_time(pending: Report, booked: Report) -> bool:
    return 0 <= (booked.day - pending.day).days <= PENDING_DAYS


def _alike(
    pending: Iterable[Report], booked: Iterable[Report]
) -> Iterator[tuple[list[Report], list[Report]]]:
    """Group reports of one amount and one text that is not empty."""
    groups: dict[tuple[int, str], tuple[list[Report], list[Report]]] = defaultdict(lambda: ([], []))
    for side, reports in enumerate((pending, booked)):
        for report in reports:
            if report.text:
                groups[report.amount_minor, report.text][side].append(report)
    yield from groups.values()


def _exact(pending: list[Report], booked: list[Report], refused: Pairs) -> Iterator[Pairing]:
    """Pair lines of one amount and text in their order: certain where no other way is any different."""
    fitting = [
        (line, waiting)
        for line in sorted(booked, key=_place)
        for waiting in sorted(pending, key=_place)
        if _in_time(waiting, line) and (line.id, waiting.id) not in refused
    ]
    days = {line.day for line, _ in fitting}, {waiting.day for _, waiting in fitting}
    is_certain = all(len(each) == 1 for each in days)
    taken: set[int] = set()
    for line, waiting in fitting:
        if line.id in taken or waiting.id in taken:
            continue
        taken |= {line.id, waiting.id}
        reason = f"It was pending on {waiting.day:%-d %b %Y} with the same amount and text."
        if not is_certain:
            reason = (
                f"A pending line of {waiting.day:%-d %b %Y} has the same amount and text, and so have others."
            )
        yield Pairing(line.id, waiting.id, "EXACT", is_certain, reason)


def _place(report: Report) -> tuple[date, int]:
    return report.day, report.id


def _likeness(pending: Report, booked: Report) -> tuple[str | None, str]:
    """Tell by what a booked line may be a pending one of other words, and say so."""
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


def _same_merchant(one: Report, other: Report) -> bool:
    return bool(one.words and other.words) and (one.words <= other.words or other.words <= one.words)


def are_similar(one: Report, other: Report) -> bool:
    """Tell whether half the words of the shorter text are in the other."""
    shorter = min(len(one.words), len(other.words))
    return shorter > 0 and len(one.words & other.words) * 100 >= shorter * SIMILAR_PERCENT


def contradict(one: Report, other: Report) -> bool:
    """Tell whether two texts have words, and none in common.

    >>> day = date(2026, 3, 1)
    >>> rent, food = Report(1, day, -5, "Rent March", None), Report(2, day, -5, "REWE says thanks", None)
    >>> contradict(rent, food), contradict(rent, Report(3, day, -5, "RENT", "Landlord"))
    (True, False)
    """
    return bool(one.words and other.words) and not one.words & other.words


def pair_twins(new: Sequence[Report], there: Sequence[Report], refused: Pairs) -> list[Pairing]:
    """Find which new reports are lines that another source gave: of one day and amount, not more often than there.

    Texts alike pair first. What is left is certain where as many are left on both sides and no text
    contradicts, or where only one and the same of each fits. All others are suggestions, as many as are there.

    >>> day = date(2026, 3, 1)
    >>> one, two = Report(1, day, -250, "Coffee", None), Report(2, day, -250, "Coffee", None)
    >>> [(pairing.kept_id, pairing.joined_id) for pairing in pair_twins([two], [one], set())]
    [(1, 2)]
    """
    groups: dict[tuple[date, int], tuple[list[Report], list[Report]]] = {}
    for side, reports in enumerate((new, there)):
        for report in reports:
            groups.setdefault((report.day, report.amount_minor), ([], []))[side].append(report)
    return [pairing for group in groups.values() if all(group) for pairing in _twins(*group, refused)]


def _twins(new: list[Report], there: list[Report], refused: Pairs) -> Iterator[Pairing]:
    same = "Another source gave this line: same day, amount and text."
    for report in list(new):
        twin = next(
            (each for each in there if each.text == report.text and _may(each, report, refused)), None
        )
        if twin is not None:
            new.remove(report)
            there.remove(twin)
            yield Pairing(twin.id, report.id, "TWIN", is_certain=True, reason=same)
    fits = {
        report.id: [each for each in there if _may(each, report, refused) and not contradict(each, report)]
        for report in new
    }
    if len(new) == len(there) and all(len(fits[report.id]) == len(there) for report in new):
        for report, twin in zip(new, there, strict=True):
            reason = "Another source gave this line: same day and amount, as often, and no text against it."
            yield Pairing(twin.id, report.id, "TWIN", is_certain=True, reason=reason)
        return
    yield from _only_ones(new, there, fits, refused)


def _only_ones(
    new: list[Report], there: list[Report], fits: dict[int, list[Report]], refused: Pairs
) -> Iterator[Pairing]:
    """Pair reports that fit one line which no other fits; suggest the rest, as long as there are lines."""
    left = list(there)
    for report in list(new):
        only = fits[report.id][0] if len(fits[report.id]) == 1 else None
        if only is None or sum(only in others for others in fits.values()) > 1:
            continue
        new.remove(report)
        left.remove(only)
        reason = "Another source gave this line: same day and amount, and only its text fits."
        yield Pairing(only.id, report.id, "TWIN", is_certain=True, reason=reason)
    for report in new:
        twin = next((each for each in left if _may(each, report, refused)), None)
        if twin is not None:
            left.remove(twin)
            reason = "Another source gave a line of this day and amount; look whether it is the same."
            yield Pairing(twin.id, report.id, "TWIN", is_certain=False, reason=reason)


def _may(there: Report, new: Report, refused: Pairs) -> bool:
    return (there.id, new.id) not in refused and (new.id, there.id) not in refused
