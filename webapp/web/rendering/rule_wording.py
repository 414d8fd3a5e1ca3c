"""Rules as sentences on pages, and the labels of their fields, operators and triggers."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from webapp.ledger.rules.conditions import Condition, Operator
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind
from webapp.ledger.rules.fields import Field, ValueKind
from webapp.ledger.rules.triggers import NAMES, Target, Trigger
from webapp.ledger.texts.words import Words
from webapp.ledger.titles import joined
from webapp.queries.audit.field_changes import Line, RulePart
from webapp.web.rendering.figures import day, figure
from webapp.web.rendering.languages import gettext, marked
from webapp.web.rendering.notation import notation
from webapp.web.rendering.notation import sentence as in_notation

# Names by the JSON key of an id, and the id.
Names = Mapping[tuple[str, int], str]

OPERATORS: Final[dict[Operator, str]] = {
    Operator.EQUALS: marked("is"),
    Operator.NOT_EQUALS: "is not",
    Operator.CONTAINS: marked("contains"),
    Operator.NOT_CONTAINS: "does not contain",
    Operator.STARTS_WITH: "starts with",
    Operator.ENDS_WITH: "ends with",
    Operator.MATCHES: marked("matches"),
    Operator.IN: "is one of",
    Operator.NOT_IN: "is none of",
    Operator.GREATER_THAN: "is more than",
    Operator.GREATER_OR_EQUAL: "is at least",
    Operator.LESS_THAN: "is less than",
    Operator.LESS_OR_EQUAL: "is at most",
    Operator.BETWEEN: "is between",
    Operator.IS_EMPTY: "is empty",
    Operator.IS_NOT_EMPTY: "is not empty",
}
OF_DAYS: Final[dict[Operator, str]] = {
    Operator.GREATER_THAN: "is after",
    Operator.GREATER_OR_EQUAL: "is on or after",
    Operator.LESS_THAN: "is before",
    Operator.LESS_OR_EQUAL: "is on or before",
}
KINDS: Final[dict[EffectKind, str]] = {
    EffectKind.SET_ACCOUNT: marked("account"),
    EffectKind.SET_MERCHANT: "customer or supplier",
    EffectKind.SET_PROJECT: marked("project"),
    EffectKind.SET_CURRENCY: marked("currency"),
    EffectKind.SETTLE_BY_REFERENCE: marked("payment"),
    EffectKind.SET_TAX_CODE: marked("tax code"),
}
BY_REFERENCE: Final = "pay the open item in its text"
TARGETS: Final = {each: NAMES[each].capitalize() for each in (Target.TRANSACTION, Target.RECEIPT)}
TRIGGERS: Final = {each: NAMES[each].capitalize() for each in Trigger}
DIRECTIONS: Final = {"IN": "money in", "OUT": "money out"}


def sentence(
    match: str, conditions: Sequence[Mapping[str, str]], effects: Sequence[Mapping[str, Any]], names: Names
) -> str:
    """A rule as one sentence; one without conditions matches everything.

    >>> effects = [{"kind": "SET_ACCOUNT", "accountId": 7}, {"kind": "SET_CURRENCY", "currency": "USD"}]
    >>> uber = {"field": "DESCRIPTION", "operator": "CONTAINS", "value": "Uber"}
    >>> sentence("ALL", [uber], effects[:1], {("accountId", 7): "Travel"})
    'If description contains “Uber”, set account Travel.'
    >>> sentence("ANY", [uber, {"field": "AMOUNT", "operator": "LESS_THAN", "value": "-1000"}], effects, {})
    'If description contains “Uber” or amount is less than −1,000, set account 7 and currency USD.'
    >>> sentence("ALL", [], effects[:1], {("accountId", 7): "Travel"})
    'Matches everything: set account Travel.'
    >>> sentence("ALL", [uber], [{"kind": "SETTLE_BY_REFERENCE"}, *effects[:1]], {("accountId", 7): "Travel"})
    'If description contains “Uber”, pay the open item in its text, else set account Travel.'
    """
    effects_text = _effects_text(effects, names)
    if not conditions:
        return gettext("Matches everything: %(effects)s.") % {"effects": effects_text}
    conditions_text = joined(
        [condition_text(Condition.of(each), names) for each in conditions],
        gettext("or") if match == "ANY" else gettext("and"),
    )
    return gettext("If %(conditions)s, %(effects)s.") % {
        "conditions": conditions_text,
        "effects": effects_text,
    }


def _effects_text(effects: Sequence[Mapping[str, Any]], names: Names) -> str:
    kept = [each for each in effects if each["kind"] != EffectKind.SETTLE_BY_REFERENCE]
    listed = joined([effect_text(each, names) for each in kept], gettext("and"))
    text = gettext("set %(effects)s") % {"effects": listed or gettext("nothing")}
    if len(kept) == len(effects):
        return text
    if not kept:
        return gettext(BY_REFERENCE)
    return gettext("%(first)s, else %(then)s") % {"first": gettext(BY_REFERENCE), "then": text}


def condition_text(condition: Condition, names: Names) -> str:
    """One condition as text.

    >>> condition_text(Condition(Field.DATE, Operator.BETWEEN, "2026-01-01..2026-01-31"), {})
    'day is between 1 Jan 2026 and 31 Jan 2026'
    >>> condition_text(Condition(Field.PROJECT, Operator.IN, "4, 5"), {("projectId", 4): "Website"})
    'project is one of Website, 5'
    >>> condition_text(Condition(Field.DIRECTION, Operator.EQUALS, "OUT"), {})
    'it is money out'
    """
    value = value_text(condition, names)
    operator = operator_text(condition.field, condition.operator)
    subject = gettext("it") if condition.field is Field.DIRECTION else gettext(condition.field.label)
    return " ".join(filter(None, (subject, operator, value)))


def operator_text(field: Field, operator: Operator) -> str:
    """The text of an operator for a field."""
    texts = OF_DAYS if field.kind is ValueKind.DAY else {}
    return gettext(texts.get(operator, OPERATORS[operator]))


def value_text(condition: Condition, names: Names) -> str:
    """The value of a condition as text."""
    match condition.operator:
        case Operator.IS_EMPTY | Operator.IS_NOT_EMPTY:
            return ""
        case Operator.BETWEEN:
            first, _, last = condition.value.partition("..")
            return joined([_one(condition.field, each, names) for each in (first, last)], gettext("and"))
        case Operator.IN | Operator.NOT_IN:
            return ", ".join(_one(condition.field, part, names) for part in condition.value.split(","))
        case _:
            return _one(condition.field, condition.value, names)


def effect_text(effect: Mapping[str, Any], names: Names) -> str:
    """One effect as text."""
    kind = EffectKind(effect["kind"])
    if kind not in VALUE_KEY:
        return gettext(BY_REFERENCE)
    key = VALUE_KEY[kind]
    value = effect[key]
    return f"{gettext(KINDS[kind])} {names.get((key, value), value) if isinstance(value, int) else value}"


def written(line: Line) -> str:
    """Write a line of a changed field: our words in the language of the page, texts of people and banks as they are.

    >>> written(("Rent", " ", RulePart({"kind": "SET_ACCOUNT", "accountId": 7}, {("accountId", 7): "Travel"})))
    'Rent set account Travel'
    """
    return "".join(map(_written, line))


def _written(piece: str | RulePart) -> str:
    if isinstance(piece, RulePart):
        part, names = piece
        return condition_text(part, names) if isinstance(part, Condition) else _effects_text([part], names)
    return in_notation(piece) if isinstance(piece, Words) else piece


def _quoted(value: str) -> str:
    return gettext("“%(quoted)s”") % {"quoted": value}


def _one(field: Field, value: str, names: Names) -> str:
    text = value.strip()
    formats: dict[ValueKind, Callable[[str], str]] = {
        ValueKind.TEXT: _quoted,
        ValueKind.IDENTIFIER: _quoted,
        ValueKind.AMOUNT: lambda value: figure(value, notation()),
        ValueKind.SIZE: lambda value: figure(value, notation()),
        ValueKind.DAY: lambda value: day(date.fromisoformat(value), notation()),
        ValueKind.DIRECTION: lambda value: gettext(DIRECTIONS[value.upper()]),
        ValueKind.DOCUMENT_TYPE: lambda value: gettext(value.replace("_", " ").lower()),
        ValueKind.CURRENCY: str.upper,
        ValueKind.ID: lambda value: names.get((field.id_key, int(value)), value),
    }
    return formats[field.kind](text)
