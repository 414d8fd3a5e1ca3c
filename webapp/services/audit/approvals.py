"""Decisions on proposals: the call is made again as the proposer, and stays where it still does what was shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from webapp.database.session_state import state_of
from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError, NotFoundError, PreconditionError, UnprocessableError
from webapp.ledger.scopes import SIGNED_IN_KINDS, scopes_of_role
from webapp.models import ActionRequest, ApiToken, Proposal
from webapp.queries.access import principals
from webapp.queries.access.principals import Principal
from webapp.queries.audit import action_requests
from webapp.queries.common import lookups
from webapp.queries.effects import summaries
from webapp.services.audit import proposals
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import append, recording, unrecorded
from webapp.services.audit.proposals import APPROVE, REJECT
from webapp.services.audit.trials import WARNINGS, CallResult, Trial

EXECUTED: Final = "EXECUTED"
CHANGED_SINCE: Final = (
    "This was asked for on condition that its record is as the key had read it, and it has changed since. Reject it;"
    " the key can read the record again, and propose anew."
)


class ProposerGoneError(LedgerError):
    """The key that proposed this is revoked, expired or may do less now; reject it, or do it yourself."""

    code = "proposer_gone"


class MovedError(LedgerError):
    """This proposal's effect has changed. Here is the new one."""

    code = "moved"
    untrusted = ("details.effect", "details.blockers")

    def __init__(self, tried: Trial, kept: Mapping[str, Any]) -> None:
        """Carry what it would do now; `kept` is what it would have done, of a plan step by step."""
        self.preview = tried
        now = {"digest": tried.digest, "effect": dict(tried.effect), "blockers": tried.blockers}
        if not tried.is_plan:
            super().__init__(details=now)
            return
        step = tried.moved_step(kept)
        first = "" if step is None else f" Step {step} is the first that differs."
        sentence = f"This plan's effect has changed.{first} Here is the new one."
        super().__init__(sentence, details={"step": step, **now})


class OwnProposalError(LedgerError):
    """A key does not approve what a key of the same person proposed. Sign in to look at it."""

    status = 403
    code = "own_proposal"


class SignInToApproveError(LedgerError):
    """No key approves this: it voids, merges, closes, files, or changes rules, members or settings. Sign in."""

    status = 403
    code = "sign_in_to_approve"


class UnknownDigestError(UnprocessableError):
    """This proposal never had this digest. Read it, look at its effect, and send the digest beside it."""

    code = "unknown_digest"

    def __init__(self) -> None:
        """Name the key."""
        sentence = str(type(self).__doc__)
        super().__init__(f"digest: {sentence}", fields={"digest": [sentence]})


class BlockedError(LedgerError):
    """This proposal cannot be approved yet; it waits until that is resolved."""

    code = "blocked"
    untrusted = ("error", "details")

    def __init__(
        self,
        message: str,
        code: str,
        details: Mapping[str, object] | None = None,
        preview: Trial | None = None,
    ) -> None:
        """Repeat the refusal; `preview` is what the proposal would do now, where that is news."""
        super().__init__(message, code=code, details=details)
        self.preview = preview


@dataclass(frozen=True, slots=True)
class Replay:
    """The stored call of a proposal, made again as its proposer: who acts then, the call, and a trial of it."""

    actor: Actor
    call: Callable[[], CallResult]
    trial: Callable[[], Trial]


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's consent to a proposal that does what `digest` says, the effect that the person looked at."""

    actor: Actor
    now: datetime
    digest: str
    note: str = ""


def waiting(organization_id: str, request_id: str) -> Proposal:
    """Find a proposal that waits for a decision; raises NotFoundError or DecidedError."""
    request = action_requests.get(organization_id, request_id)
    if request.proposal is None or request.status != "PENDING":
        proposals.refuse_decided(request)
    return request.proposal


def proposer(proposal: Proposal, scopes: frozenset[str], now: datetime) -> Principal:
    """Find the token that proposed, with what both its owner and the approver may; raises ProposerGoneError."""
    found = principals.proposer(proposal, now)
    if found is None:
        raise ProposerGoneError
    return replace(found, scopes=scopes_of_role(found.role) & scopes)


def approve_or_preview(proposal: Proposal, approval: Approval, replay: Replay, folder: Path) -> ActionRequest:
    """Approve in a savepoint; where the effect has moved, keep the new preview for the next look.

    Raises MovedError with the new preview, UnknownDigestError, BlockedError or DecidedError: it goes on waiting. So it
    does where a key may not decide: OwnProposalError, SignInToApproveError or CapReachedError.
    """
    if approval.actor.kind == "TOKEN":
        _refuse_own(proposal, approval.actor)
    if approval.digest not in {proposal.digest, *proposal.earlier}:
        raise UnknownDigestError
    try:
        with db.session.begin_nested():
            return _approve(proposal, approval, replay, folder)
    except LedgerError as error:
        unrecorded(error)
        if isinstance(error, (MovedError, BlockedError)) and error.preview is not None:
            proposals.preview(proposal, error.preview, now=approval.now)
        raise


