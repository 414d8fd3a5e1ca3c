"""The schemas of merchants."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema

LONGEST_TERMS = 3650
TERMS = {
    "description": "How many days after its day a new item of the merchant is due; null is on the day itself."
}


class MerchantSchema(Schema):
    """A counterparty of the organization; one that is merged counts as `mergedIntoId` wherever merchants are named."""

    id = fields.Id(Kind.MERCHANT)
    name = ma.fields.String()
    website = ma.fields.String(allow_none=True)
    image_url = ma.fields.String(allow_none=True)
    logo = ma.fields.String(allow_none=True)
    terms_days = ma.fields.Integer(allow_none=True, metadata=TERMS)
    merged_into_id = fields.Id(Kind.MERCHANT, allow_none=True)


class MerchantQuerySchema(PageSchema):
    """Which merchants to list."""

    q = fields.Text(least=1, most=255, load_default=None)
    merged_into_id = fields.FormId(load_default=None)


class MerchantPageQuerySchema(AddressSchema, MerchantQuerySchema):
    """The query of the page of merchants."""


class MerchantFormSchema(Schema):
    """A merchant from a form."""

    name = fields.Name(required=True)
    website = fields.Url(allow_none=True, load_default=None)


class NewMerchantSchema(MerchantFormSchema):
    """A new merchant."""

    terms_days = fields.WholeNumber(least=0, most=LONGEST_TERMS, allow_none=True, load_default=None)


class MergePageSchema(AddressSchema):
    """The merchant that another one is to be merged into, as a page or its form names it."""

    merged_into_id = fields.FormId(load_default=None)


class MergeFormSchema(Schema):
    """The form that merges a merchant."""

    merged_into_id = fields.FormId(required=True, error_messages={"required": "Choose a merchant."})


class MergeSchema(Schema):
    """The merchant that another one is to count as."""

    merged_into_id = fields.Id(Kind.MERCHANT, required=True)


class MerchantChangesSchema(Schema):
    """The changed fields of a merchant; the others stay as they are."""

    name = fields.Name()
    website = fields.Url(allow_none=True)
    terms_days = fields.WholeNumber(least=0, most=LONGEST_TERMS, allow_none=True)
