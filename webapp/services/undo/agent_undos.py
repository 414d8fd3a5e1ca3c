"""Undoing the acts of a token or a plan: reviewed together, the newest first, and what stays with the reason.

The preview does it as a trial, so that it shows exactly what would happen. Newest first is the order of dependency:
an act can only depend on what was done before it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import canonical_json, instant_text, sha256_hex
from webapp.ledger.errors import LedgerError
from webapp.models import ActionRequest, ApiToken
from webapp.queries.audit import agent_acts, book_moves
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.storage import savepoints
from webapp.services.undo.inverses import INVERSES, STAYS, Undoing

# Undoing an act takes some 30 ms, and nobody else writes meanwhile.
MOST_AT_ONCE, MOST_OF_A_PLAN = 25, 60
NO_WAY_BACK = "This cannot be undone here; check it, and correct it by hand."
NAMED = "Something else in the books uses it by now, so it stays."


class UndoMovedError(LedgerError):
    """What undoing would do has changed since the preview; check the new one."""

    code = "moved"

    def __init__(self, preview: AgentUndo) -> None:
        super().__init__(details={"digest": preview.digest})
        self.preview = preview


class NothingToUndoError(LedgerError):
    """Nothing of this can be undone: it is undone already, or stays as it is."""

    code = "nothing_to_undo"


@dataclass(frozen=True, slots=True)
class UndoWay:
    """How an act is undone: the kind of its inverse, and what that does in a sentence."""

    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class UndoItem:
    """An act of a token with its inverse, or why it stays, with the code of what refuses it.

    `undone_by` are the acts that undid it.
    """

    action_request_id: str
    kind: str
    title: str
    decided_at: datetime | None
    undo: UndoWay | None
    why: str
    undone_by: tuple[str, ...] = ()
    code: str | None = None

    @property
    def status(self) -> str:
        """What became of it, once it was to be undone."""
        return "EXECUTED" if self.undo else "FAILED"


@dataclass(frozen=True, slots=True)
class AgentActs:
    """What a key did since an instant, or the steps of a plan, or of that what is older than the act `before`.

    `kind` is that of the undo, `target` and `facts` say what it is about, and `name` and `reason` are for people.
    """

    kind: str
    organization_id: str
    target: tuple[str, object]
    facts: dict[str, object]
    name: str
    reason: str
    most_at_once: int
    before: str | None
    undoable: Callable[[], list[str]]


def of_key(token: ApiToken, since: datetime, before: str | None = None) -> AgentActs:
    """Give what a key did since an instant."""
    return AgentActs(
        agent_acts.UNDO,
        token.organization_id,
        ("token", token.id),
        {"tokenId": token.id, "since": instant_text(since)},
        token.name,
        f"Undoes what the key {token.name} did",
        MOST_AT_ONCE,
        before,
        partial(agent_acts.undoable, token, since, before),
    )


def of_plan(plan: ActionRequest, before: str | None = None) -> AgentActs:
    """Give what the steps of a plan did."""
    return AgentActs(
        agent_acts.UNDO_PLAN,
        plan.organization_id,
        ("plan", plan.id),
        {"planId": plan.id},
        f"the plan {plan.title}",
        f"Undoes the plan {plan.title}",
        MOST_OF_A_PLAN,
        before,
        partial(agent_acts.undoable_of_plan, plan, before),
    )


@dataclass(frozen=True, slots=True)
class AgentUndo:
    """The acts of a token since an instant, or of a plan, the newest first, and how many older acts are left.

    It holds as many acts as are undone at once, those before the act `before` where one is named. `facts` are what
    it is the undo of.
    """

    facts: Mapping[str, object]
    items: list[UndoItem]
    left: int
    action_request_id: str | None = None
    before: str | None = None

    @property
    def next_before(self) -> str | None:
        """Give the act that the next undo goes on from, whatever became of this one; none where nothing is left."""
        return self.items[-1].action_request_id if self.left else None

    @property
    def digest(self) -> str:
        """The SHA-256 of what would happen, without the ids that the books give it."""
        facts = [
            [item.action_request_id, item.undo and [item.undo.kind, item.undo.sentence], item.why]
            for item in self.items
        ]
        content = {**self.facts, "items": facts}
        return sha256_hex(canonical_json(content))


def preview(
    acts: AgentActs, *, scopes: Collection[str], folder: Path, actor: Actor, now: datetime
) -> AgentUndo:
    """Preview undoing everything that a token did since an instant or that a plan did, as a trial.

    Of more acts than are undone at once it has the newest, or those before the act `before`; raises
    UnknownReferenceError. `scopes` are those of the person who undoes: what needs another one is left.
    """
    with savepoints.trial():
        return _run(acts, scopes, Undoing(actor, now, acts.reason, folder))


def undo(
    acts: AgentActs,
    *,
    digest: str,
    scopes: Collection[str],
    folder: Path,
    actor: Actor,
    now: datetime,
) -> AgentUndo:
    """Undo everything that a token did since an instant or that a plan did, as the preview of this digest showed.

    Raises UndoMovedError with the new preview where something else would happen by now. The undo is an act of its
    own, which names its parts; each part is undone by an act of its kind.
    """
    payload = {**acts.facts, "digest": digest}
    if acts.before is not None:
        payload["before"] = acts.before
    undone = _run(acts, scopes, Undoing(actor, now, acts.reason, folder))
    if undone.digest != digest:
        raise UndoMovedError(undone)
    parts = [item for item in undone.items if item.undo]
    if not parts:
        raise NothingToUndoError
    title = f"Undid {len(parts)} act{'' if len(parts) == 1 else 's'} of {acts.name}"
    with act(actor, now, acts.kind, acts.target, title=title, payload=payload) as doing:
        doing.result = {
            "parts": [
                {"actionRequestId": item.action_request_id, "undoneBy": list(item.undone_by)}
                for item in parts
            ],
            "left": [
                {"actionRequestId": item.action_request_id, "why": item.why}
                for item in undone.items
                if not item.undo
            ],
        }
    return replace(undone, action_request_id=doing.id)


def _run(acts: AgentActs, scopes: Collection[str], undoing: Undoing) -> AgentUndo:
    ids = acts.undoable()
    requests = agent_acts.by_ids(acts.organization_id, ids[: acts.most_at_once])
    items = [_undo_one(request, scopes, undoing) for request in requests]
    return AgentUndo(acts.facts, items, len(ids) - len(items), before=acts.before)


def _undo_one(request: ActionRequest, scopes: Collection[str], undoing: Undoing) -> UndoItem:
    """Undo one act in a savepoint of its own; one that a rule prevents is left, with the reason."""
    facts = (request.id, request.kind, request.title, request.decided_at)
    inverse = INVERSES.get(request.kind)
    if inverse is None:
        return UndoItem(*facts, None, STAYS.get(request.kind, NO_WAY_BACK))
    if inverse.scope not in scopes:
        return UndoItem(*facts, None, f"Undoing this needs the scope {inverse.scope}.")
    organization_id, place = request.organization_id, book_moves.last_act(request.organization_id)
    moved = dict(undoing.moved)
    try:
        with db.session.begin_nested():
            sentence = inverse.undo(undoing, request)
            db.session.flush()
            made = tuple(agent_acts.recorded_after(organization_id, place))
        db.session.expire_all()
    except LedgerError as error:
        undoing.moved = moved
        return UndoItem(*facts, None, str(error), code=error.code)
    except sa.exc.IntegrityError:
        undoing.moved = moved
        return UndoItem(*facts, None, NAMED)
    return UndoItem(*facts, UndoWay(inverse.kind, sentence), "", made)
