"""The schemas of how a document would be booked, and of booking it."""

import marshmallow as ma

from webapp.ledger.journal.invoice_parts import PartKind
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.bookkeeping import journal_entries
from webapp.schemas.untrusted import Untrusted

OWED = {
    "description": "Where what is owed goes: a payable or a receivable. Without it the one of the default chart."
}
TAX = {
    "description": "The account of the tax. Without it that of the last document's entry, or of the default chart."
}

THIRD_PARTY = {
    "description": "The account of what third parties get. Without it that of the net, of our invoices the payables."
}
WITHHELD = {
    "description": "The account of what is withheld. Without it the income tax payable of the default chart."
}
SPLIT_TAX = {
    "description": "The account of tax that the buyer pays. Without it the VAT payable of the default chart."
}
OWN_RATE = {
    "description": "What its total is in the base currency at a rate of its own, without a sign; else the day's rate."
}
CODES = {
    "description": "The codes of its taxes by rate; its tax is then booked as it states it, by their accounts."
}
TAX_POINT = {"description": "The tax point; by default what it states, else its day of issue."}
CATEGORY = {"description": "The category of VAT (UNCL 5305) that it is stated by; null where it has none."}
FORCE = {"description": "Do it although the document is no invoice."}


class BookedPartSchema(Schema):
    """A part of what a document states: as a posting debit is positive, as a split it has the line's sign.

    `accountId` is null where somebody has to choose it.
    """

    kind = fields.OneOf(*PartKind, "OWED")
    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    amount = fields.Amount()
    rate = Untrusted(allow_none=True)
    category = Untrusted(allow_none=True, metadata=CATEGORY)
    tax_code_id = fields.Id(Kind.TAX_CODE, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    project_id = fields.Id(Kind.PROJECT, allow_none=True)


class BookingSchema(Schema):
    """How a document would be booked: the postings of its entry, and the splits of a line that pays it.

    `problem` says why it is booked by hand; `splitProblem` the same of the line.
    """

    postings = ma.fields.List(ma.fields.Nested(BookedPartSchema))
    problem = Untrusted(allow_none=True)
    splits = ma.fields.List(ma.fields.Nested(BookedPartSchema))
    split_problem = Untrusted(allow_none=True)


class BookingQuerySchema(Schema):
    """The line that pays a document."""

    transaction_id = fields.FormId(load_default=None)


class ChosenAccountsSchema(Schema):
    """The accounts of a booking; each that is not sent is the one that `GET …/booking` shows."""

    account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None)
    tax_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=TAX)
    third_party_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=THIRD_PARTY)
    withheld_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=WITHHELD)
    split_tax_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=SPLIT_TAX)


class DocumentTaxSchema(Schema):
    """The tax code of what a document states by a rate, maybe of one category, or of all that it states."""

    category = fields.Text(
        least=1,
        most=3,
        allow_none=True,
        load_default=None,
        metadata={"description": "The category of VAT (UNCL 5305); null for each category of the rate."},
    )
    rate = fields.Factor(
        most=100,
        allow_none=True,
        load_default=None,
        metadata={"description": "The rate in per cent; null for all other rates."},
    )
    tax_code_id = fields.Id(Kind.TAX_CODE, required=True)


class EnterDocumentSchema(ChosenAccountsSchema):
    """The accounts of a document's entry, its tax codes, and whether it is posted at once."""

    tax_codes = ma.fields.List(
        ma.fields.Nested(DocumentTaxSchema),
        load_default=list,
        validate=ma.validate.Length(max=20),
        metadata=CODES,
    )
    tax_point = fields.Day(allow_none=True, load_default=None, metadata=TAX_POINT)

    counter_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None, metadata=OWED)
    amount_base = fields.Amount(allow_none=True, load_default=None, metadata=OWN_RATE)
    post = fields.Flag(load_default=False)
    force = fields.Flag(load_default=False, metadata=journal_entries.FORCE)


class SplitByDocumentSchema(ChosenAccountsSchema):
    """The document that a line pays, and the accounts of its parts."""

    document_id = fields.Id(Kind.DOCUMENT, required=True)
    prepaid_account_id = fields.Id(Kind.ACCOUNT, allow_none=True, load_default=None)
    force = fields.Flag(load_default=False, metadata=FORCE)


class SplitByDocumentFormSchema(SplitByDocumentSchema):
    """The same from a form."""

    document_id = fields.FormId(required=True)  # type: ignore[assignment]
    account_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    tax_account_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    prepaid_account_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    third_party_account_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    withheld_account_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    split_tax_account_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]
    force = fields.FormFlag(load_default=False)  # type: ignore[assignment]
