"""The audit trail: an unbroken chain for each organization, and one event for every action request."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.act_ids import TIMED, act_id
from webapp.ledger.canonical import canonical_json, instant_text
from webapp.ledger.chain import GENESIS, Head, Link, first_break
from webapp.models import ActionRequest, AuditEvent, refers_to
from webapp.queries.audit import events
from webapp.queries.checks.violations import Violation, found

AT_ONCE = 2000
# The event that made a proposal which waits, or ended one that nobody executed; an executed one has that of its act.
ENDINGS = {"PENDING": events.PROPOSED, "REJECTED": "reject_proposal", "EXPIRED": "expire_proposal"}
# The fields that an action request and its event both record.
RECORDED = ("kind", "status", "note", "payload", "before", "after", "result", "error")
# Columns of the model, not of its table: what a scoped session asks of the table alone is of all organizations.
_EVENT = [getattr(AuditEvent, column.name) for column in AuditEvent.__table__.columns]
_PLAIN = ("id", "kind", "status", "title", "note", "error", "target_kind", "target_id", "plan_id")
_INSTANTS = ("created_at", "decided_at")
_RECORDS = ("payload", "before", "after", "result", "actor")
_REQUEST = [
    *(getattr(ActionRequest, name) for name in (*_PLAIN, *_INSTANTS)),
    *(sa.cast(getattr(ActionRequest, name), sa.Text).label(name) for name in _RECORDS),
]


def chains() -> Iterator[Violation]:
    """Find the first break of each organization's chain."""
    rows = db.session.execute(
        sa.select(
            AuditEvent.organization_id,
            AuditEvent.sequence,
            AuditEvent.body,
            AuditEvent.previous_hash,
            AuditEvent.hash,
        ).order_by(AuditEvent.organization_id, AuditEvent.sequence),
        execution_options={"yield_per": AT_ONCE},
    )
    for organization_id, chain in groupby(rows, attrgetter("organization_id")):
        links = (Link(event.sequence, event.body, event.previous_hash, event.hash) for event in chain)
        broken = first_break(links)
        if broken is not None:
            yield Violation("chain_broken", broken.message, organization_id, {"sequence": broken.sequence})


def cut_chains(noted: Mapping[str, Head]) -> Iterator[Violation]:
    """Find organizations whose chain lacks the event that somebody noted as its head."""
    for organization_id, head in noted.items():
        if events.hashes(organization_id, [head.sequence]).get(head.sequence, GENESIS) != head.hash:
            message = f"Event {head.sequence} is not the one whose hash was noted."
            yield Violation("chain_cut", message, organization_id, {"sequence": head.sequence})


def requests_without_event() -> Iterable[Violation]:
    """Find action requests that wait or whose end has no event in the trail, or several."""
    ending = sa.case(
        *((ActionRequest.status == status, kind) for status, kind in ENDINGS.items()),
        else_=ActionRequest.kind,
    )
    recorded = (
        sa.select(sa.func.count())
        .where(
            refers_to(AuditEvent.action_request_id, ActionRequest),
            AuditEvent.kind == ending,
        )
        .scalar_subquery()
    )
    return found(
        "request_not_audited",
        sa.select(ActionRequest.organization_id, ActionRequest.id, recorded.label("events")).where(
            recorded != 1
        ),
        lambda row: f"Action request {row.id} has {row.events} audit events.",
        lambda row: {"actionRequestId": row.id},
    )


def event_bodies() -> Iterator[Violation]:
    """Find events whose body differs from their row or from the action request that they are of."""
    rows = db.session.execute(
        sa.select(*_EVENT, orm.Bundle("request", *_REQUEST))
        .outerjoin(ActionRequest, refers_to(AuditEvent.action_request_id, ActionRequest))
        .order_by(AuditEvent.organization_id, AuditEvent.sequence),
        execution_options={"yield_per": AT_ONCE},
    )
    for event in rows:
        request = None if event.request.id is None else event.request
        about = {"sequence": event.sequence, "actionRequestId": event.action_request_id}
        if event.action_request_id is not None and request is None:
            message = (
                f"Event {event.sequence} is of action request {event.action_request_id}, which is not there."
            )
            yield Violation("event_without_request", message, event.organization_id, about)
        elif not _agrees(event, request):
            message = f"Event {event.sequence} does not match the rows beside it."
            yield Violation("event_differs", message, event.organization_id, about)


def _agrees(event: Any, request: Any) -> bool:
    """Return whether an event's body agrees with its own columns and its request."""
    try:
        body: dict[str, Any] = json.loads(event.body)
    except ValueError:
        return False
    columns = {
        "organizationId": event.organization_id,
        "at": instant_text(event.at),
        "kind": event.kind,
        "actionRequestId": event.action_request_id,
    }
    agrees: bool = all(body.get(key) == value for key, value in columns.items())
    if request is None:
        return agrees
    # A proposal was made before most of its events, in the millisecond that its id begins with.
    agrees &= request.created_at == event.at or request.id[:TIMED] == act_id(request.created_at)[:TIMED]
    if request.status == "PENDING" or event.kind not in {request.kind, ENDINGS.get(request.status)}:
        return agrees
    agrees &= request.decided_at == event.at
    if event.kind != request.kind:
        return agrees and body.get("status") == request.status
    # A proposal that is a plan names itself.
    agrees &= body.get("planId") in {request.plan_id, request.id}
    # What only the body says stays; what the request says too is written as the request has it.
    recorded = {name: getattr(request, name) for name in RECORDED}
    recorded |= {name: _record(getattr(request, name)) for name in _RECORDS}
    recorded["actor"] = {**body.get("actor", {}), **recorded["actor"]}
    recorded |= {"title": request.title} if "title" in body else {}
    target = {"kind": request.target_kind, "id": request.target_id}
    return agrees and canonical_json({**body, **recorded, "target": target}) == event.body


# Many acts have the same actor, and change the same from the same.
@lru_cache(maxsize=4096)
def _record(text: str | None) -> Any:
    return None if text is None else json.loads(text)


CHECKS = (chains, requests_without_event, event_bodies)
