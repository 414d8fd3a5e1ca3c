"""The shapes of acts: what an executed one answers, and its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.audit.effects import AsStored, EffectSchema
from webapp.schemas.base import OPTIONAL, Schema
from webapp.schemas.paging import PageSchema, wrapped
from webapp.schemas.untrusted import UNTRUSTED, Untrusted

MOST_IDS = 500
# What an act that nobody proposed says under the keys of proposals.
OF_PROPOSALS: Mapping[str, Any] = {
    "digest": None,
    "effect": None,
    "blockers": [],
    "expires_at": None,
    "checked_at": None,
    "decided_by": None,
    "reason": "",
    "answer": None,
    "acts": [],
}
STATUSES = ("PENDING", "EXECUTED", "REJECTED", "FAILED", "EXPIRED")


class ResultSchema(Schema):
    """The ids that an act touched."""

    journal_entry_ids = ma.fields.List(fields.Id())
    document_relation_ids = ma.fields.List(fields.Id())
    deleted_journal_entry_ids = ma.fields.List(fields.Id())
    voided_journal_entry_ids = ma.fields.List(fields.Id())


class ActionResultSchema(Schema):
    """What an act did, as the interface document says it."""

    action_request_id = ma.fields.String(allow_none=True)
    status = fields.Word(*STATUSES)
    changed = ma.fields.Boolean()
    result = ma.fields.Nested(ResultSchema)
    error = ma.fields.String()


class BulkResultSchema(ActionResultSchema):
    """What a bulk act did to one of its ids."""

    id = fields.Id()
    code = ma.fields.String(metadata=OPTIONAL)


class BulkResultsSchema(Schema):
    """One result per id, in the order asked."""

    results = ma.fields.List(ma.fields.Nested(BulkResultSchema))


class PersonSchema(Schema):
    """Who did something: a person or a program."""

    kind = fields.Word("PERSON", "TOKEN", "COMMAND", "SYSTEM")
    id = fields.Id(allow_none=True)
    name = ma.fields.String()


class TargetSchema(Schema):
    """What an act was about."""

    kind = ma.fields.String()
    id = ma.fields.String()


class BlockerSchema(Schema):
    """Something that stands against a proposal; in a bulk call `id` says against which of its ids."""

    id = fields.Id()
    code = ma.fields.String()
    message = Untrusted()
    details = ma.fields.Dict()


class CallAnswerSchema(Schema):
    """What the call was answered once it was made."""

    status = ma.fields.Integer()
    answer = ma.fields.Raw(allow_none=True, metadata=UNTRUSTED)


class ActionRequestSchema(Schema):
    """The audited record of a write; `digest` and what follows it are of proposals."""

    id = ma.fields.String()
    kind = ma.fields.String()
    status = fields.Word(*STATUSES)
    actor = ma.fields.Nested(PersonSchema)
    target = ma.fields.Nested(TargetSchema)
    title = Untrusted()
    note = ma.fields.String()
    payload = ma.fields.Dict(metadata=UNTRUSTED)
    before = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)
    after = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)
    error = Untrusted()
    created_at = fields.Instant()
    decided_at = fields.Instant(allow_none=True)
    digest = ma.fields.String(allow_none=True)
    effect = AsStored(EffectSchema, allow_none=True)
    blockers = ma.fields.List(ma.fields.Nested(BlockerSchema))
    expires_at = fields.Instant(allow_none=True)
    checked_at = fields.Instant(allow_none=True)
    decided_by = ma.fields.Nested(PersonSchema, allow_none=True)
    reason = ma.fields.String()
    answer = ma.fields.Nested(CallAnswerSchema, allow_none=True)
    action_request_ids = ma.fields.List(ma.fields.String(), attribute="acts")

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        """Read what only a proposal has from the proposal; other acts have nothing there."""
        if attr not in OF_PROPOSALS:
            return super().get_attribute(obj, attr, default)
        return OF_PROPOSALS[attr] if obj.proposal is None else getattr(obj.proposal, attr)


ActionRequestAnswerSchema = wrapped("actionRequest", ActionRequestSchema)


class ApprovalSchema(Schema):
    """Which effect somebody looked at (else the one that is kept), and a note that the agent can read."""

    digest = fields.Text(least=64, most=64, load_default=None, allow_none=True)
    note = fields.Text(most=2000, load_default="")


class RejectionSchema(Schema):
    """Why a proposal is not done; the agent can read it."""

    reason = fields.Text(least=1, most=2000, required=True)


class ApproveManySchema(Schema):
    """Which proposals to approve, each as its kept preview says."""

    ids = ma.fields.List(
        fields.Text(least=1, most=40),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Send 1 to 500 ids."),
    )


class ApprovedSchema(Schema):
    """What became of one of the proposals."""

    id = ma.fields.String()
    status = fields.Word(*STATUSES)
    changed = ma.fields.Boolean()
    error = ma.fields.String()
    code = ma.fields.String(allow_none=True)


class ApprovedManySchema(Schema):
    """One result per id, in the order asked."""

    results = ma.fields.List(ma.fields.Nested(ApprovedSchema))


class ActionRequestQuerySchema(PageSchema):
    """Which acts to list."""

    status = fields.Word(*STATUSES, load_default=None)
    kind = fields.Text(least=1, most=64, load_default=None)


class ActivityQuerySchema(AddressSchema, ActionRequestQuerySchema):
    """Which acts a page shows: of everybody, or what one key or one person did."""

    token_id = fields.FormId(load_default=None)
    person_id = fields.FormId(load_default=None)
