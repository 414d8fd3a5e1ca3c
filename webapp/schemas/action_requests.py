"""The shapes of acts: what an executed one answers, and its record."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import UNTRUSTED, Untrusted

STATUSES = ("PENDING", "EXECUTED", "REJECTED", "FAILED", "EXPIRED")


class ResultSchema(Schema):
    """The ids that an act touched; sent as the service wrote them."""

    journal_entry_ids = ma.fields.List(fields.Id(), attribute="journalEntryIds")
    document_relation_ids = ma.fields.List(fields.Id(), attribute="documentRelationIds")
    deleted_journal_entry_ids = ma.fields.List(fields.Id(), attribute="deletedJournalEntryIds")
    voided_journal_entry_ids = ma.fields.List(fields.Id(), attribute="voidedJournalEntryIds")


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
    code = ma.fields.String()


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


class ActionRequestSchema(Schema):
    """The audited record of a write."""

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
    error = ma.fields.String()
    created_at = fields.Instant()
    decided_at = fields.Instant(allow_none=True)


class ActionRequestQuerySchema(PageSchema):
    """Which acts to list."""

    status = fields.Word(*STATUSES, load_default=None)
    kind = fields.Text(least=1, most=64, load_default=None)


class ActivityQuerySchema(AddressSchema, ActionRequestQuerySchema):
    """Which acts a page shows: of everybody, or what one key or one person did."""

    token_id = fields.FormId(load_default=None)
    person_id = fields.FormId(load_default=None)
