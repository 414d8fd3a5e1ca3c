"""The schemas of journal entries, as in the interface document."""

from typing import Any

import marshmallow as ma

from webapp.ledger.codes import ACCOUNT_TYPES, ENTRY_STATUSES, SHOWN_SOURCES
from webapp.ledger.references import Kind
from webapp.ledger.tax.late import ADJUSTMENT_REASONS
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import OPTIONAL, WARNING_CODES, Schema
from webapp.schemas.instants import EffectiveAt
from webapp.schemas.paging import JoinedIds, PageSchema
from webapp.schemas.tax.codes import PostedTaxSchema, TaxInputSchema
from webapp.schemas.untrusted import Untrusted

MOST_POSTINGS = 200


class PostingSchema(PostedTaxSchema):
    """A signed leg, debit positive."""

    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    account_type = fields.OneOf(*ACCOUNT_TYPES)
    account_emoji = ma.fields.String(allow_none=True)
    institution_logo = ma.fields.String(allow_none=True)
    institution_name = Untrusted(allow_none=True)
    institution_url = ma.fields.String(allow_none=True)
    amount = fields.Amount()
    currency = fields.Currency()
    amount_base = fields.Amount(allow_none=True)
    is_bank_leg = ma.fields.Boolean()
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    in_scope = ma.fields.Boolean()
    requires_counterparty = ma.fields.Boolean()


class OriginSchema(Schema):
    """The origin of an entry."""

    kind = fields.OneOf("transaction", "document", "manual", "system")
    label = Untrusted()
    provider_transaction_id = Untrusted(allow_none=True)
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True)
    document_type = ma.fields.String(allow_none=True)


class CounterpartySchema(Schema):
    """The other party of an entry."""

    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    name = Untrusted()
    website = ma.fields.String(allow_none=True)
    image_url = ma.fields.String(allow_none=True)
    logo = ma.fields.String(allow_none=True)


class JournalEntrySchema(Schema):
    """A dated entry with its legs."""

    id = fields.Id(Kind.JOURNAL_ENTRY)
    effective_at = EffectiveAt()
    description = Untrusted()
    status = fields.OneOf(*ENTRY_STATUSES)
    source = fields.OneOf(*SHOWN_SOURCES)
    base_currency = fields.Currency()
    corrects_journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    postings = ma.fields.List(ma.fields.Nested(PostingSchema))
    origin = ma.fields.Nested(OriginSchema)
    counterparty = ma.fields.Nested(CounterpartySchema, allow_none=True)
    can_void = ma.fields.Boolean()


ADJUSTING = {"description": "Whether it adjusts a year on its last day, after its months."}
BOOKED_ON = {
    "description": "The day of what it is about, where the entry is dated later; of a line its booking day."
}


class ListedEntrySchema(JournalEntrySchema):
    """An entry of a list, with its number among the posted ones; a draft has none."""

    number = ma.fields.Integer(allow_none=True)
    booked_on = fields.Day(allow_none=True, metadata=BOOKED_ON)
    is_adjusting = ma.fields.Boolean(metadata=ADJUSTING)


class EntryAnswerSchema(Schema):
    """One entry; a manual draft also has the `version` that a change of it has to name.

    A posted one has its `number`: the organization's posted entries are counted from 1, in the order of posting and
    without gaps.
    """

    entry = ma.fields.Nested(JournalEntrySchema)
    number = ma.fields.Integer(metadata=OPTIONAL)
    version = ma.fields.String(metadata=OPTIONAL)


class WrittenEntryAnswerSchema(EntryAnswerSchema):
    """An entry as it was written, with what is odd about it."""

    warnings = ma.fields.List(Untrusted(), metadata={"description": "What to look at once more."})
    warning_codes = ma.fields.List(ma.fields.String(), metadata=WARNING_CODES)


class EntryQuerySchema(PageSchema):
    """Which entries to list; days are inclusive."""

    status = fields.OneOf(*ENTRY_STATUSES, load_default=None)
    source = fields.OneOf(*SHOWN_SOURCES, load_default=None)
    account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
    project_id = fields.FormId(Kind.PROJECT, load_default=None)
    project_group_id = fields.FormId(Kind.PROJECT_GROUP, load_default=None)
    org_merchant_id = fields.FormId(Kind.MERCHANT, load_default=None)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    q = fields.Text(least=1, most=255, load_default=None)
    ids = JoinedIds(Kind.JOURNAL_ENTRY, load_default=())
    moved_by_lock = fields.FormFlag(load_default=None, allow_none=True)


DUE_ON = {"description": "When what this posting begins is due; without a day as its merchant's terms say."}
REFERENCE = {"description": "The number that a payment of it names."}


