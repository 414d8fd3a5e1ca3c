"""The shapes of ledger accounts."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from webapp.ledger.chart import AccountType
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted

TYPES = tuple(word.value for word in AccountType)


class Code(fields.Text):
    """The code of an account: letters and digits."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(least=1, most=20, **fields.said(kwargs, pattern="^[A-Za-z0-9]*$"))
        self.validators.append(
            ma.validate.Regexp("[A-Za-z0-9]*\\Z", error="Write letters A to Z and digits only.")
        )


class AccountSchema(Schema):
    """A ledger account with its balance."""

    id = fields.Id()
    code = ma.fields.String(allow_none=True)
    name = ma.fields.String()
    type = fields.Word(*TYPES)
    emoji = ma.fields.String(allow_none=True)
    currency = fields.Currency(allow_none=True)
    parent_id = fields.Id(allow_none=True)
    in_scope = ma.fields.Boolean()
    requires_counterparty = ma.fields.Boolean()
    is_watched = ma.fields.Boolean()
    is_system = ma.fields.Boolean()
    is_archived = ma.fields.Boolean()
    balance = fields.Amount()
    balance_base = fields.Amount()


class AccountQuerySchema(PageSchema):
    """Which accounts to list."""

    type_ = fields.Word(*TYPES, data_key="type", load_default=None)
    archived = fields.FormFlag(load_default=None)


class AccountDayQuerySchema(Schema):
    """The day at whose close the balance is read; without one, of all time."""

    as_of = fields.Day(load_default=None)


class RegisterLineSchema(Schema):
    """A posting that counts, and what the account held after it."""

    journal_entry_id = fields.Id()
    effective_at = fields.EffectiveAt()
    description = Untrusted()
    status = fields.Word("POSTED", "VOIDED")
    source = ma.fields.String()
    transaction_id = fields.Id(allow_none=True)
    amount = fields.Amount()
    currency = fields.Currency()
    amount_base = fields.Amount()
    balance = fields.Amount()
    balance_base = fields.Amount()


class RegisterQuerySchema(PageSchema):
    """From which end to list an account's postings, and of which days; they are inclusive."""

    order = fields.Word("NEWEST", "OLDEST", load_default="NEWEST")
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)


class RegisterPageQuerySchema(AddressSchema, RegisterQuerySchema):
    """What the address of a register's page says."""


class NewAccountSchema(Schema):
    """An account to open."""

    code = Code(allow_none=True, load_default=None)
    name = fields.Name(required=True)
    type = fields.Word(*TYPES, required=True)
    emoji = fields.Emoji(allow_none=True, load_default=None)
    currency = fields.Currency(allow_none=True, load_default=None)
    parent_id = fields.Id(allow_none=True, load_default=None)
    in_scope = fields.Flag(load_default=True)
    requires_counterparty = fields.Flag(load_default=False)
    is_watched = fields.Flag(load_default=False)


class AccountChangesSchema(Schema):
    """What to change of an account; what is not sent stays."""

    code = Code(allow_none=True)
    name = fields.Name()
    type = fields.Word(*TYPES)
    emoji = fields.Emoji(allow_none=True)
    currency = fields.Currency(allow_none=True)
    parent_id = fields.Id(allow_none=True)
    in_scope = fields.Flag()
    requires_counterparty = fields.Flag()
    is_watched = fields.Flag()
    is_archived = fields.Flag()


class NewAccountFormSchema(NewAccountSchema):
    """An account to open as the chart's form writes it."""

    parent_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]


class AccountFormSchema(NewAccountFormSchema):
    """An account as its own form writes it: whole, and without the boxes that are not checked."""

    in_scope = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    requires_counterparty = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    is_watched = fields.FormFlag(load_default=False)  # type: ignore[assignment]


class ArchiveFormSchema(Schema):
    """Whether an account is put away or brought back."""

    is_archived = fields.FormFlag(required=True)
