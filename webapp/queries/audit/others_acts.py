"""What others have done in the books since a page was shown, for the hint on it and for the note on a stale line."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.act_ids import act_id
from webapp.models import ActionRequest, AuditEvent
from webapp.models.audit import IS_EVENT_OF_ACT

# More than a page can show; who was away for longer is told of these.
MOST_ACTS = 200


@dataclass(frozen=True, slots=True)
class OthersAct:
    """An act in the audit chain: its number there, who did it, and what it was about."""

    sequence: int
    actor: dict[str, Any]
    target_kind: str
    target_id: str


def is_by(actor: Mapping[str, Any], user_id: int) -> bool:
    """Tell whether an act's actor is a person, and not a key of theirs."""
    return (actor["kind"], actor["id"]) == ("PERSON", user_id)


def acts_since(organization_id: str, sequence: int) -> list[OthersAct]:
    """List the acts after a number of the audit chain, by whomever, in its order: one read of its primary key."""
    rows = db.session.execute(
        sa.select(
            AuditEvent.sequence, ActionRequest.actor, ActionRequest.target_kind, ActionRequest.target_id
        )
        .join(ActionRequest, IS_EVENT_OF_ACT)
        .where(AuditEvent.organization_id == organization_id, AuditEvent.sequence > sequence)
        .order_by(AuditEvent.sequence)
        .limit(MOST_ACTS)
    )
    return [OthersAct(*row) for row in rows]


def last_on_line(organization_id: str, line_id: int, since: datetime) -> ActionRequest | None:
    """Find the newest act on a bank line that was done after the millisecond of an instant, or None."""
    statement = (
        sa.select(ActionRequest)
        .where(
            ActionRequest.organization_id == organization_id,
            ActionRequest.target_kind == "transaction",
            ActionRequest.target_id == str(line_id),
            ActionRequest.status == "EXECUTED",
            ActionRequest.id > act_id(since + timedelta(milliseconds=1)),
        )
        .order_by(ActionRequest.id.desc())
    )
    return db.session.scalars(statement.limit(1)).first()