class PostingInputSchema(TaxInputSchema):
    """A leg of a manual entry; one in another currency than the base may have an `amountBase` of its own rate.

    Legs without one share the rest in their currency. One of 0.00 is an exchange difference of `amountBase`.
    """

    account_id = fields.Id(Kind.ACCOUNT, required=True)
    amount = fields.Amount(required=True)
    amount_base = fields.Amount(load_default=None, allow_none=True)
    currency = fields.Currency(load_default=None, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, load_default=None, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, load_default=None, allow_none=True)
    due_on = fields.Day(allow_none=True, metadata=DUE_ON)
    reference = fields.Text(most=255, allow_none=True, metadata=REFERENCE)


FORCE = {
    "description": "Do it although the books have this money or number already, the document is no invoice, its own "
    "rate is far from the day's, or the day is more than a year ahead."
}
REVERSES_ON = {
    "description": "The later day on which its reversal is posted, in the same act; a void of either voids both."
}
FAR_AHEAD = {"description": "Do it although the day is more than a year ahead."}


ENOUGH = "Send 2 to 200 postings."


def enough(postings: list[dict[str, Any]]) -> None:
    """Refuse one posting alone, unless its tax code makes more of it."""
    if len(postings) == 1 and postings[0].get("tax_code_id") is None:
        raise ma.ValidationError(ENOUGH)


class EntryInputSchema(Schema):
    """The fields of a manual entry; `post` posts it at once."""

    effective_at = EffectiveAt(required=True)
    description = fields.Text(most=2000, load_default="")
    postings = ma.fields.List(
        ma.fields.Nested(PostingInputSchema),
        required=True,
        validate=(ma.validate.Length(min=1, max=MOST_POSTINGS, error=ENOUGH), enough),
    )
    post = fields.Flag(load_default=False)
    force = fields.Flag(load_default=False, metadata=FORCE)


class ManualEntrySchema(EntryInputSchema):
    """A new manual entry; `documentId` attaches the document that it comes from.

    One of the source `closing` closes a year in other books: its last day, on income, expenses and equity. An adjusting
    one is of a year's last day too, also where that is locked, on no account of a bank, of items or of tax codes.
    """

    is_adjusting = fields.Flag(load_default=False, metadata=ADJUSTING)
    source = fields.OneOf("manual", "closing", load_default="manual")
    document_id = fields.Id(Kind.DOCUMENT, load_default=None, allow_none=True)
    reverses_on = fields.Day(load_default=None, allow_none=True, metadata=REVERSES_ON)


class EntryChangesSchema(EntryInputSchema):
    """The new fields of a manual draft, and the version that they replace."""

    version = fields.Text(least=1, most=64, required=True)


class PostingFormSchema(PostingInputSchema):
    """A leg from a form."""

    account_id = fields.FormId(required=True)  # type: ignore[assignment]
    org_merchant_id = fields.FormId(load_default=None, allow_none=True)  # type: ignore[assignment]
    project_id = fields.FormId(load_default=None, allow_none=True)  # type: ignore[assignment]
    tax_code_id = fields.FormId(allow_none=True)  # type: ignore[assignment]


class EntryFormSchema(Schema):
    """The fields of a manual entry from a form; the button that was pressed decides whether it is posted."""

    effective_at = EffectiveAt(required=True)
    description = fields.Text(most=2000, load_default="")
    postings = ma.fields.List(
        ma.fields.Nested(PostingFormSchema),
        required=True,
        validate=ma.validate.Length(min=2, max=MOST_POSTINGS, error="Write 2 to 200 legs."),
    )


class ManualEntryFormSchema(EntryFormSchema):
    """A new manual entry from a form, the document that it comes from, and whether it adjusts a year."""

    is_adjusting = fields.FormFlag(load_default=False)
    document_id = fields.FormId(load_default=None, allow_none=True)


class NewEntryPageSchema(AddressSchema):
    """The document that a new entry comes from."""

    document_id = fields.FormId(load_default=None)


class EntryChangesFormSchema(EntryFormSchema):
    """The new fields of a manual draft from a form, and the version that they replace."""

    version = fields.Text(least=1, most=64, required=True)


class EntryPostSchema(Schema):
    """A note on posting, and the version that somebody reviewed."""

    note = fields.Text(most=2000, allow_none=True, load_default=None)
    version = fields.Text(least=1, most=64, allow_none=True, load_default=None)
    force = fields.Flag(load_default=False, metadata=FORCE)


class EntryPostFormSchema(EntryPostSchema):
    """The same from a form."""

    force = fields.FormFlag(load_default=False)  # type: ignore[assignment]


class EntryDeletionQuerySchema(Schema):
    """The version of the draft that somebody reviewed."""

    version = fields.Text(least=1, most=64, load_default=None)


class EntryFilterFormSchema(AddressSchema, EntryQuerySchema):
    """The same as the form of the journal sends them; `ids` are the entries that one act posted."""


