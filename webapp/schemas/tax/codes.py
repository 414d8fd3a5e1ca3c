"""The schemas of tax codes and packs, and of the tax of a posting or split."""

from typing import Any

import marshmallow as ma

from webapp.ledger.codes import DOCUMENT_SIDES
from webapp.ledger.references import Kind
from webapp.ledger.tax.forms import FREQUENCIES
from webapp.ledger.tax.rules import SHARE_KINDS, TAX_BASES, TAX_ROLES
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import OPTIONAL, Schema
from webapp.schemas.instants import EffectiveAt
from webapp.schemas.paging import JoinedIds, PageSchema
from webapp.schemas.untrusted import Untrusted

SHARES = "What the base and the tax post and add to boxes: the base once, the tax once or more."
RATE = {"description": "Per cent, like 17.5."}
MOST_SHARES = 10
COUNTED = "Before a return is filed the first day with boxes; afterwards the day from which periods are counted anew."
CODE = {"description": "The code, as people write it."}
BASIS = {"description": "Whether tax is due by invoices (ACCRUAL) or by money (CASH)."}
STATED = {
    "description": "The tax as the document states it, with the sign of the amount; else it is computed."
}
STATED_IN_BASE = {"description": "The tax as the document states it in the base currency, with that sign."}
SIDE = {"description": "Whether it is for sales or for purchases."}


class TaxBoxSchema(Schema):
    """A box of a form, and the factor by which a base or a tax enters it."""

    form = fields.Text(least=1, most=32, required=True)
    box = fields.Text(least=1, most=8, required=True)
    factor = fields.Factor(required=True)


class TaxShareSchema(Schema):
    """A share of a base or a tax; without a role it is on the account of the base."""

    of = fields.OneOf(*SHARE_KINDS, required=True)
    factor = fields.Factor(required=True)
    role = fields.OneOf(*TAX_ROLES, allow_none=True, load_default=None)
    boxes = ma.fields.List(
        ma.fields.Nested(TaxBoxSchema), load_default=list, validate=ma.validate.Length(max=MOST_SHARES)
    )


class TaxCodeSchema(Schema):
    """A tax code."""

    id = fields.Id(Kind.TAX_CODE)
    code = ma.fields.String(metadata=CODE)
    name = ma.fields.String()
    side = fields.OneOf(*DOCUMENT_SIDES, metadata=SIDE)
    rate = fields.Factor(metadata=RATE)
    basis = fields.OneOf(*TAX_BASES, metadata=BASIS)
    amount_is = fields.OneOf(*SHARE_KINDS)
    is_self_assessed = ma.fields.Boolean()
    has_relief = ma.fields.Boolean()
    pack = ma.fields.String(
        allow_none=True,
        metadata={"description": "The pack that it came with; null for one of the books' own."},
    )
    valid_from = fields.Day(allow_none=True)
    valid_to = fields.Day(allow_none=True)
    is_archived = ma.fields.Boolean()
    shares = ma.fields.List(ma.fields.Nested(TaxShareSchema), metadata={"description": SHARES})


class TaxCodeQuerySchema(PageSchema):
    """Which tax codes to list."""

    side = fields.OneOf(*DOCUMENT_SIDES, load_default=None)
    archived = fields.FormFlag(load_default=None, allow_none=True)
    ids = JoinedIds(Kind.TAX_CODE, load_default=())


class UncodedQuerySchema(PageSchema):
    """Whether to list income (SALE) or expenses (PURCHASE); without it both."""

    side = fields.OneOf(*DOCUMENT_SIDES, load_default=None)


class UncodedPageSchema(AddressSchema, UncodedQuerySchema):
    """The same as the address of its page says it."""


class UncodedPostingSchema(Schema):
    """A posting of income or expenses without a tax code."""

    id = fields.Id(Kind.POSTING)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    effective_at = EffectiveAt(attribute="effective_on")
    description = Untrusted(metadata={"description": "What its entry says."})
    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    amount_base = fields.Amount(metadata={"description": "The amount in the base currency, debit positive."})


class CodedLinesFormSchema(Schema):
    """The bank lines that get a tax code on a page, and whether that may be late for a filed return."""

    ids = ma.fields.List(
        fields.FormId(), required=True, error_messages={"required": "Choose a bank line first."}
    )
    tax_code_id = fields.FormId(required=True)
    side = fields.OneOf(*DOCUMENT_SIDES, allow_none=True, load_default=None)


class NewTaxCodeSchema(Schema):
    """A new tax code."""

    code = fields.Text(least=1, most=20, required=True, metadata=CODE)
    name = fields.Name(required=True)
    side = fields.OneOf(*DOCUMENT_SIDES, required=True, metadata=SIDE)
    rate = fields.Factor(most=100, required=True, metadata=RATE)
    amount_is = fields.OneOf(*SHARE_KINDS, load_default="BASE")
    is_self_assessed = fields.Flag(load_default=False)
    has_relief = fields.Flag(load_default=False)
    valid_from = fields.Day(allow_none=True, load_default=None)
    valid_to = fields.Day(allow_none=True, load_default=None)
    shares = ma.fields.List(
        ma.fields.Nested(TaxShareSchema),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_SHARES),
        metadata={"description": SHARES},
    )


