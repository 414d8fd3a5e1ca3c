"""The shapes of suggestions: rules that confirmations speak for, and the likely account of a line."""

from __future__ import annotations

import marshmallow as ma

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
    """A question about a text that the bank wrote."""

    value = Untrusted()


class SuggestedConditionsSchema(Schema):
    """All questions of a suggested rule."""

    match = fields.Word(*Match)
    conditions = ma.fields.List(ma.fields.Nested(SuggestedConditionSchema))


class SuggestedRuleSchema(Schema):
    """A rule as `POST /automations/rules` takes it."""

    name = Untrusted()
    description = Untrusted()
    target = fields.Word(*Target)
    trigger = fields.Word(*Trigger)
    conditions = ma.fields.Nested(SuggestedConditionsSchema)
    effects = ma.fields.List(ma.fields.Dict())


class CountedSchema(Schema):
    """Where lines went, in counts: `count` of `total` decided lines, of which the newest 200 are named."""

    account_id = fields.Id()
    account_name = ma.fields.String()
    org_merchant_id = fields.Id(allow_none=True)
    project_id = fields.Id(allow_none=True)
    count = ma.fields.Integer()
    total = ma.fields.Integer()
    transaction_ids = ma.fields.List(fields.Id())


class LikelyAccountSchema(CountedSchema):
    """Where a line most likely goes, and why."""

    reason = Untrusted()


class RuleSuggestionSchema(CountedSchema):
    """A rule that would do what people always did; `undecidedCount` more lines would match it."""

    key = ma.fields.String()
    sentence = Untrusted()
    undecided_count = ma.fields.Integer()
    rule = ma.fields.Nested(SuggestedRuleSchema)


class SuggestionKeySchema(Schema):
    """Which suggestion is meant."""

    key = fields.Text(least=1, most=LONGEST_KEY, required=True)


class DismissalSchema(Schema):
    """A suggestion that somebody did not want, and how many lines spoke for it then."""

    key = ma.fields.String()
    sentence = Untrusted()
    account_id = fields.Id()
    conditions = ma.fields.List(ma.fields.Nested(SuggestedConditionSchema))
    evidence_count = ma.fields.Integer()
    dismissed_by = ma.fields.Nested(PersonSchema)
    dismissed_at = fields.Instant()


class SuggestionsPageSchema(PageSchema):
    """Where the page of suggestions goes on."""
