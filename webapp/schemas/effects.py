"""The shapes of what a call would do: entries before and after, balances, and proofs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.canonical import camel
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.journal_entries import TYPES


class NewId(ma.fields.Field[int | str]):
    """The id of something that is there, or `new-1`, `new-2`, … of what would come; only ever sent."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(dump_only=True, metadata={"type": ["integer", "string"]}, **kwargs)  # type: ignore[arg-type]


class ToldSchema(Schema):
    """A part of an effect, as it is found or as it was kept in JSON."""

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        """Read what was kept under its key in JSON."""
        return (
            obj.get(camel(attr), default)
            if isinstance(obj, Mapping)
            else super().get_attribute(obj, attr, default)
        )


class BalanceChangeSchema(ToldSchema):
    """What an account holds in a currency, before and after."""

    account_id = NewId()
    account_name = ma.fields.String()
    account_type = fields.Word(*TYPES)
    currency = fields.Currency()
    before = fields.Amount()
    after = fields.Amount()
    change = fields.Amount()
    change_base = fields.Amount()


class ProofChangeSchema(ToldSchema):
    """A proof that would hold no longer (`holds` false), or would hold again."""

    reconciliation_id = fields.Id()
    fa_id = fields.Id()
    account_name = ma.fields.String()
    statement_date = ma.fields.String(metadata={"format": "date"})
    statement_balance = fields.Amount()
    cleared_now = fields.Amount()
    off_by = fields.Amount()
    holds = ma.fields.Boolean()


class EntryChangeSchema(ToldSchema):
    """An entry before and after, each as `GET /journal-entries/{id}` gives it; null where it is not there."""

    id = NewId()
    before = ma.fields.Dict(allow_none=True)
    after = ma.fields.Dict(allow_none=True)


class ActSchema(ToldSchema):
    """An act that would be done."""

    kind = ma.fields.String()
    target = ma.fields.Dict()
    title = ma.fields.String()
    note = ma.fields.String()
    before = ma.fields.Dict(allow_none=True)
    after = ma.fields.Dict(allow_none=True)


class EffectSchema(ToldSchema):
    """All that a call would change; at most 200 entries and acts are told, `entryCount` counts every entry."""

    acts = ma.fields.List(ma.fields.Nested(ActSchema))
    entries = ma.fields.List(ma.fields.Nested(EntryChangeSchema))
    entry_count = ma.fields.Integer()
    balances = ma.fields.List(ma.fields.Nested(BalanceChangeSchema))
    proofs = ma.fields.List(ma.fields.Nested(ProofChangeSchema))


class DryRunSchema(Schema):
    """What a call would answer and change; nothing is written."""

    dry_run = ma.fields.Boolean()
    status = ma.fields.Integer()
    answer = ma.fields.Dict(allow_none=True)
    effect = ma.fields.Nested(EffectSchema)
