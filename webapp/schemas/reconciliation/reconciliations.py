"""The schemas of reconciliation: drafts, their lines, proofs, and the workspace's forms."""

from typing import Any

import marshmallow as ma

from webapp.ledger.codes import ENTRY_STATUSES, RECONCILIATION_STATUSES, REPAIRS
from webapp.ledger.proofs.completion_warnings import CODES as WARNING_CODES
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.audit.action_requests import BulkResultSchema, PersonSchema
from webapp.schemas.base import OPTIONAL, Schema
from webapp.schemas.instants import CalendarMonth
from webapp.schemas.paging import PageSchema, listing
from webapp.schemas.reconciliation.hub import BrokenBySchema, HubAccountAnswerSchema, HubAccountSchema
from webapp.schemas.untrusted import Untrusted

MOST_IDS = 5_000
AT_MOST = ma.validate.Length(max=MOST_IDS, error=f"Send at most {MOST_IDS} ids.")


class StatementLineSchema(Schema):
    """An item of a statement: a bank line, or an entry without one."""

    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    booked_on = fields.Day()
    amount = fields.Amount()
    description = Untrusted()
    entry_status = fields.OneOf(*ENTRY_STATUSES, allow_none=True)
    cleared = ma.fields.Boolean()


class AccountLinesQuerySchema(PageSchema):
    """The page of lines, and the day of the bank's balance."""

    provider_balance_as_of = fields.Day(load_default=None)


# A feed account and the lines of its draft, or else of its last proof.
AccountLinesSchema = listing("lines", StatementLineSchema, account=ma.fields.Nested(HubAccountSchema))


class DraftInputSchema(Schema):
    """A statement to reconcile; `version` is that of the open draft that the caller read.

    `documentId` is the statement itself, whose digest its proof names; without it a draft keeps the one that it has.
    """

    statement_date = fields.Day(required=True)
    statement_balance = fields.Amount(required=True)
    keep_as_new = fields.Flag(load_default=False)
    opening_balance = fields.Amount(load_default=None, allow_none=True)
    opening_date = fields.Day(load_default=None, allow_none=True)
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True)
    version = fields.WholeNumber(least=1, load_default=None, allow_none=True)


class StatementWarningSchema(Schema):
    """What is odd about the figures of a statement; the draft has them all the same."""

    code = fields.OneOf("unlikely_sign")
    message = Untrusted(metadata={"description": "What the bank states, and what to send instead."})


class DraftAnswerSchema(Schema):
    """The account with its draft, the ids that were uncleared by a change of its day, and what is odd about it."""

    account = ma.fields.Nested(HubAccountSchema)
    uncleared = ma.fields.List(fields.Id(Kind.TRANSACTION))
    uncleared_entries = ma.fields.List(fields.Id(Kind.JOURNAL_ENTRY))
    warnings = ma.fields.List(ma.fields.Nested(StatementWarningSchema))


def _ids() -> Any:
    return ma.fields.List(fields.Id(), load_default=list, validate=AT_MOST)


class LinesInputSchema(Schema):
    """The items to clear and unclear: ids of lines, ids of entries without a line, or `auto` alone.

    All or nothing, or with `oneByOne` each by itself.
    """

    cleared = _ids()
    uncleared = _ids()
    cleared_entries = _ids()
    uncleared_entries = _ids()
    auto = fields.Flag(load_default=False)
    one_by_one = fields.Flag(load_default=False)
    version = fields.WholeNumber(least=1, load_default=None, allow_none=True)


class ClearedResultSchema(BulkResultSchema):
    """The result for one item; `path` is its place in the body."""

    path = ma.fields.String()


class ClearedAnswerSchema(HubAccountAnswerSchema):
    """The account after the change, and with `oneByOne` one result for each item, in the order of the lists."""

    results = ma.fields.List(ma.fields.Nested(ClearedResultSchema), metadata=OPTIONAL)


class CompleteSchema(Schema):
    """The version of the draft that the caller read; without it, any."""

    version = fields.WholeNumber(least=1, load_default=None, allow_none=True)


class ReopenSchema(Schema):
    """The reason to reopen, and the oldest proof to reopen; without an id only the newest."""

    reason = fields.Text(least=1, most=2000, required=True, strip=True)
    reconciliation_id = fields.Id(Kind.RECONCILIATION, load_default=None, allow_none=True)


class AcceptSchema(Schema):
    """The broken proof to accept, and the reason."""

    reconciliation_id = fields.Id(Kind.RECONCILIATION, required=True)
    reason = fields.Text(most=2000, load_default=None, allow_none=True, strip=True)


class ItemSchema(Schema):
    """An item of a proof."""

    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    provider_transaction_id = Untrusted(allow_none=True)
    booked_on = fields.Day()
    amount = fields.Amount()


class CompletionWarningSchema(Schema):
    """What is odd about outstanding items: `message` says what to do; the proof was completed all the same.

    They equal the opening balance (`opening_twice`), or are more than six weeks older than the statement (`old_items`).
    Or the statement has them, and the books later (`in_transit`).
    """

    code = fields.OneOf(*WARNING_CODES)
    message = Untrusted()
    count = ma.fields.Integer()
    sum = fields.Amount()
    oldest_on = fields.Day()


class BreakSchema(Schema):
    """A period in which a proof was broken: the change that broke it, and its repair."""

    broken_by = ma.fields.Nested(BrokenBySchema)
    repair = fields.OneOf(*REPAIRS, allow_none=True)
    repaired_at = fields.Timestamp(allow_none=True)
    repaired_by = ma.fields.Nested(PersonSchema, allow_none=True)
    repair_action_request_id = ma.fields.String(allow_none=True)


