"""Duplicates: reports of one bank line from two sources, found in time linear in the reports."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, islice

from webapp.ledger.matching.joins import LineReport, Pairing, Pairs

SAME = "Another source has this line: same day, amount and text."
AS_OFTEN = "Another source has this line: same day and amount, equally often, and no text contradicts it."
ONLY = "Another source has this line: same day and amount, and only its text matches."
POSSIBLE = "Another source gave a line of this day and amount; check whether it is the same."

# Linked, since the first of many is taken out again and again.
Reports = OrderedDict[int, LineReport]
Refused = Mapping[int, set[int]]


def pair_duplicates(
    new: Sequence[LineReport], existing: Sequence[LineReport], refused: Pairs
) -> list[Pairing]:
    """Find the new reports that duplicate existing lines of another source, of one day and amount.

    Each existing line has at most one duplicate. Equal texts pair first. The rest is certain if as many are
    left on both sides and no texts contradict, or if two fit only each other. All others are
    suggestions, as many as there are existing lines.

    >>> day = date(2026, 3, 1)
    >>> one, two = LineReport(1, day, -250, "Coffee", None), LineReport(2, day, -250, "Coffee", None)
    >>> [(pairing.kept_id, pairing.joined_id) for pairing in pair_duplicates([two], [one], set())]
    [(1, 2)]
    """
    lines = _by_day_and_amount(existing)
    decided = _both_ways(refused)
    return [
        pairing
        for group, reports in _by_day_and_amount(new).items()
        if group in lines
        for pairing in _duplicates(reports, lines[group], decided)
    ]


def _by_day_and_amount(reports: Iterable[LineReport]) -> dict[tuple[date, int], Reports]:
    found: dict[tuple[date, int], Reports] = {}
    for report in reports:
        group = report.day, report.amount_minor
        if group not in found:
            found[group] = Reports()
        found[group][report.id] = report
    return found


def _both_ways(refused: Pairs) -> Refused:
    """Map each report to the ids that a person refused as its pair."""
    found: dict[int, set[int]] = defaultdict(set)
    for one, other in refused:
        found[one].add(other)
        found[other].add(one)
    return dict(found)


class _Words:
    """Reports by their words, to find the ones that do not contradict another without reading all."""

    def __init__(self, reports: Iterable[LineReport]) -> None:
        self._all: list[LineReport] = list(reports)
        self._wordless = [each for each in self._all if not each.words]
        self._by_word: dict[str, list[LineReport]] = defaultdict(list)
        for each in self._all:
            for word in each.words:
                self._by_word[word].append(each)

    def fitting(self, report: LineReport, refused: Refused) -> Iterator[LineReport]:
        """Yield the reports that may pair with this one and do not contradict its text."""
        if not report.words:
            found = iter(self._all)
        else:
            lists = [self._by_word.get(word, ()) for word in report.words]
            found = chain(self._wordless, *lists)
        given: set[int] = set()
        for each in found:
            if each.id not in given and _may_pair(each, report, refused):
                given.add(each.id)
                yield each


def _duplicates(new: Reports, existing: Reports, refused: Refused) -> Iterator[Pairing]:
    """Pair the reports of one day and amount, and remove the pairs from both lists."""
    yield from _twins(new, existing, refused)
    if not new or not existing:
        return
    if len(new) == len(existing) and _all_fit(new, existing, refused):
        for report, duplicate in zip(new.values(), existing.values(), strict=True):
            yield Pairing(duplicate.id, report.id, "TWIN", is_certain=True, reason=AS_OFTEN)
        return
    yield from _only_ones(new, existing, refused)
    yield from _suggestions(new, existing, refused)


def _twins(new: Reports, existing: Reports, refused: Refused) -> Iterator[Pairing]:
    """Pair reports of equal texts, in their order."""
    texts = {each.text for each in new.values()}
    by_text: dict[str, Reports] = {text: Reports() for text in texts}
    for each in existing.values():
        if each.text in texts:
            by_text[each.text][each.id] = each
    for report in list(new.values()):
        twins = by_text[report.text]
        duplicate = next((each for each in twins.values() if _may_pair(each, report, refused)), None)
        if duplicate is not None:
            del new[report.id], existing[duplicate.id], twins[duplicate.id]
            yield Pairing(duplicate.id, report.id, "TWIN", is_certain=True, reason=SAME)


def _all_fit(new: Reports, existing: Reports, refused: Refused) -> bool:
    """Return whether no text contradicts another, and no pair was refused."""
    if any(refused.get(each, set()) & existing.keys() for each in new):
        return False
    sets = [{each.words for each in side.values() if each.words} for side in (new, existing)]
    return all(one & other for one in sets[0] for other in sets[1])


def _only_ones(new: Reports, existing: Reports, refused: Refused) -> Iterator[Pairing]:
    """Pair each report with a line that fits nothing else."""
    lines, reports = _Words(existing.values()), _Words(new.values())
    for report in list(new.values()):
        fits = list(islice(lines.fitting(report, refused), 2))
        if len(fits) == 1 and len(list(islice(reports.fitting(fits[0], refused), 2))) == 1:
            del new[report.id], existing[fits[0].id]
            yield Pairing(fits[0].id, report.id, "TWIN", is_certain=True, reason=ONLY)


def _suggestions(new: Mapping[int, LineReport], existing: Reports, refused: Refused) -> Iterator[Pairing]:
    """Suggest a line for each remaining report, as long as there are lines."""
    for report in new.values():
        duplicate = next((each for each in existing.values() if _may_pair(each, report, refused)), None)
        if duplicate is not None:
            del existing[duplicate.id]
            yield Pairing(duplicate.id, report.id, "TWIN", is_certain=False, reason=POSSIBLE)


def _may_pair(one: LineReport, other: LineReport, refused: Refused) -> bool:
    return one.id not in refused.get(other.id, ())
