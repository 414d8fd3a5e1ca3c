"""The schemas of action requests: the result of an act, its record and event for audits, and forms on proposals."""

import re
from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.codes import ACT_KINDS, ACTION_STATUSES, ACTIVITY_AREAS, CALL_KINDS
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.audit.effects import AsStored, EffectSchema
from webapp.schemas.base import OPTIONAL, WARNING_CODES, WARNINGS, Schema, included_by
from webapp.schemas.instants import Since
from webapp.schemas.paging import DEFAULT_LIMIT, LARGEST_LIMIT, PageSchema, wrapped
from webapp.schemas.untrusted import UNTRUSTED, UNTRUSTED_ANSWER, Untrusted, UntrustedPaths

MOST_IDS = 500
ACTOR = r"(me|(PERSON|TOKEN):[1-9][0-9]{0,17})\Z"
TARGET = r"[a-z_]{1,32}:[A-Za-z0-9_-]{1,40}\Z"
# Messages of fields are formatted: a brace stands there twice.
FIND_DIGEST = "Send the digest of the effect that you looked at: GET /api/action-requests/{{id}} has both."
FIND_DIGESTS = (
    "Send a list of {{id, digest}}: GET /api/action-requests/{{id}} has the digest beside its effect."
)
# The values of proposals' keys for an act that was not proposed.
OF_PROPOSALS: Mapping[str, Any] = {
    "digest": None,
    "effect": None,
    "blockers": [],
    "expires_at": None,
    "checked_at": None,
    "decided_by": None,
    "replaced_by": None,
    "reason": "",
    "answer": None,
    "acts": [],
}
TYPE = (
    "What the act was about, and what became of it: `transaction.executed`, `transaction.pending` (proposed)."
)
BODY = "The event as it was written, canonical JSON: `hash` is the SHA-256 of `previousHash`, a line end and this."
LONGEST_ID, DIGEST_LENGTH = 40, 64
ID_AND_DIGEST = re.compile(r"[^.]{1,40}\.[0-9a-f]{64}")


class ResultSchema(Schema):
    """The ids that an act changed."""

    journal_entry_ids = ma.fields.List(fields.Id(Kind.JOURNAL_ENTRY))
    document_relation_ids = ma.fields.List(fields.Id(Kind.DOCUMENT_RELATION))
    deleted_journal_entry_ids = ma.fields.List(fields.Id(Kind.JOURNAL_ENTRY))
    voided_journal_entry_ids = ma.fields.List(fields.Id(Kind.JOURNAL_ENTRY))


class ActionResultSchema(Schema):
    """The result of an act, as in the interface document."""

    action_request_id = ma.fields.String(allow_none=True)
    status = fields.OneOf(*ACTION_STATUSES)
    changed = ma.fields.Boolean()
    result = ma.fields.Nested(ResultSchema)
    error = Untrusted()
    warnings = ma.fields.List(Untrusted(), metadata=WARNINGS)
    warning_codes = ma.fields.List(ma.fields.String(), metadata=WARNING_CODES)


class BulkResultSchema(ActionResultSchema):
    """The result of a bulk act for one of its ids."""

    id = fields.Id(Kind.TRANSACTION)
    title = Untrusted(metadata={"description": "What was done, in words; empty where nothing was."})
    code = ma.fields.String(metadata=OPTIONAL)


class BulkResultsSchema(Schema):
    """One result per id, in the order of the request."""

    results = ma.fields.List(ma.fields.Nested(BulkResultSchema))


class PersonSchema(Schema):
    """An actor: a person, an API key, a command or the system."""

    kind = fields.OneOf("PERSON", "TOKEN", "COMMAND", "SYSTEM")
    id = fields.Id(allow_none=True)
    name = ma.fields.String()


class TargetSchema(Schema):
    """The object of an act."""

    kind = ma.fields.String()
    id = ma.fields.String()


class BlockerSchema(Schema):
    """A reason why a proposal cannot be executed; in a bulk call `id` is the one of its ids that has it."""

    id = fields.Id()
    code = ma.fields.String()
    message = Untrusted()
    details = ma.fields.Dict()


class CallAnswerSchema(Schema):
    """The answer to the proposed call after its execution."""

    status = ma.fields.Integer()
    answer = ma.fields.Raw(allow_none=True, metadata=UNTRUSTED_ANSWER)


