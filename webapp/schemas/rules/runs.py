"""The schemas of rule previews, rule runs and their undo."""

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.ledger.rules.conditions import Match, Operator
from webapp.ledger.rules.effects import FIELD_OF, EffectKind
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.triggers import Trigger
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted


class LineSelectionSchema(Schema):
    """The lines, or for a rule on receipts the documents, to apply a rule to; days are inclusive."""

    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    fa_id = fields.FormId(load_default=None)
    transaction_id = fields.FormId(load_default=None)
    document_id = fields.FormId(load_default=None)


class PreviewQuerySchema(LineSelectionSchema, PageSchema):
    """The past lines for a rule preview, and the page of them to show."""


class UnsavedPreviewQuerySchema(PreviewQuerySchema):
    """The same; `ruleId` is the stored rule that this one will replace."""

    rule_id = fields.FormId(load_default=None)


class ApplySchema(Schema):
    """The digest of the preview that somebody reviewed."""

    digest = fields.Text(least=64, most=64, required=True)


class ApplyFormSchema(ApplySchema):
    """The same, with the lines of the preview."""

    from_ = fields.Day(data_key="from", load_default=None, allow_none=True)
    to = fields.Day(load_default=None, allow_none=True)
    fa_id = fields.FormId(load_default=None, allow_none=True)
    back = fields.Text(most=4000, load_default=None, allow_none=True)


class RunQuerySchema(PageSchema):
    """The runs to list; with `ruleId`, those by which it was applied by hand."""

    rule_id = fields.FormId(load_default=None)


class SideSchema(Schema):
    """The counter legs of a line, or the choices for a document, with the amount, which has the tax of its code in it.

    `itemId` is the open item that the line is to pay, where a rule settles by reference.
    """

    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    item_id = fields.Id(Kind.POSTING, allow_none=True)
    tax_code_id = fields.Id(Kind.TAX_CODE, allow_none=True)
    amount = fields.Amount(allow_none=True)
    currency = fields.Currency(allow_none=True)


class OverruledSchema(Schema):
    """A field that a later rule sets."""

    kind = fields.OneOf(*EffectKind)
    rule_id = fields.Id(Kind.RULE)


class SkippedSchema(Schema):
    """A field that is not set, and why."""

    kind = fields.OneOf(*EffectKind)
    reason = Untrusted()


class EffectItemSchema(Schema):
    """One matching line or document, before and after; `bookedOn` of a document is its issue date."""

    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True)
    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True)
    booked_on = fields.Day(allow_none=True)
    amount = fields.Amount(allow_none=True)
    currency = fields.Currency(allow_none=True)
    description = Untrusted()
    is_changed = ma.fields.Boolean()
    opens_marker = ma.fields.Boolean()
    before = ma.fields.Nested(SideSchema, allow_none=True)
    after = ma.fields.Nested(SideSchema, allow_none=True)
    also_fires = ma.fields.List(fields.Id(Kind.RULE))
    cut_off_by = fields.Id(Kind.RULE, allow_none=True)
    overruled = ma.fields.List(ma.fields.Nested(OverruledSchema))
    skipped = ma.fields.List(ma.fields.Nested(SkippedSchema))


class ExplainedConditionSchema(Schema):
    """A condition, and whether it holds for a line."""

    field = fields.OneOf(*Field)
    operator = fields.OneOf(*Operator)
    value = ma.fields.String()
    holds = ma.fields.Boolean()


class ExplanationSchema(Schema):
    """Why a rule matches a line or not."""

    rule_id = fields.Id(Kind.RULE)
    name = ma.fields.String()
    is_matched = ma.fields.Boolean()
    is_reached = ma.fields.Boolean()
    match = fields.OneOf(*Match)
    conditions = ma.fields.List(ma.fields.Nested(ExplainedConditionSchema))


class RuleNameSchema(Schema):
    """The name of a rule in the answer."""

    id = fields.Id(Kind.RULE)
    name = ma.fields.String()


class PreviewSchema(Schema):
    """A rule preview: counts of all lines, a page of them with what to look at once more, and a digest."""

    matched = ma.fields.Integer()
    changed = ma.fields.Integer()
    markers = ma.fields.Integer()
    unchanged = ma.fields.Integer()
    skipped = ma.fields.Integer()
    cut_off = ma.fields.Integer()
    digest = ma.fields.String()
    rules = ma.fields.List(ma.fields.Nested(RuleNameSchema))
    items = ma.fields.List(ma.fields.Nested(EffectItemSchema))
    warnings = ma.fields.List(Untrusted())
    explained = ma.fields.List(ma.fields.Nested(ExplanationSchema), allow_none=True)


class PreviewAnswerSchema(Schema):
    """A rule preview, and the cursor of its next page."""

    preview = ma.fields.Nested(PreviewSchema)
    next_cursor = ma.fields.String(allow_none=True)


class RanRuleSchema(RuleNameSchema):
    """A rule, the version that ran, and the number of lines that it matched."""

    version = ma.fields.Integer()
    matched = ma.fields.Integer()


class RunSkipSchema(SkippedSchema):
    """A field that a rule could not set, why, and on how many lines."""

    rule_id = fields.Id(Kind.RULE, attribute="ruleId")
    lines = ma.fields.Integer()


class RunSchema(Schema):
    """One run of rules."""

    id = fields.Id(Kind.RULE_RUN)
    action_request_id = ma.fields.String()
    trigger = fields.OneOf(*Trigger)
    rule_id = fields.Id(Kind.RULE, allow_none=True)
    matched = ma.fields.Integer()
    changed = ma.fields.Integer()
    rules = ma.fields.List(ma.fields.Nested(RanRuleSchema))
    skipped = ma.fields.List(ma.fields.Nested(RunSkipSchema))
    created_at = fields.Timestamp()
    undone_at = fields.Timestamp(allow_none=True)
    undone_by = ma.fields.String(allow_none=True)


class UnrestoredFieldSchema(SkippedSchema):
    """A field of a line or document that is not restored, and why."""

    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True)


class RunUndoResultSchema(Schema):
    """An undone run, the number of restored fields, and the fields that were not restored."""

    run = ma.fields.Nested(RunSchema)
    lines = ma.fields.Integer()
    documents = ma.fields.Integer()
    restored = ma.fields.Integer()
    kept = ma.fields.List(ma.fields.Nested(UnrestoredFieldSchema))


class ProvenanceSchema(Schema):
    """The rule, its version and the run that set a field of a line's entry, and when; `itemId` is what it pays."""

    field = fields.OneOf(*FIELD_OF.values())
    value = ma.fields.String()
    before = ma.fields.String(allow_none=True)
    rule_id = fields.Id(Kind.RULE)
    rule_version = ma.fields.Integer()
    rule_name = ma.fields.String(allow_none=True)
    run_id = fields.Id(Kind.RULE_RUN)
    action_request_id = ma.fields.String()
    set_at = fields.Timestamp()
