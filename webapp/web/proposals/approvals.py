"""Decisions on proposals: the call is made again as the one who proposed it, and kept where it does what was shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from webapp import queries
from webapp.db import db
from webapp.ledger.errors import LedgerError, NotFoundError, UnprocessableError
from webapp.ledger.scopes import scopes_of_role
from webapp.models import ActionRequest, Proposal
from webapp.queries.access.principals import Principal
from webapp.services.audit import proposals
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import recording
from webapp.services.audit.proposals import MovedError, Preview
from webapp.web.access import requests
from webapp.web.access.auth import NoScopeError, acting, demand, organization_id, principal
from webapp.web.proposals import dry_runs, stored_calls
from webapp.web.proposals.dry_runs import Trial
from webapp.web.proposals.proposing import acting_as, preview_of
from webapp.web.proposals.stored_calls import Call

EXECUTED: Final = "EXECUTED"


class ProposerGoneError(LedgerError):
    """The key that proposed this is revoked, expired or may do less now; reject it, or do it yourself."""

    code = "proposer_gone"


class BlockedError(LedgerError):
    """Something stands against this proposal; it waits until that is settled."""

    code = "blocked"
    untrusted = ("error", "details")

    def __init__(
        self,
        message: str,
        code: str,
        details: Mapping[str, object] | None = None,
        preview: Preview | None = None,
    ) -> None:
        """Say what the refusal says; `preview` is what it would do now, where that is news."""
        super().__init__(message, code=code, details=details)
        self.preview = preview


def approve(request_id: str, digest: str | None = None, note: str = "") -> ActionRequest:
    """Execute a proposal that does what `digest` says, else what its preview said.

    Raises MovedError with the new preview, BlockedError, ProposerGoneError, DecidedError: it goes on waiting.
    """
    proposal = waiting(request_id)
    who = _proposer(proposal)
    call = Call(proposal.method, proposal.path, proposal.query, proposal.body, proposal.form)
    tried = _tried(call, who)
    if tried.refusal is not None:
        raise _moved_or_blocked(proposal, preview_of(tried), tried.refusal)
    if tried.digest != (digest or proposal.digest):
        raise MovedError(preview_of(tried))
    proposals.approve(proposal, note=note, **acting())
    _execute(proposal, call, who, is_one=len(tried.acts) == 1 and not tried.failures)
    proposals.drop_file(proposal, stored_calls.folder())
    return proposal.request


def approve_alone(request_id: str, digest: str | None = None, note: str | None = None) -> ActionRequest:
    """Approve one; a new preview stays though the answer is an error."""
    proposals.sweep(organization_id(), stored_calls.folder(), now=requests.now())
    try:
        return approve_or_look_again(request_id, digest, note or "")
    except LedgerError:
        db.session.commit()
        raise


def approve_or_look_again(request_id: str, digest: str | None = None, note: str = "") -> ActionRequest:
    """Approve in a savepoint; where the effect has moved, keep the new preview for whoever looks next."""
    try:
        with db.session.begin_nested():
            return approve(request_id, digest, note)
    except LedgerError as error:
        dry_runs.unrecorded(error)
        if isinstance(error, (MovedError, BlockedError)) and error.preview is not None:
            proposal = queries.audit.proposals.get(organization_id(), request_id)
            proposals.look_again(proposal, error.preview, now=requests.now())
        raise


def approve_many(ids: Sequence[str], digests: Mapping[str, str | None] | None = None) -> list[dict[str, Any]]:
    """Approve one by one, each in a savepoint of its own; a refused one says why and stops nobody.

    `digests` are the effects that somebody looked at, else each is approved as its kept preview says.
    """
    proposals.sweep(organization_id(), stored_calls.folder(), now=requests.now())
    return [_approve_one(request_id, (digests or {}).get(request_id)) for request_id in ids]


def reject(request_id: str, reason: str) -> ActionRequest:
    """Decide against a proposal."""
    proposals.sweep(organization_id(), stored_calls.folder(), now=requests.now())
    proposal = waiting(request_id)
    proposals.reject(proposal, reason, stored_calls.folder(), **acting())
    return proposal.request


def waiting(request_id: str) -> Proposal:
    """Find a proposal that the viewer may decide on; raises NotFoundError, DecidedError, or 403."""
    request = queries.audit.action_requests.get(organization_id(), request_id)
    if request.proposal is None or request.status != "PENDING":
        proposals.refuse_decided(request)
    demand(request.proposal.scope)
    return request.proposal


def _tried(call: Call, who: Principal) -> Trial:
    """Try a call again; what cannot be asked any more stands against it like everything else."""
    try:
        with stored_calls.made_again(call), acting_as(who):
            return dry_runs.run(organization_id(), dry_runs.call_view)
    except NotFoundError:
        raise BlockedError("What this is about is not there any more. Reject it.", "gone") from None
    except UnprocessableError as error:
        dry_runs.unrecorded(error)
        raise BlockedError(str(error), error.code, error.details) from error


def _proposer(proposal: Proposal) -> Principal:
    """Be the token that proposed, with what both its owner and whoever approves may."""
    found = queries.access.principals.proposer(db.session(), proposal, requests.now())
    if found is None:
        raise ProposerGoneError
    return replace(found, scopes=scopes_of_role(found.role) & principal().scopes)


def _execute(proposal: Proposal, call: Call, who: Principal, *, is_one: bool) -> None:
    """Make the call for good: nobody else writes to these books between its trial and now."""
    own_id = proposal.action_request_id if is_one else None
    with stored_calls.made_again(call), acting_as(who):
        by = Act(**acting(), kind="", target_kind="", target_id="")
        with recording(proposal_id=own_id) as recorded:
            response = dry_runs.to_response(dry_runs.call_view())
    done = [act for act, status in recorded if status == EXECUTED]
    answer = {"status": response.status_code, "answer": response.get_json(silent=True)}
    proposals.executed(proposal, done, answer, by)


def _moved_or_blocked(proposal: Proposal, preview: Preview, refusal: LedgerError) -> LedgerError:
    """Say what stands against it; whoever was shown something else is shown that too."""
    details = {**refusal.details, "digest": preview.digest, "blockers": list(preview.blockers)}
    is_news = preview.digest != proposal.digest
    return BlockedError(str(refusal), refusal.code, details, preview if is_news else None)


def _approve_one(request_id: str, digest: str | None) -> dict[str, Any]:
    try:
        request = approve_or_look_again(request_id, digest)
    except NoScopeError as error:
        return _refused(request_id, str(error.description), error.own_code)
    except LedgerError as error:
        return _refused(request_id, str(error), error.code)
    return {"id": request.id, "status": request.status, "changed": True, "error": "", "code": None}


def _refused(request_id: str, sentence: str, code: str) -> dict[str, Any]:
    return {"id": request_id, "status": "FAILED", "changed": False, "error": sentence, "code": code}
