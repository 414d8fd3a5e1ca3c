"""Proposals: a call waits as a PENDING action request until a person decides, or until its time is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.errors import LedgerError
from webapp.models import ActionRequest, ApiToken, Proposal
from webapp.queries.access import principals
from webapp.queries.audit import proposals
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import append, facts_of, new_id
from webapp.services.storage import kept_files

LIFETIME = timedelta(days=7)
# As many as are approved at once: an agent that has lost its way fills neither the queue nor the disk.
MOST_WAITING = 500
PROPOSE, APPROVE, REJECT, EXPIRE = "propose", "approve_proposal", "reject_proposal", "expire_proposal"


class TooManyWaitingError(LedgerError):
    """As many proposals of this key wait as people can look at; wait until some are decided."""

    code = "too_many_waiting"


class DecidedError(LedgerError):
    """This is decided already; look at it again."""

    code = "decided"


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call would do as the books stand: its effect, what is in the way, the digest of both, and its title."""

    effect: Mapping[str, Any]
    blockers: Sequence[Mapping[str, Any]]
    digest: str
    title: str


class MovedError(LedgerError):
    """This proposal's effect has changed. Here is the new one."""

    code = "moved"
    untrusted = ("details.effect", "details.blockers")

    def __init__(self, preview: Preview) -> None:
        """Carry what it would do now."""
        self.preview = preview
        super().__init__(
            details={
                "digest": preview.digest,
                "effect": dict(preview.effect),
                "blockers": list(preview.blockers),
            }
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that somebody may not make alone, with the act that it would be; `scope` is what approving it needs."""

    act: Act
    scope: str
    call: Mapping[str, Any]
    fingerprint: str
    preview: Preview


def sweep(organization_id: str, folder: Path, *, now: datetime) -> None:
    """Let the proposals end whose time is over, and remove the files that no proposal waits with any more."""
    for proposal in proposals.over(organization_id, now):
        _expire(proposal, "Its time was over.", now)
    waiting = {file.name for file in proposals.files()}
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
        _expire(proposal, "Whose key proposed this is no member any more.", now)


def waiting_like(organization_id: str, asked: Asked) -> ActionRequest | None:
    """Find the waiting proposal of the same call; its preview is brought up to date.

    One that nobody can approve any more, for its key has expired or its owner may do less, makes room.
    """
    now = asked.act.now
    found = proposals.waiting_call(organization_id, asked.fingerprint)
    if found is None:
        return None
    if principals.proposer(db.session(), found, now) is None:
        _expire(
            found, "The key that proposed this may do so no more; another one has proposed it since.", now
        )
        return None
    look_again(found, asked.preview, now=now)
    return found.request


def propose(asked: Asked) -> ActionRequest:
    """Let a call wait for a person; `asked.act` says who proposes it, and what it would be.

    Raises TooManyWaitingError for a key that asks for more than anybody can look at.
    """
    doing = asked.act
    if proposals.count_of_token(doing.actor.organization_id, doing.actor.id) >= MOST_WAITING:
        raise TooManyWaitingError
    doing.id = doing.id or new_id(doing.now)
    request = ActionRequest(
        id=doing.id,
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
            scope=asked.scope,
            fingerprint=asked.fingerprint,
            expires_at=doing.now + LIFETIME,
            checked_at=doing.now,
            digest=asked.preview.digest,
            effect=dict(asked.preview.effect),
            blockers=[dict(each) for each in asked.preview.blockers],
            reason="",
            acts=[],
            **asked.call,
        )
    )
    said = {"title": doing.title, "digest": asked.preview.digest, "kind": doing.kind}
    _tell(request, PROPOSE, "PENDING", doing.actor, doing.now, after=said, payload=doing.payload)
    db.session.flush()
    return request


def look_again(proposal: Proposal, preview: Preview, *, now: datetime) -> None:
    """Keep what a proposal would do as the books stand now, for whoever looks at it next."""
    proposal.checked_at = now
    proposal.digest, proposal.effect = preview.digest, dict(preview.effect)
    proposal.blockers = [dict(each) for each in preview.blockers]
    request, acts = proposal.request, preview.effect["acts"]
    request.title = preview.title or request.title
    if len(acts) == 1:
        request.before, request.after = acts[0]["before"], acts[0]["after"]
    db.session.flush()


def approve(proposal: Proposal, *, actor: Actor, now: datetime, note: str = "") -> None:
    """Claim a proposal for its execution, which follows in the same transaction; raises DecidedError."""
    _close(proposal, "EXECUTED", actor, now)
    proposal.reason = note
    _tell(proposal.request, APPROVE, "EXECUTED", actor, now, note=note)
    db.session.flush()


def executed(proposal: Proposal, acts: Sequence[Act], answer: Mapping[str, Any], by: Act) -> None:
    """Note what an approved proposal did; several acts are their own requests, one is the proposal itself.

    `by` says who did it, for the event of a proposal that is not an act itself.
    """
    proposal.acts, proposal.answer = [done.id for done in acts], dict(answer)
    if proposal.acts != [proposal.action_request_id]:
        request = proposal.request
        request.result = by.result = {"actionRequestIds": proposal.acts}
        by.id, by.note = request.id, request.note
        for key in ("kind", "target_kind", "target_id", "payload", "before", "after"):
            setattr(by, key, getattr(request, key))
        append(by, "EXECUTED")
    db.session.flush()


def reject(proposal: Proposal, reason: str, folder: Path, *, actor: Actor, now: datetime) -> None:
    """Decide against a proposal, with a reason that its agent can read; raises DecidedError."""
    _close(proposal, "REJECTED", actor, now)
    proposal.reason = reason
    _tell(proposal.request, REJECT, "REJECTED", actor, now, note=reason)
    drop_file(proposal, folder)
    db.session.flush()


def drop_file(proposal: Proposal, folder: Path) -> None:
    """Remove the file of a proposal that is decided."""
    if proposal.form is not None and proposal.form["file"] is not None:
        kept_files.drop(folder, proposal.form["file"]["kept"])


def _expire(proposal: Proposal, why: str, now: datetime) -> None:
    actor = Actor(proposal.organization_id, "SYSTEM", None, "Tieout")
    _close(proposal, "EXPIRED", actor, now)
    proposal.request.error = proposal.reason = why
    _tell(proposal.request, EXPIRE, "EXPIRED", actor, now, note=why)
    db.session.flush()


def _close(proposal: Proposal, status: str, actor: Actor, now: datetime) -> None:
    """Decide once: whoever comes second finds it decided."""
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
    """Say what became of a request that waits no more."""
    db.session.refresh(request)
    said = {"EXECUTED": "executed", "REJECTED": "rejected", "EXPIRED": "over", "FAILED": "refused"}
    raise DecidedError(
        f"This is {said.get(request.status, 'decided')} already. Nothing is left to decide.",
        details={"status": request.status},
    )


def _tell(
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
    told = Act(
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
    append(told, status)
