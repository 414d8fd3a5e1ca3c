"""The form of a rule: rows of conditions and effects as they were typed, as a body of the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import marshmallow as ma
from flask import request
from werkzeug.datastructures import MultiDict

from webapp.ledger.rules.conditions import (
    WITHOUT_VALUE,
    Condition,
    Match,
    Operator,
    condition_problem,
    operators_of,
)
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind, effect_problem
from webapp.ledger.rules.fields import Field, ValueKind, fields_of
from webapp.ledger.rules.triggers import Target, Trigger
from webapp.pages.rules.rows import CONDITIONS, SEVERAL, triggers_of
from webapp.schemas.rules.rules import RuleReplacementSchema, canonical_effects
from webapp.web.rendering.forms import nest
from webapp.web.rendering.typed import canonical_amount, canonical_day

if TYPE_CHECKING:
    from webapp.models.rules import RuleContent

Row = dict[str, Any]

CHOOSE: Final = {
    EffectKind.SET_ACCOUNT: "Choose an account.",
    EffectKind.SET_MERCHANT: "Choose a customer or supplier.",
    EffectKind.SET_PROJECT: "Choose a project.",
    EffectKind.SET_CURRENCY: "Enter a code such as EUR.",
    EffectKind.SET_TAX_CODE: "Choose a tax code.",
}


@dataclass
class RuleForm:
    """The form as it was typed; a condition has `field`, `operator`, `value`, `last` (the second end of a range)."""

    name: str = ""
    description: str = ""
    target: str = Target.TRANSACTION.value
    trigger: str = Trigger.TRANSACTION_INGESTED.value
    priority: str = "100"
    match: str = Match.ALL.value
    conditions: list[Row] = field(default_factory=list)
    effects: list[Row] = field(default_factory=list)
    is_active: bool = True
    stop_processing: bool = False
    version: str | None = None

    def load(self) -> dict[str, Any]:
        """The arguments of the service, or ValidationError with the names of the inputs."""
        problems = self.problems()
        if problems:
            raise ma.ValidationError(cast("dict[str, Any]", problems))
        body = {
            "name": self.name,
            "description": self.description or None,
            "conditions": {"match": self.match, "conditions": [condition_of(row) for row in self.conditions]},
            "effects": [effect_of(row, index) for index, row in enumerate(self.effects)],
            "priority": int(self.priority),
            "stopProcessing": self.stop_processing,
            "isActive": self.is_active,
            "target": self.target,
            "trigger": self.trigger,
            "version": int(self.version) if self.version else None,
        }
        return dict(RuleReplacementSchema().load(body))

    def readable_content(self) -> dict[str, Any]:
        """The content of the rule for a preview, without invalid and incomplete rows."""
        invalid = self.problems()
        return {
            "name": self.name,
            "target": self.target,
            "trigger": self.trigger,
            "priority": int(self.priority) if "priority" not in invalid else 100,
            "stop_processing": self.stop_processing,
            "conditions": {
                "match": self.match,
                "conditions": [
                    condition_of(row)
                    for index, row in enumerate(self.conditions)
                    if not _at(invalid, CONDITIONS, index)
                ],
            },
            "effects": canonical_effects(
                [
                    effect_of(row, index)
                    for index, row in enumerate(self.effects)
                    if not _at(invalid, "effects", index)
                ]
            ),
        }

    def problems(self, *, is_unfinished: bool = False) -> dict[str, list[str]]:
        """The errors by the names of the inputs; while it is unfinished, empty inputs are no errors."""
        found: dict[str, list[str]] = {}
        if not self.name.strip() and not is_unfinished:
            found["name"] = ["Give the rule a name."]
        if _digits(self.priority.removeprefix("-")) is None or abs(int(self.priority)) >= 2**31:
            found["priority"] = ["Enter a whole number."]
        if not self.effects and not is_unfinished:
            found["effects"] = ["A rule needs at least one effect."]
        for index, row in enumerate(self.conditions):
            found |= _condition_problem(row, index, Target(self.target), is_unfinished=is_unfinished)
        for index, row in enumerate(self.effects):
            found |= _effect_problem(row, index, Target(self.target), is_unfinished=is_unfinished)
        return found


def read() -> RuleForm:
    """Read the posted form; unknown choices are replaced by the first one."""
    several = MultiDict(
        [
            (name, ",".join(filter(None, values)) if name.endswith(".value") else values[-1])
            for name, values in request.form.lists()
        ]
    )
    body = nest(several)
    sent = body.get("conditions")
    conditions = sent if isinstance(sent, dict) else {}
    target = _choice(Target, body.get("target"), Target.TRANSACTION)
    triggers = [trigger.value for trigger in triggers_of(target)]
    trigger = str(body.get("trigger"))
    return RuleForm(
        name=_text(body.get("name")),
        description=_text(body.get("description")),
        target=target,
        trigger=trigger if trigger in triggers else triggers[0],
        priority=_text(body.get("priority")) or "100",
        match=_choice(Match, conditions.get("match"), Match.ALL),
        conditions=[_fitting(row, Target(target)) for row in _rows(conditions.get("conditions"))],
        effects=[
            {**row, "kind": _choice(EffectKind, row.get("kind"), EffectKind.SET_ACCOUNT)}
            for row in _rows(body.get("effects"))
        ],
        is_active=bool(body.get("isActive")),
        stop_processing=bool(body.get("stopProcessing")),
        version=_digits(body.get("version")),
    )


def of_content(rule: RuleContent, *, version: int | None) -> RuleForm:
    """Fill the form from a stored rule."""
    return RuleForm(
        name=rule.name,
        description=rule.description or "",
        target=rule.target,
        trigger=rule.trigger,
        priority=str(rule.priority),
        match=rule.conditions["match"],
        conditions=[_with_range_ends(row) for row in rule.conditions["conditions"]],
        effects=[
            {name: str(value) for name, value in row.items()}
            for row in sorted(rule.effects, key=lambda effect: int(effect["sortOrder"]))
        ],
        is_active=rule.is_active,
        stop_processing=rule.stop_processing,
        version=None if version is None else str(version),
    )


def of_input(rule: Mapping[str, Any]) -> RuleForm:
    """Fill the form from a rule as a body of the API."""
    return RuleForm(
        name=rule["name"],
        description=rule["description"],
        target=rule["target"],
        trigger=rule["trigger"],
        match=rule["conditions"]["match"],
        conditions=[_with_range_ends(row) for row in rule["conditions"]["conditions"]],
        effects=[{name: str(value) for name, value in row.items()} for row in rule["effects"]],
    )


def condition_of(row: Mapping[str, Any]) -> dict[str, str | None]:
    """A condition as in the API."""
    field_, operator = Field(row["field"]), Operator(row["operator"])
    ends = [str(row.get("value") or "")]
    if operator is Operator.BETWEEN:
        ends = [ends[0], str(row.get("last") or "")]
    value = "..".join(ends) if any(ends) else None
    return {"field": field_.value, "operator": operator.value, "value": value}


def effect_of(row: Mapping[str, Any], index: int) -> dict[str, Any]:
    """An effect as in the API."""
    kind = EffectKind(row["kind"])
    key = VALUE_KEY.get(kind)
    if key is None:
        return {"kind": kind.value, "sortOrder": index}
    text = str(row.get(key) or "")
    is_id = kind is not EffectKind.SET_CURRENCY
    return {"kind": kind.value, key: int(text) if is_id and _digits(text) else text, "sortOrder": index}


def _fitting(row: Row, target: Target) -> Row:
    """A row with an operator that its field allows: the chosen one, else the usual one."""
    allowed = {each.value for each in fields_of(target)}
    field_ = Field(row["field"]) if row.get("field") in allowed else Field.ANY_TEXT
    operators = operators_of(field_)
    usual = Operator.CONTAINS if Operator.CONTAINS in operators else operators[0]
    operator = Operator(row["operator"]) if row.get("operator") in operators else usual
    return {
        **row,
        **_canonical_ends(row, field_, operator),
        "field": field_.value,
        "operator": operator.value,
    }


def _canonical_ends(row: Row, field_: Field, operator: Operator) -> dict[str, str]:
    """The values of a condition as in the API, where they are single amounts or days."""
    kind = field_.kind
    read = canonical_day if kind is ValueKind.DAY else canonical_amount
    is_read = kind in (ValueKind.DAY, ValueKind.AMOUNT, ValueKind.SIZE) and operator not in SEVERAL
    return {name: read(row[name]) for name in ("value", "last") if is_read and row.get(name)}


def _with_range_ends(row: Mapping[str, str]) -> Row:
    first, _, last = (
        row["value"].partition("..") if row["operator"] == Operator.BETWEEN else (row["value"], "", "")
    )
    return {**row, "value": first, "last": last}


def _condition_problem(row: Row, index: int, target: Target, *, is_unfinished: bool) -> dict[str, list[str]]:
    value = condition_of(row)["value"]
    if value is None and Operator(row["operator"]) not in WITHOUT_VALUE:
        return {} if is_unfinished else {f"{CONDITIONS}.{index}.value": ["Give a value to compare with."]}
    found = condition_problem(Condition(Field(row["field"]), Operator(row["operator"]), value or ""), target)
    return {f"{CONDITIONS}.{index}.{found[0]}": [found[1]]} if found else {}


def _effect_problem(row: Row, index: int, target: Target, *, is_unfinished: bool) -> dict[str, list[str]]:
    effect = effect_of(row, index)
    kind = EffectKind(row["kind"])
    key = VALUE_KEY.get(kind)
    if key and not effect[key]:
        return {} if is_unfinished else {f"effects.{index}.{key}": [CHOOSE[kind]]}
    found = effect_problem(effect, target)
    return {f"effects.{index}.{found[0]}": [found[1]]} if found else {}


def _at(problems: Mapping[str, Any], path: str, index: int) -> bool:
    return any(name.startswith(f"{path}.{index}.") for name in problems)


def _rows(value: Any) -> list[Row]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _choice(codes: type[Target | Match | EffectKind], value: Any, usual: str) -> str:
    return str(value) if isinstance(value, str) and value in set(codes) else str(usual)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _digits(value: Any) -> str | None:
    text = _text(value)
    return text if text.isascii() and text.isdigit() and len(text) <= 19 else None  # noqa: PLR2004
