"""The schemas of undoing the acts of a token."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.canonical import camel
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.instants import Since, TypedTime
from webapp.schemas.untrusted import Untrusted


class SinceSchema(Schema):
    """A token and an instant, or a plan; `before` continues behind an earlier batch with its `nextBefore`."""

    token_id = fields.Id(load_default=None)
    since = Since(load_default=None)
    plan_id = fields.Text(most=64, load_default=None)
    before = fields.Text(most=64, load_default=None, allow_none=True)

    @ma.validates_schema
    def name_one(self, sent: Mapping[str, Any], **kwargs: object) -> None:
        """Refuse none and both."""
        del kwargs
        of_key = [name for name in ("token_id", "since") if sent[name] is None]
        if sent["plan_id"] is not None and len(of_key) < len(("tokenId", "since")):
            raise ma.ValidationError("Send tokenId and since, or planId alone.", "planId")
        if sent["plan_id"] is None and of_key:
            missing = {camel(name): ["Send tokenId and since, or planId."] for name in of_key}
            raise ma.ValidationError(missing)


class UndoSchema(SinceSchema):
    """The same, with the digest of the preview."""

    digest = fields.Text(least=64, most=64, required=True)


class SinceFormSchema(Schema):
    """The start as a form sends it: a day and a time in the zone of the books, as pages show them."""

    since = TypedTime(required=True)
    before = fields.Text(most=64, load_default=None)


class UndoFormSchema(SinceFormSchema):
    """The same, with the digest of the preview."""

    digest = fields.Text(least=64, most=64, required=True)


class PlanUndoPreviewFormSchema(Schema):
    """The undo of a plan, or of what is older than an act of it."""

    before = fields.Text(most=64, load_default=None)


class PlanUndoFormSchema(PlanUndoPreviewFormSchema):
    """The same, with the digest of the preview."""

    digest = fields.Text(least=64, most=64, required=True)


class UndoMethodSchema(Schema):
    """How an act is undone."""

    kind = ma.fields.String()
    sentence = Untrusted()


class UndoItemSchema(Schema):
    """An act of a token, and how it is undone, or why it cannot be."""

    action_request_id = ma.fields.String()
    kind = ma.fields.String()
    title = Untrusted()
    decided_at = fields.Timestamp()
    undo = ma.fields.Nested(UndoMethodSchema, allow_none=True)
    why = Untrusted()


class UndoPreviewSchema(Schema):
    """What the undo would do, the newest act first, at most 25 acts; `left` counts the older ones.

    The next batch has `nextBefore` as its `before`.
    """

    items = ma.fields.List(ma.fields.Nested(UndoItemSchema))
    left = ma.fields.Integer()
    next_before = ma.fields.String(allow_none=True)
    digest = ma.fields.String()


class UndoResultSchema(Schema):
    """The result for one act: undone by new acts, or not, with the reason in `error`."""

    action_request_id = ma.fields.String()
    status = fields.OneOf("EXECUTED", "FAILED")
    undone_by = ma.fields.List(ma.fields.String())
    error = Untrusted(attribute="why")


class AgentUndoResultSchema(Schema):
    """One result for each act, the newest first; `actionRequestId` is that of the undo itself."""

    action_request_id = ma.fields.String()
    results = ma.fields.List(ma.fields.Nested(UndoResultSchema), attribute="items")
    left = ma.fields.Integer()
    next_before = ma.fields.String(allow_none=True)
