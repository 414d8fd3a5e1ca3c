"""The bank lines behind habits: grouped by their words, and found by conditions."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from webapp.ledger.matching.lines import BankLine
from webapp.ledger.rules.conditions import Condition, Operator
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.items import BETWEEN_TEXTS, compact
from webapp.ledger.suggestions.phrases import Words, folded, runs_of


@dataclass(frozen=True, slots=True)
class Choice:
    """The account of a confirmed line; None means several accounts, or one that no rule may set."""

    account_id: int | None
    merchant_id: int | None = None
    project_id: int | None = None


@dataclass(slots=True)
class Unit:
    """The places of lines with the same runs of words, with the accounts of the decided ones."""

    runs: tuple[Words, ...]
    lines: list[int] = field(default_factory=list)
    tally: Counter[int | None] = field(default_factory=Counter)


class Haystack:
    """Folded texts joined into one, so that searching a hundred thousand costs what searching a book does."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._joined = BETWEEN_TEXTS + BETWEEN_TEXTS.join(texts) + BETWEEN_TEXTS
        self._starts = list(accumulate((len(text) + 1 for text in texts), initial=1))

    def find(self, operator: Operator, wanted: str) -> list[int]:
        """Return the places of the texts that CONTAINS, STARTS_WITH or EQUALS finds a folded text in.

        >>> texts = Haystack(["rewe koeln", "", "drewermann", "rewe"])
        >>> texts.find(Operator.CONTAINS, "rewe"), texts.find(Operator.STARTS_WITH, "rewe")
        ([0, 2, 3], [0, 3])
        >>> texts.find(Operator.EQUALS, "rewe")
        [3]
        """
        begins = operator is not Operator.CONTAINS
        needle = BETWEEN_TEXTS * begins + wanted + BETWEEN_TEXTS * (operator is Operator.EQUALS)
        found = []
        at = self._joined.find(needle)
        while at >= 0:
            place = bisect_right(self._starts, at + begins) - 1
            found.append(place)
            # On with the mark behind this text, which is also the one before the next.
            at = self._joined.find(needle, self._starts[place + 1] - 1)
        return found


class HabitBook:
    """Lines with their choices, None for an undecided line; both by the lines' places."""

    def __init__(self, lines: Sequence[BankLine], choices: Sequence[Choice | None]) -> None:
        self.lines, self.choices = lines, choices
        self._texts: dict[Field, list[str]] = {}
        self._haystacks: dict[Field, Haystack] = {}

    def text(self, field_: Field, place: int) -> str:
        """Return a line's text as the bank wrote it."""
        line = self.lines[place]
        return (line.counterparty if field_ is Field.COUNTERPARTY else line.description) or ""

    def texts(self, field_: Field) -> list[str]:
        """Return the texts of all lines as rules compare them."""
        if field_ not in self._texts:
            attribute: dict[Field, Callable[[BankLine], str | None]] = {
                Field.COUNTERPARTY: lambda line: line.counterparty,
                Field.DESCRIPTION: lambda line: line.description,
                Field.IBAN: lambda line: line.iban,
            }
            read = compact if field_ is Field.IBAN else folded
            self._texts[field_] = _each_once(map(attribute[field_], self.lines), read)
        return self._texts[field_]

    def units(self, field_: Field, places: Iterable[int]) -> list[Unit]:
        """Group lines with the same runs of words."""
        texts, choices = self.texts(field_), self.choices
        found: dict[tuple[Words, ...], Unit] = {}
        for place in places:
            runs = runs_of(texts[place])
            unit = found.get(runs)
            if unit is None:
                unit = found[runs] = Unit(runs)
            unit.lines.append(place)
            choice = choices[place]
            if choice is not None:
                unit.tally[choice.account_id] += 1
        return list(found.values())

    def by_iban(self) -> dict[str, list[int]]:
        """Return the lines of each IBAN."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, iban in enumerate(self.texts(Field.IBAN)):
            if iban:
                found[iban].append(place)
        return found

    def direction(self, place: int) -> str:
        """Return a line's direction as conditions name it."""
        return "OUT" if self.lines[place].amount_minor < 0 else "IN"

    def matching(self, conditions: Sequence[Condition]) -> list[int]:
        """Return the places of lines that match all conditions, like a rule; at least one condition is on a text."""
        on_texts = [each for each in conditions if each.field is not Field.DIRECTION]
        first, *others = (set(self._matching(each)) for each in on_texts)
        for condition in conditions:
            if condition.field is Field.DIRECTION:
                first = {place for place in first if self.direction(place) == condition.value}
        return sorted(first.intersection(*others))

    def _matching(self, condition: Condition) -> list[int]:
        field_ = condition.field
        if field_ not in self._haystacks:
            self._haystacks[field_] = Haystack(self.texts(field_))
        read = compact if field_ is Field.IBAN else folded
        return self._haystacks[field_].find(condition.operator, read(condition.value))


def _each_once(texts: Iterable[str | None], read: Callable[[str], str]) -> list[str]:
    """Read each distinct text once."""
    read_texts: dict[str | None, str] = {None: "", "": ""}
    found = []
    for text in texts:
        if text not in read_texts:
            read_texts[text] = read(text or "")
        found.append(read_texts[text])
    return found