class TaxCodeChangesSchema(Schema):
    """The changed fields of a tax code; the others stay as they are."""

    name = fields.Name()
    valid_to = fields.Day(allow_none=True)
    is_archived = fields.Flag()


class TaxPackSchema(Schema):
    """A pack, and from when on and how the books have installed it."""

    name = ma.fields.String()
    version = ma.fields.Integer(metadata={"description": "The version of its rules."})
    title = ma.fields.String(metadata={"description": "The country and the form."})
    currency = fields.Currency(allow_none=True)
    is_installed = ma.fields.Boolean()
    from_ = fields.Day(data_key="from", allow_none=True)
    basis = fields.OneOf(*TAX_BASES, allow_none=True, metadata=BASIS)
    frequency = fields.OneOf(*FREQUENCIES, allow_none=True)
    counted_from = fields.Day(
        allow_none=True,
        metadata={"description": "The day from which periods are counted anew; null for the first one."},
    )


class TaxPacksSchema(Schema):
    """All packs, and what no pack supports."""

    packs = ma.fields.List(ma.fields.Nested(TaxPackSchema))
    not_supported = ma.fields.List(ma.fields.String())


class TaxAccountsSchema(Schema):
    """The accounts of taxes by what stands on them; one that is left out is that of the chart, or a new one."""

    output = fields.Id(Kind.ACCOUNT)
    input = fields.Id(Kind.ACCOUNT)
    authority = fields.Id(Kind.ACCOUNT)
    advances = fields.Id(Kind.ACCOUNT, metadata={"description": "The account against the tax of advances."})
    waiting_sales = fields.Id(
        Kind.ACCOUNT,
        data_key="waitingSales",
        metadata={"description": "Where the tax of sales waits for money."},
    )
    waiting_purchases = fields.Id(
        Kind.ACCOUNT,
        data_key="waitingPurchases",
        metadata={"description": "Where the tax of purchases waits for payment."},
    )


class TaxPackFormSchema(Schema):
    """From which day on the books have the boxes of a pack, and in which periods."""

    from_ = fields.Day(data_key="from", required=True)
    basis = fields.OneOf(*TAX_BASES, load_default="ACCRUAL", metadata=BASIS)
    frequency = fields.OneOf(*FREQUENCIES, load_default="QUARTERLY")


class TaxPackInstallationSchema(TaxPackFormSchema):
    """From which day on the books have the boxes of a pack, and in which periods."""

    accounts = ma.fields.Nested(
        TaxAccountsSchema,
        load_default=dict,
        metadata={
            "description": "The accounts of taxes; those of the chart, or new ones, for what is left out."
        },
    )


class TaxPackChangesSchema(Schema):
    """The changed periods of an installed pack; what is left out stays as it is."""

    frequency = fields.OneOf(*FREQUENCIES)
    from_ = fields.Day(data_key="from", metadata={"description": COUNTED})


class TaxInputSchema(Schema):
    """The tax of what somebody writes: an amount with a code includes its tax, unless it says that it does not.

    What was written becomes legs, which have their codes in entries.
    """

    tax_code_id = fields.Id(Kind.TAX_CODE, allow_none=True, load_only=True)
    tax_included = fields.Flag(load_only=True)
    tax_point = fields.Day(allow_none=True, load_only=True)
    tax = fields.Amount(allow_none=True, load_only=True, metadata=STATED)
    tax_base = fields.Amount(allow_none=True, load_only=True, metadata=STATED_IN_BASE)


class PostedBoxSchema(Schema):
    """What a posting adds to a box of a form, in the base currency."""

    form = ma.fields.String()
    box = ma.fields.String()
    amount = fields.Amount(metadata={"description": "What it adds to the box, in the base currency."})


class PostedTaxSchema(Schema):
    """The tax code of a posting, its tax point, and its boxes; a posting without a code has none of these."""

    tax_code_id = fields.Id(Kind.TAX_CODE, metadata=OPTIONAL)
    tax_point = fields.Day(metadata=OPTIONAL)
    boxes = ma.fields.List(ma.fields.Nested(PostedBoxSchema), metadata=OPTIONAL)

    @ma.post_dump
    def leave_out_no_tax(self, answer: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Leave out the tax of a posting that has none."""
        del kwargs
        if answer.get("taxCodeId") is None:
            answer.pop("taxCodeId", None)
            for name in ("taxPoint", "boxes") if not answer.get("boxes") else ():
                answer.pop(name, None)
        return answer
