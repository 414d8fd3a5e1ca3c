"""The schemas of bank lines and of acts on them."""

import marshmallow as ma

from webapp.ledger.codes import ENTRY_STATUSES, PAIR_DIFFERENCES, TRANSACTION_STATUSES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.audit.action_requests import BulkResultSchema
from webapp.schemas.base import OPTIONAL, DocumentedSchema, Schema, included_by
from webapp.schemas.items import LikelyPaymentSchema, PaidPartSchema, ShortSchema, paid_parts
from webapp.schemas.paging import JoinedIds, PageSchema, listing
from webapp.schemas.rules.runs import ProvenanceSchema
from webapp.schemas.rules.suggestions import LikelyAccountSchema
from webapp.schemas.tax.codes import TaxInputSchema
from webapp.schemas.untrusted import Untrusted

MOST_SPLITS = 100
WANTED_SPLITS = "Split a line into 2 to 100 parts, or one with a tax code."
MOST_IDS = 500


class SplitSchema(TaxInputSchema):
    """A part of a line's amount, with the line's sign."""

    account_id = fields.Id(Kind.ACCOUNT, required=True)
    amount = fields.Amount(required=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True, load_default=None)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True, load_default=None)


class PendingChangeSchema(Schema):
    """The fields that a posted line gets once its correction is confirmed; until then the books stay as they are."""

    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    splits = ma.fields.List(ma.fields.Nested(SplitSchema), allow_none=True)
    message = Untrusted(metadata={"description": "What the correction changes, by name, and what writes it."})


PENDING_CHANGE = {
    "description": "What confirming this posted line would write; null where no correction waits."
}


def stated(name: str, description: str) -> Untrusted:
    """Make a field of what the bank states beside amount and text."""
    return Untrusted(
        attribute=f"details.{name}", dump_default=None, allow_none=True, metadata={"description": description}
    )


class TransactionSchema(Schema):
    """A line as the bank sent it, and its entry in the books."""

    id = fields.Id(Kind.TRANSACTION)
    fa_id = fields.Id(Kind.FEED_ACCOUNT)
    provider_transaction_id = Untrusted(allow_none=True)
    status = fields.OneOf(*TRANSACTION_STATUSES)
    booked_on = fields.Day()
    value_on = fields.Day(allow_none=True)
    amount = fields.Amount()
    currency = fields.Currency()
    description = Untrusted()
    counterparty = Untrusted(allow_none=True)
    reference = Untrusted(allow_none=True)
    iban = Untrusted(allow_none=True)
    charges = stated("charges", "Charges of the bank within the amount, without a sign.")
    original_amount = stated("original_amount", "What was paid in another currency, without a sign.")
    original_currency = stated("original_currency", "The currency of the original amount.")
    exchange_rate = stated("exchange_rate", "The rate that turned the original amount into this one.")
    return_reason = stated("return_reason", "The code of the reason for which money came back, such as AM04.")
    return_text = stated("return_text", "The bank's words on that reason.")
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    entry_status = fields.OneOf(*ENTRY_STATUSES, allow_none=True)
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    splits = ma.fields.List(ma.fields.Nested(SplitSchema), allow_none=True)
    correction_marker_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    pending_change = ma.fields.Nested(PendingChangeSchema, allow_none=True, metadata=PENDING_CHANGE)
    reconciliation_id = fields.Id(Kind.RECONCILIATION, allow_none=True)
    import_id = fields.Id(Kind.IMPORT, allow_none=True)
    created_at = fields.Timestamp()
    updated_at = fields.Timestamp()


ACCOUNT_NAME = included_by("names", "The name of the account.")
MERCHANT_NAME = included_by("names", "The name of the merchant; null without one.")
PROJECT_NAME = included_by("names", "The name of the project; null without one.")


class NamedSplitSchema(SplitSchema):
    """A part of a line's amount, with the names of what it is booked on."""

    account_name = Untrusted(metadata=ACCOUNT_NAME)
    merchant_name = Untrusted(allow_none=True, metadata=MERCHANT_NAME)
    project_name = ma.fields.String(allow_none=True, metadata=PROJECT_NAME)


class LikelyTransferSchema(Schema):
    """The other side of the transfer that a line likely is; `isOnly` where neither line fits another.

    Join them with this `difference`.
    """

    transaction_id = fields.Id(Kind.TRANSACTION)
    account_name = Untrusted()
    is_only = ma.fields.Boolean()
    difference = fields.OneOf(*PAIR_DIFFERENCES, allow_none=True, attribute="proposal.difference")


