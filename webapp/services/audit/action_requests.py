"""Acts: every write is one action request, and what happened to it goes into the audit chain."""

import logging
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

import sqlalchemy as sa

from webapp.database import failures, measures
from webapp.database.session_state import Recording, WaitingAct, state_of
from webapp.database.sessions import begin_write, db, insert_rows, scoped_session
from webapp.ledger import chain
from webapp.ledger.act_ids import RANDOM_BITS, act_id
from webapp.ledger.bound_rows import FORMAT, BoundDigest, digest_of, summary_of
from webapp.ledger.canonical import instant_text
from webapp.ledger.errors import LedgerError
from webapp.ledger.texts.legible import masked, masked_in
from webapp.models import ActionRequest, AuditEvent, BoundRow
from webapp.models.base import table_of
from webapp.queries.audit import events
from webapp.queries.audit.bound_rows import rows_of
from webapp.queries.reconciliation import proof_breaks
from webapp.services.audit import proof_breaks as breaks
from webapp.services.audit import updates
from webapp.services.audit.act import CLOSINGS, Act, Actor
from webapp.services.storage.savepoints import at_end

log = logging.getLogger("tieout.requests")


class ProofTouchedError(Exception):
    """Acts that are recorded together touched a proof, so that nobody could say which of them broke it."""


RECORDED_REFUSALS = frozenset({409, 422})

# Written for every act, many times in a bulk one: made once, and sent past the session.
_NEW_REQUESTS, _NEW_EVENTS = sa.insert(table_of(ActionRequest)), sa.insert(table_of(AuditEvent))


@contextmanager
def act(
    actor: Actor,
    now: datetime,
    kind: str,
    target: tuple[str, object],
    *,
    title: str = "",
    note: str = "",
    payload: Mapping[str, object] | None = None,
) -> Iterator[Act]:
    """Do one act: recorded as EXECUTED when the block ends, carried by the error when a rule refuses it.

    What every act does at its end is part of it. The proofs that it touched are checked before it ends; it is
    stored as the cause where one of them broke.
    """
    act_id = _proposal_id() or new_id(now)
    doing = Act(
        actor,
        now,
        kind,
        target[0],
        str(target[1]),
        title,
        masked(note or actor.note),
        masked_in(payload or {}),
        id=act_id,
    )
    is_alone = state_of(db.session()).acts_together is None
    touched_before = proof_breaks.touched_before(actor.organization_id) if is_alone else frozenset()
    with scoped_session(actor.organization_id), updates.writing(now, doing):
        try:
            yield doing
            for close in () if doing.is_void else CLOSINGS:
                close(doing)
        except LedgerError as error:
            if not hasattr(error, "act"):
                error.act = doing  # type: ignore[attr-defined]
            raise
        state_of(db.session()).warned += doing.warnings
        if not doing.is_void:
            updates.write_instants(actor.organization_id)
            touched = record(doing, "EXECUTED")
            if touched:
                breaks.check(doing, touched, touched_before)


@contextmanager
def together(organization_id: str) -> Iterator[None]:
    """Do acts that touch no proof, and record them at the end of the block, all with as few statements as one.

    Raises ProofTouchedError where one of them touches a proof after all: what broke it must be known.
    """
    state, touched_before = state_of(db.session()), proof_breaks.touched_before(organization_id)
    waiting: list[WaitingAct] = []
    state.acts_together = waiting
    try:
        yield
    finally:
        state.acts_together = None
    if proof_breaks.touched(organization_id) != touched_before:
        raise ProofTouchedError
    if waiting:
        db.session.execute(_NEW_REQUESTS, [each.row for each in waiting])
        _append(organization_id, [(each.act, each.status, "") for each in waiting])


@contextmanager
def recording(
    *, proposal_id: str | None = None, plan_id: str | None = None
) -> Iterator[list[tuple[Act, str]]]:
    """Collect each act that is recorded within the block, with its status.

    With `proposal_id` the one act of the block is that proposal: its action request is executed in its place. With
    `plan_id` each act of the block is of that plan.
    """
    state = state_of(db.session())
    before, state.recording = state.recording, Recording(proposal_id=proposal_id, plan_id=plan_id)
    try:
        yield state.recording.acts
    finally:
        state.recording = before


def untold(since: int = 0) -> list[tuple[str, str]]:
    """Take what the session's acts warn of that nobody was told, each a code and a sentence."""
    warned = state_of(db.session()).warned
    found = list(dict.fromkeys(warned[since:]))
    del warned[since:]
    return found


def count_untold() -> int:
    """Count the warnings that nobody was told of yet."""
    return len(state_of(db.session()).warned)


def done_count() -> int:
    """Count the acts that this session has executed; a write that leaves it as it was has changed nothing."""
    return state_of(db.session()).acts_done


def _proposal_id() -> str | None:
    found = state_of(db.session()).recording
    return None if found is None else found.proposal_id


def _plan_id() -> str | None:
    found = state_of(db.session()).recording
    return None if found is None else found.plan_id


def record(done: Act, status: str, *, error: str = "") -> Mapping[int, bool]:
    """Write an act and its audit event; one that was proposed is written where its proposal stands.

    Answers the proofs that were touched and not checked since, true where only late lines touched one; of an act that
    waits to be recorded with others, none.
    """
    state = state_of(db.session())
    facts = {**facts_of(done), "status": status, "error": error}
    facts["decided_at"] = None if status == "PENDING" else done.now
    if _proposal_id() == done.id:
        request = db.session.get_one(ActionRequest, (done.actor.organization_id, done.id))
        for name, value in facts.items():
            setattr(request, name, value)
        db.session.flush()
    else:
        keys = {"id": done.id, "organization_id": done.actor.organization_id, "created_at": done.now}
        keys["plan_id"] = _plan_id()
        row = {**keys, **facts}
        if state.acts_together is not None:
            state.acts_together.append(WaitingAct(done, row, status))
        else:
            db.session.flush()
            db.session.execute(_NEW_REQUESTS, [row])
    touched: Mapping[int, bool] = {}
    if state.acts_together is None:
        touched = append(done, status, error)
    state.acts_done += status == "EXECUTED"
    if state.recording is not None:
        state.recording.acts.append((done, status))
    return touched


