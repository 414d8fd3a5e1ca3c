"""Decisions on proposals, one or several, as a person makes them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from webapp.database import failures
from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.ledger.titles import PLAN
from webapp.models import ActionRequest, Proposal
from webapp.queries.audit import action_requests
from webapp.services.audit import approvals, limits, proposals, trials
from webapp.services.audit.approvals import Approval, Replay
from webapp.services.audit.trials import CallResult, Trial
from webapp.web.access import heavy_calls
from webapp.web.access.auth import NoScopeError, acting, decider_scopes, demand, organization_id, principal
from webapp.web.proposals import calls, preconditions
from webapp.web.proposals.calls import InterfaceShapes

# Each is tried and then done, some 40 ms for a confirmation, and nobody else writes meanwhile.
MOST_AT_ONCE: Final = 20
# A rejection writes two rows.
MOST_REJECTED: Final = 100
# What is imported of a file, and what is read of it, in the time of a call.
LINES_LIKE_A_CALL: Final = 250
BYTES_LIKE_A_CALL: Final = 100_000


def approve_alone(request_id: str, digest: str, note: str | None = None) -> ActionRequest:
    """Approve one that does what `digest` says; a new preview stays though the answer is an error."""
    _sweep()
    try:
        return _approve(request_id, digest, note or "")
    except LedgerError:
        failures.commit(db.session())
        raise


def approve_many(reviewed: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Approve one by one, each in a savepoint of its own; a refused one says why and stops nobody.

    `reviewed` are the proposals' ids, each with the digest of the effect that somebody looked at. More than fit raise
    ActTooLargeError: among others a plan counts as its steps, and a file by its length.
    """
    if len(reviewed) > 1:
        count = _count_calls([request_id for request_id, _ in reviewed])
        otherwise = "Approve them in parts; a plan counts as its steps, and a file by its length."
        limits.refuse_above(MOST_AT_ONCE, count, "proposals", "approved", otherwise)
    _sweep()
    return [_decided(request_id, partial(_approve, request_id, digest)) for request_id, digest in reviewed]


def _count_calls(request_ids: Sequence[str]) -> int:
    """Count how many calls some proposals are, or take as long as."""
    found = action_requests.by_ids(organization_id(), request_ids)
    return len(set(request_ids) - found.keys()) + sum(map(_calls_of, found.values()))


def _calls_of(request: ActionRequest) -> int:
    """Count how many calls a proposal is, or takes as long as."""
    if request.kind == PLAN:
        return len(request.payload["body"]["steps"])
    if request.proposal is None:
        return 1
    size = proposals.size_of_file(request.proposal, calls.folder())
    lines = sum((act["after"] or {}).get("added") or 0 for act in request.proposal.effect["acts"])
    return max(1, lines // LINES_LIKE_A_CALL, size // BYTES_LIKE_A_CALL)


def reject(request_id: str, reason: str) -> ActionRequest:
    """Decide against a proposal."""
    _sweep()
    return approvals.reject(_waiting(request_id), reason, calls.folder(), **acting())


def reject_many(request_ids: Sequence[str], reason: str) -> list[dict[str, Any]]:
    """Reject one by one with one reason, each in a savepoint of its own; a refused one says why and stops nobody."""
    limits.refuse_above(MOST_REJECTED, len(request_ids), "proposals", "rejected", "Reject them in parts.")
    _sweep()
    return [_rejected(request_id, reason) for request_id in request_ids]


def _rejected(request_id: str, reason: str) -> dict[str, Any]:
    def decide() -> ActionRequest:
        with db.session.begin_nested():
            return approvals.reject(_waiting(request_id), reason, calls.folder(), **acting())

    return _decided(request_id, decide)


def _sweep() -> None:
    proposals.sweep(organization_id(), calls.folder(), now=acting()["now"])


def _waiting(request_id: str) -> Proposal:
    """Find a proposal that the viewer may decide on; raises NotFoundError, DecidedError, or 403."""
    proposal = approvals.waiting(organization_id(), request_id)
    for scope in proposal.scope.split():
        demand(scope, decider_scopes())
    return proposal


def _approve(request_id: str, digest: str, note: str = "") -> ActionRequest:
    proposal, approval = _waiting(request_id), Approval(digest=digest, note=note, **acting())
    return approvals.approve_or_preview(proposal, approval, _replay(proposal), calls.folder())


def _replay(proposal: Proposal) -> Replay:
    """Make ready to make a proposal's call again as the one who proposed it; a heavy one takes a slot.

    Raises ProposerGoneError.
    """
    who = approvals.proposer(proposal, decider_scopes(), acting()["now"])
    call = calls.of_proposal(proposal)
    heavy_calls.enter(call.view, principal())
    key_id = principal().token_id

    @contextmanager
    def again(counts_for: int | None = None) -> Iterator[None]:
        with calls.made_again(call), calls.acting_as(who, counts_for):
            preconditions.check()
            yield

    def make(counts_for: int | None = None) -> CallResult:
        with again(counts_for):
            return calls.make()

    def try_() -> Trial:
        if not calls.has_own_trial(call.view):
            return trials.run(organization_id(), make, InterfaceShapes())
        with again():
            return calls.tried()

    with calls.acting_as(who):
        return Replay(acting()["actor"], partial(make, key_id), try_)


def _decided(request_id: str, decide: Callable[[], ActionRequest]) -> dict[str, Any]:
    try:
        request = decide()
    except NoScopeError as error:
        return _refused(request_id, str(error.description), error.own_code)
    except LedgerError as error:
        return _refused(request_id, str(error), error.code, error.details.get("replacedBy"))
    return _result(request.id, request.status, changed=True)


def _refused(request_id: str, sentence: str, code: str, replaced_by: object = None) -> dict[str, Any]:
    return _result(request_id, "FAILED", error=sentence, code=code, replaced_by=replaced_by)


def _result(request_id: str, status: str, *, changed: bool = False, **more: object) -> dict[str, Any]:
    nothing = {"error": "", "code": None, "replaced_by": None}
    return {"id": request_id, "status": status, "changed": changed, **nothing, **more}
