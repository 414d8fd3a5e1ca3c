"""The schemas of proposed transfers, and of the results of pairing them."""

from __future__ import annotations

import marshmallow as ma

from webapp.ledger.codes import PAIR_DIFFERENCES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema


class TransferSchema(Schema):
    """Two lines of two accounts that may be one transfer, the paying one first; join them with this `difference`."""

    transaction_id = fields.Id(Kind.TRANSACTION, attribute="line.id")
    other_transaction_id = fields.Id(Kind.TRANSACTION, attribute="other.id")
    days_apart = ma.fields.Integer()
    reason = ma.fields.String()
    is_only = ma.fields.Boolean()
    difference = fields.OneOf(*PAIR_DIFFERENCES, allow_none=True)


class TransfersSchema(Schema):
    """The proposed transfers, the unambiguous ones first."""

    transfers = ma.fields.List(ma.fields.Nested(TransferSchema))


class PairResultSchema(Schema):
    """The result for one proposed transfer."""

    transaction_id = fields.Id(Kind.TRANSACTION)
    other_transaction_id = fields.Id(Kind.TRANSACTION, attribute="other_id")
    status = fields.OneOf("EXECUTED", "FAILED")
    error = ma.fields.String()


class PairResultsSchema(Schema):
    """The results for all unambiguous transfers."""

    results = ma.fields.List(ma.fields.Nested(PairResultSchema))
