"""Questions about what a token did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.db import db
from webapp.models import ActionRequest, ApiToken, AuditEvent

# The act that undoes what a token did; its result names what it undid as `parts`.
UNDO = "undo_agent"


def undoable(token: ApiToken, since: datetime, *, limit: int) -> Sequence[ActionRequest]:
    """List what a token did since an instant and nobody has undone yet, the newest first; also what people approved.

    The order is the audit chain's: the acts of one request share their instant.
    """
    return db.session.scalars(
        sa.select(ActionRequest)
        .join(
            AuditEvent,
            sa.and_(
                AuditEvent.organization_id == ActionRequest.organization_id,
                AuditEvent.action_request_id == ActionRequest.id,
                AuditEvent.kind == ActionRequest.kind,
            ),
        )
        .where(*_done(token, since), ActionRequest.id.not_in(_undone(token)))
        .group_by(ActionRequest.id)
        .order_by(sa.func.max(AuditEvent.sequence).desc())
        .limit(limit)
    ).all()


def count(token: ApiToken, since: datetime) -> int:
    """Count what a token did since an instant and nobody has undone yet."""
    statement = (
        sa.select(sa.func.count())
        .select_from(ActionRequest)
        .where(*_done(token, since), ActionRequest.id.not_in(_undone(token)))
    )
    return db.session.scalar(statement) or 0


def recorded_after(organization_id: str, sequence: int) -> list[str]:
    """List the ids of the acts that the audit chain holds after a place in it."""
    found = db.session.scalars(
        sa.select(AuditEvent.action_request_id)
        .where(AuditEvent.organization_id == organization_id, AuditEvent.sequence > sequence)
        .order_by(AuditEvent.sequence)
    )
    return [each for each in found if each is not None]


def last_sequence(organization_id: str) -> int:
    """Give the place of the audit chain's end."""
    statement = sa.select(sa.func.max(AuditEvent.sequence)).where(
        AuditEvent.organization_id == organization_id
    )
    return db.session.scalar(statement) or 0


def _done(token: ApiToken, since: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        ActionRequest.organization_id == token.organization_id,
        ActionRequest.decided_at >= since,
        ActionRequest.status == "EXECUTED",
        # A proposal of several acts is none itself: they stand beside it.
        ActionRequest.result["actionRequestIds"].as_string().is_(None),
        ActionRequest.actor["kind"].as_string() == "TOKEN",
        ActionRequest.actor["id"].as_integer() == token.id,
    )


def _undone(token: ApiToken) -> Sequence[str]:
    """List the acts of a token that earlier undoings have undone."""
    results = db.session.scalars(
        sa.select(ActionRequest.result).where(
            ActionRequest.organization_id == token.organization_id,
            ActionRequest.kind == UNDO,
            ActionRequest.target_kind == "token",
            ActionRequest.target_id == str(token.id),
            ActionRequest.status == "EXECUTED",
        )
    )
    return [part["actionRequestId"] for result in results for part in (result or {}).get("parts", ())]
