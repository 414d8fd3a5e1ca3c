"""The schemas of schedules."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.closing.schedules import (
    EVERY,
    FIRST_MONTHS,
    METHODS,
    MOST_PARTS,
    SPLITS,
    DayRule,
    PartState,
    ScheduleKind,
)
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.bookkeeping.journal_entries import PostingInputSchema
from webapp.schemas.untrusted import Untrusted

AMOUNT = (
    "What all parts come to on `accountId`, or of a RECURRING one each; null where each part has postings."
)
SPLIT = "EQUAL where parts share `amount`, GIVEN where it is that of each; null where a rate or an entry gives them."
BASE = "What it was worth in the base currency."
DAY_RULE = "On which day of their month parts fall due: that of `startsOn`, the last or the first."


DOCUMENT = "The id of the document that it is about; null for none."
COUNTER = "Where parts of the amount go."
ORIGIN = "The entry that it reverses, or whose amount it spreads; null for none."
WHY = "Why it is done; kept with the act."
RESIDUAL = "What is left of an asset's cost in the end; null for other schedules."
METHOD = "How an asset is depreciated; null for other schedules."
ASSET = (
    "The account of an asset's cost, where `accountId` is that of its depreciation; null for other schedules."
)
SALE = "The entry by which it was sold, on the account Gain or loss on disposal; null where it was scrapped."
RATE = "In per cent a year, of an asset on a reducing balance and of a loan; else null."
PAYMENT = "What each payment of a loan comes to with its interest; else null."
ITSELF = "Whether the worker posts its parts on their days. Only a person lets it."
FIRST_MONTH = (
    "Whether the month of use counts in full, or the next one is the first; null for other schedules."
)


class SchedulePartSchema(Schema):
    """A part of a schedule."""

    number = ma.fields.Integer(metadata={"description": "Its number in the schedule, from 1."})
    due_on = fields.Day(metadata={"description": "The day on which it falls due."})
    amount = fields.Amount(
        allow_none=True, metadata={"description": "Its share; null where it has postings."}
    )
    amount_base = fields.Amount(allow_none=True, metadata={"description": "Its share of what it was worth."})
    state = fields.OneOf(
        *PartState,
        metadata={
            "description": "What became of it. A DRAFT waits for somebody; one that was voided is DUE again."
        },
    )
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    effective_at = fields.Day(allow_none=True, metadata={"description": "The day of its entry; null before."})
    refusal = Untrusted(
        allow_none=True, metadata={"description": "Why it could not be posted; null otherwise."}
    )
    refusal_code = ma.fields.String(
        allow_none=True, metadata={"description": "The code of the error that refused it; null otherwise."}
    )
    principal = fields.Amount(
        allow_none=True, metadata={"description": "What a payment of a loan pays back; else null."}
    )
    owed = fields.Amount(
        allow_none=True, metadata={"description": "What is owed of a loan after its payment; else null."}
    )


class DisposalSchema(Schema):
    """How an asset was disposed of: `gain` is `proceeds` less `bookValue`, a loss below zero."""

    on = fields.Day(metadata={"description": "The day of the disposal."})
    journal_entry_id = fields.Id(
        Kind.JOURNAL_ENTRY,
        allow_none=True,
        metadata={"description": "The entry that took it out of the books."},
    )
    sale_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True, metadata={"description": SALE})
    depreciated = fields.Amount()
    book_value = fields.Amount()
    proceeds = fields.Amount(metadata={"description": "The price of the sale without its tax."})
    gain = fields.Amount()
    taken_back = fields.Amount(metadata={"description": "What parts beyond the disposal came to."})


class ScheduleSchema(Schema):
    """An amount, or an entry, in parts that fall due by a rule."""

    id = fields.Id(Kind.SCHEDULE)
    name = Untrusted(metadata={"description": "What it is called, and its entries."})
    kind = fields.OneOf(*ScheduleKind, metadata={"description": "What its parts are."})
    status = fields.OneOf(
        "ACTIVE", "STOPPED", metadata={"description": "Whether its parts are still posted."}
    )
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    counter_account_id = fields.Id(
        Kind.ACCOUNT,
        allow_none=True,
        metadata={"description": f"{COUNTER[:-1]}; null for none."},
    )
    currency = fields.Currency(allow_none=True)
    amount = fields.Amount(allow_none=True, metadata={"description": AMOUNT})
    amount_base = fields.Amount(allow_none=True, metadata={"description": BASE})
    split = fields.OneOf(*SPLITS, allow_none=True, metadata={"description": SPLIT})
    residual = fields.Amount(allow_none=True, metadata={"description": RESIDUAL})
    method = fields.OneOf(*METHODS, allow_none=True, metadata={"description": METHOD})
    rate = ma.fields.String(allow_none=True, metadata={"description": RATE})
    payment = fields.Amount(allow_none=True, metadata={"description": PAYMENT})
    first_month = fields.OneOf(*FIRST_MONTHS, allow_none=True, metadata={"description": FIRST_MONTH})
    starts_on = fields.Day(metadata={"description": "The day from which the days of its parts are counted."})
    every = fields.OneOf(*EVERY, metadata={"description": "How far its parts are apart."})
    day_rule = fields.OneOf(*DayRule, metadata={"description": DAY_RULE})
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True, metadata={"description": DOCUMENT})
    origin_entry_id = fields.Id(
        Kind.JOURNAL_ENTRY,
        allow_none=True,
        metadata={"description": ORIGIN},
    )
    asset_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, metadata={"description": ASSET})
    disposal = ma.fields.Nested(DisposalSchema, allow_none=True)
    posts_itself = ma.fields.Boolean(metadata={"description": ITSELF})
    parts = ma.fields.List(ma.fields.Nested(SchedulePartSchema), metadata={"description": "Its parts."})


def recurring_postings(**options: Any) -> ma.fields.Field[Any]:
    """The field of what each part of a RECURRING schedule posts."""
    return ma.fields.List(
        ma.fields.Nested(PostingInputSchema),
        validate=ma.validate.Length(min=2, max=200, error="Send 2 to 200 postings."),
        metadata={"description": "What each part of a RECURRING one posts."},
        **options,
    )


class NewScheduleSchema(Schema):
    """A new schedule: a RELEASE of an amount from an account to another, or a RECURRING one of that or of postings.

    A DEPRECIATION takes `amount`, the cost of an asset, from `accountId` month by month; a LOAN of `amount` adds its
    interest to `accountId` with each payment, whose bank line is booked there whole.
    """

    kind = fields.OneOf(
        "RECURRING",
        "RELEASE",
        "DEPRECIATION",
        "LOAN",
        required=True,
        metadata={"description": "What its parts are."},
    )
    name = fields.Name(required=True)
    starts_on = fields.Day(
        required=True, metadata={"description": "The day of the first part, or in its month."}
    )
    periods = fields.WholeNumber(
        least=1,
        most=MOST_PARTS,
        load_default=None,
        metadata={"description": "How many parts; or send `endsOn`."},
    )
    ends_on = fields.Day(
        load_default=None, metadata={"description": "The last day of a part; or send `periods`."}
    )
    every = fields.OneOf(
        *EVERY, load_default="MONTH", metadata={"description": "How far its parts are apart."}
    )
    day_rule = fields.OneOf(*DayRule, load_default=None, metadata={"description": DAY_RULE})
    account_id = fields.Id(Kind.ACCOUNT, load_default=None)
    counter_account_id = fields.Id(Kind.ACCOUNT, load_default=None, metadata={"description": COUNTER})
    amount = fields.Amount(load_default=None, metadata={"description": AMOUNT})
    amount_base = fields.Amount(load_default=None, metadata={"description": BASE})
    currency = fields.Currency(load_default=None)
    residual = fields.Amount(load_default=None, metadata={"description": RESIDUAL})
    method = fields.OneOf(*METHODS, load_default=None, metadata={"description": METHOD})
    rate = fields.Factor(load_default=None, metadata={"description": RATE})
    payment = fields.Amount(load_default=None, metadata={"description": PAYMENT})
    first_month = fields.OneOf(*FIRST_MONTHS, load_default=None, metadata={"description": FIRST_MONTH})
    asset_account_id = fields.Id(Kind.ACCOUNT, load_default=None, metadata={"description": ASSET})
    postings = recurring_postings(load_default=None)
    document_id = fields.Id(Kind.DOCUMENT, load_default=None, metadata={"description": DOCUMENT})
    origin_entry_id = fields.Id(Kind.JOURNAL_ENTRY, load_default=None, metadata={"description": ORIGIN})
    posts_itself = fields.Flag(load_default=False, metadata={"description": ITSELF})


class ScheduleChangesSchema(Schema):
    """The changed fields of a schedule, for its parts that are not posted; the others stay as they are.

    The `amount` of a RELEASE is the whole again: what its posted and skipped parts leave of it is split equally. That
    of a RECURRING one is each part's, and only a RECURRING one takes another `accountId`.
    """

    name = fields.Name()
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True, metadata={"description": DOCUMENT})
    account_id = fields.Id(Kind.ACCOUNT)
    counter_account_id = fields.Id(Kind.ACCOUNT, metadata={"description": COUNTER})
    amount = fields.Amount(metadata={"description": AMOUNT})
    amount_base = fields.Amount(metadata={"description": BASE})
    postings = recurring_postings()
    posts_itself = fields.Flag(metadata={"description": ITSELF})


class ScheduleRunSchema(Schema):
    """Up to which day parts are posted, or written as drafts; by default today."""

    until = fields.Day(load_default=None, metadata={"description": "The last day of parts that are posted."})
    post = fields.Flag(
        load_default=True,
        metadata={"description": "Post them; otherwise they are drafts that somebody posts."},
    )


class ScheduleStopSchema(Schema):
    """Why a schedule is stopped; with `release` what is left of its amount is posted at once."""

    note = fields.Text(least=1, most=2000, required=True, metadata={"description": WHY})
    release = fields.Flag(
        load_default=False, metadata={"description": "Post what is left of its amount now."}
    )


class DisposalInputSchema(Schema):
    """When an asset is disposed of, and by which entry it was sold; a day far ahead needs `force`."""

    on = fields.Day(required=True, metadata={"description": "The day of the disposal."})
    sale_entry_id = fields.Id(Kind.JOURNAL_ENTRY, load_default=None, metadata={"description": SALE})
    force = fields.Flag(load_default=False)


class PartSkipSchema(Schema):
    """Why a part is left out."""

    note = fields.Text(least=1, most=2000, required=True, metadata={"description": WHY})


class NewScheduleFormSchema(NewScheduleSchema):
    """A new schedule from the form of its page; each kind has an amount and two accounts there."""

    periods = fields.Digits(least=1, most=MOST_PARTS, load_default=None)
    account_id = fields.FormId(required=True)  # type: ignore[assignment]
    counter_account_id = fields.FormId(required=True)  # type: ignore[assignment]
    asset_account_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    origin_entry_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    amount = fields.Amount(required=True)
    posts_itself = fields.FormFlag(load_default=False)  # type: ignore[assignment]

    @ma.pre_load
    def without_empty(self, data: Mapping[str, Any], **kwargs: object) -> dict[str, Any]:
        """Leave out what was not filled in."""
        del kwargs
        return {name: value for name, value in data.items() if value is not None}


class ScheduleChangesFormSchema(ScheduleChangesSchema):
    """The changed fields of a schedule from the form on its page, which has those of its kind."""

    account_id = fields.FormId()  # type: ignore[assignment]
    document_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
    counter_account_id = fields.FormId()  # type: ignore[assignment]
    posts_itself = fields.FormFlag(load_default=False)  # type: ignore[assignment]


class ScheduleRunFormSchema(Schema):
    """Whether the parts that are due are posted, or written as drafts."""

    post = fields.FormFlag(load_default=True)


class DisposalFormSchema(Schema):
    """When an asset is disposed of, and the number of the entry by which it was sold."""

    on = fields.Day(required=True)
    sale_entry_id = fields.FormId(allow_none=True, load_default=None)
