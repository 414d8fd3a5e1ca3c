"""The schemas of owners and of appropriations of results."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted

MOST = 200
SHARE = {"description": "The share of results; only its proportion to the others counts."}
CAPITAL = {"description": "The account of the owner's capital."}
DRAWINGS = {"description": "The account of the owner's drawings; null for none."}
FROM = {"description": "The day from which the share counts."}


class OwnerShareSchema(Schema):
    """A share from a day on."""

    from_ = fields.Day(data_key="from", metadata=FROM)
    share = ma.fields.String(metadata=SHARE)


class OwnerSchema(Schema):
    """An owner, with the shares in the order of their days."""

    id = fields.Id(Kind.OWNER)
    name = Untrusted()
    capital_account_id = fields.Id(Kind.ACCOUNT, metadata=CAPITAL)
    drawings_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, metadata=DRAWINGS)
    shares = ma.fields.List(
        ma.fields.Nested(OwnerShareSchema), metadata={"description": "The shares by their days."}
    )
    is_archived = ma.fields.Boolean()


class OwnersSchema(Schema):
    """Owners in the order in which they were written."""

    owners = ma.fields.List(ma.fields.Nested(OwnerSchema), metadata={"description": "All owners."})


class NewOwnerSchema(Schema):
    """A new owner, whose share counts from a day on."""

    name = fields.Name(required=True)
    capital_account_id = fields.Id(Kind.ACCOUNT, required=True, metadata=CAPITAL)
    drawings_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=DRAWINGS)
    share = fields.Factor(required=True, metadata=SHARE)
    from_ = fields.Day(data_key="from", load_default=date(1900, 1, 1), metadata=FROM)


class OwnerChangesSchema(Schema):
    """The changed fields of an owner; a share without a day counts from today on."""

    name = fields.Name()
    capital_account_id = fields.Id(Kind.ACCOUNT, metadata=CAPITAL)
    drawings_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, metadata=DRAWINGS)
    share = fields.Factor(metadata=SHARE)
    from_ = fields.Day(data_key="from", metadata=FROM)
    is_archived = fields.Flag()


class OwnerFormSchema(NewOwnerSchema):
    """A new owner from its form."""

    capital_account_id = fields.FormId(required=True)  # type: ignore[assignment]
    drawings_account_id = fields.FormId(load_default=None)  # type: ignore[assignment]


class OwnerChangesFormSchema(OwnerChangesSchema):
    """The changed fields of an owner from the form; a share counts from its day on."""

    capital_account_id = fields.FormId()  # type: ignore[assignment]
    drawings_account_id = fields.FormId(allow_none=True)  # type: ignore[assignment]
    is_archived = fields.FormFlag(load_default=False)  # type: ignore[assignment]

    @ma.pre_load
    def without_share(self, data: Mapping[str, Any], **kwargs: object) -> dict[str, Any]:
        """Leave out a share that was not filled in, with its day."""
        del kwargs
        is_left_out = data.get("share") is None
        return {
            name: value for name, value in data.items() if not (is_left_out and name in ("share", "from"))
        }


class FirstAmountSchema(Schema):
    """What an owner gets before shares."""

    owner_id = fields.WholeNumber(least=1, most=fields.LARGEST_ID, required=True)
    amount = fields.Amount(required=True)


class FixedAmountSchema(Schema):
    """What an account gets before shares: a reserve, or dividends with the party that they are owed to."""

    account_id = fields.Id(Kind.ACCOUNT, required=True)
    amount = fields.Amount(required=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True, load_default=None)


YEAR = {"description": "The calendar year in which the financial year ends."}
DECIDED_ON = {"description": "The day of the decision; the entry is dated on it or on the first open day."}


class AppropriationInputSchema(Schema):
    """What is put to whom of a year's result; what is left goes to owners by their shares."""

    year = fields.WholeNumber(least=1900, most=2199, required=True, metadata=YEAR)
    first = ma.fields.List(
        ma.fields.Nested(FirstAmountSchema),
        load_default=(),
        validate=ma.validate.Length(max=MOST),
        metadata={"description": "What owners get before shares."},
    )
    fixed = ma.fields.List(
        ma.fields.Nested(FixedAmountSchema),
        load_default=(),
        validate=ma.validate.Length(max=MOST),
        metadata={"description": "What accounts get before shares."},
    )
    keep = fields.Amount(
        allow_none=True, load_default=None, metadata={"description": "What stays on retained earnings."}
    )
    decided_on = fields.Day(allow_none=True, load_default=None, metadata=DECIDED_ON)
    post = fields.Flag(load_default=False)


class AppropriationQuerySchema(Schema):
    """Of which year the appropriation is."""

    year = fields.Digits(least=1900, most=2199, required=True, metadata={**YEAR, "example": 2025})


class AppropriatedShareSchema(Schema):
    """What an owner gets."""

    owner_id = ma.fields.Integer()
    name = Untrusted()
    amount = fields.Amount()


class AppropriationLegSchema(Schema):
    """What is posted to an account, debit positive."""

    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    amount = fields.Amount()


class AppropriationSchema(Schema):
    """What a year's result is, what was put to something, and the entry that is missing."""

    year = ma.fields.Integer(metadata=YEAR)
    from_ = fields.Day(
        data_key="from", attribute="period.first", metadata={"description": "The first day of the year."}
    )
    to = fields.Day(attribute="period.last", metadata={"description": "The last day of the year."})
    day = fields.Day(metadata={"description": "The day of the entry."})
    result = fields.Amount(metadata={"description": "The result of the year."})
    appropriated = fields.Amount(metadata={"description": "What was put to something so far."})
    not_yet_appropriated = fields.Amount(metadata={"description": "The result less what was put and kept."})
    shares = ma.fields.List(
        ma.fields.Nested(AppropriatedShareSchema), metadata={"description": "What owners get in all."}
    )
    legs = ma.fields.List(
        ma.fields.Nested(AppropriationLegSchema), metadata={"description": "What the entry posts."}
    )
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    journal_entry_ids = ma.fields.List(
        fields.Id(Kind.JOURNAL_ENTRY), metadata={"description": "The entries that were posted before."}
    )


class FirstAmountFormSchema(FirstAmountSchema):
    """What an owner gets before shares, from the form."""

    owner_id = fields.FormId(required=True)


class FixedAmountFormSchema(FixedAmountSchema):
    """What an account gets before shares, from the form."""

    account_id = fields.FormId(required=True)  # type: ignore[assignment]
    org_merchant_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]


class AppropriationFormSchema(AppropriationInputSchema):
    """What is put to whom of a year's result, from the form; what has no amount is left out."""

    year = fields.Digits(least=1900, most=2199, required=True)
    first = ma.fields.List(ma.fields.Nested(FirstAmountFormSchema), load_default=())
    fixed = ma.fields.List(ma.fields.Nested(FixedAmountFormSchema), load_default=())
    post = fields.FormFlag(load_default=False)  # type: ignore[assignment]

    @ma.pre_load
    def without_empty(self, data: Mapping[str, Any], **kwargs: object) -> dict[str, Any]:
        """Leave out the rows without an amount."""
        del kwargs
        rows = {
            name: [each for each in data.get(name, ()) if each.get("amount")] for name in ("first", "fixed")
        }
        return {**data, **rows}


class OwnersPageSchema(Schema):
    """The year whose appropriation the page of owners shows; the last one that is over unless it says so."""

    year = fields.Digits(least=1900, most=2199, load_default=None)
