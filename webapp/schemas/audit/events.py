"""The schemas of the feed of events."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.audit.action_requests import PersonSchema, TargetSchema
from webapp.schemas.base import Schema, included_by
from webapp.schemas.paging import DEFAULT_LIMIT, LARGEST_LIMIT
from webapp.schemas.untrusted import Untrusted, UntrustedPaths

TYPE = (
    "What the act was about, and what became of it: `transaction.executed`, `transaction.pending` (proposed)."
)
BODY = "The event as it was written, canonical JSON: `hash` is the SHA-256 of `previousHash`, a line end and this."


class EventQuerySchema(Schema):
    """Where to go on, and how many events to send."""

    after = fields.Digits(
        least=0,
        most=fields.LARGEST_ID,
        load_default=0,
        metadata={"description": "The sequence of the last event that you have."},
    )
    limit = fields.Digits(least=1, most=LARGEST_LIMIT, load_default=DEFAULT_LIMIT)


class EventSchema(Schema):
    """One event of the audit chain, which names the one before it by its hash."""

    sequence = ma.fields.Integer(metadata={"description": "From 1 on, without a gap."})
    type = ma.fields.String(metadata={"description": TYPE})
    kind = ma.fields.String(metadata={"description": "What was done, as in action requests."})
    at = fields.Timestamp()
    actor = ma.fields.Nested(PersonSchema)
    target = ma.fields.Nested(TargetSchema)
    action_request_id = ma.fields.String(allow_none=True)
    previous_hash = ma.fields.String(metadata={"description": "Before the first event 64 zeros."})
    hash = ma.fields.String()
    body = Untrusted(metadata=included_by("body", BODY))


class EventFeedSchema(Schema):
    """Events, oldest first."""

    events = ma.fields.List(ma.fields.Nested(EventSchema))
    after = ma.fields.Integer(metadata={"description": "Send this as `after` for the next events."})
    more = ma.fields.Boolean(metadata={"description": "Whether there are more already."})
    untrusted = UntrustedPaths(["events[].body"])
