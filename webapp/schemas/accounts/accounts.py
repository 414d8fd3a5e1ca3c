"""The schemas of ledger accounts."""

from typing import Any

import marshmallow as ma

from webapp.ledger.chart import ALL_GROUPS, GROUPS
from webapp.ledger.codes import ACCOUNT_TYPES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.instants import EffectiveAt
from webapp.schemas.paging import JoinedIds, PageSchema
from webapp.schemas.untrusted import Untrusted


class Code(fields.Text):
    """The code of an account: letters and digits."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(least=1, most=20, **fields.with_metadata(kwargs, pattern="^[A-Za-z0-9]*$"))
        self.validators.append(
            ma.validate.Regexp("[A-Za-z0-9]*\\Z", error="Write letters A to Z and digits only.")
        )


GROUP = {
    "description": "The subtotal of statements that it stands in; null is the preset of its type, role and code."
}

TAX_CODE = {
    "description": "The tax code that a bank line gets with the account, where it fits and no other is sent."
}


class AccountSchema(Schema):
    """A ledger account with its balance."""

    id = fields.Id(Kind.ACCOUNT)
    code = ma.fields.String(allow_none=True)
    name = Untrusted()
    type = fields.OneOf(*ACCOUNT_TYPES)
    emoji = ma.fields.String(allow_none=True)
    currency = fields.Currency(allow_none=True)
    currency_from = fields.Day(allow_none=True)
    parent_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    in_scope = ma.fields.Boolean()
    requires_counterparty = ma.fields.Boolean()
    is_watched = ma.fields.Boolean()
    is_revalued = ma.fields.Boolean()
    keeps_items = ma.fields.Boolean()
    items_from = fields.Day(allow_none=True)
    is_system = ma.fields.Boolean()
    is_archived = ma.fields.Boolean()
    group = fields.OneOf(*ALL_GROUPS, metadata=GROUP)
    tax_code_id = fields.Id(Kind.TAX_CODE, allow_none=True, metadata=TAX_CODE)
    balance = fields.Amount()
    balance_base = fields.Amount()


class AccountQuerySchema(PageSchema):
    """Which accounts to list."""

    type_ = fields.OneOf(*ACCOUNT_TYPES, data_key="type", load_default=None)
    archived = fields.FormFlag(load_default=None)
    ids = JoinedIds(Kind.ACCOUNT, load_default=())


class AccountDayQuerySchema(Schema):
    """The day at whose close the balance is read; without one, of all time."""

    as_of = fields.Day(load_default=None)


class RegisterLineSchema(Schema):
    """A posting that counts, and the balance of the account after it."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    entry_number = ma.fields.Integer()
    effective_at = EffectiveAt(attribute="effective_on")
    description = Untrusted()
    status = fields.OneOf("POSTED", "VOIDED")
    source = ma.fields.String()
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    amount = fields.Amount()
    currency = fields.Currency()
    amount_base = fields.Amount()
    balance = fields.Amount()
    balance_base = fields.Amount()


class RegisterQuerySchema(PageSchema):
    """The order and the days of an account's postings; days are inclusive."""

    order = fields.OneOf("NEWEST", "OLDEST", load_default="NEWEST")
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)


class RegisterPageQuerySchema(AddressSchema, RegisterQuerySchema):
    """The query of a register's page."""


class NewAccountSchema(Schema):
    """A new account; without `isRevalued` a liability is revalued, and an asset that has one currency."""

    code = Code(allow_none=True, load_default=None)
    name = fields.Name(required=True)
    type = fields.OneOf(*ACCOUNT_TYPES, required=True)
    emoji = fields.Emoji(allow_none=True, load_default=None)
    currency = fields.Currency(allow_none=True, load_default=None)
    parent_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None)
    in_scope = fields.Flag(load_default=True)
    requires_counterparty = fields.Flag(load_default=False)
    is_watched = fields.Flag(load_default=False)
    is_revalued = fields.Flag(allow_none=True, load_default=None)
    keeps_items = fields.Flag(load_default=False)
    group = fields.OneOf(*ALL_GROUPS, allow_none=True, load_default=None, metadata=GROUP)
    tax_code_id = fields.Id(Kind.TAX_CODE, allow_none=True, load_default=None, metadata=TAX_CODE)


ITEMS_FROM = {"description": "What is dated before this day is one opening item per merchant and currency."}


class AccountChangesSchema(Schema):
    """The changed fields of an account; the others stay as they are."""

    code = Code(allow_none=True)
    name = fields.Name()
    type = fields.OneOf(*ACCOUNT_TYPES)
    emoji = fields.Emoji(allow_none=True)
    currency = fields.Currency(allow_none=True)
    parent_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    in_scope = fields.Flag()
    requires_counterparty = fields.Flag()
    is_watched = fields.Flag()
    is_revalued = fields.Flag()
    keeps_items = fields.Flag()
    items_from = fields.Day(allow_none=True, metadata=ITEMS_FROM)
    is_archived = fields.Flag()
    group = fields.OneOf(*ALL_GROUPS, allow_none=True, metadata=GROUP)
    tax_code_id = fields.Id(Kind.TAX_CODE, allow_none=True, metadata=TAX_CODE)


class NewAccountFormSchema(NewAccountSchema):
    """A new account from the chart's form."""

    parent_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]


class AccountFormSchema(NewAccountFormSchema):
    """An account from its own form: all fields, with unchecked boxes missing."""

    in_scope = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    requires_counterparty = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    is_watched = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    is_revalued = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    keeps_items = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    items_from = fields.Day(allow_none=True, load_default=None)
    group = fields.OneOf(*ALL_GROUPS)
    tax_code_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]

    @ma.pre_load
    def of_the_type(self, data: dict[str, Any], **kwargs: object) -> dict[str, Any]:
        """Leave out a group of the type that the account had before."""
        del kwargs
        fits = data.get("group") in GROUPS.get(data.get("type", ""), ())
        return data if fits else {name: value for name, value in data.items() if name != "group"}


class ArchiveFormSchema(Schema):
    """Whether an account is archived or restored."""

    is_archived = fields.FormFlag(required=True)
