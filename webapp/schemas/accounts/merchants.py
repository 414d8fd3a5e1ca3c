"""The schemas of merchants."""

from __future__ import annotations

import re
from typing import Any

import marshmallow as ma

from webapp.ledger.journal.transfer_sides import compact
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import JoinedIds, PageSchema

LONGEST_TERMS = 3650
TERMS = {
    "description": "How many days after its day a new item of the merchant is due; null is on the day itself."
}


VAT_IDS = {"description": "The VAT ids by which its e-invoices are recognised."}
IBANS = {"description": "The numbers of its accounts, by which an e-invoice without a VAT id is recognised."}
MOST_IDS = 50


class JoinedMarks(fields.Text):
    """VAT ids or numbers of accounts from a form, with commas between them; each as it is compared."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(most=2000, **kwargs)

    def deserialize(self, value: Any, attr: Any = None, data: Any = None, **kwargs: Any) -> Any:
        """Read an empty field as none of them."""
        return super().deserialize("" if value is None else value, attr, data, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        typed = super()._deserialize(value, attr, data, **kwargs)
        return Marks().deserialize([each for each in re.split(r"[,;\n]", typed) if each.strip()])


class Marks(ma.fields.List[Any]):
    """VAT ids or numbers of accounts: each once, without spaces and in capitals, as they are compared."""

    def __init__(self, **kwargs: Any) -> None:
        of_one = fields.Text(least=2, most=64)
        super().__init__(of_one, validate=ma.validate.Length(max=MOST_IDS), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        sent = super()._deserialize(value, attr, data, **kwargs)
        return list(dict.fromkeys(each for mark in sent if (each := compact(str(mark)))))


class MerchantSchema(Schema):
    """A counterparty of the organization; one that is merged counts as `mergedIntoId` wherever merchants are named."""

    id = fields.Id(Kind.MERCHANT)
    name = ma.fields.String()
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

    merged_into_id = fields.FormId(required=True, error_messages={"required": "Choose a merchant."})


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
