"""The audit chain as a feed: what happened in the books after an event, oldest first."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chain import Head
from webapp.models import AuditEvent, TouchedProof, WrittenRow
from webapp.models.base import table_of
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions
from webapp.queries.common.records import record_of


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event of the chain; `type` is what the act was about and what became of it, like `transaction.executed`.

    That of a proposal has the `digest` of its effect.
    """

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
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class EventFeed:
    """Some events, the sequence after which the next ones come, and whether there are any already."""

    events: Sequence[EventRecord]
    after: int
    more: bool


_TOUCHED: Final = sa.literal("touched")
PROPOSED: Final = "propose"


# Every act asks for all: how its event goes on, which proofs are checked after it, and rows of which kinds it binds.
@made_once
def _end(organization_id: str) -> sa.CompoundSelect[*tuple[Any, ...]]:
    event, touched, written = (table_of(each).c for each in (AuditEvent, TouchedProof, WrittenRow))
    last = (
        sa.select(
            event.sequence, event.hash, sa.false().label("by_late_lines"), sa.literal("event").label("kind")
        )
        .where(event.organization_id == organization_id)
        .order_by(event.sequence.desc())
        .limit(1)
        .subquery()
    )
    no_hash = sa.cast(sa.null(), sa.String())
    return sa.union_all(
        sa.select(last),
        sa.select(touched.reconciliation_id, no_hash, touched.by_late_lines, _TOUCHED).where(
            touched.organization_id == organization_id
        ),
        sa.select(sa.literal(0), no_hash, sa.false(), written.kind)
        .where(written.organization_id == organization_id)
        .distinct(),
    )


class End(NamedTuple):
    """Where a chain ends, none before the first event, and what was written since.

    `touched` are the proofs that a write touched since their check, true where only late lines touched one; `kinds`
    are those of the rows.
    """

    head: Head | None
    touched: dict[int, bool]
    kinds: list[str]


def end(organization_id: str) -> End:
    """Read where the chain ends."""
    kinds: list[str] = []
    last, touched = None, {}
    for number, last_hash, by_late_lines, kind in db.session.execute(*_end(organization_id)):
        if last_hash is not None:
            last = Head(number, last_hash)
        elif kind == _TOUCHED.value:
            touched[number] = bool(by_late_lines)
        else:
            kinds.append(kind)
    return End(last, touched, kinds)


def hashes(organization_id: str, sequences: Collection[int]) -> dict[int, str]:
    """Give the hashes of some events by their numbers, without those that are not there."""
    return {
        sequence: found
        for portion in portions(sequences)
        for sequence, found in db.session.execute(
            sa.select(AuditEvent.sequence, AuditEvent.hash).where(
                AuditEvent.organization_id == organization_id, AuditEvent.sequence.in_(portion)
            )
        )
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
        digest=(body.get("after") or {}).get("digest") if body["kind"] == PROPOSED else None,
    )