def reject(proposal: Proposal, reason: str, folder: Path, *, actor: Actor, now: datetime) -> ActionRequest:
    """Decide against a proposal, with a reason that its agent can read; raises DecidedError."""
    proposals.close(proposal, "REJECTED", actor, now)
    proposal.reason = reason
    proposals.record_step(proposal.request, REJECT, "REJECTED", actor, now, note=reason)
    proposals.drop_file(proposal, folder)
    db.session.flush()
    return proposal.request


def _approve(proposal: Proposal, approval: Approval, replay: Replay, folder: Path) -> ActionRequest:
    """Try the call, compare what it does with what was shown, claim the proposal, and make the call for good.

    Nobody else writes to these books between the trial and the call.
    """
    tried = _tried(replay)
    if tried.refusal is not None:
        raise _blocked(proposal, tried, tried.refusal)
    if tried.digest != approval.digest:
        raise MovedError(tried, proposal.effect)
    if approval.actor.kind == "TOKEN":
        _refuse_grave(tried)
    _claim(proposal, approval)
    _execute(proposal, replay, tried)
    shown = proposal.effect.get(WARNINGS, ())
    state_of(db.session()).warned += [("", each) for each in tried.effect[WARNINGS] if each not in shown]
    proposals.drop_file(proposal, folder)
    return proposal.request


def _refuse_own(proposal: Proposal, actor: Actor) -> None:
    """Let no key approve what its owner's own programs propose."""
    proposer_id = lookups.get(ApiToken, proposal.organization_id, proposal.token_id).user_id
    if proposer_id == actor.user_id:
        raise OwnProposalError


def _refuse_grave(tried: Trial) -> None:
    """Let no key approve what a person has to look at: by the acts that it comes to, and whether it closes a year."""
    kinds = {summaries.kind_of({"kind": each.kind, "after": each.after}) for each in tried.acts}
    parts = (tried.effect, *tried.effect.get("steps", ()))
    entries = [each["after"] or {} for part in parts for each in part["entries"]]
    if kinds & SIGNED_IN_KINDS or any(each.get("source") == "closing" for each in entries):
        raise SignInToApproveError


def _tried(replay: Replay) -> Trial:
    """Try a call again; what cannot be asked any more stands against it like everything else."""
    try:
        return replay.trial()
    except NotFoundError:
        raise BlockedError("What this is about no longer exists. Reject it.", "gone") from None
    except UnprocessableError as error:
        raise BlockedError(str(error), error.code, error.details) from error
    except PreconditionError as error:
        raise BlockedError(CHANGED_SINCE, error.code, error.details) from error


def _blocked(proposal: Proposal, tried: Trial, refusal: LedgerError) -> BlockedError:
    """Say what stands against it, with the new preview where that differs from the one that was shown."""
    details = {**refusal.details, "digest": tried.digest, "blockers": tried.blockers}
    is_news = tried.digest != proposal.digest
    return BlockedError(str(refusal), refusal.code, details, tried if is_news else None)


def _claim(proposal: Proposal, approval: Approval) -> None:
    proposals.close(proposal, EXECUTED, approval.actor, approval.now)
    proposal.reason = approval.note
    proposals.record_step(
        proposal.request, APPROVE, EXECUTED, approval.actor, approval.now, note=approval.note
    )
    db.session.flush()


def _execute(proposal: Proposal, replay: Replay, tried: Trial) -> None:
    """Make the call for good, and record its acts: one act is the proposal itself, several are acts of their own."""
    own_id = proposal.action_request_id if tried.is_one_act else None
    plan_id = proposal.action_request_id if tried.is_plan else None
    with recording(proposal_id=own_id, plan_id=plan_id) as recorded:
        result = replay.call()
    proposal.acts = [act.id for act, status in recorded if status == EXECUTED]
    proposal.answer = {"status": result.status, "answer": result.body}
    if proposal.acts != [proposal.action_request_id]:
        _record_whole(proposal, replay.actor)
    db.session.flush()


def _record_whole(proposal: Proposal, actor: Actor) -> None:
    """Append the event of a proposal that is no act itself: it names the acts that it came to."""
    request = proposal.request
    request.result = {"actionRequestIds": proposal.acts}
    whole = Act(
        actor,
        request.decided_at or request.created_at,
        request.kind,
        request.target_kind,
        request.target_id,
        title=request.title,
        note=request.note,
        payload=request.payload,
        before=request.before,
        after=request.after,
        result=request.result,
        id=request.id,
    )
    append(whole, EXECUTED)
