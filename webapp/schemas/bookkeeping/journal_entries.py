"""The shapes of journal entries, as the interface document says them."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import OPTIONAL, Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted

STATUSES = ("DRAFT", "POSTED", "VOIDED")
SOURCES = ("bank_feed", "document", "manual", "opening", "correction", "void", "revaluation")
TYPES = ("ASSET", "LIABILITY", "EQUITY", "INCOME", "EXPENSE")
MOST_POSTINGS = 200


class PostingSchema(Schema):
    """A signed leg, debit positive."""

    account_id = fields.Id()
    account_name = ma.fields.String()
    account_type = fields.Word(*TYPES)
    account_emoji = ma.fields.String(allow_none=True)
    institution_logo = ma.fields.String(allow_none=True)
    institution_name = ma.fields.String(allow_none=True)
    institution_url = ma.fields.String(allow_none=True)
    amount = fields.Amount()
    currency = fields.Currency()
    amount_base = fields.Amount(allow_none=True)
    is_bank_leg = ma.fields.Boolean()
    org_merchant_id = fields.Id(allow_none=True)
    project_id = fields.Id(allow_none=True)
    in_scope = ma.fields.Boolean()
    requires_counterparty = ma.fields.Boolean()


class OriginSchema(Schema):
    """Where an entry comes from."""

    kind = fields.Word("transaction", "document", "manual", "system")
    label = Untrusted()
    provider_transaction_id = Untrusted(allow_none=True)
    document_id = fields.Id(allow_none=True)
    document_type = ma.fields.String(allow_none=True)


class CounterpartySchema(Schema):
    """With whom."""

    org_merchant_id = fields.Id(allow_none=True)
    name = Untrusted()
    website = ma.fields.String(allow_none=True)
    image_url = ma.fields.String(allow_none=True)
    logo = ma.fields.String(allow_none=True)


class JournalEntrySchema(Schema):
    """A dated entry with its legs."""

    id = fields.Id()
    effective_at = fields.EffectiveAt()
    description = Untrusted()
    status = fields.Word(*STATUSES)
    source = fields.Word(*SOURCES)
    base_currency = fields.Currency()
    corrects_journal_entry_id = fields.Id(allow_none=True)
    postings = ma.fields.List(ma.fields.Nested(PostingSchema))
    origin = ma.fields.Nested(OriginSchema)
    counterparty = ma.fields.Nested(CounterpartySchema, allow_none=True)
    can_void = ma.fields.Boolean()


class EntryAnswerSchema(Schema):
    """One entry; beside a draft that was written by hand stands the `version` that a change of it names."""

    entry = ma.fields.Nested(JournalEntrySchema)
    version = ma.fields.String(metadata=OPTIONAL)


class EntryQuerySchema(PageSchema):
    """Which entries to list; days are inclusive."""

    status = fields.Word(*STATUSES, load_default=None)
    source = fields.Word(*SOURCES, load_default=None)
    account_id = fields.FormId(load_default=None)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    q = fields.Text(least=1, most=255, load_default=None)


class PostingInputSchema(Schema):
    """A leg of a manual entry."""

    account_id = fields.Id(required=True)
    amount = fields.Amount(required=True)
    currency = fields.Currency(load_default=None, allow_none=True)
    org_merchant_id = fields.Id(load_default=None, allow_none=True)
    project_id = fields.Id(load_default=None, allow_none=True)


class SaidEntrySchema(Schema):
    """What somebody writes of an entry; `post` makes it part of the books at once."""

    effective_at = fields.EffectiveAt(required=True)
    description = fields.Text(most=2000, load_default="")
    postings = ma.fields.List(
        ma.fields.Nested(PostingInputSchema),
        required=True,
        validate=ma.validate.Length(min=2, max=MOST_POSTINGS, error="Send 2 to 200 postings."),
    )
    post = fields.Flag(load_default=False)


class ManualEntrySchema(SaidEntrySchema):
    """A new entry; one that comes from a document names it, and the document belongs to the entry from then on."""

    document_id = fields.Id(load_default=None, allow_none=True)


class EntryChangesSchema(SaidEntrySchema):
    """What a draft that was written by hand shall say, and the version of it that this replaces."""

    version = fields.Text(least=1, most=64, required=True)


class PostingFormSchema(PostingInputSchema):
    """A leg as a form writes it."""

    account_id = fields.FormId(required=True)  # type: ignore[assignment]
    org_merchant_id = fields.FormId(load_default=None, allow_none=True)  # type: ignore[assignment]
    project_id = fields.FormId(load_default=None, allow_none=True)  # type: ignore[assignment]


class SaidEntryFormSchema(Schema):
    """What a form writes of an entry; which button was pressed says whether to post it."""

    effective_at = fields.EffectiveAt(required=True)
    description = fields.Text(most=2000, load_default="")
    postings = ma.fields.List(
        ma.fields.Nested(PostingFormSchema),
        required=True,
        validate=ma.validate.Length(min=2, max=MOST_POSTINGS, error="Write 2 to 200 legs."),
    )


class ManualEntryFormSchema(SaidEntryFormSchema):
    """A new entry as a form writes it, and the document that it comes from."""

    document_id = fields.FormId(load_default=None, allow_none=True)


class NewEntryPageSchema(AddressSchema):
    """The document that a new entry comes from."""

    document_id = fields.FormId(load_default=None)


class EntryChangesFormSchema(SaidEntryFormSchema):
    """What a draft shall say, as a form writes it, and the version of it that this replaces."""

    version = fields.Text(least=1, most=64, required=True)


class EntryPostSchema(Schema):
    """Why an entry is posted, and the version that somebody looked at."""

    note = fields.Text(most=2000, allow_none=True, load_default=None)
    version = fields.Text(least=1, most=64, allow_none=True, load_default=None)


class EntryDeletionQuerySchema(Schema):
    """The version of a draft that somebody looked at."""

    version = fields.Text(least=1, most=64, load_default=None)


class EntryFilterFormSchema(AddressSchema, EntryQuerySchema):
    """The same filters as the journal's form sends them."""


class VoidSchema(Schema):
    """Why an entry is voided, on which day if not the first open one, and whether it comes back as a draft.

    `copy` is for entries that were written by hand; a bank line gets a fresh draft in any case.
    """

    reason = fields.Text(least=1, most=2000, required=True)
    effective_at = fields.EffectiveAt(load_default=None, allow_none=True)
    copy = fields.Flag(load_default=False)


class VoidFormSchema(VoidSchema):
    """The same as a form writes it."""

    copy = fields.FormFlag(load_default=False)  # type: ignore[assignment]
