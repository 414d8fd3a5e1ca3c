"""The schemas of two lines that belong together: proposed transfers, joins, and decisions about them."""

import marshmallow as ma

from webapp.ledger.codes import JOIN_STATUSES, PAIR_DIFFERENCES, TRANSACTION_STATUSES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.audit.action_requests import PersonSchema
from webapp.schemas.base import Schema
from webapp.schemas.items import LikelyPaymentSchema
from webapp.schemas.rules.suggestions import LikelyAccountSchema
from webapp.schemas.transactions.transactions import LikelyTransferSchema
from webapp.schemas.untrusted import UNTRUSTED, Untrusted

TIERS = ("LINK", "EXACT", "TIP", "REWORDED", "TWIN", "REISSUED", "PERSON")


class LineJoinSchema(Schema):
    """The relation of a line to another, and its evidence: a `JOIN` is the same line, a `TRANSFER` its other side."""

    kind = fields.OneOf("JOIN", "TRANSFER")
    transaction_id = fields.Id(Kind.TRANSACTION)
    fa_id = fields.Id(Kind.FEED_ACCOUNT)
    account_name = Untrusted()
    is_kept = ma.fields.Boolean(allow_none=True)
    tier = fields.OneOf(*TIERS, allow_none=True)
    difference = fields.OneOf(*PAIR_DIFFERENCES, allow_none=True)
    difference_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    days_apart = ma.fields.Integer(allow_none=True)
    is_only = ma.fields.Boolean(allow_none=True)
    status = fields.OneOf(*JOIN_STATUSES)
    reason = Untrusted()
    booked_on = fields.Day()
    amount = fields.Amount()
    currency = fields.Currency()
    description = Untrusted()
    line_status = fields.OneOf(*TRANSACTION_STATUSES)
    source = fields.OneOf("file", "feed", allow_none=True)
    provider_transaction_id = Untrusted(allow_none=True)
    decided_by = ma.fields.Nested(PersonSchema, allow_none=True)
    created_at = fields.Timestamp(allow_none=True)
    undone_at = fields.Timestamp(allow_none=True)


class LineChangeSchema(Schema):
    """One change of a line by the bank, by field names."""

    before = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.String(allow_none=True), metadata=UNTRUSTED
    )
    after = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.String(allow_none=True), metadata=UNTRUSTED
    )
    created_at = fields.Timestamp()


class SuggestionsSchema(Schema):
    """A line's sources and suggestions, what it likely pays, moves or means, its joins and changes."""

    sources = ma.fields.List(fields.OneOf("file", "feed"))
    suggestions = ma.fields.List(ma.fields.Nested(LineJoinSchema))
    likely_payment = ma.fields.Nested(LikelyPaymentSchema, allow_none=True)
    likely_transfer = ma.fields.Nested(LikelyTransferSchema, allow_none=True)
    likely_account = ma.fields.Nested(LikelyAccountSchema, allow_none=True)
    joins = ma.fields.List(ma.fields.Nested(LineJoinSchema))
    changes = ma.fields.List(ma.fields.Nested(LineChangeSchema))


class OtherLineSchema(Schema):
    """The other line."""

    transaction_id = fields.Id(Kind.TRANSACTION, required=True)


class LineToJoinSchema(OtherLineSchema):
    """The other line, and what the two sides of a transfer differ by: a fee of the bank or an exchange difference."""

    difference = fields.OneOf(*PAIR_DIFFERENCES, load_default=None)


class OtherLineFormSchema(Schema):
    """The other line from a form."""

    transaction_id = fields.FormId(required=True)


class LineToJoinFormSchema(OtherLineFormSchema):
    """The other line from a form, and what the two sides of a transfer differ by."""

    difference = fields.OneOf(*PAIR_DIFFERENCES, load_default=None, allow_none=True)


class TransferSchema(Schema):
    """Two lines of two accounts that may be one transfer, the paying one first; join them with this `difference`."""

    transaction_id = fields.Id(Kind.TRANSACTION, attribute="line.id")
    other_transaction_id = fields.Id(Kind.TRANSACTION, attribute="other.id")
    days_apart = ma.fields.Integer()
    reason = Untrusted()
    is_only = ma.fields.Boolean()
    difference = fields.OneOf(*PAIR_DIFFERENCES, allow_none=True)


class TransfersSchema(Schema):
    """The proposed transfers, the unambiguous ones first."""

    transfers = ma.fields.List(ma.fields.Nested(TransferSchema))


class PairResultSchema(Schema):
    """The result for one proposed transfer."""

    transaction_id = fields.Id(Kind.TRANSACTION)
    other_transaction_id = fields.Id(Kind.TRANSACTION, attribute="other_id")
    status = fields.OneOf("EXECUTED", "FAILED")
    error = Untrusted()


class PairResultsSchema(Schema):
    """The results for all unambiguous transfers."""

    results = ma.fields.List(ma.fields.Nested(PairResultSchema))