class ActionRequestSchema(Schema):
    """The audit record of a write; `digest` and the keys behind it belong to proposals."""

    id = ma.fields.String()
    kind = ma.fields.String()
    status = fields.OneOf(*ACTION_STATUSES)
    plan_id = ma.fields.String(
        allow_none=True, metadata={"description": "The plan that this was done as a step of."}
    )
    actor = ma.fields.Nested(PersonSchema)
    target = ma.fields.Nested(TargetSchema)
    title = Untrusted()
    note = ma.fields.String()
    payload = ma.fields.Dict(metadata=UNTRUSTED)
    before = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)
    after = ma.fields.Dict(allow_none=True, metadata=UNTRUSTED)
    error = Untrusted()
    created_at = fields.Timestamp()
    decided_at = fields.Timestamp(allow_none=True)
    digest = ma.fields.String(allow_none=True)
    effect = AsStored(EffectSchema, allow_none=True)
    blockers = ma.fields.List(ma.fields.Nested(BlockerSchema))
    expires_at = fields.Timestamp(allow_none=True)
    checked_at = fields.Timestamp(allow_none=True)
    decided_by = ma.fields.Nested(PersonSchema, allow_none=True)
    replaced_by = ma.fields.String(allow_none=True)
    reason = ma.fields.String()
    answer = ma.fields.Nested(CallAnswerSchema, allow_none=True)
    action_request_ids = ma.fields.List(ma.fields.String(), attribute="acts")

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        """Read the keys of proposals from the proposal; other acts have fixed values."""
        if attr not in OF_PROPOSALS:
            return super().get_attribute(obj, attr, default)
        return OF_PROPOSALS[attr] if obj.proposal is None else getattr(obj.proposal, attr)


REFUSED = {
    **OPTIONAL,
    "description": "The items of a bulk call that the books refuse: the proposal is without them.",
}


NEIGHBOURS = {
    **OPTIONAL,
    "description": "Other proposals that wait and would change the same; decide on them in this order.",
}


class NeighbourSchema(Schema):
    """A proposal that waits."""

    id = ma.fields.String(metadata={"description": "The id of the proposal."})
    title = Untrusted(
        metadata={"description": "What it would do, in words; it may quote texts of strangers."}
    )


def proposing(shape: type[Schema], **named: Any) -> type[Schema]:
    """Make the schema of an action request that may name items which it leaves out, and others that wait."""
    named["waiting"] = ma.fields.List(ma.fields.Nested(NeighbourSchema), metadata=NEIGHBOURS)
    refused = ma.fields.List(ma.fields.Nested(BlockerSchema), metadata=REFUSED)
    return wrapped("actionRequest", shape, refused=refused, **named)


ActionRequestAnswerSchema = proposing(ActionRequestSchema)


class ReviewedEffectSchema(Schema):
    """The digest of the effect that somebody reviewed."""

    digest = fields.Text(
        least=64, most=64, required=True, error_messages={"required": FIND_DIGEST, "null": FIND_DIGEST}
    )


class ApprovalSchema(ReviewedEffectSchema):
    """The digest of the effect that somebody reviewed, and a note for the agent."""

    note = fields.Text(most=2000, load_default="")


class ReviewedProposalSchema(ReviewedEffectSchema):
    """A proposal and the digest of its effect that somebody reviewed."""

    id = fields.Text(least=1, most=40, required=True)


class RejectionSchema(Schema):
    """The reason of a rejection, for the agent."""

    reason = fields.Text(least=1, most=2000, required=True)


class ApproveManySchema(Schema):
    """The proposals to approve, each with the digest of the effect that somebody reviewed."""

    proposals = ma.fields.List(
        ma.fields.Nested(ReviewedProposalSchema),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Send 1 to 500 proposals."),
        error_messages={"required": FIND_DIGESTS, "null": FIND_DIGESTS},
    )


class RejectManySchema(RejectionSchema):
    """The proposals to reject, and the one reason, for their agents."""

    ids = ma.fields.List(
        fields.Text(least=1, most=40),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Send 1 to 500 ids."),
    )


class ApprovedSchema(Schema):
    """The result of one of several approvals or rejections."""

    id = ma.fields.String()
    status = fields.OneOf(*ACTION_STATUSES)
    changed = ma.fields.Boolean()
    error = Untrusted()
    code = ma.fields.String(allow_none=True)
    replaced_by = ma.fields.String(allow_none=True)


class ApprovedManySchema(Schema):
    """One result per id, in the order of the request."""

    results = ma.fields.List(ma.fields.Nested(ApprovedSchema))


class ActionRequestQuerySchema(PageSchema):
    """The action requests to list."""

    status = fields.OneOf(*ACTION_STATUSES, load_default=None)
    kind = fields.OneOf(*ACT_KINDS, *CALL_KINDS, load_default=None)


