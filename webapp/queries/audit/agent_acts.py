"""Questions about what a token did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.act_ids import act_id
from webapp.models import OF_ITS_ACT, ActionRequest, ApiToken, AuditEvent, of_same_organization
from webapp.queries.common.lookups import UnknownReferenceError
from webapp.queries.common.portions import portions

# The act that undoes what a token did; its result names what it undid as `parts`.
UNDO = "undo_agent"
# An id sorts by when an act was asked for. One that waits for a person is done later, but not as late as this.
LONGEST_WAIT = timedelta(days=60)
FIRST = datetime(1970, 1, 1, tzinfo=UTC)


def undoable(token: ApiToken, since: datetime, before: str | None = None) -> list[str]:
    """List the ids of what a token did since an instant and nobody has undone yet, the newest first.

    With `before` only those before that act, which may be undone by now; raises UnknownReferenceError where it is
    none of these. What people approved of it is among them. The order is the audit chain's: the acts of one request
    share their instant.
    """
    done = db.session.scalars(
        sa.select(ActionRequest.id)
        .join(AuditEvent, OF_ITS_ACT)
        .where(
            of_same_organization(ActionRequest, token),
            ActionRequest.id >= act_id(max(since, FIRST + LONGEST_WAIT) - LONGEST_WAIT),
            ActionRequest.decided_at >= since,
            ActionRequest.status == "EXECUTED",
            # A proposal of several acts is none itself: they stand beside it.
            ActionRequest.result["actionRequestIds"].as_string().is_(None),
            ActionRequest.actor["kind"].as_string() == "TOKEN",
            ActionRequest.actor["id"].as_integer() == token.id,
        )
        .group_by(ActionRequest.id)
        .order_by(sa.func.max(AuditEvent.sequence).desc())
    )
    acts, undone = done.all(), _undone(token)
    if before is not None and before not in acts:
        sentence = "This key did nothing under this id since then."
        raise UnknownReferenceError(f"before: {sentence}", fields={"before": [sentence]})
    older = acts if before is None else acts[acts.index(before) + 1 :]
    return [each for each in older if each not in undone]


def named(organization_id: str, ids: Sequence[str]) -> list[ActionRequest]:
    """Give acts in the order of their ids here, however many they are."""
    found = {
        each.id: each
        for some in portions(ids)
        for each in db.session.scalars(
            sa.select(ActionRequest).where(
                ActionRequest.organization_id == organization_id, ActionRequest.id.in_(some)
            )
        )
    }
    return [found[each] for each in ids]


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


def _undone(token: ApiToken) -> set[str]:
    """List the acts of a token that earlier undoings have undone."""
    results = db.session.scalars(
        sa.select(ActionRequest.result).where(
            of_same_organization(ActionRequest, token),
            ActionRequest.kind == UNDO,
            ActionRequest.target_kind == "token",
            ActionRequest.target_id == str(token.id),
            ActionRequest.status == "EXECUTED",
        )
    )
    return {part["actionRequestId"] for result in results for part in (result or {}).get("parts", ())}
