"""The shapes of undoing what a token did."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.instants import Since, TypedTime


class SinceSchema(Schema):
    """Whose acts, and since when; `before` goes on from the last act of an earlier batch, its `nextBefore`."""

    token_id = fields.Id(required=True)
    since = Since(required=True)
    before = fields.Text(most=64, load_default=None, allow_none=True)


class UndoSchema(SinceSchema):
    """The same, as the preview of this digest said."""

    digest = fields.Text(least=64, most=64, required=True)


class SinceFormSchema(Schema):
    """Since when, as a form writes it: a day and a time in UTC, as pages show them."""

    since = TypedTime(required=True)
    before = fields.Text(most=64, load_default=None)


class UndoFormSchema(SinceFormSchema):
    """The same, as the preview of this digest said."""

    digest = fields.Text(least=64, most=64, required=True)


class WaySchema(Schema):
    """The way back from an act."""

    kind = ma.fields.String()
    sentence = ma.fields.String()


class UndoItemSchema(Schema):
    """An act of a token, with the way back from it, or why it stays."""

    action_request_id = ma.fields.String()
    kind = ma.fields.String()
    title = ma.fields.String()
    decided_at = fields.Instant()
    undo = ma.fields.Nested(WaySchema, allow_none=True)
    why = ma.fields.String()


class UndoPreviewSchema(Schema):
    """What undoing would do, the newest act first, at most 100; `left` counts the older ones, for another batch.

    That batch has `nextBefore` as its `before`.
    """

    items = ma.fields.List(ma.fields.Nested(UndoItemSchema))
    left = ma.fields.Integer()
    next_before = ma.fields.String(allow_none=True)
    digest = ma.fields.String()


class UndoResultSchema(Schema):
    """What became of one act: undone by acts of their own, or left with the reason in `error`."""

    action_request_id = ma.fields.String()
    status = fields.Word("EXECUTED", "FAILED")
    undone_by = ma.fields.List(ma.fields.String())
    error = ma.fields.String()


class UndoneAgentSchema(Schema):
    """One result for each act, the newest first; `actionRequestId` is the batch's own."""

    action_request_id = ma.fields.String()
    results = ma.fields.List(ma.fields.Nested(UndoResultSchema))
    left = ma.fields.Integer()
    next_before = ma.fields.String(allow_none=True)
