"""The schemas of files that wait for a person."""

import marshmallow as ma

from webapp.ledger.codes import ArrivalOutcome
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths


class InboxFileSchema(Schema):
    """A file that waits, and what has to be answered before it can be placed."""

    id = fields.Id(Kind.INBOX_FILE)
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


class SentFormSchema(Schema):
    """A form with a file, which is read as it streams in."""

    file = ma.fields.Raw(metadata={"type": "string", "format": "binary"})


class ArrivalSchema(Schema):
    """What became of a file that was sent."""

    file_name = Untrusted()
    outcome = fields.OneOf(
        *ArrivalOutcome,
        metadata={"description": "What became of it; one that is REFUSED is kept with its reason."},
    )
    sentence = Untrusted(metadata={"description": "What became of it, or what is asked."})
    document_id = fields.Id(
        Kind.DOCUMENT,
        allow_none=True,
        metadata={"description": "The document that has it, or may be the same."},
    )
    import_id = fields.Id(
        Kind.IMPORT, allow_none=True, metadata={"description": "The import that has it; null for none."}
    )
    inbox_file_id = fields.Id(
        Kind.INBOX_FILE, allow_none=True, metadata={"description": "The waiting file; null where none waits."}
    )


class ArrivalsSchema(Schema):
    """What became of each file that was sent."""

    files = ma.fields.List(
        ma.fields.Nested(ArrivalSchema), metadata={"description": "The file, or those of an archive."}
    )
    untrusted = UntrustedPaths(untrusted_paths(ArrivalSchema(), "files[]."))


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