def facts_of(done: Act) -> dict[str, object]:
    """Give what an action request says of an act."""
    return {
        "kind": done.kind,
        "actor": done.actor.as_json(),
        "target_kind": done.target_kind,
        "target_id": done.target_id,
        "title": title_of(done),
        "note": done.note,
        "payload": dict(done.payload),
        "before": done.before,
        "after": done.after,
        "result": done.result,
    }


def title_of(done: Act) -> str:
    """Give the title of an act, or else the words of its kind."""
    return done.title or words_of(done.kind)


def words_of(kind: str) -> str:
    """Write a kind of act as words.

    >>> words_of("confirm_transaction")
    'Confirm transaction'
    """
    return kind.replace("_", " ").capitalize()


def record_refusal(error: LedgerError) -> None:
    """Write a refused act as FAILED, in a transaction of its own after the act's was rolled back."""
    refused: Act | None = getattr(error, "act", None)
    if refused is None or error.status not in RECORDED_REFUSALS:
        return
    db.session.rollback()
    begin_write(refused.actor.organization_id)
    refused.before = refused.after = refused.result = None
    record(refused, "FAILED", error=str(error))
    if refused.when_refused is not None:
        with updates.writing(refused.now):
            refused.when_refused(error)
    failures.commit(db.session())


def unrecorded(error: LedgerError) -> Act | None:
    """Take an error's act from it, so that nobody records it as a refused one."""
    refused: Act | None = getattr(error, "act", None)
    error.act = None  # type: ignore[attr-defined]
    return refused


def new_id(now: datetime) -> str:
    """Make the id of an act, which sorts behind those that its session made at the same instant."""
    state = state_of(db.session())
    at, last = state.last_act or (None, 0)
    chance = last + 1 if at == now else secrets.randbits(RANDOM_BITS - 1)
    state.last_act = now, chance
    return act_id(now, chance)


def append(done: Act, status: str, error: str = "") -> Mapping[int, bool]:
    """Append an event to the organization's chain; its row is locked, or the file is ours, so nobody forks it.

    Answers the proofs that were touched and not checked since, true where only late lines touched one.
    """
    return _append(done.actor.organization_id, [(done, status, error)])


def _append(organization_id: str, acts: Sequence[tuple[Act, str, str]]) -> Mapping[int, bool]:
    """Append an event for each act; the last one binds what all of them wrote."""
    before = events.end(organization_id)
    bound = _bind(organization_id, (before.head.sequence if before.head else 0) + len(acts), before.kinds)
    last: chain.Link | chain.Head | None = before.head
    rows = []
    for number, (done, status, error) in enumerate(acts, 1):
        body = _event(done, status, error) | (bound if number == len(acts) else {})
        last = link = chain.link(body, after=last)
        rows.append(
            {
                "organization_id": organization_id,
                "sequence": link.sequence,
                "at": done.now,
                "kind": done.kind,
                "action_request_id": done.id,
                "body": link.body,
                "previous_hash": link.previous_hash,
                "hash": link.hash,
            }
        )
    db.session.execute(_NEW_EVENTS, rows)
    facts = [
        {"kind": done.kind, "status": status, "actionRequestId": done.id, "organizationId": organization_id}
        for done, status, _ in acts
    ]
    at_end(committed=lambda: _log_acts(facts, is_requested=bool(acts[0][0].actor.request_id)))
    return before.touched


def _bind(organization_id: str, sequence: int, kinds: Collection[str]) -> dict[str, object]:
    """Bind what was written of some kinds to an event, and give what its body says of it; nothing where none was."""
    rows = [
        BoundDigest(
            kind, row_id, None if values is None else digest_of(kind, organization_id, row_id, values)
        )
        for kind in kinds
        for row_id, values in rows_of(kind, organization_id, are_written=True)
    ]
    if not rows:
        return {}
    of_event = {"organization_id": organization_id, "sequence": sequence, "format": FORMAT}
    insert_rows(db.session.connection(), table_of(BoundRow), BoundDigest._fields, rows, of_event)
    return {"rows": summary_of(rows)}


def _log_acts(acts: Sequence[Mapping[str, str]], *, is_requested: bool) -> None:
    """Count acts that are committed, and write a line into the log for each that a request asked for."""
    measures.count_acts((each["kind"], each["status"]) for each in acts)
    if is_requested:
        for facts in acts:
            log.info("act", extra={"facts": facts})


def _event(done: Act, status: str, error: str) -> dict[str, object]:
    plan_id = _plan_id()
    return {
        "organizationId": done.actor.organization_id,
        "at": instant_text(done.now),
        "kind": done.kind,
        "status": status,
        "actionRequestId": done.id,
        "actor": {**done.actor.as_json(), "userId": done.actor.user_id},
        "title": title_of(done),
        "requestId": done.actor.request_id,
        "address": done.actor.address,
        "target": {"kind": done.target_kind, "id": done.target_id},
        "note": done.note,
        "payload": done.payload,
        "before": done.before,
        "after": done.after,
        "result": done.result,
        "error": error,
        **({} if plan_id is None else {"planId": plan_id}),
    }
