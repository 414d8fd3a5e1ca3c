"""The schemas of closes of months."""

import marshmallow as ma

from webapp.ledger.closing.closes import StepState
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted

STEPS = "What is to be done before the month can be closed."
CUT_OFF = "What is about days up to its end, and dated after it."
RESULT = {"description": "What the result up to that day would gain; a profit is above zero."}


class CloseStepSchema(Schema):
    """A step of a close, by the predicate of the list that `href` leads to."""

    code = ma.fields.String(metadata={"description": "What the step is about."})
    state = fields.OneOf(*StepState, metadata={"description": "Whether something is left to do."})
    count = ma.fields.Integer(metadata={"description": "How many things are left."})
    amount = fields.Amount(
        allow_none=True,
        metadata={"description": "What they come to in the base currency; null for no amount."},
    )
    sentence = Untrusted(metadata={"description": "What is left, in a sentence."})
    href = ma.fields.String(allow_none=True, metadata={"description": "The page that lists what is left."})


class CutOffSumSchema(Schema):
    """How many entries, and what they move together."""

    count = ma.fields.Integer(metadata={"description": "How many entries."})
    sum = fields.Amount(metadata={"description": "What they move together, in the base currency."})


class CutOffRowSchema(Schema):
    """An entry that is about a day of the period or before it, and dated after the period."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    number = ma.fields.Integer(metadata={"description": "Its number among the posted entries."})
    description = Untrusted(metadata={"description": "The description of the entry."})
    fact_on = fields.Day(metadata={"description": "The day of what it is about."})
    effective_on = fields.Day(metadata={"description": "The day of the entry."})
    amount = fields.Amount(metadata={"description": "What it moves."})
    result = fields.Amount(metadata=RESULT)
    moved_by_lock = ma.fields.Boolean(
        metadata={"description": "Whether a lock date is why it is dated later."}
    )


class CutOffSchema(CutOffSumSchema):
    """What is about days up to the end of the period, and dated after it."""

    result = fields.Amount(metadata=RESULT)
    of_this_period = ma.fields.Nested(
        CutOffSumSchema, metadata={"description": "Those of them that are about the period itself."}
    )
    rows = ma.fields.List(ma.fields.Nested(CutOffRowSchema), metadata={"description": "Its entries."})


class CloseSchema(Schema):
    """The close of a month, from the day after the last close to the month's end."""

    period = ma.fields.String(metadata={"description": "The year and the month, such as 2026-03."})
    from_ = fields.Day(data_key="from", metadata={"description": "The first day that it closes."})
    to = fields.Day(metadata={"description": "The last day that it closes."})
    steps = ma.fields.List(ma.fields.Nested(CloseStepSchema), metadata={"description": STEPS})
    cut_off = ma.fields.Nested(CutOffSchema, metadata={"description": CUT_OFF})
