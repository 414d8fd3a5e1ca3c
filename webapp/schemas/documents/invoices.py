"""What an e-invoice states, in its own words: every text is the sender's, every figure is as it is written."""

from typing import Any

import marshmallow as ma

from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted


def _stated(description: str = "") -> Untrusted:
    metadata: dict[str, Any] = {"description": description} if description else {}
    return Untrusted(allow_none=True, metadata=metadata)


class StatedPartySchema(Schema):
    """The seller or the buyer."""

    name = _stated()
    vat_id = _stated()
    tax_number = _stated()
    registration = _stated()
    country = _stated()
    address = ma.fields.List(Untrusted())


class StatedTotalsSchema(Schema):
    """The totals, BT-106 to BT-115, with all their digits."""

    lines = _stated()
    allowances = _stated()
    charges = _stated()
    net = _stated()
    tax = _stated()
    gross = _stated()
    prepaid = _stated()
    rounding = _stated()
    due = _stated()
    third_party = _stated(
        "What others are paid for with it, by the extension of XRechnung; part of what is due."
    )
    withheld = _stated("What the buyer pays to the state or a fund for the seller; not part of what is due.")
    split_tax = _stated("The tax that the buyer pays to the state; not part of what is due.")
    stamp = _stated("The stamp duty on an Italian invoice, which is in its gross or not.")


class StatedTaxSchema(Schema):
    """The tax stated once more, in the currency in which it is paid."""

    currency = _stated()
    tax = _stated()


class StatedVatSchema(Schema):
    """The base and the tax of a category and a rate in percent."""

    category = _stated()
    rate = _stated()
    base = _stated()
    tax = _stated()
    reason = _stated()


class StatedLineSchema(Schema):
    """A line."""

    id = _stated()
    name = _stated()
    quantity = _stated()
    unit = _stated()
    price = _stated()
    base_quantity = _stated()
    net = _stated()
    category = _stated()
    rate = _stated()


class WithholdingSchema(Schema):
    """What the buyer withholds of an Italian invoice."""

    kind = _stated("TipoRitenuta: RT01 and RT02 are income tax, the others contributions.")
    amount = _stated("What the buyer withholds.")
    rate = _stated("The rate in percent.")
    reason = _stated("CausalePagamento, in the letters of the yearly form.")


class InstalmentSchema(Schema):
    """A payment that an Italian invoice asks for."""

    amount = _stated("What is to be paid.")
    due_on = _stated("The day until which it is to be paid.")
    payment_means = _stated("ModalitaPagamento: MP05 is a transfer.")


class BrokenRuleSchema(Schema):
    """A rule that does not hold, in a sentence with its figures."""

    rule = ma.fields.String()
    message = Untrusted()


class TableOriginSchema(Schema):
    """The table that the invoice is a row of, by its name and its SHA-256; rows are the lines of the file, from 1."""

    file_name = Untrusted()
    sha256 = ma.fields.String()
    row = ma.fields.Integer()


class StatedInvoiceSchema(Schema):
    """An e-invoice as it states itself; figures are text, exactly as written.

    An invoice of a table has the syntax TABLE, and what its row states.
    """

    syntax = ma.fields.String()
    profile = _stated()
    type_code = _stated(
        "UNTDID 1001: 380 is an invoice, 381 a credit note. Of FatturaPA its own: TD01 an invoice, TD04 a credit note."
    )
    is_credit_note = ma.fields.Boolean()
    number = _stated()
    issued_on = _stated()
    due_on = _stated()
    tax_point_on = _stated()
    supplied_on = _stated("The day of delivery (BT-72), or the last one of the period that it is of (BT-74).")
    currency = _stated()
    preceding_invoices = ma.fields.List(Untrusted())
    seller = ma.fields.Nested(StatedPartySchema)
    buyer = ma.fields.Nested(StatedPartySchema)
    payment_means = _stated(
        "UNTDID 4461: 58 is a SEPA transfer, 59 a direct debit. Of FatturaPA its own: MP05 is a transfer."
    )
    remittance = _stated()
    account = _stated()
    totals = ma.fields.Nested(StatedTotalsSchema)
    other_taxes = ma.fields.List(ma.fields.Nested(StatedTaxSchema))
    vat = ma.fields.List(ma.fields.Nested(StatedVatSchema))
    lines = ma.fields.List(ma.fields.Nested(StatedLineSchema))
    withholdings = ma.fields.List(ma.fields.Nested(WithholdingSchema))
    instalments = ma.fields.List(ma.fields.Nested(InstalmentSchema))
    attachments = ma.fields.Integer()
    findings = ma.fields.List(ma.fields.Nested(BrokenRuleSchema))
    table = ma.fields.Nested(TableOriginSchema, allow_none=True)
