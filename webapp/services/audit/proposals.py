"""Proposals: a call waits as a PENDING action request until a person decides, or until its time is over."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.models import ActionRequest, ApiToken, Proposal
from webapp.queries.access import principals
from webapp.queries.audit import proposals
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import append, facts_of, new_id, words_of
from webapp.services.audit.trials import TOUCHES, WARNINGS, Trial
from webapp.services.storage import kept_files

LIFETIME = timedelta(days=7)
# As many as are approved at once: an agent that has lost its way fills neither the queue nor the disk.
MOST_WAITING = 500
# The digests by which a look at an older effect is told from a look at none.
MOST_EARLIER = 50
MOST_NEIGHBOURS = 5
PROPOSE, APPROVE, REJECT, EXPIRE = "propose", "approve_proposal", "reject_proposal", "expire_proposal"


class TooManyWaitingError(LedgerError):
    """This key has as many open proposals as a key may have; wait until some are decided."""

    code = "too_many_waiting"


class DecidedError(LedgerError):
    """This has been decided already; look at it again."""

    code = "decided"


class ReplacedError(LedgerError):
    """This was asked for again, with another effect. Decide on the proposal that replaced it."""

    code = "replaced"


class OtherPlanError(UnprocessableError):
    """`replaces` is the id of an older plan that this key proposed; GET /api/action-requests?kind=plan lists them."""

    code = "no_such_plan"


class OtherProposalError(UnprocessableError):
    """`replaces` is the id of an older proposal of this key; GET /api/action-requests?actor=me lists them."""

    code = "no_such_proposal"


@dataclass(frozen=True, slots=True)
class ProposedCall:
    """A call that a token may not make alone.

    `kind` names what is done at its address, `scope` is what approving it needs, `payload` is what the audit trail has
    of it. `keep` stores what it was sent with, and gives the columns that it can be made again from. `replaces` is the
    older proposal, and `replaces_plan` the older plan, of the same key in whose place it comes. `if_match` is the
    version that its record has to have.
    """

    kind: str
    scope: str
    fingerprint: str
    payload: Mapping[str, Any]
    keep: Callable[[], Mapping[str, Any]]
    replaces: str | None = None
    replaces_plan: str | None = None
    if_match: str | None = None


def sweep(organization_id: str, folder: Path, *, now: datetime) -> None:
    """Let the proposals end whose time is over, and remove the files that no proposal waits with any more."""
    for proposal in proposals.expired(organization_id, now):
        _expire(proposal, "It expired.", now)
    waiting = proposals.names_of_files()
    kept_files.sweep(folder, older_than=now - LIFETIME, but=waiting)


def end_of_token(token: ApiToken, *, now: datetime) -> None:
    """Let what a token proposed end with it: nobody is there any more in whose name it would be done."""
    for proposal in proposals.waiting_of_tokens(token.organization_id, [token.id]):
        _expire(proposal, "The key that proposed this was revoked.", now)


def end_of_member(organization_id: str, user_id: int, *, now: datetime) -> None:
    """Let what a member's tokens proposed end with the membership."""
    owned = sa.select(ApiToken.id).where(
        ApiToken.organization_id == organization_id, ApiToken.user_id == user_id
    )
    token_ids = db.session.scalars(owned).all()
    for proposal in proposals.waiting_of_tokens(organization_id, token_ids):
        _expire(proposal, "The owner of the key that proposed this is no longer a member.", now)


def wait(call: ProposedCall, tried: Trial, folder: Path, *, actor: Actor, now: datetime) -> ActionRequest:
    """Let a call that was tried wait for a person.

    The same call with the same effect is the proposal that waits for it already; with another effect, or of a key
    that can propose no more, it is a new one, which replaces that. Raises TooManyWaitingError for a key that asks
    for more than anybody can look at.
    """
    sweep(actor.organization_id, folder, now=now)
    request = _wait(call, tried, folder, actor, now)
    if call.replaces_plan is not None:
        replace_plan(call.replaces_plan, request.id, actor=actor, now=now)
    if call.replaces is not None:
        replace(call.replaces, request.id, actor=actor, now=now)
    _warn_of_neighbours(request.proposal, tried)
    return request


