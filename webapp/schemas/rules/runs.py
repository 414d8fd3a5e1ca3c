"""The shapes of what rules would do, what they did, and what was undone."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.rules.conditions import Field, Match, Operator
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.triggers import Trigger
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted


class ChosenLinesSchema(Schema):
    """Which lines, or of a rule on receipts which documents, are meant; days are inclusive."""

    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    fa_id = fields.FormId(load_default=None)
    transaction_id = fields.FormId(load_default=None)
    document_id = fields.FormId(load_default=None)


class PreviewQuerySchema(ChosenLinesSchema, PageSchema):
    """Which lines of the past to try a rule on, and which page of them to show."""


class UnsavedPreviewQuerySchema(PreviewQuerySchema):
    """The same; `ruleId` names the stored rule that this one is to replace."""

    rule_id = fields.FormId(load_default=None)


class ApplySchema(Schema):
    """The digest of the preview that somebody looked at."""

    digest = fields.Text(least=64, most=64, required=True)


class ApplyFormSchema(ApplySchema):
    """The same, with the lines that the preview was of."""

    from_ = fields.Day(data_key="from", load_default=None, allow_none=True)
    to = fields.Day(load_default=None, allow_none=True)
    fa_id = fields.FormId(load_default=None, allow_none=True)


class RunQuerySchema(PageSchema):
    """Which runs to list; of a rule, those that were made by hand with it."""

    rule_id = fields.FormId(load_default=None)


class SideSchema(Schema):
    """What stands opposite a line, or what is chosen for a document, and its total."""

    account_id = fields.Id(allow_none=True)
    org_merchant_id = fields.Id(allow_none=True)
    project_id = fields.Id(allow_none=True)
    amount = fields.Amount(allow_none=True)
    currency = fields.Currency(allow_none=True)


class OverruledSchema(Schema):
    """A field that another rule sets last."""

    kind = fields.Word(*EffectKind)
    rule_id = fields.Id()


class SkippedSchema(Schema):
    """A field that is not set, and why."""

    kind = fields.Word(*EffectKind)
    reason = ma.fields.String()


class EffectItemSchema(Schema):
    """One line or document that a rule matches, before and after; `bookedOn` of a document is its day of issue."""

    transaction_id = fields.Id(allow_none=True)
    document_id = fields.Id(allow_none=True)
    fa_id = fields.Id(allow_none=True)
    booked_on = fields.Day(allow_none=True)
    amount = fields.Amount(allow_none=True)
    currency = fields.Currency(allow_none=True)
    description = Untrusted()
    is_changed = ma.fields.Boolean()
    opens_marker = ma.fields.Boolean()
    before = ma.fields.Nested(SideSchema, allow_none=True)
    after = ma.fields.Nested(SideSchema, allow_none=True)
    also_fires = ma.fields.List(fields.Id())
    cut_off_by = fields.Id(allow_none=True)
    overruled = ma.fields.List(ma.fields.Nested(OverruledSchema))
    skipped = ma.fields.List(ma.fields.Nested(SkippedSchema))


class ExplainedConditionSchema(Schema):
    """A condition, and whether it holds of a line."""

    field = fields.Word(*Field)
    operator = fields.Word(*Operator)
    value = ma.fields.String()
    holds = ma.fields.Boolean()


class ExplanationSchema(Schema):
    """Why a rule matches one line or does not."""

    rule_id = fields.Id()
    name = ma.fields.String()
    is_matched = ma.fields.Boolean()
    is_reached = ma.fields.Boolean()
    match = fields.Word(*Match)
    conditions = ma.fields.List(ma.fields.Nested(ExplainedConditionSchema))


class RuleNameSchema(Schema):
    """A rule that is named elsewhere in the answer."""

    id = fields.Id()
    name = ma.fields.String()


class PreviewSchema(Schema):
    """What a rule would do: all lines counted, some of them one by one, and the digest of it all."""

    matched = ma.fields.Integer()
    changed = ma.fields.Integer()
    markers = ma.fields.Integer()
    unchanged = ma.fields.Integer()
    skipped = ma.fields.Integer()
    cut_off = ma.fields.Integer()
    digest = ma.fields.String()
    rules = ma.fields.List(ma.fields.Nested(RuleNameSchema))
    items = ma.fields.List(ma.fields.Nested(EffectItemSchema))
    explained = ma.fields.List(ma.fields.Nested(ExplanationSchema), allow_none=True)


class PreviewAnswerSchema(Schema):
    """A preview, and where its lines go on."""

    preview = ma.fields.Nested(PreviewSchema)
    next_cursor = ma.fields.String(allow_none=True)


class RanRuleSchema(RuleNameSchema):
    """A rule in the version in which it ran, and how many lines it matched."""

    version = ma.fields.Integer()
    matched = ma.fields.Integer()


class RunSkipSchema(SkippedSchema):
    """What a rule could not set, why, and on how many lines."""

    rule_id = fields.Id(attribute="ruleId")
    lines = ma.fields.Integer()


class RunSchema(Schema):
    """What rules did in one run."""

    id = fields.Id()
    action_request_id = ma.fields.String()
    trigger = fields.Word(*Trigger)
    rule_id = fields.Id(allow_none=True)
    matched = ma.fields.Integer()
    changed = ma.fields.Integer()
    rules = ma.fields.List(ma.fields.Nested(RanRuleSchema))
    skipped = ma.fields.List(ma.fields.Nested(RunSkipSchema))
    created_at = fields.Instant()
    undone_at = fields.Instant(allow_none=True)
    undone_by = ma.fields.String(allow_none=True)


class KeptSchema(SkippedSchema):
    """A field of a line or document that stays as it is, and why."""

    transaction_id = fields.Id(allow_none=True)
    document_id = fields.Id(allow_none=True)


class UndoneSchema(Schema):
    """An undone run, how much went back, and the fields that stay."""

    run = ma.fields.Nested(RunSchema)
    lines = ma.fields.Integer()
    documents = ma.fields.Integer()
    restored = ma.fields.Integer()
    kept = ma.fields.List(ma.fields.Nested(KeptSchema))


class ProvenanceSchema(Schema):
    """Which rule in which version set a field of a line's entry, in which run, and when."""

    field = fields.Word("accountId", "orgMerchantId", "projectId", "currency")
    value = ma.fields.String()
    before = ma.fields.String(allow_none=True)
    rule_id = fields.Id()
    rule_version = ma.fields.Integer()
    rule_name = ma.fields.String(allow_none=True)
    run_id = fields.Id()
    action_request_id = ma.fields.String()
    set_at = fields.Instant()
