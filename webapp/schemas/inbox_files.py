"""The schemas of files that wait for a person."""

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted


class InboxFileSchema(Schema):
    """A file that waits, and what has to be answered before it can be placed."""

    id = ma.fields.Integer()
    file_name = Untrusted()
    file_type = ma.fields.String()
    file_size = ma.fields.Integer()
    sha256 = ma.fields.String()
    code = ma.fields.String(
        metadata={"description": "The question in a word: bank_file, same_invoice, file_kind …"}
    )
    question = Untrusted()
    document_id = fields.Id(
        Kind.DOCUMENT, allow_none=True, metadata={"description": "The document that it may be the same as."}
    )
    created_at = fields.Timestamp()


class FileWaitingSchema(Schema):
    """How a waiting file is filed."""

    force = fields.Flag(
        load_default=False, metadata={"description": "File it beside the document of the same number."}
    )
    note = fields.Text(
        most=2000, load_default="", metadata={"description": "Why both are needed; with force."}
    )


class FileWaitingFormSchema(FileWaitingSchema):
    """The same from a form."""

    force = fields.FormFlag(load_default=False)  # type: ignore[assignment]
