"""The schemas of merchants."""

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.marks import JoinedMarks, Marks
from webapp.schemas.paging import JoinedIds, PageSchema
from webapp.schemas.untrusted import Untrusted

LONGEST_TERMS = 3650
TERMS = {
    "description": "How many days after its day a new item of the merchant is due; null is on the day itself."
}


VAT_IDS = {"description": "The VAT ids by which its e-invoices are recognised."}
IBANS = {"description": "The numbers of its accounts, by which an e-invoice without a VAT id is recognised."}


class MerchantSchema(Schema):
    """A counterparty of the organization; one that is merged counts as `mergedIntoId` wherever merchants are named."""

    id = fields.Id(Kind.MERCHANT)
    name = Untrusted()
    website = ma.fields.String(allow_none=True)
    image_url = ma.fields.String(allow_none=True)
    logo = ma.fields.String(allow_none=True)
    terms_days = ma.fields.Integer(allow_none=True, metadata=TERMS)
    vat_ids = ma.fields.List(ma.fields.String(), metadata=VAT_IDS)
    ibans = ma.fields.List(ma.fields.String(), metadata=IBANS)
    merged_into_id = fields.Id(Kind.MERCHANT, allow_none=True)


class MerchantQuerySchema(PageSchema):
    """Which merchants to list."""

    q = fields.Text(least=1, most=255, load_default=None)
    merged_into_id = fields.FormId(load_default=None)
    ids = JoinedIds(Kind.MERCHANT, load_default=())


class MerchantPageQuerySchema(AddressSchema, MerchantQuerySchema):
    """The query of the page of merchants."""


class MerchantFormSchema(Schema):
    """A merchant from a form."""

    name = fields.Name(required=True)
    website = fields.Url(allow_none=True, load_default=None)
    vat_ids = JoinedMarks()
    ibans = JoinedMarks()


class NewMerchantSchema(Schema):
    """A new merchant."""

    name = fields.Name(required=True)
    website = fields.Url(allow_none=True, load_default=None)
    terms_days = fields.WholeNumber(least=0, most=LONGEST_TERMS, allow_none=True, load_default=None)
    vat_ids = Marks(load_default=list)
    ibans = Marks(load_default=list)


class MergePageSchema(AddressSchema):
    """The merchant that another one is to be merged into, as a page or its form names it."""

    merged_into_id = fields.FormId(load_default=None)


class MergeFormSchema(Schema):
    """The form that merges a merchant."""

    merged_into_id = fields.FormId(
        required=True, error_messages={"required": "Choose a customer or supplier."}
    )


class MergeSchema(Schema):
    """The merchant that another one is to count as."""

    merged_into_id = fields.Id(Kind.MERCHANT, required=True)


class MerchantChangesSchema(Schema):
    """The changed fields of a merchant; the others stay as they are."""

    name = fields.Name()
    website = fields.Url(allow_none=True)
    terms_days = fields.WholeNumber(least=0, most=LONGEST_TERMS, allow_none=True)
    vat_ids = Marks()
    ibans = Marks()
