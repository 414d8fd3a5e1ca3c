"""The schemas of revaluations."""

from __future__ import annotations

from webapp.schemas import fields
from webapp.schemas.base import Schema


class RevaluationSchema(Schema):
    """The day whose rates are used."""

    as_of = fields.Day(required=True)


class TakeBackSchema(Schema):
    """Why a revaluation is taken back."""

    reason = fields.Text(least=1, most=2000, required=True)
