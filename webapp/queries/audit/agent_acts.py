"""Queries on the acts of a token or of a plan, for undoing them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.act_ids import act_id
from webapp.models import IS_EVENT_OF_ACT, ActionRequest, ApiToken, AuditEvent, of_same_organization
from webapp.queries.audit import action_requests
from webapp.queries.common.lookups import UnknownReferenceError

# The acts that undo those of a token and those of a plan; their results list them as `parts`.
UNDO, UNDO_PLAN = "undo_agent", "undo_plan"
# An id sorts by the time of the request. A proposal is executed later, but no later than this.
LONGEST_WAIT = timedelta(days=60)
FIRST = datetime(1970, 1, 1, tzinfo=UTC)


def undoable(token: ApiToken, since: datetime, before: str | None = None) -> list[str]:
    """List the ids of the acts of a token since an instant that are not undone yet, the newest first.

    With `before` only those before that act, which may be undone by now; raises UnknownReferenceError where it is
    none of these. Proposals of the token that people approved are among them.
    """
    of_token = sa.and_(
        ActionRequest.id >= act_id(max(since, FIRST + LONGEST_WAIT) - LONGEST_WAIT),
        ActionRequest.decided_at >= since,
        # A proposal of several acts is no act itself: these have rows of their own.
        ActionRequest.result["actionRequestIds"].as_string().is_(None),
        ActionRequest.actor["kind"].as_string() == "TOKEN",
        ActionRequest.actor["id"].as_integer() == token.id,
    )
    return _undoable(token, of_token, before, "This key did nothing under this id since then.")


def undoable_of_plan(plan: ActionRequest, before: str | None = None) -> list[str]:
    """List the ids of the acts of a plan as `undoable` does."""
    return _undoable(plan, ActionRequest.plan_id == plan.id, before, "This plan has no act of this id.")


def _undoable(
    owned: ApiToken | ActionRequest, among: sa.ColumnElement[bool], before: str | None, sentence: str
) -> list[str]:
    """List acts in the order of the audit chain, the newest first: those of one request share their instant."""
    done = db.session.scalars(
        sa.select(ActionRequest.id)
        .join(AuditEvent, IS_EVENT_OF_ACT)
        .where(of_same_organization(ActionRequest, owned), ActionRequest.status == "EXECUTED", among)
        .group_by(ActionRequest.organization_id, ActionRequest.id)
        .order_by(sa.func.max(AuditEvent.sequence).desc())
    )
    acts, undone = done.all(), _undone(owned.organization_id)
    if before is not None and before not in acts:
        raise UnknownReferenceError(f"before: {sentence}", fields={"before": [sentence]})
    older = acts if before is None else acts[acts.index(before) + 1 :]
    return [each for each in older if each not in undone]


def by_ids(organization_id: str, ids: Sequence[str]) -> list[ActionRequest]:
    """Give acts in the order of `ids`, however many they are."""
    found = action_requests.by_ids(organization_id, ids)
    return [found[each] for each in ids]


def recorded_after(organization_id: str, sequence: int) -> list[str]:
    """List the ids of the acts in the audit chain after a sequence number."""
    found = db.session.scalars(
        sa.select(AuditEvent.action_request_id)
        .where(AuditEvent.organization_id == organization_id, AuditEvent.sequence > sequence)
        .order_by(AuditEvent.sequence)
    )
    return [each for each in found if each is not None]


def _undone(organization_id: str) -> set[str]:
    """List the acts of tokens and plans that others have undone."""
    results = db.session.scalars(
        sa.select(ActionRequest.result).where(
            ActionRequest.organization_id == organization_id,
            ActionRequest.kind.in_([UNDO, UNDO_PLAN]),
            ActionRequest.status == "EXECUTED",
        )
    )
    return {part["actionRequestId"] for result in results for part in (result or {}).get("parts", ())}
