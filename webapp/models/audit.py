"""Action requests and proposals, the chain of audit events, and the answers kept for repeated writes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import ACTION_STATUSES
from webapp.models.base import (
    BigId,
    Numbered,
    OrganizationKeyed,
    Organized,
    created,
    foreign_key,
    keyed_by,
    numbered,
    one_of,
    partial_index,
    refers_to,
)


class ActionRequest(Organized, Base):
    """One act on the books; its id is `ar_` and a sortable id. `plan_id` is the plan that it was a step of, if any."""

    __tablename__ = "action_requests"
    __table_args__ = (
        one_of("status", *ACTION_STATUSES),
        sa.UniqueConstraint("organization_id", "id"),
        sa.Index("ix_action_requests_target", "organization_id", "target_kind", "target_id"),
        partial_index("ix_action_requests_pending", "organization_id", "id", where="status = 'PENDING'"),
    )
    __mapper_args__ = keyed_by("organization_id", "id")

    id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    kind: Mapped[str] = mapped_column(sa.String(64))
    status: Mapped[str] = mapped_column(sa.String(16))
    actor: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    target_kind: Mapped[str] = mapped_column(sa.String(32))
    target_id: Mapped[str] = mapped_column(sa.String(40))
    title: Mapped[str] = mapped_column(sa.Text)
    note: Mapped[str] = mapped_column(sa.Text, default="")
    payload: Mapped[dict[str, Any]] = mapped_column(sa.JSON, default=dict)
    before: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    after: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    result: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    error: Mapped[str] = mapped_column(sa.Text, default="")
    created_at: Mapped[datetime] = created()
    decided_at: Mapped[datetime | None] = mapped_column(Instant)
    plan_id: Mapped[str | None] = mapped_column(sa.String(40))

    proposal: Mapped[Proposal | None] = relationship(
        foreign_keys="Proposal.action_request_id",
        primaryjoin=lambda: refers_to(Proposal.action_request_id, ActionRequest),
        uselist=False,
        viewonly=True,
    )

    @property
    def replaced_by(self) -> str | None:
        """The proposal that replaced this one, if any."""
        return self.proposal.replaced_by if self.proposal is not None else None

    @property
    def target(self) -> dict[str, str]:
        """What the act was about."""
        return {"kind": self.target_kind, "id": self.target_id}


class Proposal(Organized, Base):
    """A call as it was sent, what it would do, and who decided about it.

    `scope` are the scopes that it needs, those of a plan with spaces between. Equal calls have the same
    `fingerprint`, equal effects the same `digest`. `acts` are the action requests that it made when it was executed:
    itself where there was one act. `replaced_by` is the action request of the same call that was asked for later, with
    another effect, or of the plan that came in its place.
    """

    __tablename__ = "proposals"
    __table_args__ = (
        foreign_key("action_request_id", "action_requests"),
        foreign_key("token_id", "api_tokens"),
        foreign_key("replaced_by", "action_requests"),
        sa.Index("ix_proposals_fingerprint", "organization_id", "fingerprint"),
        sa.Index("ix_proposals_token", "organization_id", "token_id"),
    )

    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"), primary_key=True)
    action_request_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    token_id: Mapped[int] = mapped_column(BigId)
    scope: Mapped[str] = mapped_column(sa.String(64))
    method: Mapped[str] = mapped_column(sa.String(8))
    path: Mapped[str] = mapped_column(sa.Text)
    query: Mapped[str] = mapped_column(sa.Text)
    # It may hold a file, and lists of proposals do not need it.
    body: Mapped[str | None] = mapped_column(sa.Text, deferred=True)
    form: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    if_match: Mapped[str | None] = mapped_column(sa.Text)
    fingerprint: Mapped[str] = mapped_column(sa.String(64))
    digest: Mapped[str] = mapped_column(sa.String(64))
    # The digests that it had before, the oldest first.
    earlier: Mapped[list[str]] = mapped_column(sa.JSON, default=list, server_default=sa.text("'[]'"))
    effect: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    blockers: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    checked_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime] = mapped_column(Instant)
    decided_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    replaced_by: Mapped[str | None] = mapped_column(sa.String(40))
    reason: Mapped[str] = mapped_column(sa.Text, default="")
    acts: Mapped[list[str]] = mapped_column(sa.JSON, default=list)
    answer: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))

    request: Mapped[ActionRequest] = relationship(
        foreign_keys=action_request_id,
        primaryjoin=lambda: refers_to(Proposal.action_request_id, ActionRequest),
        viewonly=True,
    )


class AuditEvent(Organized, Base):
    """One thing that happened; `body` is the canonical JSON that `hash` is of, together with `previous_hash`."""

    __tablename__ = "audit_events"
    __table_args__ = (
        sa.UniqueConstraint("organization_id", "hash"),
        sa.Index("ix_audit_events_request", "organization_id", "action_request_id"),
    )

    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"), primary_key=True)
    sequence: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = created()
    kind: Mapped[str] = mapped_column(sa.String(64))
    action_request_id: Mapped[str | None] = mapped_column(sa.String(40))
    body: Mapped[str] = mapped_column(sa.Text)
    previous_hash: Mapped[str] = mapped_column(sa.String(64))
    hash: Mapped[str] = mapped_column(sa.String(64))


class BoundRow(OrganizationKeyed, Base):
    """A row as an act left it, whose event carries the digest of all that it bound (ledger/bound_rows.py).

    `sequence` is that event's; `digest` is None for a row that is gone. Rows are only added.
    """

    __tablename__ = "bound_rows"
    __table_args__ = ({"sqlite_with_rowid": False},)

    sequence: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(sa.String(16), primary_key=True)
    row_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    format: Mapped[int]
    digest: Mapped[bytes | None] = mapped_column(sa.LargeBinary(32))


class WrittenRow(OrganizationKeyed, Base):
    """A row that was written since the last event of its organization; the database notes and forgets it by triggers.

    The event of the act that wrote binds it. A row that remains comes from a write past the application; the next
    transaction that locks the books forgets it, so that no act binds it.
    """

    __tablename__ = "written_rows"
    __table_args__ = ({"sqlite_with_rowid": False},)

    kind: Mapped[str] = mapped_column(sa.String(16), primary_key=True)
    row_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)


IS_EVENT_OF_ACT = sa.and_(
    refers_to(AuditEvent.action_request_id, ActionRequest),
    AuditEvent.kind == ActionRequest.kind,
)


class IdempotencyKey(Numbered, Base):
    """A key that one person or token gave to one request, by its fingerprint, and the answer to it."""

    __tablename__ = "idempotency_keys"
    __table_args__ = numbered(
        sa.UniqueConstraint("organization_id", "actor_kind", "actor_id", "key"),
        one_of("actor_kind", "PERSON", "TOKEN"),
        sa.Index("ix_idempotency_keys_created", "organization_id", "created_at"),
    )

    actor_kind: Mapped[str] = mapped_column(sa.String(8))
    actor_id: Mapped[int] = mapped_column(BigId)
    key: Mapped[str] = mapped_column(sa.String(255))
    fingerprint: Mapped[str] = mapped_column(sa.String(64))
    status: Mapped[int]
    content_type: Mapped[str] = mapped_column(sa.String(255))
    body: Mapped[bytes] = mapped_column(sa.LargeBinary)
    created_at: Mapped[datetime] = created()
