"""The schemas of summaries: what a write does in a few figures, and its whole effect in parts."""

import marshmallow as ma

from webapp.ledger.codes import ACTION_STATUSES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.audit.action_requests import BlockerSchema, TargetSchema, proposing
from webapp.schemas.audit.effects import (
    ActSchema,
    AsStored,
    BalanceChangeSchema,
    EntryChangeSchema,
    ProofChangeSchema,
)
from webapp.schemas.base import Schema
from webapp.schemas.paging import CHANGED, listing, wrapped
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths


class CountsSchema(Schema):
    """How much there is of what; lists hold 20 of each at most."""

    acts = ma.fields.Integer()
    entries = ma.fields.Integer()
    balances = ma.fields.Integer()
    broken = ma.fields.Integer()
    mended = ma.fields.Integer()
    blockers = ma.fields.Integer()
    warnings = ma.fields.Integer()
    steps = ma.fields.Integer()


class MovedSumSchema(Schema):
    """What accounts gain in a currency, all together; others lose as much."""

    currency = fields.Currency()
    amount = fields.Amount()


class MovedBalanceSchema(Schema):
    """What an account gains or loses."""

    account_id = fields.NewId(Kind.ACCOUNT)
    account_name = Untrusted()
    currency = fields.Currency()
    change = fields.Amount()


class MovedProofSchema(Schema):
    """A proof that breaks or holds again, and how far it is off."""

    reconciliation_id = fields.Id(Kind.RECONCILIATION)
    account_name = Untrusted()
    statement_date = ma.fields.String(metadata={"format": "date"})
    off_by = fields.Amount()


class StepSummarySchema(Schema):
    """A step of a plan."""

    number = ma.fields.Integer()
    title = Untrusted()
    entry_count = ma.fields.Integer()


class MoreStepsSchema(Schema):
    """How many more steps of a kind a plan has than its summary lists."""

    kind = ma.fields.String(metadata={"description": "The kind of what they do."})
    count = ma.fields.Integer(metadata={"description": "How many they are."})


class SummarySchema(Schema):
    """What a write did, would do or waits to do, in a few figures; `effect` is the address of the whole in pages."""

    id = ma.fields.String(
        allow_none=True, metadata={"description": "The act or the proposal; null for none, and for several."}
    )
    kind = ma.fields.String(allow_none=True)
    status = fields.OneOf(*ACTION_STATUSES, allow_none=True)
    title = Untrusted()
    target = ma.fields.Nested(TargetSchema, allow_none=True)
    digest = ma.fields.String(allow_none=True)
    counts = ma.fields.Nested(CountsSchema)
    sums = ma.fields.List(ma.fields.Nested(MovedSumSchema))
    balances = ma.fields.List(
        ma.fields.Nested(MovedBalanceSchema), metadata={"description": "The largest 20 changes."}
    )
    broken = ma.fields.List(ma.fields.Nested(MovedProofSchema))
    mended = ma.fields.List(ma.fields.Nested(MovedProofSchema))
    blockers = ma.fields.List(ma.fields.Nested(BlockerSchema))
    warnings = ma.fields.List(Untrusted())
    steps = ma.fields.List(ma.fields.Nested(StepSummarySchema))
    more_steps = ma.fields.List(
        ma.fields.Nested(MoreStepsSchema), metadata={"description": "The other steps, counted by kind."}
    )
    created_at = fields.Timestamp(allow_none=True)
    expires_at = fields.Timestamp(allow_none=True)
    replaced_by = ma.fields.String(allow_none=True)
    reason = ma.fields.String()
    error = Untrusted()
    effect = ma.fields.String(
        allow_none=True, metadata={"description": "The address of the whole, in pages."}
    )


SummaryListSchema = listing("actionRequests", SummarySchema)
RequestSummarySchema = proposing(SummarySchema, title="RequestSummary")
DoneSummarySchema = wrapped(
    "summary",
    SummarySchema,
    title="DoneSummary",
    changed=ma.fields.Boolean(metadata={"description": CHANGED}),
)


class DryRunSummarySchema(Schema):
    """The effect of a call in a few figures; nothing is written."""

    summary = ma.fields.Nested(SummarySchema)
    dry_run = ma.fields.Boolean()
    status = ma.fields.Integer()
    untrusted = UntrustedPaths(untrusted_paths(SummarySchema(), "summary."))


class EffectPartSchema(Schema):
    """A part of an effect: an act, an entry, a balance or a proof, the others null; `step` is that of a plan."""

    step = ma.fields.Integer(allow_none=True)
    act = AsStored(ActSchema, allow_none=True)
    entry = AsStored(EntryChangeSchema, allow_none=True)
    balance = AsStored(BalanceChangeSchema, allow_none=True)
    proof = AsStored(ProofChangeSchema, allow_none=True)