def _warn_of_neighbours(proposal: Proposal | None, tried: Trial) -> None:
    """Keep with a proposal a warning of each other one that waits and is about the same."""
    if proposal is None:
        return
    touches = tried.effect.get(TOUCHES, ())
    found = proposals.neighbours(proposal.organization_id, touches, proposal.action_request_id)
    sentences = [
        f"{titles.proposed(each.title)} ({each.id}) would change this {_thing(each.things[0])} too."
        for each in found[:MOST_NEIGHBOURS]
    ]
    if found[MOST_NEIGHBOURS:]:
        sentences.append(f"So would {len(found) - MOST_NEIGHBOURS} more proposals.")
    proposal.effect = {**tried.effect, WARNINGS: [*sentences, *tried.effect[WARNINGS]]}
    db.session.flush()


def _thing(name: str) -> str:
    """Name a kind of row as people do.

    >>> _thing("transaction:12"), _thing("posting:3"), _thing("merchant:4")
    ('line', 'open item', 'customer or supplier')
    """
    kind = name.partition(":")[0]
    return {"transaction": "line", "posting": "open item", "merchant": "customer or supplier"}.get(
        kind, kind.replace("_", " ")
    )


def _wait(call: ProposedCall, tried: Trial, folder: Path, actor: Actor, now: datetime) -> ActionRequest:
    found = proposals.waiting_call(actor.organization_id, call.fingerprint)
    why = _why_over(found, tried, now) if found is not None else ""
    if found is None or why:
        if found is not None:
            _expire(found, why, now)
        request = _propose(call, tried, _act_of(call, tried, actor, now))
        if found is not None:
            found.replaced_by = request.id
            db.session.flush()
        return request
    preview(found, tried, now=now)
    found.if_match = call.if_match
    if not _has_its_file(found, folder):
        found.form = call.keep()["form"]
    return found.request


def _why_over(waiting: Proposal, tried: Trial, now: datetime) -> str:
    """Say why a proposal makes room for the same call that was asked for again; empty if it does not."""
    if principals.proposer(waiting, now) is None:
        return "The key that proposed this can no longer propose; another key has proposed it since."
    if waiting.digest != tried.digest:
        return "It was asked for again, with another effect."
    return ""


def _act_of(call: ProposedCall, tried: Trial, actor: Actor, now: datetime) -> Act:
    """Give the act that a call would be: its one act where it comes to one, else what its acts have in common."""
    doing = Act(actor, now, call.kind, target_kind="call", target_id="new", payload=call.payload)
    acts, shown = tried.asked, tried.effect["acts"]
    if acts:
        doing.kind = acts[0].kind if len({each.kind for each in acts}) == 1 else doing.kind
        target_id = shown[0]["target"]["id"] if shown else acts[0].target_id
        doing.target_kind = acts[0].target_kind
        doing.target_id = "new" if target_id.startswith("new-") else target_id
        doing.note = acts[0].note
    if len(shown) == 1:
        doing.before, doing.after = shown[0]["before"], shown[0]["after"]
    doing.title = tried.title or words_of(doing.kind)
    return doing


def _propose(call: ProposedCall, tried: Trial, doing: Act) -> ActionRequest:
    if proposals.count_of_token(doing.actor.organization_id, doing.actor.id) >= MOST_WAITING:
        raise TooManyWaitingError
    request = ActionRequest(
        id=new_id(doing.now),
        organization_id=doing.actor.organization_id,
        created_at=doing.now,
        status="PENDING",
        error="",
        **facts_of(doing),
    )
    db.session.add(request)
    db.session.flush()
    db.session.add(
        Proposal(
            organization_id=request.organization_id,
            action_request_id=request.id,
            token_id=doing.actor.id,
            scope=call.scope,
            fingerprint=call.fingerprint,
            expires_at=doing.now + LIFETIME,
            checked_at=doing.now,
            digest=tried.digest,
            effect=dict(tried.effect),
            blockers=[dict(each) for each in tried.blockers],
            reason="",
            acts=[],
            **call.keep(),
        )
    )
    proposed = {"title": doing.title, "digest": tried.digest, "kind": doing.kind}
    record_step(request, PROPOSE, "PENDING", doing.actor, doing.now, after=proposed, payload=doing.payload)
    db.session.flush()
    return request


def preview(proposal: Proposal, tried: Trial, *, now: datetime) -> None:
    """Keep what a proposal would do as the books stand now, for the next look at it."""
    proposal.checked_at = now
    if proposal.digest not in {tried.digest, *proposal.earlier}:
        proposal.earlier = [*proposal.earlier, proposal.digest][-MOST_EARLIER:]
    proposal.digest, proposal.effect = tried.digest, dict(tried.effect)
    proposal.blockers = [dict(each) for each in tried.blockers]
    request, acts = proposal.request, tried.effect["acts"]
    request.title = tried.title or request.title
    if len(acts) == 1:
        request.before, request.after = acts[0]["before"], acts[0]["after"]
    db.session.flush()


