"""Matching: a rule's conditions compiled once, evaluated for any number of items, and explained one by one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from webapp.ledger.currencies import canonical
from webapp.ledger.dimensions import MergedMerchants, counting
from webapp.ledger.matching.lines import normalised
from webapp.ledger.rules.condition_values import folded_pattern, pattern_options
from webapp.ledger.rules.conditions import Condition, Match, Operator
from webapp.ledger.rules.fields import TEXT_FIELDS, Field, ValueKind
from webapp.ledger.rules.items import Values, compact

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
NOTHING_MERGED: Final[MergedMerchants] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CompiledCondition:
    """A condition compiled to a predicate."""

    condition: Condition
    holds: Callable[[Values], bool]

    @property
    def needs(self) -> str:
        """Return a text that every matching item contains; empty where there is none."""
        condition = self.condition
        is_text = condition.field.kind in (ValueKind.TEXT, ValueKind.IDENTIFIER)
        if not is_text or condition.operator not in _LITERAL:
            return ""
        return str(_reader(condition.field)(condition.value))


@dataclass(frozen=True, slots=True)
class CompiledConditions:
    """All conditions of a rule; a rule without any matches everything."""

    match: Match
    conditions: tuple[CompiledCondition, ...]

    def hold(self, values: Values) -> bool:
        """Return whether the rule matches an item's values."""
        if not self.conditions:
            return True
        is_any = self.match is Match.ANY
        for each in self.conditions:
            if each.holds(values) is is_any:
                return is_any
        return not is_any

    @property
    def needs(self) -> str:
        """Return the longest text that every matching item contains; empty where there is none."""
        if self.match is Match.ANY and len(self.conditions) > 1:
            return ""
        return max((each.needs for each in self.conditions), key=len, default="")

    def explain(self, values: Values) -> list[bool]:
        """Return for each condition, in their order, whether it holds."""
        return [each.holds(values) for each in self.conditions]


def compiled(
    match: Match, conditions: Sequence[Condition], merged: MergedMerchants = NOTHING_MERGED
) -> CompiledConditions:
    """Compile conditions that have no problem; merchants are compared by what they count as.

    >>> rent = compiled(Match.ALL, [Condition(value="RENT"), Condition(Field.AMOUNT, Operator.LESS_THAN, "0")])
    >>> rent.hold({Field.ANY_TEXT: "rent march", Field.AMOUNT: Decimal("-900")})
    True
    >>> rent.explain({Field.ANY_TEXT: "rent back", Field.AMOUNT: Decimal("900")})
    [True, False]
    """
    return CompiledConditions(
        match, tuple(CompiledCondition(each, _predicate(each, merged)) for each in conditions)
    )


def _predicate(condition: Condition, merged: MergedMerchants) -> Callable[[Values], bool]:
    """Compile a condition to a predicate; a missing value matches a negative operator only."""
    positive = _OPPOSITE.get(condition.operator)
    operator = positive or condition.operator
    test = _test(condition, operator, merged)
    is_apart = condition.field is Field.ANY_TEXT and operator is not Operator.CONTAINS
    found = _found_in_any(test) if is_apart else _found(condition.field, test)
    return found if positive is None else lambda values: not found(values)


def _found(field: Field, test: Test) -> Callable[[Values], bool]:
    def found(values: Values) -> bool:
        value = values[field]
        return value is not None and test(value)

    return found


def _found_in_any(test: Test) -> Callable[[Values], bool]:
    """Test the texts one by one, since each has its own beginning and end."""

    def found(values: Values) -> bool:
        return any((value := values[field]) is not None and test(value) for field in TEXT_FIELDS)

    return found


def needs_choices(conditions: Sequence[CompiledCondition]) -> bool:
    """Return whether a condition asks what a person chose for a line."""
    return any(each.condition.field in (Field.MERCHANT, Field.PROJECT) for each in conditions)


def _test(condition: Condition, operator: Operator, merged: MergedMerchants) -> Test:
    read = _reader(condition.field)
    if condition.field is not Field.MERCHANT or not merged:
        return _comparing(operator, condition.value, read)
    among_counting = _comparing(operator, condition.value, lambda text: counting(read(text), merged))
    return lambda found: among_counting(counting(found, merged))


def _comparing(operator: Operator, value: str, read: Callable[[str], Any]) -> Test:
    if operator is Operator.IS_NOT_EMPTY:
        return lambda _value: True
    if operator is Operator.MATCHES:
        import re2  # noqa: PLC0415  (it takes 2 MB, and few processes match a pattern)

        pattern = re2.compile(folded_pattern(value), pattern_options())
        return lambda text: pattern.search(text) is not None
    if operator is Operator.IN:
        parts = frozenset(read(part.strip()) for part in value.split(","))
        return lambda found: found in parts
    if operator is Operator.BETWEEN:
        first, last = (read(part.strip()) for part in _RANGE.split(value, maxsplit=1))
        return lambda found: bool(first <= found <= last)
    return _comparison(operator, read(value))


def _comparison(operator: Operator, wanted: Any) -> Test:
    comparisons: dict[Operator, Test] = {
        Operator.EQUALS: lambda found: bool(found == wanted),
        Operator.CONTAINS: lambda found: wanted in found,
        Operator.STARTS_WITH: lambda found: bool(found.startswith(wanted)),
        Operator.ENDS_WITH: lambda found: bool(found.endswith(wanted)),
        Operator.GREATER_THAN: lambda found: bool(found > wanted),
        Operator.GREATER_OR_EQUAL: lambda found: bool(found >= wanted),
        Operator.LESS_THAN: lambda found: bool(found < wanted),
        Operator.LESS_OR_EQUAL: lambda found: bool(found <= wanted),
    }
    return comparisons[operator]


def _reader(field: Field) -> Callable[[str], Any]:
    """Return the function that reads a condition's value as its field's kind."""
    readers: dict[ValueKind, Callable[[str], Any]] = {
        ValueKind.TEXT: normalised,
        ValueKind.IDENTIFIER: compact,
        ValueKind.AMOUNT: Decimal,
        ValueKind.SIZE: Decimal,
        ValueKind.DAY: date.fromisoformat,
        ValueKind.DIRECTION: str.upper,
        ValueKind.DOCUMENT_TYPE: str.upper,
        ValueKind.CURRENCY: canonical,
        ValueKind.ID: int,
    }
    return readers[field.kind]