class ListedTransactionSchema(TransactionSchema):
    """The same with the names of what it is booked on, and with what it likely pays, moves or means."""

    splits = ma.fields.List(ma.fields.Nested(NamedSplitSchema), allow_none=True)
    account_name = Untrusted(allow_none=True, metadata=ACCOUNT_NAME)
    merchant_name = Untrusted(allow_none=True, metadata=MERCHANT_NAME)
    project_name = ma.fields.String(allow_none=True, metadata=PROJECT_NAME)
    likely_payment = ma.fields.Nested(
        LikelyPaymentSchema,
        allow_none=True,
        metadata=included_by(
            "likely", "Of an unconfirmed line the open items that it likely pays; else null."
        ),
    )
    likely_transfer = ma.fields.Nested(
        LikelyTransferSchema,
        allow_none=True,
        metadata=included_by("likely", "Of an open line that likely pays nothing its other side; else null."),
    )
    likely_account = ma.fields.Nested(
        LikelyAccountSchema,
        allow_none=True,
        metadata=included_by(
            "likely",
            "Of an uncategorised booked line that likely neither pays nor is a transfer the account that lines like it "
            "went to, with the evidence; else null.",
        ),
    )


class TransactionStorySchema(TransactionSchema):
    """The same with the rules that set fields of its entry, and the items that confirming its draft settles."""

    settles = ma.fields.List(ma.fields.Nested(PaidPartSchema))
    short = ma.fields.Nested(ShortSchema, allow_none=True)
    provenance = ma.fields.List(ma.fields.Nested(ProvenanceSchema))


class TransactionQuerySchema(PageSchema):
    """Which lines to list; days are inclusive."""

    fa_id = fields.FormId(Kind.FEED_ACCOUNT, load_default=None)
    account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
    project_id = fields.FormId(Kind.PROJECT, load_default=None)
    project_group_id = fields.FormId(Kind.PROJECT_GROUP, load_default=None)
    org_merchant_id = fields.FormId(Kind.MERCHANT, load_default=None)
    status = fields.OneOf(*TRANSACTION_STATUSES, load_default=None)
    entry_status = fields.OneOf(*ENTRY_STATUSES, load_default=None)
    uncategorised = fields.FormFlag(load_default=None)
    reconciled = fields.FormFlag(load_default=None)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    q = fields.Text(least=1, most=255, load_default=None)
    ids = JoinedIds(Kind.TRANSACTION, load_default=())
    sums = fields.FormFlag(
        load_default=False, metadata={"description": "Whether to add up the lines of all pages: `sums`."}
    )


class LineSumSchema(Schema):
    """How many lines of a currency there are, and what they add up to."""

    currency = fields.Currency()
    count = ma.fields.Integer()
    sum = fields.Amount()


SUMS = {**OPTIONAL, "description": "What the lines of all pages add up to, by currency; with `sums=true`."}
TransactionListSchema = listing(
    "transactions",
    ListedTransactionSchema,
    sums=ma.fields.List(ma.fields.Nested(LineSumSchema), metadata=SUMS),
)


class TransactionChangesSchema(Schema):
    """The changed fields of a line's entry; the others stay as they are.

    `taxCodeId` is of the whole line, whose amount has its tax in it; null takes it away. `settles` are the items that
    confirming the line settles: they book it on their account, in the name of their party, and reserve nothing. With
    `force` also at a rate far from that of the line's day.
    """

    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    tax_code_id = fields.Id(Kind.TAX_CODE, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    description = fields.Text(most=2000)
    splits = ma.fields.List(
        ma.fields.Nested(SplitSchema),
        allow_none=True,
        validate=ma.validate.Length(min=1, max=MOST_SPLITS, error=WANTED_SPLITS),
    )
    settles = paid_parts()
    short = ma.fields.Nested(ShortSchema, allow_none=True)
    force = fields.Flag()


class TransactionChangeSchema(TransactionChangesSchema):
    """A line, and the changed fields of its entry."""

    id = fields.Id(Kind.TRANSACTION, required=True)


class TransactionChangesManySchema(Schema):
    """Lines to change one by one, in this order."""

    changes = ma.fields.List(
        ma.fields.Nested(TransactionChangeSchema),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Send 1 to 500 changes."),
    )


class BulkEditResultSchema(BulkResultSchema):
    """The result of a change of one of several lines."""

    pending_change = ma.fields.Nested(PendingChangeSchema, allow_none=True, metadata=PENDING_CHANGE)


class BulkEditResultsSchema(Schema):
    """One result per change, in the order of the request."""

    results = ma.fields.List(ma.fields.Nested(BulkEditResultSchema))


class ConfirmSchema(DocumentedSchema):
    """An optional note on the confirmation."""

    note = fields.Text(most=2000, allow_none=True, load_default=None)


class ConfirmManySchema(Schema):
    """The lines to confirm, in order."""

    ids = ma.fields.List(
        fields.Id(Kind.TRANSACTION),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Send 1 to 500 ids."),
    )
    note = fields.Text(most=2000, allow_none=True, load_default=None)
