"""The schemas of feed accounts."""

import marshmallow as ma

from webapp.ledger.codes import FEED_ACCOUNT_TYPES, SUSPECTS
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.instants import CalendarMonth
from webapp.schemas.untrusted import Untrusted


class FeedBalanceSchema(Schema):
    """A balance that the bank itself stated."""

    amount = fields.Amount()
    currency = fields.Currency()
    as_of = fields.Day()


class FeedAccountSchema(Schema):
    """A feed account with its ledger account and the counts of lines that wait for somebody."""

    fa_id = fields.Id(Kind.FEED_ACCOUNT)
    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    account_emoji = ma.fields.String(allow_none=True)
    account_type = fields.OneOf(*FEED_ACCOUNT_TYPES)
    mask = ma.fields.String(allow_none=True)
    currency = fields.Currency()
    institution_name = Untrusted(allow_none=True)
    institution_logo = ma.fields.String(allow_none=True)
    institution_url = ma.fields.String(allow_none=True)
    unreconciled_count = fields.WholeNumber()
    unconfirmed_count = fields.WholeNumber()
    last_feed_at = fields.Timestamp(allow_none=True)
    feed_balance = ma.fields.Nested(FeedBalanceSchema, allow_none=True)
    external_id = Untrusted(allow_none=True)
    provider = ma.fields.String()
    is_active = ma.fields.Boolean()
    splits_batches = ma.fields.Boolean()


class DaysSchema(Schema):
    """Days in a row, both ends inclusive."""

    first = fields.Day()
    last = fields.Day()


class CoveringProofSchema(Schema):
    """A standing proof whose statement has days of the month; `GET /api/reconciliations/{id}` has all of it."""

    id = fields.Id(Kind.RECONCILIATION)
    statement_date = fields.Day()
    holds = ma.fields.Boolean(metadata={"description": "Whether the books still agree with its statement."})


class CoveredMonthSchema(Schema):
    """The coverage of an account in one month (YYYY-MM); `mismatch` is the stated less the computed balance."""

    month = CalendarMonth()
    by_file = ma.fields.Boolean()
    by_feed = ma.fields.Boolean()
    stated_balance = fields.Amount(attribute="stated.amount", dump_default=None, allow_none=True)
    stated_on = fields.Day(attribute="stated.day", dump_default=None, allow_none=True)
    computed_balance = fields.Amount(attribute="computed", allow_none=True)
    mismatch = fields.Amount(allow_none=True)
    proved = fields.OneOf(
        "WHOLE",
        "PARTLY",
        "NO",
        metadata={"description": "Whether standing proofs clear the month; whether they hold is in `holds`."},
    )
    holds = ma.fields.Boolean(
        allow_none=True,
        metadata={"description": "Whether every proof of the month holds; null where it has none."},
    )
    proofs = ma.fields.List(ma.fields.Nested(CoveringProofSchema))
    gaps = ma.fields.List(ma.fields.Nested(DaysSchema))
    overlaps = ma.fields.List(ma.fields.Nested(DaysSchema))


class SuspectSchema(Schema):
    """One thing that alone explains a difference; `MISSING` has no line."""

    kind = fields.OneOf(*SUSPECTS, metadata={"description": "What it is."})
    sentence = Untrusted(metadata={"description": "What it is, in words that name the line."})
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True)
    day = fields.Day(allow_none=True, metadata={"description": "The day of the line; null without one."})


class AlibiSchema(Schema):
    """The first day whose stated balance the lines since `after` do not explain; `amount` is what they lack."""

    after = fields.Day(metadata={"description": "The last day before whose balance is explained."})
    day = fields.Day(metadata={"description": "The first day whose balance is not explained."})
    amount = fields.Amount(
        metadata={"description": "What the lines lack; below zero where they have too much."}
    )
    sentence = Untrusted(metadata={"description": "The same in a sentence."})
    suspects = ma.fields.List(ma.fields.Nested(SuspectSchema))


class CoverageSchema(Schema):
    """The coverage of an account by month, newest first; `alibi` is null where its lines explain every balance."""

    fa_id = fields.Id(Kind.FEED_ACCOUNT)
    currency = fields.Currency()
    months = ma.fields.List(ma.fields.Nested(CoveredMonthSchema))
    alibi = ma.fields.Nested(AlibiSchema, allow_none=True)


class NewFeedAccountSchema(Schema):
    """A new feed account; without `accountId` it gets a ledger account of its own."""

    name = fields.Name(required=True)
    currency = fields.Currency(required=True)
    type = fields.OneOf(*FEED_ACCOUNT_TYPES, allow_none=True, load_default=None)
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None)
    external_id = fields.Text(least=1, most=255, allow_none=True, load_default=None)
    mask = fields.Text(least=1, most=32, allow_none=True, load_default=None)
    institution_name = fields.Name(allow_none=True, load_default=None)
    institution_url = fields.Url(allow_none=True, load_default=None)


class FeedAccountChangesSchema(Schema):
    """The changed fields of a feed account; the others stay as they are."""

    name = fields.Name()
    type = fields.OneOf(*FEED_ACCOUNT_TYPES)
    account_id = fields.Id(Kind.ACCOUNT)
    external_id = fields.Text(least=1, most=255, allow_none=True)
    mask = fields.Text(least=1, most=32, allow_none=True)
    institution_name = fields.Name(allow_none=True)
    institution_url = fields.Url(allow_none=True)
    is_active = fields.Flag()
    splits_batches = fields.Flag(
        metadata={"description": "Whether each payment of a batch in a CAMT file becomes a line of its own."}
    )


class BatchesFormSchema(Schema):
    """Whether each payment of a batch becomes a line of its own."""

    splits_batches = fields.FormFlag(required=True)
