"""The audit chain as a feed: what happened in the books after an event, oldest first."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chain import Head
from webapp.models import AuditEvent, TouchedProof
from webapp.models.base import table_of
from webapp.queries.common.made_once import made_once
from webapp.queries.common.records import record_of


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event of the chain; `type` is what the act was about and what became of it, like `transaction.executed`."""

    sequence: int
    type: str
    kind: str
    at: datetime
    actor: dict[str, Any]
    target: dict[str, str]
    action_request_id: str | None
    previous_hash: str
    hash: str
    body: str


@dataclass(frozen=True, slots=True)
class EventFeed:
    """Some events, the sequence after which the next ones come, and whether there are any already."""

    events: Sequence[EventRecord]
    after: int
    more: bool


# Every act asks for both: how its event goes on, and which proofs are to be checked after it.
@made_once
def _head(organization_id: str) -> sa.CompoundSelect[*tuple[Any, ...]]:
    event, touched = table_of(AuditEvent).c, table_of(TouchedProof).c
    last = (
        sa.select(event.sequence, event.hash, sa.false().label("by_late_lines"))
        .where(event.organization_id == organization_id)
        .order_by(event.sequence.desc())
        .limit(1)
        .subquery()
    )
    no_hash = sa.cast(sa.null(), sa.String())
    return sa.union_all(
        sa.select(last),
        sa.select(touched.reconciliation_id, no_hash, touched.by_late_lines).where(
            touched.organization_id == organization_id
        ),
    )


def head(organization_id: str) -> tuple[Head | None, dict[int, bool]]:
    """Give the end of the chain, none before the first event, and the proofs that a write touched since their check.

    A proof is true where only late lines touched it.
    """
    rows = db.session.execute(*_head(organization_id)).all()
    ends = [Head(sequence, last_hash) for sequence, last_hash, _ in rows if last_hash is not None]
    return ends[0] if ends else None, {
        proof_id: bool(by_late_lines) for proof_id, last_hash, by_late_lines in rows if last_hash is None
    }


def after(organization_id: str, sequence: int, *, limit: int) -> EventFeed:
    """Read the events behind one, up to the last that is committed."""
    rows = db.session.scalars(*_behind(organization_id, sequence, limit + 1)).all()
    events = [_record(row) for row in rows[:limit]]
    return EventFeed(events, events[-1].sequence if events else sequence, len(rows) > limit)


@made_once
def _behind(organization_id: str, sequence: int, most: int) -> sa.Select[Any]:
    of_them = AuditEvent.organization_id == organization_id, AuditEvent.sequence > sequence
    return sa.select(AuditEvent).where(*of_them).order_by(AuditEvent.sequence).limit(most)


def _record(event: AuditEvent) -> EventRecord:
    body = json.loads(event.body)
    actor, target = body["actor"], body["target"]
    return record_of(
        EventRecord,
        event,
        type=f"{target['kind']}.{body['status'].lower()}",
        actor={name: actor[name] for name in ("kind", "id", "name")},
        target=target,
    )
