"""Habits: bank lines with common text that people always book alike, with the conditions of a rule."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from heapq import heappop, heappush
from typing import Final

from webapp.ledger.matching.lines import short
from webapp.ledger.rules.conditions import Condition, Operator
from webapp.ledger.rules.fields import Field
from webapp.ledger.suggestions.habit_books import HabitBook, Unit
from webapp.ledger.suggestions.phrases import Words, as_written, folded, is_distinctive

# The least number of lines that make a habit, and the least percentage of the lines of the text that agree.
SUPPORT: Final = 3
PURITY: Final = 95
# With as many different continuations that all agree, the shorter beginning is the habit.
CONTINUATIONS: Final = 3
LONGEST_KEY: Final = 22


@dataclass(frozen=True, slots=True)
class Habit:
    """Conditions, their effects, and the places of all lines that they match.

    `evidence` went to the account, `exceptions` elsewhere, and `undecided` are not confirmed yet.
    """

    conditions: tuple[Condition, ...]
    account_id: int
    merchant_id: int | None
    project_id: int | None
    evidence: tuple[int, ...]
    exceptions: tuple[int, ...]
    undecided: tuple[int, ...]

    @property
    def key(self) -> str:
        """Identify the habit by its conditions and account, independent of its lines."""
        conditions = sorted([each.field, each.operator, folded(each.value)] for each in self.conditions)
        return short(sha256(json.dumps([conditions, self.account_id]).encode()).digest())


def is_pure(count: int, total: int) -> bool:
    """Return whether a share of a total makes a habit.

    >>> is_pure(3, 3), is_pure(2, 2), is_pure(19, 20), is_pure(18, 19)
    (True, False, True, False)
    """
    return count >= SUPPORT and count * 100 >= total * PURITY


def habits(book: HabitBook, *, most: int, is_wanted: Callable[[Habit], bool] = lambda _: True) -> list[Habit]:
    """Find habits, those with most lines first.

    Each line is evidence of at most one habit. An unwanted habit is left out with its lines.

    >>> from types import SimpleNamespace as Line
    >>> from webapp.ledger.suggestions.habit_books import Choice
    >>> towns = ["REWE Koeln 17", "REWE Bonn 4", "REWE Aachen", "Aral Bonn", "Rewe 12"]
    >>> lines = [Line(description="", counterparty=each, iban=None, amount_minor=-500) for each in towns]
    >>> (habit,) = habits(HabitBook(lines, [*[Choice(7)] * 3, Choice(8), None]), most=10)
    >>> [(each.field.value, each.operator.value, each.value) for each in habit.conditions]
    [('COUNTERPARTY', 'STARTS_WITH', 'Rewe')]
    >>> habit.account_id, habit.evidence, habit.exceptions, habit.undecided
    (7, (0, 1, 2), (), (4,))
    """
    return _Search(book, most, is_wanted).found()


@dataclass(slots=True)
class _Node:
    """Lines with `words` in a text field that meet the base conditions; without a field, only the latter."""

    base: tuple[Condition, ...]
    units: list[Unit]
    field: Field | None = None
    words: Words = ()

    def tally(self) -> Counter[int | None]:
        """Count the decided lines by their account."""
        total: Counter[int | None] = Counter()
        for unit in self.units:
            total.update(unit.tally)
        return total

    def lines(self) -> list[int]:
        """Return the places of all its lines."""
        return sorted(line for unit in self.units for line in unit.lines)

    def continued(self) -> dict[str, "_Node"]:
        """Return the nodes of one more word; the empty word has the lines that end here."""
        length = len(self.words)
        found: dict[str, list[Unit]] = defaultdict(list)
        for unit in self.units:
            runs = [run for run in unit.runs if run[:length] == self.words]
            for word in sorted({run[length] if len(run) > length else "" for run in runs}):
                found[word].append(unit)
        words = self.words
        return {
            word: _Node(self.base, units, self.field, (*words, word) if word else words)
            for word, units in found.items()
        }


def still_dismissed(count: int, dismissed_count: int) -> bool:
    """Return whether a dismissed habit stays dismissed: until it has twice as many lines.

    >>> still_dismissed(5, 3), still_dismissed(6, 3)
    (True, False)
    """
    return count < 2 * dismissed_count


class _Search:
    """Examines the beginnings of texts, the most frequent first, until enough habits are found."""

    def __init__(self, book: HabitBook, most: int, is_wanted: Callable[[Habit], bool]) -> None:
        self._book, self._most, self._is_wanted = book, most, is_wanted
        self._heap: list[tuple[int, int, str, Words, int, _Node]] = []
        self._pushed = 0
        self._explained: set[int] = set()
        self._found: list[Habit] = []

    def found(self) -> list[Habit]:
        """Examine counterparties and IBANs first, then the descriptions of unexplained lines."""
        everywhere = range(len(self._book.lines))
        parties = self._book.texts(Field.COUNTERPARTY)
        self._push(self._root((), Field.COUNTERPARTY, [place for place in everywhere if parties[place]]))
        for iban, places in self._book.by_iban().items():
            if len(places) >= SUPPORT:
                has_iban = (Condition(Field.IBAN, Operator.EQUALS, iban.upper()),)
                self._push(_Node(has_iban, self._book.units(Field.COUNTERPARTY, places)))
        self._push(self._root((), Field.DESCRIPTION, [place for place in everywhere if not parties[place]]))
        self._examine_all()
        if len(self._found) < self._most:
            self._examine_unexplained(parties)
        return sorted(self._found, key=lambda habit: (-len(habit.evidence), habit.evidence))

    def _examine_unexplained(self, parties: Sequence[str]) -> None:
        everywhere = range(len(parties))
        left = [place for place in everywhere if parties[place] and place not in self._explained]
        self._push(self._root((), Field.DESCRIPTION, left))
        self._examine_all()

    def _root(self, base: tuple[Condition, ...], field: Field, places: Sequence[int]) -> _Node:
        return _Node(base, self._book.units(field, places), field)

    def _push(self, node: _Node) -> None:
        decided = node.tally().total()
        if decided >= SUPPORT:
            self._pushed += 1
            place = (-decided, len(node.base), node.field or "", node.words, self._pushed)
            heappush(self._heap, (*place, node))

    def _examine_all(self) -> None:
        while self._heap and len(self._found) < self._most:
            node = heappop(self._heap)[-1]
            if node.field is None:
                if not self._take(node.base):
                    self._narrow(node)
            else:
                self._examine(node, node.field)

    def _examine(self, node: _Node, field: Field) -> None:
        """Take the words as a habit, or examine what follows them."""
        longer = node.continued()
        is_habit = is_distinctive(node.words) and not _is_narrower(longer)
        if is_habit and self._take((*node.base, self._condition(node, field))):
            return
        ended = longer.pop("", None)
        for each in longer.values():
            self._push(each)
        if ended is None or not is_distinctive(node.words):
            return
        condition = self._condition(ended, field)
        if not longer or condition.operator is Operator.EQUALS:
            self._push(_Node((*node.base, condition), ended.units))

    def _condition(self, node: _Node, field: Field) -> Condition:
        """Return a node's words as the narrowest condition that all its lines meet."""
        phrase, places = " ".join(node.words), node.lines()
        texts = {self._book.texts(field)[place] for place in places}
        if texts == {phrase}:
            operator = Operator.EQUALS
        elif all(text.startswith(phrase) for text in texts):
            operator = Operator.STARTS_WITH
        else:
            operator = Operator.CONTAINS
        written = as_written(node.words, self._book.text(field, places[-1]))
        return Condition(field, operator, written if folded(written) == phrase else phrase)

    def _narrow(self, node: _Node) -> None:
        """Narrow lines with different accounts by direction, or by description."""
        if {condition.field for condition in node.base} & {Field.DIRECTION, Field.DESCRIPTION}:
            return
        places = node.lines()
        by_direction: dict[str, list[int]] = defaultdict(list)
        for place in places:
            by_direction[self._book.direction(place)].append(place)
        if len(by_direction) > 1:
            for direction, some in by_direction.items():
                narrower = (*node.base, Condition(Field.DIRECTION, Operator.EQUALS, direction))
                self._push(_Node(narrower, self._book.units(Field.COUNTERPARTY, some)))
        self._push(_Node(node.base, self._beside_party(node.base, places), Field.DESCRIPTION))

    def _beside_party(self, base: tuple[Condition, ...], places: Sequence[int]) -> list[Unit]:
        """Group lines by their descriptions, without a counterparty at the beginning."""
        party = tuple(folded(base[0].value).split())
        units = self._book.units(Field.DESCRIPTION, places)
        for unit in units:
            unit.runs = tuple(run[len(party) :] if run[: len(party)] == party else run for run in unit.runs)
        return units

    def _take(self, conditions: tuple[Condition, ...]) -> bool:
        """Record the habit of conditions over all lines; return False if their accounts differ."""
        places, choices = self._book.matching(conditions), self._book.choices
        decided = [(place, choice) for place in places if (choice := choices[place]) is not None]
        account_id, count = _most(choice.account_id for _, choice in decided)
        if account_id is None or not is_pure(count, len(decided)):
            return False
        evidence = [(place, choice) for place, choice in decided if choice.account_id == account_id]
        if len({place for place, _ in evidence} - self._explained) < SUPPORT:
            return True
        self._explained |= {place for place, _ in evidence}
        habit = Habit(
            conditions,
            account_id,
            _always(choice.merchant_id for _, choice in evidence),
            _always(choice.project_id for _, choice in evidence),
            tuple(place for place, _ in evidence),
            tuple(place for place, choice in decided if choice.account_id != account_id),
            tuple(place for place in places if choices[place] is None),
        )
        if self._is_wanted(habit):
            self._found.append(habit)
        return True


def _is_narrower(longer: dict[str, _Node]) -> bool:
    """Return whether longer words make a narrower habit: all lines continue alike, or in two frequent ways."""
    decided = {word: tally.total() for word, node in longer.items() if (tally := node.tally())}
    if "" in decided or len(decided) >= CONTINUATIONS:
        return False
    return len(decided) == 1 or min(decided.values(), default=0) >= SUPPORT


def _most(values: Iterable[int | None]) -> tuple[int | None, int]:
    """Return the most frequent value and its count."""
    common = Counter(values).most_common(1)
    return common[0] if common else (None, 0)


def _always(values: Iterable[int | None]) -> int | None:
    """Return the value of all but a few, or None."""
    listed = list(values)
    value, count = _most(listed)
    return value if is_pure(count, len(listed)) else None
