"""The schemas of suggested rules, and of the likely account of a line."""

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.ledger.rules.conditions import Match
from webapp.ledger.rules.triggers import Target, Trigger
from webapp.ledger.suggestions.habits import LONGEST_KEY
from webapp.schemas import fields
from webapp.schemas.audit.action_requests import PersonSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.rules.rules import StoredConditionSchema
from webapp.schemas.untrusted import Untrusted


class SuggestedConditionSchema(StoredConditionSchema):
    """A condition on a text of the bank."""

    value = Untrusted()


class SuggestedConditionsSchema(Schema):
    """All conditions of a suggested rule."""

    match = fields.OneOf(*Match)
    conditions = ma.fields.List(ma.fields.Nested(SuggestedConditionSchema))


class SuggestedRuleSchema(Schema):
    """A rule as a body of `POST /automations/rules`."""

    name = Untrusted()
    description = Untrusted()
    target = fields.OneOf(*Target)
    trigger = fields.OneOf(*Trigger)
    conditions = ma.fields.Nested(SuggestedConditionsSchema)
    effects = ma.fields.List(ma.fields.Dict())


class EvidenceSchema(Schema):
    """The evidence: `count` of `total` confirmed lines went there; the newest 200 are listed."""

    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    count = ma.fields.Integer()
    total = ma.fields.Integer()
    transaction_ids = ma.fields.List(fields.Id(Kind.TRANSACTION))


class LikelyAccountSchema(EvidenceSchema):
    """The likely account of a line, and why: a rule says it, or most of the newest confirmed lines like it."""

    reason = Untrusted()
    rule_id = fields.Id(
        Kind.RULE, allow_none=True, metadata={"description": "The rule that says it, if one does."}
    )


class RuleSuggestionSchema(EvidenceSchema):
    """A rule that confirmed lines suggest; `undecidedCount` more lines would match it."""

    key = ma.fields.String()
    sentence = Untrusted()
    undecided_count = ma.fields.Integer()
    rule = ma.fields.Nested(SuggestedRuleSchema)


class SuggestionKeySchema(Schema):
    """The key of a suggestion."""

    key = fields.Text(least=1, most=LONGEST_KEY, required=True)


class DismissalSchema(Schema):
    """A dismissed suggestion, and the number of lines that supported it then."""

    key = ma.fields.String()
    sentence = Untrusted()
    account_id = fields.Id(Kind.ACCOUNT)
    conditions = ma.fields.List(ma.fields.Nested(SuggestedConditionSchema))
    evidence_count = ma.fields.Integer()
    dismissed_by = ma.fields.Nested(PersonSchema)
    dismissed_at = fields.Timestamp()


class SuggestionsPageSchema(PageSchema):
    """The query of the page of suggestions."""