WHY_WRONG = ("OUR_ENTRY", "THE_INVOICE")
WHY = {
    "description": "What was wrong, where it lowers the tax of a sale that a return has: our entry, or the invoice."
}


class VoidSchema(Schema):
    """The reason, the day (by default the first open one), and whether to copy the entry to a new draft.

    `copy` is for manual entries; a bank line gets a new draft in any case.
    """

    reason = fields.Text(least=1, most=2000, required=True)
    effective_at = EffectiveAt(load_default=None, allow_none=True)
    copy = fields.Flag(load_default=False)
    force = fields.Flag(load_default=False, metadata=FAR_AHEAD)
    why = fields.OneOf(*WHY_WRONG, allow_none=True, load_default=None, metadata=WHY)


OTHER_TAX_POINT = {"description": "The tax point of all its taxes; without one it stays as it was."}
WHY_CORRECTED = {"description": "Why it is corrected, for the audit trail."}


class CorrectionSchema(Schema):
    """A posted entry as it shall be, why, and what was wrong where the tax of a sale becomes less.

    Without postings its taxes have another tax point, and nothing else changes.
    """

    postings = ma.fields.List(
        ma.fields.Nested(PostingInputSchema),
        validate=(ma.validate.Length(min=1, max=MOST_POSTINGS, error=ENOUGH), enough),
    )
    tax_point = fields.Day(allow_none=True, load_default=None, metadata=OTHER_TAX_POINT)
    reason = fields.Text(least=1, most=2000, required=True, metadata=WHY_CORRECTED)
    why = fields.OneOf(*WHY_WRONG, allow_none=True, load_default=None, metadata=WHY)

    @ma.validates_schema
    def say_what_changes(self, body: dict[str, Any], **kwargs: object) -> None:
        """Refuse a correction of nothing."""
        del kwargs
        if "postings" not in body and body.get("tax_point") is None:
            raise ma.ValidationError("Send the postings as they shall be, or another taxPoint.", "postings")


# On pages, `why` is the note of an act.
WRONG_OF_FORM = fields.OneOf(*WHY_WRONG, allow_none=True, load_default=None, data_key="wasWrong")


class CorrectionFormSchema(CorrectionSchema):
    """The same from a form."""

    postings = ma.fields.List(
        ma.fields.Nested(PostingFormSchema),
        required=True,
        validate=(ma.validate.Length(min=1, max=MOST_POSTINGS, error=ENOUGH), enough),
    )
    why = WRONG_OF_FORM


class AdjustedBoxSchema(Schema):
    """What is added to a box of a form."""

    box = fields.Text(least=1, most=8, required=True)
    amount = fields.Amount(required=True, metadata={"description": "What is added, in the base currency."})


class AdjustmentSchema(Schema):
    """Boxes of a form that somebody writes by hand; boxes of tax need legs that move its accounts by as much."""

    form = fields.Text(least=1, most=32, required=True)
    tax_point = fields.Day(required=True)
    reason = fields.OneOf(*ADJUSTMENT_REASONS, required=True)
    boxes = ma.fields.List(
        ma.fields.Nested(AdjustedBoxSchema), required=True, validate=ma.validate.Length(min=1, max=20)
    )
    legs = ma.fields.List(
        ma.fields.Nested(PostingInputSchema), load_default=(), validate=ma.validate.Length(max=MOST_POSTINGS)
    )
    document_id = fields.Id(
        Kind.DOCUMENT, allow_none=True, load_default=None, metadata={"description": "What says it on paper."}
    )
    note = fields.Text(
        most=2000, load_default="", metadata={"description": "Why; needed without a document."}
    )


class AdjustedBoxFormSchema(AdjustedBoxSchema):
    """What is added to a box on a page; nothing where it is left empty."""

    amount = fields.Amount(allow_none=True, load_default=None)


class AdjustmentFormSchema(AdjustmentSchema):
    """The same from a page, whose legs are on the accounts of taxes against one account."""

    class Meta:
        """A page writes no legs itself."""

        exclude = ("legs", "document_id")

    boxes = ma.fields.List(ma.fields.Nested(AdjustedBoxFormSchema), required=True)
    counter_account_id = fields.FormId(allow_none=True, load_default=None)
    note = fields.Text(most=2000, allow_none=True, load_default="")

    @ma.post_load
    def filled(self, body: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Leave out boxes without an amount, and read an empty note as none."""
        del kwargs
        boxes = [each for each in body["boxes"] if each["amount"] is not None]
        if not boxes:
            raise ma.ValidationError({"boxes": ["Write an amount into a box first."]})
        return {**body, "boxes": boxes, "note": body["note"] or ""}


class VoidFormSchema(VoidSchema):
    """The same from a form."""

    why = WRONG_OF_FORM

    copy = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    force = fields.FormFlag(load_default=False)  # type: ignore[assignment]
