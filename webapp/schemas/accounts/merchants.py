"""The shapes of merchants."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema


class MerchantSchema(Schema):
    """A counterparty as the organization knows it."""

    id = fields.Id()
    name = ma.fields.String()
    website = ma.fields.String(allow_none=True)
    image_url = ma.fields.String(allow_none=True)
    logo = ma.fields.String(allow_none=True)


class MerchantQuerySchema(PageSchema):
    """Which merchants to list."""

    q = fields.Text(least=1, most=255, load_default=None)


class MerchantPageQuerySchema(AddressSchema, MerchantQuerySchema):
    """Which merchants a page shows."""


class NewMerchantSchema(Schema):
    """A merchant to make."""

    name = fields.Name(required=True)
    website = fields.Url(allow_none=True, load_default=None)


class MerchantChangesSchema(Schema):
    """What to change of a merchant; what is not sent stays."""

    name = fields.Name()
    website = fields.Url(allow_none=True)
