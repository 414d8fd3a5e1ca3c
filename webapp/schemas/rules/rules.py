"""The schemas of automation rules: strict for known keys, open to others where the interface document is."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.ledger.rules.conditions import WITHOUT_VALUE, Condition, Match, Operator, conditions_problems
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind, effects_problems, read_effects
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.triggers import Target, Trigger, bind_target_and_trigger
from webapp.schemas import fields
from webapp.schemas.base import DocumentedSchema, Schema
from webapp.schemas.paging import JoinedIds, PageSchema
from webapp.schemas.untrusted import Untrusted

LONGEST_VALUE = 4000
LARGEST_SORT_ORDER = 2**31 - 1


class ConditionSchema(DocumentedSchema):
    """One condition of a rule; by default, whether any text contains the value."""

    field = fields.OneOf(*Field, load_default=Field.ANY_TEXT.value)
    operator = fields.OneOf(*Operator, load_default=Operator.CONTAINS.value)
    value = fields.Text(most=LONGEST_VALUE, allow_none=True, load_default=None)

    @ma.post_load
    def check_value(self, condition: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Require a value where the operator compares with one."""
        if condition["operator"] in WITHOUT_VALUE:
            return {**condition, "value": ""}
        if condition["value"] is None:
            raise ma.ValidationError("Give a value to compare with.", "value")
        return condition


class ConditionsSchema(DocumentedSchema):
    """All conditions of a rule, and whether all of them or any one must hold."""

    match = fields.OneOf(*Match, load_default=Match.ALL.value)
    conditions = ma.fields.List(ma.fields.Nested(ConditionSchema), load_default=list)


class RuleInputSchema(DocumentedSchema):
    """A rule as in the interface document; unused keys are listed under `ignored`."""

    name = fields.Text(least=1, most=255, is_plain=True, required=True)
    description = fields.Text(most=500, allow_none=True, load_default=None)
    conditions = ma.fields.Nested(ConditionsSchema, allow_none=True, load_default=None)
    effects = ma.fields.List(
        ma.fields.Dict(keys=ma.fields.String()),
        required=True,
        validate=ma.validate.Length(min=1, error="A rule needs at least one effect."),
    )
    priority = fields.WholeNumber(load_default=100)
    stop_processing = fields.Flag(load_default=False)

    @ma.post_load(pass_original=True)
    def bind(self, rule: dict[str, Any], original: Mapping[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Find target and trigger under any of their names, and check conditions and effects."""
        binding = bind_target_and_trigger(original)
        conditions = rule["conditions"] or {"match": Match.ALL.value, "conditions": []}
        questions = [Condition.of(each) for each in conditions["conditions"]]
        problems = effects_problems(rule["effects"], binding.target) | sort_order_problems(rule["effects"])
        problems |= conditions_problems(questions, binding.target)
        if problems:
            raise ma.ValidationError(problems)
        return {
            **rule,
            "conditions": conditions,
            "effects": canonical_effects(rule["effects"]),
            "target": binding.target.value,
            "trigger": binding.trigger.value,
            **self.leftovers([*binding.ignored, *unused_effect_keys(rule["effects"])]),
        }

    def leftovers(self, paths: list[str]) -> dict[str, Any]:
        """Pass on the unused keys."""
        return {"ignored": paths}


class RuleReplacementSchema(RuleInputSchema):
    """A rule that replaces another one, with canonical names only.

    Without `isActive` it stays as it is; `version` is that of the rule that was read, and is optional.
    """

    class Meta:
        """Unknown keys are refused by name."""

        unknown = ma.RAISE

    target = ma.fields.Raw(load_default=None)
    trigger = ma.fields.Raw(load_default=None)
    is_active = fields.Flag(load_default=None)
    version = fields.WholeNumber(least=1, load_default=None, allow_none=True)

    def leftovers(self, paths: list[str]) -> dict[str, Any]:
        """Refuse unused keys, also in nested objects."""
        unused = [path for path in paths if path not in ("isActive", "version")]
        if unused:
            raise ma.ValidationError({path: ["This name is unknown."] for path in unused})
        return {}


class MoveFormSchema(Schema):
    """The rule before which another one is moved; none for last."""

    before_id = fields.FormId(load_default=None, allow_none=True)


class SwitchFormSchema(Schema):
    """Whether a rule is active."""

    is_active = fields.FormFlag(required=True)


def sort_order_problems(effects: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Messages for sort orders that do not fit into the database column."""
    return {
        f"effects.{index}.sortOrder": ["Send a whole number from -2147483647 to 2147483647."]
        for index, effect in enumerate(effects)
        if isinstance(place := effect.get("sortOrder", 0), int) and abs(place) > LARGEST_SORT_ORDER
    }


def canonical_effects(effects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Effects with their canonical names; a missing sort order is the effect's position."""
    return [
        {
            "kind": effect["kind"],
            **({VALUE_KEY[read.kind]: read.value} if read.kind in VALUE_KEY else {}),
            "sortOrder": effect.get("sortOrder", index),
        }
        for index, effect in enumerate(effects)
        for read in read_effects([effect])
    ]


def unused_effect_keys(effects: list[dict[str, Any]]) -> list[str]:
    """List the keys that belong to another kind of effect."""
    every = set(VALUE_KEY.values())
    return [
        f"effects.{index}.{key}"
        for index, effect in enumerate(effects)
        for key in effect
        if key in every - {VALUE_KEY.get(EffectKind(effect["kind"]))}
    ]


class StoredConditionSchema(Schema):
    """One condition of a stored rule."""

    field = fields.OneOf(*Field)
    operator = fields.OneOf(*Operator)
    value = ma.fields.String()


class StoredConditionsSchema(Schema):
    """All conditions of a stored rule."""

    match = fields.OneOf(*Match)
    conditions = ma.fields.List(ma.fields.Nested(StoredConditionSchema))


class RuleContentSchema(Schema):
    """The content of a rule with its canonical names."""

    name = ma.fields.String()
    description = ma.fields.String(allow_none=True)
    target = fields.OneOf(*Target)
    trigger = fields.OneOf(*Trigger)
    conditions = ma.fields.Nested(StoredConditionsSchema)
    effects = ma.fields.List(ma.fields.Dict())
    priority = ma.fields.Integer()
    stop_processing = ma.fields.Boolean()
    is_active = ma.fields.Boolean()
    version = ma.fields.Integer()


class RuleQuerySchema(PageSchema):
    """Which rules to list."""

    ids = JoinedIds(Kind.RULE, load_default=())


class RuleSchema(RuleContentSchema):
    """A stored rule as it is now."""

    id = fields.Id(Kind.RULE)
    organization_id = ma.fields.String()
    match_count = ma.fields.Integer()
    last_run_at = fields.Timestamp(allow_none=True)
    created_at = fields.Timestamp()
    updated_at = fields.Timestamp()


class RuleVersionSchema(RuleContentSchema):
    """A version of a rule, since when, and by which act."""

    rule_id = fields.Id(Kind.RULE)
    action_request_id = ma.fields.String(allow_none=True)
    created_at = fields.Timestamp()


class CreatedRuleSchema(Schema):
    """A new rule, the unused paths of its input, and warnings."""

    rule = ma.fields.Nested(RuleSchema)
    ignored = ma.fields.List(ma.fields.String())
    warnings = ma.fields.List(Untrusted())
