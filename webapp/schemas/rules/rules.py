"""The shapes of automation rules: strict in what is known, and open to what the interface document withholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.rules.conditions import (
    WITHOUT_VALUE,
    Condition,
    Field,
    Match,
    Operator,
    conditions_problems,
)
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind, effects_problems, read_effects
from webapp.ledger.rules.triggers import Target, Trigger, bind_target_and_trigger
from webapp.schemas import fields
from webapp.schemas.base import DocumentedSchema, Schema

LONGEST_VALUE = 4000
LARGEST_SORT_ORDER = 2**31 - 1


class ConditionSchema(DocumentedSchema):
    """One question of a rule; without a field and an operator, whether any text contains the value."""

    field = fields.Word(*Field, load_default=Field.ANY_TEXT.value)
    operator = fields.Word(*Operator, load_default=Operator.CONTAINS.value)
    value = fields.Text(most=LONGEST_VALUE, allow_none=True, load_default=None)

    @ma.post_load
    def check_value(self, condition: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Ask for a value where the operator compares with one."""
        if condition["operator"] in WITHOUT_VALUE:
            return {**condition, "value": ""}
        if condition["value"] is None:
            raise ma.ValidationError("Say what to compare with.", "value")
        return condition


class ConditionsSchema(DocumentedSchema):
    """All questions of a rule, and whether all must hold or any one."""

    match = fields.Word(*Match, load_default=Match.ALL.value)
    conditions = ma.fields.List(ma.fields.Nested(ConditionSchema), load_default=list)


class RuleInputSchema(DocumentedSchema):
    """A rule as the interface document says it; what nothing used is listed under `ignored`."""

    name = fields.Text(least=1, most=255, required=True)
    description = fields.Text(most=500, allow_none=True, load_default=None)
    conditions = ma.fields.Nested(ConditionsSchema, allow_none=True, load_default=None)
    effects = ma.fields.List(
        ma.fields.Dict(keys=ma.fields.String()),
        required=True,
        validate=ma.validate.Length(min=1, error="A rule needs at least one effect."),
    )
    priority = fields.Whole(load_default=100)
    stop_processing = fields.Flag(load_default=False)

    @ma.post_load(pass_original=True)
    def bind(self, rule: dict[str, Any], original: Mapping[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Find target and trigger under whatever names they came, and check that all of it makes sense."""
        words = bind_target_and_trigger(original)
        asked = rule["conditions"] or {"match": Match.ALL.value, "conditions": []}
        questions = [
            Condition(Field(each["field"]), Operator(each["operator"]), each["value"])
            for each in asked["conditions"]
        ]
        problems = effects_problems(rule["effects"]) | sort_order_problems(rule["effects"])
        problems |= conditions_problems(questions, words.target)
        if problems:
            raise ma.ValidationError(problems)
        return {
            **rule,
            "conditions": asked,
            "effects": canonical_effects(rule["effects"]),
            "target": words.target.value,
            "trigger": words.trigger.value,
            **self.leftovers([*words.ignored, *unused_effect_keys(rule["effects"])]),
        }

    def leftovers(self, paths: list[str]) -> dict[str, Any]:
        """Hand on what nothing used."""
        return {"ignored": paths}


class RuleReplacementSchema(RuleInputSchema):
    """A rule in place of another one, under the canonical names alone.

    Without `isActive` it stays as it is; `version` says which one was read, and is optional.
    """

    class Meta:
        """Unknown keys are refused by name."""

        unknown = ma.RAISE

    target = ma.fields.Raw(load_default=None)
    trigger = ma.fields.Raw(load_default=None)
    is_active = fields.Flag(load_default=None)
    version = fields.Whole(least=1, load_default=None, allow_none=True)

    def leftovers(self, paths: list[str]) -> dict[str, Any]:
        """Refuse deep down too what nothing would use."""
        unused = [path for path in paths if path not in ("isActive", "version")]
        if unused:
            raise ma.ValidationError({path: ["This is not known here."] for path in unused})
        return {}


class MoveFormSchema(Schema):
    """The rule that another one is to run before; none for last."""

    before_id = fields.FormId(load_default=None, allow_none=True)


class SwitchFormSchema(Schema):
    """Whether a rule is to run by itself."""

    is_active = fields.FormFlag(required=True)


def sort_order_problems(effects: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Refuse a place in the order that no column could hold."""
    return {
        f"effects.{index}.sortOrder": ["Send a whole number from -2147483647 to 2147483647."]
        for index, effect in enumerate(effects)
        if isinstance(place := effect.get("sortOrder", 0), int) and abs(place) > LARGEST_SORT_ORDER
    }


def canonical_effects(effects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write effects under their canonical names; a left out place in the order is the effect's own."""
    return [
        {
            "kind": effect["kind"],
            VALUE_KEY[read.kind]: read.value,
            "sortOrder": effect.get("sortOrder", index),
        }
        for index, effect in enumerate(effects)
        for read in read_effects([effect])
    ]


def unused_effect_keys(effects: list[dict[str, Any]]) -> list[str]:
    """List the keys that belong to another kind of effect than the one that holds them."""
    every = set(VALUE_KEY.values())
    return [
        f"effects.{index}.{key}"
        for index, effect in enumerate(effects)
        for key in effect
        if key in every - {VALUE_KEY[EffectKind(effect["kind"])]}
    ]


class StoredConditionSchema(Schema):
    """One question of a stored rule."""

    field = fields.Word(*Field)
    operator = fields.Word(*Operator)
    value = ma.fields.String()


class StoredConditionsSchema(Schema):
    """All questions of a stored rule."""

    match = fields.Word(*Match)
    conditions = ma.fields.List(ma.fields.Nested(StoredConditionSchema))


class RuleContentSchema(Schema):
    """What a rule says, under its canonical names."""

    name = ma.fields.String()
    description = ma.fields.String(allow_none=True)
    target = fields.Word(*Target)
    trigger = fields.Word(*Trigger)
    conditions = ma.fields.Nested(StoredConditionsSchema)
    effects = ma.fields.List(ma.fields.Dict())
    priority = ma.fields.Integer()
    stop_processing = ma.fields.Boolean()
    is_active = ma.fields.Boolean()
    version = ma.fields.Integer()


class RuleSchema(RuleContentSchema):
    """A stored rule as it is now."""

    id = fields.Id()
    organization_id = ma.fields.String()
    match_count = ma.fields.Integer()
    last_run_at = fields.Instant(allow_none=True)
    created_at = fields.Instant()
    updated_at = fields.Instant()


class RuleVersionSchema(RuleContentSchema):
    """What a rule said in one version, since when, and by which act."""

    rule_id = fields.Id()
    action_request_id = ma.fields.String(allow_none=True)
    created_at = fields.Instant()


class CreatedRuleSchema(Schema):
    """A rule that was made, the paths of its input that nothing used, and what to know about it."""

    rule = ma.fields.Nested(RuleSchema)
    ignored = ma.fields.List(ma.fields.String())
    warnings = ma.fields.List(ma.fields.String())