class HeadSchema(Schema):
    """The end of an audit trail."""

    sequence = ma.fields.Integer(metadata={"description": "The number of the event."})
    hash = ma.fields.String(metadata={"description": "The hash of the event, SHA-256 in hex."})


class ReconciliationSchema(Schema):
    """A draft or proof in full, with all keys that its digest covers."""

    id = fields.Id(Kind.RECONCILIATION)
    organization_id = ma.fields.String()
    fa_id = fields.Id(Kind.FEED_ACCOUNT)
    status = fields.OneOf(*RECONCILIATION_STATUSES)
    currency = fields.Currency()
    statement_date = fields.Day()
    statement_balance = fields.Amount()
    opening_balance = fields.Amount()
    opening_date = fields.Day(allow_none=True)
    keep_as_new = ma.fields.Boolean()
    opening_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    cleared_balance = fields.Amount()
    difference = fields.Amount()
    cleared_count = ma.fields.Integer()
    in_count = ma.fields.Integer()
    in_sum = fields.Amount()
    out_count = ma.fields.Integer()
    out_sum = fields.Amount()
    ledger_balance = fields.Amount()
    outstanding = ma.fields.List(ma.fields.Nested(ItemSchema))
    in_transit = ma.fields.List(ma.fields.Nested(ItemSchema))
    lines = ma.fields.List(ma.fields.Nested(ItemSchema))
    version = ma.fields.Integer()
    opened_at = fields.Timestamp()
    opened_by = ma.fields.Nested(PersonSchema)
    reopened_from_id = fields.Id(Kind.RECONCILIATION, allow_none=True)
    previous_id = fields.Id(Kind.RECONCILIATION, allow_none=True)
    previous_digest = ma.fields.String(allow_none=True)
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True, metadata={"description": "The bank's statement."})
    statement_digest = ma.fields.String(
        allow_none=True, metadata={"description": "The SHA-256 of the statement's file."}
    )
    file_digests = ma.fields.List(
        ma.fields.String(),
        metadata={
            "description": "The SHA-256 of each file and each pushed batch that brought a cleared line."
        },
    )
    head = ma.fields.Nested(
        HeadSchema,
        allow_none=True,
        metadata={"description": "The event of the audit trail before the proof's own."},
    )
    digest = ma.fields.String(allow_none=True)
    holds = ma.fields.Boolean(allow_none=True)
    broken_by = ma.fields.Nested(BrokenBySchema, allow_none=True)
    history = ma.fields.List(ma.fields.Nested(BreakSchema))
    completed_at = fields.Timestamp(allow_none=True)
    completed_by = ma.fields.Nested(PersonSchema, allow_none=True)
    reopened_at = fields.Timestamp(allow_none=True)
    reopened_by = ma.fields.Nested(PersonSchema, allow_none=True)
    reopen_reason = ma.fields.String(allow_none=True)


class ProofSchema(Schema):
    """A proof without its items; `holds`, `clearedNow`, `offBy` and `brokenBy` are null where it was reopened."""

    id = fields.Id(Kind.RECONCILIATION)
    fa_id = fields.Id(Kind.FEED_ACCOUNT)
    account_name = Untrusted()
    status = fields.OneOf("COMPLETED", "REOPENED")
    currency = fields.Currency()
    first_date = fields.Day(
        allow_none=True,
        metadata={"description": "The first day of its statement; null for the first proof of an account."},
    )
    statement_date = fields.Day()
    statement_balance = fields.Amount()
    holds = ma.fields.Boolean(
        allow_none=True, metadata={"description": "Whether the books still agree with its statement."}
    )
    cleared_now = fields.Amount(
        allow_none=True,
        metadata={"description": "What its cleared items come to now, with its opening balance."},
    )
    off_by = fields.Amount(
        allow_none=True,
        metadata={"description": "What the statement has more than that; 0.00 while it holds."},
    )
    broken_by = ma.fields.Nested(BrokenBySchema, allow_none=True)
    previous_id = fields.Id(Kind.RECONCILIATION, allow_none=True)
    digest = ma.fields.String(allow_none=True)
    completed_at = fields.Timestamp(allow_none=True)
    completed_by = ma.fields.Nested(PersonSchema, allow_none=True)
    reopened_at = fields.Timestamp(allow_none=True)
    reopen_reason = ma.fields.String(allow_none=True)


class ProofQuerySchema(PageSchema):
    """The proofs to list; `from` and `to` are days of statements, `month` is any that a statement has a day of."""

    status = fields.OneOf("COMPLETED", "REOPENED", load_default="COMPLETED")
    fa_id = fields.FormId(Kind.FEED_ACCOUNT, load_default=None)
    month = CalendarMonth(load_default=None)
    holds = fields.FormFlag(load_default=None)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)


class DraftFormSchema(DraftInputSchema):
    """The inputs of a draft from the panel's form."""

    version = fields.Digits(least=1, load_default=None, allow_none=True)


class VersionFormSchema(Schema):
    """The version of the draft that the page shows."""

    version = fields.Digits(least=1, load_default=None, allow_none=True)


def _form_ids() -> Any:
    return ma.fields.List(fields.FormId(), load_default=list, validate=AT_MOST)


class LinesFormSchema(Schema):
    """The ids to clear and unclear from check boxes and selections."""

    cleared = _form_ids()
    uncleared = _form_ids()
    cleared_entries = _form_ids()
    uncleared_entries = _form_ids()
    auto = fields.FormFlag(load_default=False)


class ReopenFormSchema(ReopenSchema):
    """The reason to reopen a proof, and the oldest proof to reopen."""

    reconciliation_id = fields.FormId(load_default=None, allow_none=True)  # type: ignore[assignment]


class AcceptFormSchema(AcceptSchema):
    """The broken proof to accept, and the reason."""

    reconciliation_id = fields.FormId(required=True)  # type: ignore[assignment]