def replace_plan(older_id: str, new_id_: str, *, actor: Actor, now: datetime) -> None:
    """Let an older plan of the same key expire as replaced; raises OtherPlanError, DecidedError or ReplacedError."""
    older = proposals.plan_of(actor.organization_id, older_id, actor.id if actor.kind == "TOKEN" else None)
    if older is None:
        raise OtherPlanError(fields={"replaces": [str(OtherPlanError())]})
    _replace(older, new_id_, now)


def replace(older_id: str, new_id_: str, *, actor: Actor, now: datetime) -> None:
    """Let an older proposal of the same key expire as replaced; raises the same, and OtherProposalError."""
    older = proposals.own(actor.organization_id, older_id, actor.id)
    if older is None:
        raise OtherProposalError(fields={"replaces": [str(OtherProposalError())]})
    _replace(older, new_id_, now)


def _replace(older: Proposal, new_id_: str, now: datetime) -> None:
    older_id = older.action_request_id
    if new_id_ in (older_id, older.replaced_by):
        return
    if older.request.status != "PENDING":
        refuse_decided(older.request)
    _expire(older, "Another one of the same key replaced it.", now)
    older.replaced_by = new_id_
    db.session.flush()


def _has_its_file(proposal: Proposal, folder: Path) -> bool:
    name = _file_of(proposal)
    return name is None or kept_files.is_there(folder, name)


def drop_file(proposal: Proposal, folder: Path) -> None:
    """Remove the file of a proposal that is decided."""
    name = _file_of(proposal)
    if name is not None:
        kept_files.drop(folder, name)


def size_of_file(proposal: Proposal, folder: Path) -> int:
    """Give the bytes of the file that a proposal waits with, 0 without one."""
    return kept_files.size(folder, _file_of(proposal))


def _file_of(proposal: Proposal) -> str | None:
    file = proposal.form["file"] if proposal.form is not None else None
    return str(file["kept"]) if file is not None else None


def _expire(proposal: Proposal, why: str, now: datetime) -> None:
    actor = Actor(proposal.organization_id, "SYSTEM", None, "Tieout")
    close(proposal, "EXPIRED", actor, now)
    proposal.request.error = proposal.reason = why
    record_step(proposal.request, EXPIRE, "EXPIRED", actor, now, note=why)
    db.session.flush()


def close(proposal: Proposal, status: str, actor: Actor, now: datetime) -> None:
    """Decide once: a second decision finds it decided."""
    claimed = db.session.execute(
        sa.update(ActionRequest)
        .where(
            ActionRequest.organization_id == proposal.organization_id,
            ActionRequest.id == proposal.action_request_id,
            ActionRequest.status == "PENDING",
        )
        .values(status=status, decided_at=now)
        .execution_options(synchronize_session=False)
    )
    if claimed.rowcount != 1:  # type: ignore[attr-defined]
        refuse_decided(proposal.request)
    db.session.refresh(proposal.request)
    proposal.decided_by = actor.as_json()


def refuse_decided(request: ActionRequest) -> NoReturn:
    """Say what became of a request that waits no more; raises ReplacedError with the id of the one that waits."""
    db.session.refresh(request)
    if request.proposal is not None:
        db.session.refresh(request.proposal)
    if request.replaced_by is not None:
        raise ReplacedError(details={"status": request.status, "replacedBy": request.replaced_by})
    outcomes = {"EXECUTED": "executed", "REJECTED": "rejected", "EXPIRED": "over", "FAILED": "refused"}
    raise DecidedError(
        f"This is {outcomes.get(request.status, 'decided')} already. Nothing is left to decide.",
        details={"status": request.status},
    )


def record_step(
    request: ActionRequest,
    kind: str,
    status: str,
    actor: Actor,
    now: datetime,
    *,
    note: str = "",
    after: dict[str, Any] | None = None,
    payload: Mapping[str, Any] | None = None,
) -> None:
    """Append what happened to a proposal to the chain; the act itself, once it is done, is an event of its own."""
    step = Act(
        actor,
        now,
        kind,
        request.target_kind,
        request.target_id,
        note=note,
        payload=payload or {},
        after=after,
        id=request.id,
    )
    append(step, status)
