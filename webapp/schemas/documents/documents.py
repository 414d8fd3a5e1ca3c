"""The schemas of documents, their relations, and what may belong to them."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.codes import DOCUMENT_SIDES, DOCUMENT_TYPES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import EmptyAsMissing, Schema
from webapp.schemas.documents.invoices import StatedInvoiceSchema
from webapp.schemas.files import FileContent
from webapp.schemas.paging import JoinedIds, PageSchema, wrapped
from webapp.schemas.rules.runs import ProvenanceSchema
from webapp.schemas.untrusted import Untrusted

LONGEST_TEXT = 100_000
SIDE = {
    "description": "Of a credit note: SALE for one of ours, PURCHASE for a supplier's; null where it is unknown."
}
RECEIVED = {"description": "The day on which it came; null where that is the day on which it was filed here."}
SAME_FILE = {"description": "The documents of the other invoices in its file."}
IDENTIFIES = {
    "description": "Whether it says which document is paid: the amount due, with its number or its payment reference."
}
OTHER_WAY = {
    "description": "Whether the money goes the other way than the document says: then it hardly belongs to it."
}
CANDIDATES = {"description": "The lines and entries that it may belong to, the best evidence first."}


class DocumentFieldsSchema(Schema):
    """The fields of a document; missing ones stay as they are, or unknown. `fileName` is made safe for saving.

    `force` files a document with the sender and the number of another one, and needs a `note` on why.
    """

    document_type = fields.OneOf(*DOCUMENT_TYPES)
    side = fields.OneOf(*DOCUMENT_SIDES, allow_none=True, metadata=SIDE)
    number = fields.Text(most=255, allow_none=True)
    issued_on = fields.Day(allow_none=True)
    due_on = fields.Day(allow_none=True)
    received_on = fields.Day(allow_none=True, metadata=RECEIVED)
    sender = fields.Text(most=255, allow_none=True)
    currency = fields.Currency(allow_none=True)
    net = fields.Amount(allow_none=True)
    tax = fields.Amount(allow_none=True)
    total = fields.Amount(allow_none=True)
    text = fields.Text(most=LONGEST_TEXT, allow_none=True)
    file_name = fields.Text(most=255, allow_none=True)
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    force = fields.Flag(load_default=False)
    note = fields.Text(most=2000, load_default="")


class DocumentInputSchema(DocumentFieldsSchema):
    """The fields of a new document, and its file within JSON, which needs its `fileName`."""

    content = FileContent()

    @ma.validates_schema
    def name_the_file(self, body: Mapping[str, Any], **kwargs: object) -> None:
        """Refuse a file without a name."""
        del kwargs
        if "content" in body and not body.get("file_name"):
            raise ma.ValidationError("Send the name of the file, like invoice.pdf.", "fileName")


class DocumentFormSchema(DocumentFieldsSchema):
    """The same fields from a form: an empty one is none."""

    account_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
    org_merchant_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
    project_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
    force = fields.FormFlag(load_default=False)  # type: ignore[assignment]


class DocumentUploadSchema(EmptyAsMissing, DocumentFormSchema):
    """The fields of an upload, of which empty ones count as missing; the file itself is read as it streams in."""

    file = ma.fields.Raw(metadata={"type": "string", "format": "binary"})


class RelationSchema(Schema):
    """A document's relation to a line or an entry."""

    id = fields.Id(Kind.DOCUMENT_RELATION)
    document_id = fields.Id(Kind.DOCUMENT)
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    is_automatic = ma.fields.Boolean(
        metadata={
            "description": "Whether its evidence alone attached it; detaching it then declines it, too."
        }
    )
    created_at = fields.Timestamp()


class FurtherFileSchema(Schema):
    """A further file of a document, behind the one that it was filed with."""

    file_name = Untrusted()
    file_type = ma.fields.String()
    file_size = ma.fields.Integer()
    sha256 = ma.fields.String()
    created_at = fields.Timestamp()


class DocumentFileSchema(Schema):
    """A file of a document within JSON, with its name."""

    file_name = fields.Text(least=1, most=255)
    content = FileContent()


class DocumentFileUploadSchema(Schema):
    """A file from a form, which is read as it streams in."""

    file = ma.fields.Raw(metadata={"type": "string", "format": "binary"})


class FindingSchema(Schema):
    """What does not add up on a document, which is kept as it was sent."""

    code = ma.fields.String(
        metadata={
            "description": "total_differs, a rule of EN 16931 like BR-CO-15, a check of Italian invoices like"
            " SDI-00422, or what could not be read or booked."
        }
    )
    message = Untrusted()


