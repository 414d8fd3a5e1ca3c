"""Whether a rule's conditions hold of an item: compiled once, asked of any number of items, explained one by one."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

import re2

from webapp.ledger.currencies import canonical
from webapp.ledger.matching.lines import normalised
from webapp.ledger.rules.condition_values import folded_pattern, pattern_options
from webapp.ledger.rules.conditions import KIND_OF, Condition, Field, Match, Operator, ValueKind
from webapp.ledger.rules.items import TEXT_FIELDS, Value, compact

Values = Mapping[Field, Value]
Test = Callable[[Any], bool]

# Each negative operator with the one that it is the opposite of: it holds where that one does not.
_OPPOSITE: Final = {
    Operator.NOT_EQUALS: Operator.EQUALS,
    Operator.NOT_CONTAINS: Operator.CONTAINS,
    Operator.NOT_IN: Operator.IN,
    Operator.IS_EMPTY: Operator.IS_NOT_EMPTY,
}
# The operators whose value stands in the text itself.
_LITERAL: Final = frozenset({Operator.EQUALS, Operator.CONTAINS, Operator.STARTS_WITH, Operator.ENDS_WITH})
_RANGE: Final = re.compile(r"\.\.")


@dataclass(frozen=True, slots=True)
class Question:
    """A condition made ready to be asked."""

    condition: Condition
    holds: Callable[[Values], bool]

    @property
    def needs(self) -> str:
        """Give a text without which the condition cannot hold, empty where it needs none."""
        condition = self.condition
        is_text = condition.field is Field.ANY_TEXT or condition.field in TEXT_FIELDS
        if not is_text or condition.operator not in _LITERAL:
            return ""
        return str(_reader(condition.field)(condition.value))


@dataclass(frozen=True, slots=True)
class Questions:
    """All conditions of a rule; none at all hold of everything."""

    match: Match
    questions: tuple[Question, ...]

    def hold(self, values: Values) -> bool:
        """Tell whether the rule matches an item's values."""
        if not self.questions:
            return True
        is_any = self.match is Match.ANY
        for each in self.questions:
            if each.holds(values) is is_any:
                return is_any
        return not is_any

    @property
    def needs(self) -> str:
        """Give a text that every item has which the rule matches, the longest known; empty where there is none."""
        if self.match is Match.ANY and len(self.questions) > 1:
            return ""
        return max((each.needs for each in self.questions), key=len, default="")

    def explain(self, values: Values) -> list[bool]:
        """Tell of each condition, in their order, whether it holds."""
        return [each.holds(values) for each in self.questions]


def ready(match: Match, conditions: Sequence[Condition]) -> Questions:
    """Make conditions that have no problem ready to be asked.

    >>> from webapp.ledger.rules.items import RuleItem
    >>> rent = ready(Match.ALL, [Condition(value="RENT"), Condition(Field.AMOUNT, Operator.LESS_THAN, "0")])
    >>> rent.hold(RuleItem(description="Rent March", amount=Decimal("-900")).values())
    True
    >>> rent.explain(RuleItem(description="Rent back", amount=Decimal("900")).values())
    [True, False]
    """
    return Questions(match, tuple(Question(each, _asked(each)) for each in conditions))


def _asked(condition: Condition) -> Callable[[Values], bool]:
    """Give the question of a condition; what is missing matches a negative operator only."""
    positive = _OPPOSITE.get(condition.operator)
    operator = positive or condition.operator
    test = _test(condition.field, operator, condition.value)
    is_apart = condition.field is Field.ANY_TEXT and operator is not Operator.CONTAINS
    found = _found_in_any(test) if is_apart else _found(condition.field, test)
    return found if positive is None else lambda values: not found(values)


def _found(field: Field, test: Test) -> Callable[[Values], bool]:
    def found(values: Values) -> bool:
        value = values[field]
        return value is not None and test(value)

    return found


def _found_in_any(test: Test) -> Callable[[Values], bool]:
    """Ask the texts one by one: where one begins or ends is a matter of each."""

    def found(values: Values) -> bool:
        return any((value := values[field]) is not None and test(value) for field in TEXT_FIELDS)

    return found


def asks_for_choices(questions: Sequence[Question]) -> bool:
    """Tell whether a question is about what a person chose for a line, which no bank says."""
    return any(each.condition.field in (Field.MERCHANT, Field.PROJECT) for each in questions)


def _test(field: Field, operator: Operator, value: str) -> Test:
    if operator is Operator.IS_NOT_EMPTY:
        return lambda _value: True
    if operator is Operator.MATCHES:
        pattern = re2.compile(folded_pattern(value), pattern_options())
        return lambda text: pattern.search(text) is not None
    read = _reader(field)
    if operator is Operator.IN:
        parts = frozenset(read(part.strip()) for part in value.split(","))
        return lambda given: given in parts
    if operator is Operator.BETWEEN:
        first, last = (read(part.strip()) for part in _RANGE.split(value, maxsplit=1))
        return lambda given: bool(first <= given <= last)
    return _comparison(operator, read(value))


def _comparison(operator: Operator, wanted: Any) -> Test:
    comparisons: dict[Operator, Test] = {
        Operator.EQUALS: lambda given: bool(given == wanted),
        Operator.CONTAINS: lambda given: wanted in given,
        Operator.STARTS_WITH: lambda given: bool(given.startswith(wanted)),
        Operator.ENDS_WITH: lambda given: bool(given.endswith(wanted)),
        Operator.GREATER_THAN: lambda given: bool(given > wanted),
        Operator.GREATER_OR_EQUAL: lambda given: bool(given >= wanted),
        Operator.LESS_THAN: lambda given: bool(given < wanted),
        Operator.LESS_OR_EQUAL: lambda given: bool(given <= wanted),
    }
    return comparisons[operator]


def _reader(field: Field) -> Callable[[str], Any]:
    """Give how a condition's value is read as what its field holds."""
    if field is Field.IBAN:
        return compact
    readers: dict[ValueKind, Callable[[str], Any]] = {
        ValueKind.TEXT: normalised,
        ValueKind.AMOUNT: Decimal,
        ValueKind.SIZE: Decimal,
        ValueKind.DAY: date.fromisoformat,
        ValueKind.DIRECTION: str.upper,
        ValueKind.DOCUMENT_TYPE: str.upper,
        ValueKind.CURRENCY: canonical,
        ValueKind.ID: int,
    }
    return readers[KIND_OF[field]]
