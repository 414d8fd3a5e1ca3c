"""The schemas of what may belong together: lines and entries of a document, and documents of a line."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted

IDENTIFIES = {
    "description": "Whether it says which document is paid: the amount due, with its number or its payment reference."
}


class CandidateSchema(Schema):
    """A line or an entry that a document may belong to, and why."""

    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    day = fields.Day()
    text = Untrusted()
    amount = fields.Amount(allow_none=True)
    reason = Untrusted()
    identifies = ma.fields.Boolean(metadata=IDENTIFIES)


class CandidatesSchema(Schema):
    """The lines and entries that a document may belong to, the best evidence first."""

    choices = ma.fields.List(ma.fields.Nested(CandidateSchema))


class CandidateDocumentSchema(Schema):
    """A document that is attached to nothing and may belong to a line, with its figures, and why."""

    id = fields.Id(Kind.DOCUMENT)
    label = Untrusted()
    net = fields.Amount(allow_none=True)
    tax = fields.Amount(allow_none=True)
    total = fields.Amount()
    due = fields.Amount(allow_none=True)
    issued_on = fields.Day(allow_none=True)
    due_on = fields.Day(allow_none=True)
    reason = Untrusted()
    identifies = ma.fields.Boolean(metadata=IDENTIFIES)


class LineDocumentsSchema(Schema):
    """The documents that may belong to a line, the best evidence first."""

    choices = ma.fields.List(ma.fields.Nested(CandidateDocumentSchema))