class ActQuerySchema(ActionRequestQuerySchema):
    """The action requests to list: of an actor, about a target, and since an instant."""

    actor = ma.fields.String(
        load_default=None,
        validate=ma.validate.Regexp(ACTOR, error="Write me, or a kind and an id, like TOKEN:4 or PERSON:3."),
        metadata={"description": "Who did it: `me`, or a kind and an id, like `TOKEN:4` or `PERSON:3`."},
    )
    target = ma.fields.String(
        load_default=None,
        validate=ma.validate.Regexp(TARGET, error="Write a kind and an id, like transaction:12."),
        metadata={
            "description": "What it is about: the kind and the id of its target, like `transaction:12`."
        },
    )
    since = Since(
        load_default=None, metadata={"description": "An instant: only what was asked for then or later."}
    )


class ActivityQuerySchema(AddressSchema, ActionRequestQuerySchema):
    """The action requests on a page: of everybody, of one key or of one person, an area, an account and days.

    `who` is a person or a key as the form names them: PERSON-3, TOKEN-4.
    """

    who = ma.fields.String(
        load_default=None, validate=ma.validate.Regexp(r"(PERSON|TOKEN)-[1-9][0-9]{0,17}\Z")
    )
    token_id = fields.FormId(load_default=None)
    person_id = fields.FormId(load_default=None)
    area = fields.OneOf(*ACTIVITY_AREAS, load_default=None)
    fa_id = fields.FormId(load_default=None)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)


class EventQuerySchema(Schema):
    """Where to go on, and how many events to send."""

    after = fields.Digits(
        least=0,
        most=fields.LARGEST_ID,
        load_default=0,
        metadata={"description": "The sequence of the last event that you have."},
    )
    limit = fields.Digits(least=1, most=LARGEST_LIMIT, load_default=DEFAULT_LIMIT)


class EventSchema(Schema):
    """One event of the audit chain, which names the one before it by its hash."""

    sequence = ma.fields.Integer(metadata={"description": "From 1 on, without a gap."})
    type = ma.fields.String(metadata={"description": TYPE})
    kind = ma.fields.String(metadata={"description": "What was done, as in action requests."})
    at = fields.Timestamp()
    actor = ma.fields.Nested(PersonSchema)
    target = ma.fields.Nested(TargetSchema)
    action_request_id = ma.fields.String(allow_none=True)
    previous_hash = ma.fields.String(metadata={"description": "Before the first event 64 zeros."})
    hash = ma.fields.String()
    body = Untrusted(metadata=included_by("body", BODY))


class EventFeedSchema(Schema):
    """Events, oldest first."""

    events = ma.fields.List(ma.fields.Nested(EventSchema))
    after = ma.fields.Integer(metadata={"description": "Send this as `after` for the next events."})
    more = ma.fields.Boolean(metadata={"description": "Whether there are more already."})
    untrusted = UntrustedPaths(["events[].body"])


class ProposalsPageSchema(AddressSchema):
    """The proposals to list, the open one, and the one that was just decided."""

    show = fields.OneOf("waiting", "decided", load_default="waiting")
    id = fields.Text(least=1, most=LONGEST_ID, load_default=None)
    done = fields.Text(least=1, most=LONGEST_ID, load_default=None)
    count = fields.Digits(least=1, most=MOST_IDS, load_default=None)


class ApprovalFormSchema(Schema):
    """The digest of the effect that somebody reviewed, and a note for the agent."""

    digest = fields.Text(least=DIGEST_LENGTH, most=DIGEST_LENGTH, required=True)
    note = fields.Text(most=2000, allow_none=True, load_default=None)


class RejectionFormSchema(Schema):
    """The reason of a rejection."""

    reason = fields.Text(least=1, most=2000, required=True)


class ReviewedProposal(fields.Text):
    """A proposal with the reviewed effect, as `id.digest`."""

    def __init__(self) -> None:
        super().__init__(
            least=1, most=LONGEST_ID + 1 + DIGEST_LENGTH, metadata={"pattern": ID_AND_DIGEST.pattern}
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not ID_AND_DIGEST.fullmatch(text):
            raise ma.ValidationError("Choose proposals on the page of approvals, which shows their effects.")
        return text


class ApproveManyFormSchema(Schema):
    """The proposals to approve, with the digests of the reviewed effects; the same form has a reason for rejecting."""

    ids = ma.fields.List(
        ReviewedProposal(),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Choose 1 to 500 proposals."),
    )
    reason = fields.Text(most=2000, allow_none=True, load_default=None)


class RejectManyFormSchema(ApproveManyFormSchema):
    """The proposals to reject, and why."""

    reason = fields.Text(least=1, most=2000, required=True)
