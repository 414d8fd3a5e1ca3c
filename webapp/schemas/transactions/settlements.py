"""The schemas of the open items of watched accounts, and of settlements, in which they are matched with each other."""

from typing import Any

import marshmallow as ma

from webapp.ledger.codes import PAIR_DIFFERENCES, SETTLEMENT_STATUSES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.audit.action_requests import PersonSchema
from webapp.schemas.base import Schema
from webapp.schemas.instants import EffectiveAt
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted

MOST_PARTS = 200


class SettlementPartSchema(Schema):
    """What a settlement takes of one open item, with the item's sign."""

    item_id = fields.Id(Kind.POSTING)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    amount = fields.Amount()
    amount_base = fields.Amount()


class SettlementSchema(Schema):
    """Open items of one account and currency that sum to zero; it counts from `settledOn` to before `undoneOn`."""

    id = fields.Id(Kind.SETTLEMENT)
    account_id = fields.Id(Kind.ACCOUNT)
    currency = fields.Currency()
    status = fields.OneOf(*SETTLEMENT_STATUSES)
    settled_on = fields.Day()
    undone_on = fields.Day(allow_none=True)
    reason = ma.fields.String(allow_none=True)
    actor = ma.fields.Nested(PersonSchema)
    parts = ma.fields.List(ma.fields.Nested(SettlementPartSchema))
    created_at = fields.Timestamp()
    updated_at = fields.Timestamp()


class NewPartSchema(Schema):
    """An open item, and how much of it to settle; without an amount all that is left."""

    item_id = fields.Id(Kind.POSTING, required=True)
    amount = fields.Amount(load_default=None, allow_none=True)


class NewSettlementSchema(Schema):
    """The open items to match with each other."""

    parts = ma.fields.List(
        ma.fields.Nested(NewPartSchema),
        required=True,
        validate=ma.validate.Length(min=2, max=MOST_PARTS, error="Name 2 to 200 items."),
    )
    force = fields.Flag(
        load_default=False, metadata={"description": "Do it although an item is of more than a year ahead."}
    )


UNDO_REASONS = ("MISTAKE", "RETURNED")
WHY = {
    "description": "Taxes of money that was returned go back on that day; those of a mistake on their own."
}
RETURNED_BY = {"description": "The id of the line that returned the money."}
RETURNED_ON = {"description": "The day on which the money was returned."}


class SettlementUndoSchema(Schema):
    """Why a settlement is taken back: by MISTAKE, or since its money was RETURNED on a day, or by a line."""

    reason = fields.Text(least=1, most=2000, required=True, strip=True)
    why = fields.OneOf(*UNDO_REASONS, load_default="MISTAKE", metadata=WHY)
    on = fields.Day(allow_none=True, load_default=None, metadata=RETURNED_ON)
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True, load_default=None, metadata=RETURNED_BY)

    @ma.validates_schema
    def name_the_day(self, body: dict[str, Any], **kwargs: object) -> None:
        """Refuse money that was returned on no day, and a day of a mistake."""
        del kwargs
        named = [body.get("on"), body.get("transaction_id")]
        if (body["why"] == "RETURNED") != (len([each for each in named if each is not None]) == 1):
            sentence = "Send the day or the line of what was RETURNED, one of the two; a mistake has none."
            raise ma.ValidationError(sentence, "on")


class SettlementUndoFormSchema(SettlementUndoSchema):
    """The same from a form, where `why` is the note of an act."""

    why = fields.OneOf(*UNDO_REASONS, load_default="MISTAKE", data_key="cause")
    transaction_id = fields.FormId(allow_none=True, load_default=None)  # type: ignore[assignment]


class SettlementQuerySchema(PageSchema):
    """Which settlements to list."""

    account_id = fields.FormId(Kind.ACCOUNT, load_default=None)


class OpenItemSchema(Schema):
    """What is left of an amount on a watched account that should have been moved on, and its age."""

    id = fields.Id(Kind.POSTING)
    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True)
    effective_at = EffectiveAt(attribute="effective_on")
    age_days = ma.fields.Integer()
    description = Untrusted()
    amount = fields.Amount()
    currency = fields.Currency()
    amount_base = fields.Amount()


class TickedItemsFormSchema(Schema):
    """The open items that a form has ticked, and what two lines of a transfer differ by."""

    items = ma.fields.List(fields.FormId(), load_default=list, validate=ma.validate.Length(max=MOST_PARTS))
    difference = fields.OneOf(*PAIR_DIFFERENCES, load_default=None, allow_none=True)


class OpenItemQuerySchema(PageSchema):
    """Which open items to list; `to` is the last day of their entries."""

    account_id = fields.FormId(Kind.ACCOUNT, load_default=None)
    to = fields.Day(load_default=None)
