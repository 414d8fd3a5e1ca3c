"""The schemas of tax returns."""

from typing import Any

import marshmallow as ma

from webapp.ledger.references import Kind
from webapp.ledger.tax.forms import PAY, RECLAIM
from webapp.ledger.tax.late import LATE_KINDS
from webapp.ledger.tax.rules import ADVANCES, WAITING
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema
from webapp.schemas.tax.codes import PostedTaxSchema
from webapp.schemas.untrusted import Untrusted

ENTRY = {"description": "The id of the entry that settled its taxes with the authority; null for none."}
UNPAID = {"description": "Of the open return of a form that asks for them; filing past them takes a note."}
KINDS = ("RETURN", "NOTICE")
WAITING_ROLES = (*WAITING.values(), ADVANCES)
KIND = {"description": "A return, or a NOTICE of late errors, which are told apart from it."}
ITEM = {"description": "The id of the entry that is late; what corrects or voids it counts as it."}


class BoxFigureSchema(Schema):
    """A box of a form: the figure that it shows, and the exact one."""

    box = ma.fields.String()
    label = ma.fields.String(metadata={"description": "What the form calls the box."})
    amount = fields.Amount(metadata={"description": "The figure that it shows."})
    exact = fields.Amount()


class OutOfTimeSchema(Schema):
    """An entry of a period that ended too long ago to be put right: it is in no box."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, metadata=ITEM)
    tax_point = fields.Day(metadata={"description": "The earliest tax point."})
    boxes = ma.fields.List(ma.fields.Nested(BoxFigureSchema))


class LateFigureSchema(OutOfTimeSchema):
    """What an entry adds late to a return, of one period, and as what."""

    late_as = fields.OneOf(
        *LATE_KINDS,
        data_key="as",
        metadata={"description": "Whether it puts an error right, and which kind."},
    )
    error_of = fields.Day(allow_none=True)


class SinceFilingSchema(Schema):
    """What an entry added to a box of a period after its return was filed."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    actor = ma.fields.String(metadata={"description": "The name of who posted the entry."})
    box = ma.fields.String()
    amount = fields.Amount(metadata={"description": "What it adds to the box."})


class UnpaidTaxSchema(Schema):
    """Own bills that were unpaid for six months: their items, and the tax that is to be repaid for them."""

    items = ma.fields.List(
        fields.Id(Kind.POSTING), metadata={"description": "The ids of the items of these bills."}
    )
    tax = fields.Amount(metadata={"description": "What is to be repaid for them."})


class BadDebtSchema(Schema):
    """Relief of the tax of a bad debt: how much of the item, without a sign, and the account that bears the loss."""

    item_id = fields.Id(
        Kind.POSTING, required=True, metadata={"description": "The id of the item that nobody pays."}
    )
    amount = fields.Amount(
        required=True, metadata={"description": "How much of the item, in its currency and without a sign."}
    )
    day = fields.Day(
        required=True, metadata={"description": "The day of the relief, which is its tax point."}
    )
    counter_account_id = fields.Id(
        Kind.ACCOUNT, required=True, metadata={"description": "The id of the account that bears the loss."}
    )
    note = fields.Text(most=2000, load_default="", metadata={"description": "Why, for the audit trail."})


