"""Proposals: calls that wait for a person, each beside the action request that it will become."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.db import Base, Instant
from webapp.models.action_requests import ActionRequest
from webapp.models.base import BigId, Organized, same_organization


class Proposal(Organized, Base):
    """A call as it was sent, what it would do, and who decided about it.

    `fingerprint` says which calls are the same call, `digest` which effects the same effect. `acts` are the action
    requests that it made when it was executed: itself where there was one act.
    """

    __tablename__ = "proposals"
    __table_args__ = (
        same_organization("action_request_id", "action_requests"),
        same_organization("token_id", "api_tokens"),
        sa.Index("ix_proposals_fingerprint", "organization_id", "fingerprint"),
        sa.Index("ix_proposals_token", "organization_id", "token_id"),
    )

    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"), primary_key=True)
    action_request_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    token_id: Mapped[int] = mapped_column(BigId)
    scope: Mapped[str] = mapped_column(sa.String(16))
    method: Mapped[str] = mapped_column(sa.String(8))
    path: Mapped[str] = mapped_column(sa.Text)
    query: Mapped[str] = mapped_column(sa.Text)
    body: Mapped[str | None] = mapped_column(sa.Text)
    form: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    fingerprint: Mapped[str] = mapped_column(sa.String(64))
    digest: Mapped[str] = mapped_column(sa.String(64))
    effect: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    blockers: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    checked_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime] = mapped_column(Instant)
    decided_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    reason: Mapped[str] = mapped_column(sa.Text, default="")
    acts: Mapped[list[str]] = mapped_column(sa.JSON, default=list)
    answer: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))

    request: Mapped[ActionRequest] = relationship(
        foreign_keys=action_request_id,
        primaryjoin=lambda: Proposal.action_request_id == ActionRequest.id,
        viewonly=True,
    )
