"""The shapes of proposed transfers, and of what became of them."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema


class TransferSchema(Schema):
    """Two lines of two accounts that may be one transfer, the one that pays first."""

    transaction_id = fields.Id(attribute="line.id")
    other_transaction_id = fields.Id(attribute="other.id")
    days_apart = ma.fields.Integer()
    reason = ma.fields.String()
    is_only = ma.fields.Boolean()


class TransfersSchema(Schema):
    """The transfers that are proposed: first those whose lines fit nothing else."""

    transfers = ma.fields.List(ma.fields.Nested(TransferSchema))


class PairResultSchema(Schema):
    """What became of one proposal."""

    transaction_id = fields.Id()
    other_transaction_id = fields.Id(attribute="other_id")
    status = fields.Word("EXECUTED", "FAILED")
    error = ma.fields.String()


class PairResultsSchema(Schema):
    """What became of each proposal that was unambiguous."""

    results = ma.fields.List(ma.fields.Nested(PairResultSchema))
