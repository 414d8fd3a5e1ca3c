"""Conditions of rules: fields, operators and values, and whether a condition makes sense."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from webapp.ledger.codes import DOCUMENT_TYPES
from webapp.ledger.rules.condition_values import (
    amount_problem,
    code_problem,
    currency_problem,
    date_problem,
    id_problem,
    pattern_problem,
    size_problem,
    text_problem,
)
from webapp.ledger.rules.fields import Field, ValueKind
from webapp.ledger.rules.triggers import Target


class Match(StrEnum):
    """Whether all conditions of a rule must hold, or any one."""

    ALL = "ALL"
    ANY = "ANY"


class Operator(StrEnum):
    """How a condition compares; the negative ones match a missing value too."""

    EQUALS = "EQUALS"
    NOT_EQUALS = "NOT_EQUALS"
    CONTAINS = "CONTAINS"
    NOT_CONTAINS = "NOT_CONTAINS"
    STARTS_WITH = "STARTS_WITH"
    ENDS_WITH = "ENDS_WITH"
    MATCHES = "MATCHES"
    IN = "IN"
    NOT_IN = "NOT_IN"
    GREATER_THAN = "GREATER_THAN"
    GREATER_OR_EQUAL = "GREATER_OR_EQUAL"
    LESS_THAN = "LESS_THAN"
    LESS_OR_EQUAL = "LESS_OR_EQUAL"
    BETWEEN = "BETWEEN"
    IS_EMPTY = "IS_EMPTY"
    IS_NOT_EMPTY = "IS_NOT_EMPTY"


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a rule; by default any text contains the value."""

    field: Field = Field.ANY_TEXT
    operator: Operator = Operator.CONTAINS
    value: str = ""

    @classmethod
    def of(cls, stored: Mapping[str, str]) -> Condition:
        """Read a condition from its stored form, which is also the form of the API."""
        return Condition(Field(stored["field"]), Operator(stored["operator"]), stored["value"])


DIRECTIONS: Final = ("IN", "OUT")

WITHOUT_VALUE: Final = frozenset({Operator.IS_EMPTY, Operator.IS_NOT_EMPTY})
_CHOICES: Final = WITHOUT_VALUE | {Operator.EQUALS, Operator.NOT_EQUALS, Operator.IN, Operator.NOT_IN}
_TEXTS: Final = _CHOICES | {
    Operator.CONTAINS,
    Operator.NOT_CONTAINS,
    Operator.STARTS_WITH,
    Operator.ENDS_WITH,
    Operator.MATCHES,
}
_RANGES: Final = _CHOICES | {
    Operator.GREATER_THAN,
    Operator.GREATER_OR_EQUAL,
    Operator.LESS_THAN,
    Operator.LESS_OR_EQUAL,
    Operator.BETWEEN,
}

OPERATORS_OF: Final[dict[ValueKind, frozenset[Operator]]] = dict.fromkeys(ValueKind, _CHOICES) | {
    ValueKind.TEXT: _TEXTS,
    ValueKind.IDENTIFIER: _TEXTS,
    ValueKind.AMOUNT: _RANGES,
    ValueKind.SIZE: _RANGES,
    ValueKind.DAY: _RANGES,
}

_VALUE_PROBLEM: Final[dict[ValueKind, Callable[[str], str | None]]] = {
    ValueKind.TEXT: text_problem,
    ValueKind.IDENTIFIER: text_problem,
    ValueKind.AMOUNT: amount_problem,
    ValueKind.SIZE: size_problem,
    ValueKind.DAY: date_problem,
    ValueKind.DIRECTION: code_problem("A direction", DIRECTIONS),
    ValueKind.DOCUMENT_TYPE: code_problem("A document type", DOCUMENT_TYPES),
    ValueKind.CURRENCY: currency_problem,
    ValueKind.ID: id_problem,
}


def operators_of(field: Field) -> tuple[Operator, ...]:
    """List how a field may be compared, in the order of the form."""
    return tuple(operator for operator in Operator if operator in OPERATORS_OF[field.kind])


def condition_problem(condition: Condition, target: Target) -> tuple[str, str] | None:
    """Return the key of the wrong part of a condition and a sentence on it, or None where all makes sense.

    >>> condition_problem(Condition(Field.AMOUNT, Operator.BETWEEN, "10.00"), Target.TRANSACTION)
    ('value', '"Between" needs two ends, like 10.00..250.00.')
    >>> condition_problem(Condition(Field.TAX, Operator.EQUALS, "1"), Target.TRANSACTION)
    ('field', 'Only a receipt has TAX; a transaction does not.')
    >>> condition_problem(Condition(value="rent"), Target.TRANSACTION) is None
    True
    """
    if target not in condition.field.targets:
        return "field", f"Only a receipt has {condition.field}; a transaction does not."
    if condition.operator not in OPERATORS_OF[condition.field.kind]:
        allowed = ", ".join(operators_of(condition.field))
        return "operator", f"{condition.operator} does not fit {condition.field}; it takes {allowed}."
    problem = _value_problem(condition)
    return ("value", problem) if problem else None


def conditions_problems(conditions: list[Condition], target: Target) -> dict[str, list[str]]:
    """Collect the sentences of all wrong conditions by their path in a rule's input."""
    problems = ((index, condition_problem(condition, target)) for index, condition in enumerate(conditions))
    return {f"conditions.conditions.{index}.{found[0]}": [found[1]] for index, found in problems if found}


def _value_problem(condition: Condition) -> str | None:
    problem_of = _VALUE_PROBLEM[condition.field.kind]
    match condition.operator:
        case Operator.IS_EMPTY | Operator.IS_NOT_EMPTY:
            return None
        case Operator.MATCHES:
            return pattern_problem(condition.value)
        case Operator.IN | Operator.NOT_IN:
            parts = [part.strip() for part in condition.value.split(",")]
            return next((problem for part in parts if (problem := problem_of(part))), None)
        case Operator.BETWEEN:
            return _between_problem(condition, problem_of)
        case _:
            return problem_of(condition.value)


def _between_problem(condition: Condition, problem_of: Callable[[str], str | None]) -> str | None:
    first, dots, last = (part.strip() for part in condition.value.partition(".."))
    if not (first and dots and last):
        example = "2026-01-01..2026-01-31" if condition.field.kind is ValueKind.DAY else "10.00..250.00"
        return f'"Between" needs two ends, like {example}.'
    return problem_of(first) or problem_of(last)