class BadDebtFormSchema(BadDebtSchema):
    """The same from the form of an item."""

    class Meta:
        """The item is in the address."""

        exclude = ("item_id",)

    counter_account_id = fields.FormId(required=True)  # type: ignore[assignment]
    note = fields.Text(most=2000, allow_none=True, load_default="")

    @ma.post_load
    def without_note(self, body: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Read an empty note as none."""
        del kwargs
        return {**body, "note": body["note"] or ""}


class UnpaidBillsSchema(Schema):
    """Until which day own bills that are unpaid for six months are taken."""

    until = fields.Day(
        required=True, metadata={"description": "The last day on which the six months of a bill may end."}
    )
    note = fields.Text(most=2000, load_default="", metadata={"description": "Why, for the audit trail."})


class PostedTaxesSchema(Schema):
    """The entries that an act on taxes posted."""

    journal_entry_ids = ma.fields.List(
        fields.Id(Kind.JOURNAL_ENTRY),
        metadata={"description": "The ids of the entries that it posted; none where nothing was to be done."},
    )


class TaxReturnSchema(Schema):
    """A tax return; the open one has no id."""

    id = fields.Id(Kind.TAX_RETURN, allow_none=True)
    form = ma.fields.String()
    pack_version = ma.fields.Integer()
    kind = fields.OneOf(*KINDS, metadata=KIND)
    from_ = fields.Day(data_key="from", metadata={"description": "The first day of its period."})
    to = fields.Day(metadata={"description": "The last day of its period."})
    status = fields.OneOf(
        "OPEN", "FILED", "WITHDRAWN", metadata={"description": "Whether it is computed, filed or withdrawn."}
    )
    boxes = ma.fields.List(ma.fields.Nested(BoxFigureSchema))
    payable = fields.Amount(metadata={"description": "What is owed to the authority; below zero it owes."})
    direction = fields.OneOf(
        PAY, RECLAIM, allow_none=True, metadata={"description": "Whether it is paid or reclaimed."}
    )
    due_on = fields.Day(allow_none=True, metadata={"description": "The day on which it is due."})
    late = ma.fields.List(ma.fields.Nested(LateFigureSchema))
    net_errors = fields.Amount(allow_none=True)
    out_of_time = ma.fields.List(ma.fields.Nested(OutOfTimeSchema))
    bills_unpaid_six_months = ma.fields.Nested(UnpaidTaxSchema, allow_none=True, metadata=UNPAID)
    digest = ma.fields.String(metadata={"description": "The digest of its figures, which filing it names."})
    filed_at = fields.Timestamp(allow_none=True)
    filed_by = ma.fields.String(
        allow_none=True, metadata={"description": "Who filed it; null for the open one."}
    )
    reference = ma.fields.String(
        allow_none=True, metadata={"description": "What the authority called it when it was sent there."}
    )
    note = ma.fields.String(allow_none=True, metadata={"description": "The note of filing it."})
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True, metadata=ENTRY)


class ReturnWarningSchema(Schema):
    """What to look at before a return is filed."""

    code = ma.fields.String(metadata={"description": "What it warns of, in one word."})
    message = Untrusted(metadata={"description": "What to look at, in a sentence."})


class ReadReturnSchema(TaxReturnSchema):
    """A tax return, with what came for its period since it was filed, and what to look at before."""

    warnings = ma.fields.List(ma.fields.Nested(ReturnWarningSchema))

    since_filing = ma.fields.List(ma.fields.Nested(SinceFilingSchema))


class CodeFiguresSchema(Schema):
    """What a tax code adds to the boxes of a return; null for what was adjusted by hand, without a code."""

    tax_code_id = fields.Id(Kind.TAX_CODE, allow_none=True)
    code = ma.fields.String(allow_none=True, metadata={"description": "The tax code as people write it."})
    name = ma.fields.String(allow_none=True)
    boxes = ma.fields.List(ma.fields.Nested(BoxFigureSchema))


class ReturnCodesSchema(Schema):
    """The tax codes of a return, A to Z."""

    codes = ma.fields.List(
        ma.fields.Nested(CodeFiguresSchema),
        metadata={"description": "The tax codes; those of a box add up to its exact figure."},
    )


class WaitingTaxSchema(Schema):
    """What an item has left of a tax that waits for money, or of the tax of an advance."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    tax_point = fields.Day()
    description = Untrusted(metadata={"description": "What its entry says."})
    party = Untrusted(allow_none=True, metadata={"description": "Who owes the item, or to whom it is owed."})
    tax_code_id = fields.Id(Kind.TAX_CODE)
    amount = fields.Amount(metadata={"description": "What is left, in the base currency, debit positive."})


class WaitingAccountSchema(Schema):
    """An account of taxes that wait for money or of advances, with its items."""

    role = fields.OneOf(*WAITING_ROLES, metadata={"description": "What waits there."})
    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    balance = fields.Amount(metadata={"description": "The balance of the account, debit positive."})
    total = fields.Amount(metadata={"description": "What its items have left together."})
    items = ma.fields.List(
        ma.fields.Nested(WaitingTaxSchema), metadata={"description": "What each item has left, oldest first."}
    )


class WaitingTaxesSchema(Schema):
    """The taxes that wait for money, and those of advances."""

    accounts = ma.fields.List(
        ma.fields.Nested(WaitingAccountSchema),
        metadata={"description": "The accounts on which taxes wait; none in books without taxes."},
    )


class ReturnPostingSchema(PostedTaxSchema):
    """A posting in a return, with what it adds to the boxes of its form."""

    id = fields.Id(Kind.POSTING)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    description = Untrusted(metadata={"description": "What its entry says."})
    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    amount_base = fields.Amount(metadata={"description": "The amount in the base currency, debit positive."})


class ReturnPostingQuerySchema(PageSchema):
    """The box of which to list postings; without one all of them."""

    box = fields.Text(least=1, most=8, load_default=None)


class ReturnQuerySchema(PageSchema):
    """Which returns to list."""

    form = fields.Text(least=1, most=32, load_default=None)


class OpenReturnQuerySchema(Schema):
    """The form of the open return, and the end of its period; without one it is the next period."""

    form = fields.Text(least=1, most=32, required=True, metadata={"example": "generic-vat"})
    to = fields.Day(load_default=None)
    kind = fields.OneOf(*KINDS, load_default="RETURN", metadata=KIND)


FILE_FORMATS = ("csv", "xlsx", "json")
FILE_FORMAT = {
    "description": "A table of the boxes with the postings behind them, or the JSON of the authority's interface."
}


class ReturnFileQuerySchema(Schema):
    """The format of the file of a filed return."""

    format = fields.OneOf(*FILE_FORMATS, required=True, metadata=FILE_FORMAT)


class OpenReturnFileQuerySchema(OpenReturnQuerySchema, ReturnFileQuerySchema):
    """The form of the open return, the end of its period, and the format of the file."""


class OpenReturnPageSchema(AddressSchema, OpenReturnQuerySchema):
    """The same as the address of its page says it, with the box that it shows; without a form it is the first one."""

    box = fields.Text(least=1, most=8, load_default=None)
    form = fields.Text(least=1, most=32, load_default="")
    codes = fields.FormFlag(load_default=False)
    late_from = fields.Digits(least=0, load_default=0)


class TaxPageSchema(AddressSchema):
    """The day by which returns are due that the page of taxes lists; by default today."""

    due = fields.Day(load_default=None)


class ReturnPostingPageSchema(AddressSchema, ReturnPostingQuerySchema):
    """The box of a filed return that its page shows, or its codes, and from which of its late items on."""

    codes = fields.FormFlag(load_default=False)
    late_from = fields.Digits(least=0, load_default=0)


class FilingSchema(Schema):
    """The return to file, as it was looked at."""

    form = fields.Text(least=1, most=32, required=True)
    to = fields.Day(required=True, metadata={"description": "The last day of its period."})
    digest = fields.Text(
        least=64, most=64, required=True, metadata={"description": "The digest of the open return as read."}
    )
    kind = fields.OneOf(*KINDS, load_default="RETURN", metadata=KIND)
    reference = fields.Text(least=1, most=255, allow_none=True, load_default=None)
    note = fields.Text(
        most=2000, allow_none=True, load_default=None, metadata={"description": "A note of filing it."}
    )


class WithdrawalSchema(Schema):
    """Why a return is withdrawn."""

    reason = fields.Text(least=1, most=2000, required=True, metadata={"description": "Why it is withdrawn."})
