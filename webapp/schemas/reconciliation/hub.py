"""The schemas of the hub: every feed account with its last proof, its broken proof and its open draft."""

from typing import Any, get_args

import marshmallow as ma

from webapp.ledger.proofs.equations import BreachField
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.accounts.feed_accounts import FeedAccountSchema
from webapp.schemas.audit.action_requests import PersonSchema
from webapp.schemas.base import OPTIONAL, DocumentedSchema, Schema
from webapp.schemas.untrusted import Untrusted


class BrokenBySchema(Schema):
    """The change that broke a proof: the field, its values before and after, the actor and the time."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    transaction_id = fields.Id(Kind.TRANSACTION, allow_none=True)
    action_request_id = ma.fields.String(allow_none=True)
    actor = ma.fields.Nested(PersonSchema)
    field = fields.OneOf(*get_args(BreachField))
    before = ma.fields.String(allow_none=True)
    after = ma.fields.String(allow_none=True)
    at = fields.Timestamp()


class AnchorSchema(Schema):
    """The last completed reconciliation, and whether it still holds."""

    id = fields.Id(Kind.RECONCILIATION)
    statement_date = fields.Day()
    statement_balance = fields.Amount()
    completed_at = fields.Timestamp()
    completed_by = ma.fields.Nested(PersonSchema)
    digest = ma.fields.String()
    holds = ma.fields.Boolean()
    broken_by = ma.fields.Nested(BrokenBySchema, allow_none=True)


class BrokenProofSchema(Schema):
    """A standing proof that holds no longer: what broke it, and by how much it is off.

    `clearedNow` is the current sum of its cleared items. `offBy` is the statement balance less that sum or, where no
    item changed its amount, what the books are off by.
    """

    id = fields.Id(Kind.RECONCILIATION)
    statement_date = fields.Day()
    statement_balance = fields.Amount()
    cleared_now = fields.Amount()
    off_by = fields.Amount()
    broken_by = ma.fields.Nested(BrokenBySchema, allow_none=True)


class DraftSchema(Schema):
    """The open draft: its inputs and its sums."""

    id = fields.Id(Kind.RECONCILIATION)
    statement_date = fields.Day()
    statement_balance = fields.Amount()
    opening_balance = fields.Amount()
    opening_date = fields.Day(allow_none=True)
    keep_as_new = ma.fields.Boolean()
    cleared_balance = fields.Amount()
    difference = fields.Amount()
    cleared_count = ma.fields.Integer()
    version = ma.fields.Integer()
    opened_at = fields.Timestamp()
    opened_by = ma.fields.Nested(PersonSchema)


class ProviderBalanceSchema(Schema):
    """The bank's balance at the close of a day, and its basis."""

    amount = fields.Amount(allow_none=True)
    currency = fields.Currency()
    as_of = fields.Day()
    snapshot_date = fields.Day(allow_none=True)
    basis = fields.OneOf("snapshot", "rolled_back", "rolled_forward", "unavailable")


class UnclearedEntriesSchema(Schema):
    """Posted entries on the ledger account that come from no bank line and that no proof has cleared.

    `sum` is what they come to, `oldestOn` the day of the oldest, null where there are none.
    """

    count = ma.fields.Integer()
    sum = fields.Amount()
    oldest_on = fields.Day(allow_none=True)


class HubAccountSchema(FeedAccountSchema):
    """A feed account in the hub; `providerBalance` only with `providerBalanceAsOf`.

    `brokenProof` is the oldest of its standing proofs that holds no longer, or null; the anchor itself may hold. Where
    `status` is `needs`, there is a `draft`, a `brokenProof`, or an `unreconciledCount` above 0.
    """

    class Meta(FeedAccountSchema.Meta):
        """The hub leaves out how lines come from the bank."""

        exclude = ("external_id", "provider", "is_active", "splits_batches")

    status = fields.OneOf("never", "needs", "reconciled")
    anchor = ma.fields.Nested(AnchorSchema, allow_none=True)
    broken_proof = ma.fields.Nested(BrokenProofSchema, allow_none=True, attribute="broken")
    draft = ma.fields.Nested(DraftSchema, allow_none=True)
    uncleared_entries = ma.fields.Nested(UnclearedEntriesSchema)
    provider_balance = ma.fields.Nested(ProviderBalanceSchema, metadata=OPTIONAL)

    @ma.post_dump
    def leave_out_missing_balance(self, answer: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Leave out the provider balance where no day was asked for."""
        del kwargs
        if answer.get("providerBalance") is None:
            answer.pop("providerBalance", None)
        return answer


class HubAccountAnswerSchema(Schema):
    """One account of the hub."""

    account = ma.fields.Nested(HubAccountSchema)


class WatchedSchema(Schema):
    """A watched account, its open items, and its balance in the base currency."""

    account_id = fields.Id(Kind.ACCOUNT)
    account_name = Untrusted()
    open_items = ma.fields.Integer()
    balance_base = fields.Amount()


class HubSchema(Schema):
    """All active feed accounts, and the watched accounts."""

    accounts = ma.fields.List(ma.fields.Nested(HubAccountSchema))
    watched = ma.fields.List(ma.fields.Nested(WatchedSchema))


class HubQuerySchema(DocumentedSchema):
    """The day of the banks' balances."""

    provider_balance_as_of = fields.Day(load_default=None)
