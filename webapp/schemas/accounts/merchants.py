"""The schemas of merchants."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema


class MerchantSchema(Schema):
    """A counterparty of the organization."""

    id = fields.Id(Kind.MERCHANT)
    name = ma.fields.String()
    website = ma.fields.String(allow_none=True)
    image_url = ma.fields.String(allow_none=True)
    logo = ma.fields.String(allow_none=True)


class MerchantQuerySchema(PageSchema):
    """Which merchants to list."""

    q = fields.Text(least=1, most=255, load_default=None)


class MerchantPageQuerySchema(AddressSchema, MerchantQuerySchema):
    """The query of the page of merchants."""


class NewMerchantSchema(Schema):
    """A new merchant."""

    name = fields.Name(required=True)
    website = fields.Url(allow_none=True, load_default=None)


class MerchantChangesSchema(Schema):
    """The changed fields of a merchant; the others stay as they are."""

    name = fields.Name()
    website = fields.Url(allow_none=True)
