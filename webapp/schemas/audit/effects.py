"""The schemas of a call's effect: entries before and after, balances, and proofs."""

from typing import Any

import marshmallow as ma

from webapp.ledger.codes import ACCOUNT_TYPES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import OPTIONAL, Schema
from webapp.schemas.untrusted import UNTRUSTED, Untrusted, UntrustedPaths, untrusted_paths

CLEARED_BEFORE = (
    "What the cleared items come to before the call; proposals of earlier versions do not have it."
)
OFF_BEFORE = (
    "How far it is off before the call, 0.00 where it holds; proposals of earlier versions do not have it."
)


class AsStored(ma.fields.Nested):
    """A value that is stored in the form of a schema, and is sent unchanged."""

    def _serialize(self, nested_obj: Any, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        del args, kwargs
        return nested_obj


class BalanceChangeSchema(Schema):
    """The balance of an account in a currency, before and after."""

    account_id = fields.NewId(Kind.ACCOUNT)
    account_name = Untrusted()
    account_type = fields.OneOf(*ACCOUNT_TYPES)
    currency = fields.Currency()
    before = fields.Amount()
    after = fields.Amount()
    change = fields.Amount()
    change_base = fields.Amount()


class ProofChangeSchema(Schema):
    """A proof that would break (`holds` false) or hold again: its figures after the call, and as they are before."""

    reconciliation_id = fields.Id(Kind.RECONCILIATION)
    fa_id = fields.Id(Kind.FEED_ACCOUNT)
    account_name = Untrusted()
    statement_date = ma.fields.String(metadata={"format": "date"})
    statement_balance = fields.Amount()
    cleared_now = fields.Amount()
    off_by = fields.Amount()
    holds = ma.fields.Boolean()
    cleared_before = fields.Amount(metadata={**OPTIONAL, "description": CLEARED_BEFORE})
    off_by_before = fields.Amount(metadata={**OPTIONAL, "description": OFF_BEFORE})


class EntryChangeSchema(Schema):
    """An entry before and after, as in `GET /journal-entries/{id}`; null where it does not exist."""

    id = fields.NewId(Kind.JOURNAL_ENTRY)
    before = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)
    after = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)


class ActSchema(Schema):
    """An act that would be executed."""

    kind = ma.fields.String()
    target = ma.fields.Dict()
    title = Untrusted()
    note = ma.fields.String()
    before = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)
    after = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)


class StepEffectSchema(Schema):
    """The changes of a step of a plan, upon what the steps before it leave."""

    number = ma.fields.Integer()
    method = ma.fields.String()
    path = ma.fields.String()
    title = Untrusted()
    digest = ma.fields.String()
    acts = ma.fields.List(ma.fields.Nested(ActSchema))
    entries = ma.fields.List(ma.fields.Nested(EntryChangeSchema))
    entry_count = ma.fields.Integer()
    balances = ma.fields.List(ma.fields.Nested(BalanceChangeSchema))
    proofs = ma.fields.List(ma.fields.Nested(ProofChangeSchema))
    warnings = ma.fields.List(Untrusted(), metadata=OPTIONAL)


class EffectSchema(Schema):
    """All changes of a call; at most 200 entries and acts are listed, `entryCount` counts all entries.

    A plan has `steps`, and its acts and entries there; its balances and proofs are those of all steps together.
    """

    acts = ma.fields.List(ma.fields.Nested(ActSchema))
    entries = ma.fields.List(ma.fields.Nested(EntryChangeSchema))
    entry_count = ma.fields.Integer()
    balances = ma.fields.List(ma.fields.Nested(BalanceChangeSchema))
    proofs = ma.fields.List(ma.fields.Nested(ProofChangeSchema))
    warnings = ma.fields.List(Untrusted(), metadata=OPTIONAL)
    touches = ma.fields.List(
        ma.fields.String(),
        metadata={**OPTIONAL, "description": "The rows that it is about, as `transaction:12`."},
    )
    steps = ma.fields.List(ma.fields.Nested(StepEffectSchema), metadata=OPTIONAL)


class DryRunSchema(Schema):
    """The answer and the effect of a call; nothing is written."""

    dry_run = ma.fields.Boolean()
    status = ma.fields.Integer()
    answer = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)
    effect = ma.fields.Nested(EffectSchema)
    untrusted = UntrustedPaths(["answer", *untrusted_paths(EffectSchema(), "effect.")])