class DocumentSchema(Schema):
    """A receipt, invoice or bill: its fields, its file, and the account, merchant and project for its entry."""

    id = fields.Id(Kind.DOCUMENT)
    document_type = fields.OneOf(*DOCUMENT_TYPES)
    side = fields.OneOf(*DOCUMENT_SIDES, allow_none=True, metadata=SIDE)
    number = Untrusted(allow_none=True)
    issued_on = fields.Day(allow_none=True)
    sender = Untrusted(allow_none=True)
    currency = fields.Currency(allow_none=True)
    net = fields.Amount(allow_none=True)
    tax = fields.Amount(allow_none=True)
    total = fields.Amount(allow_none=True)
    due_on = fields.Day(allow_none=True)
    received_on = fields.Day(allow_none=True, metadata=RECEIVED)
    prepaid = fields.Amount(allow_none=True)
    due = fields.Amount(allow_none=True)
    buyer = Untrusted(allow_none=True)
    seller_vat_id = Untrusted(allow_none=True)
    iban = Untrusted(allow_none=True)
    remittance = Untrusted(allow_none=True)
    file_name = Untrusted(allow_none=True)
    file_type = ma.fields.String(allow_none=True)
    file_size = ma.fields.Integer(allow_none=True)
    sha256 = ma.fields.String(allow_none=True)
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    relations = ma.fields.List(ma.fields.Nested(RelationSchema))
    further_files = ma.fields.List(ma.fields.Nested(FurtherFileSchema))
    findings = ma.fields.List(ma.fields.Nested(FindingSchema))
    created_at = fields.Timestamp()
    updated_at = fields.Timestamp()


class DeclinedSchema(Schema):
    """A line or an entry that a document is not offered for any more."""

    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)


class SuggestedFieldSchema(Schema):
    """What the text states for a field that the document lacks, and where; nothing takes it by itself."""

    field = fields.OneOf("total", "issuedOn")
    value = ma.fields.String(metadata={"description": "As `PATCH` takes it."})
    currency = fields.Currency(allow_none=True)
    words = Untrusted()


class DocumentStorySchema(DocumentSchema):
    """The same with its text, what it was declined for, and the rules that set its fields."""

    text = Untrusted(allow_none=True)
    suggestions = ma.fields.List(ma.fields.Nested(SuggestedFieldSchema))
    invoice = ma.fields.Nested(StatedInvoiceSchema, allow_none=True)
    same_file_ids = ma.fields.List(fields.Id(Kind.DOCUMENT), metadata=SAME_FILE)
    declined = ma.fields.List(ma.fields.Nested(DeclinedSchema))
    provenance = ma.fields.List(ma.fields.Nested(ProvenanceSchema))


class DocumentQuerySchema(PageSchema):
    """The documents to list; days are issue dates, inclusive."""

    document_type = fields.OneOf(*DOCUMENT_TYPES, load_default=None)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    related = fields.FormFlag(load_default=None)
    q = fields.Text(least=1, most=255, load_default=None)
    ids = JoinedIds(Kind.DOCUMENT, load_default=())


class DocumentPageQuerySchema(AddressSchema, DocumentQuerySchema):
    """The query of the page of documents."""


class RelatedSchema(Schema):
    """The line or the entry to attach a document to."""

    transaction_id = fields.Id(Kind.TRANSACTION)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)

    @ma.validates_schema
    def name_one(self, data: Mapping[str, Any], **kwargs: object) -> None:
        """Refuse none and both."""
        del kwargs
        if len(data) != 1:
            sentence = "Send transactionId or journalEntryId, one of the two."
            raise ma.ValidationError(sentence, "transactionId")


class RelatedFormSchema(RelatedSchema):
    """The same from a form."""

    transaction_id = fields.FormId()  # type: ignore[assignment]
    journal_entry_id = fields.FormId()  # type: ignore[assignment]


class AttachedUploadFormSchema(DocumentUploadSchema):
    """A document from a form, and the line or the entry that it is attached to at once."""

    transaction_id = fields.FormId()
    journal_entry_id = fields.FormId()


class CandidateSchema(Schema):
    """A line or an entry that a document may belong to, and why."""

    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    day = fields.Day()
    text = Untrusted()
    amount = fields.Amount(allow_none=True)
    reason = Untrusted()
    identifies = ma.fields.Boolean(metadata=IDENTIFIES)
    is_other_way = ma.fields.Boolean(metadata=OTHER_WAY)


class CandidatesSchema(Schema):
    """The lines and entries that a document may belong to, the best evidence first."""

    choices = ma.fields.List(ma.fields.Nested(CandidateSchema))


CreatedDocumentSchema = wrapped(
    "document",
    DocumentStorySchema,
    title="CreatedDocument",
    candidates=ma.fields.List(ma.fields.Nested(CandidateSchema), metadata=CANDIDATES),
)


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
