"""Automation rules and their versions."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.rules.triggers import Target, Trigger
from webapp.models.base import BigId, Numbered, created, numbered, one_of, updated


class RuleContent:
    """The content of a rule, under its canonical names (behaviour.md 4); a change of FACTS makes a new version."""

    FACTS: ClassVar = (
        "name",
        "description",
        "target",
        "trigger",
        "conditions",
        "effects",
        "priority",
        "stop_processing",
        "is_active",
    )

    name: Mapped[str] = mapped_column(sa.String(255))
    description: Mapped[str | None] = mapped_column(sa.String(500))
    target: Mapped[str] = mapped_column(sa.String(16))
    trigger: Mapped[str] = mapped_column(sa.String(32))
    conditions: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    effects: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    priority: Mapped[int] = mapped_column(default=100)
    stop_processing: Mapped[bool] = mapped_column(default=False)
    is_active: Mapped[bool] = mapped_column(default=True)
    version: Mapped[int] = mapped_column(default=1)


class Rule(RuleContent, Numbered, Base):
    """A rule as it is now; what it does is decided by ledger/conditions and ledger/effects."""

    __tablename__ = "rules"
    __table_args__ = numbered(
        one_of("target", *Target),
        one_of("trigger", *Trigger),
        sa.Index("ix_rules_order", "organization_id", "priority", "id"),
    )

    match_count: Mapped[int] = mapped_column(default=0)
    last_run_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()


class RuleVersion(RuleContent, Numbered, Base):
    """The content of a rule in one version; never changed, and kept when the rule is deleted.

    `action_request_id` is the act that made the version, none for the first one kept of an older rule.
    """

    __tablename__ = "rule_versions"
    __table_args__ = numbered(
        one_of("target", *Target),
        one_of("trigger", *Trigger),
        sa.UniqueConstraint("organization_id", "rule_id", "version"),
    )

    # No foreign key: a rule may be deleted, and what it did still refers to its version.
    rule_id: Mapped[int] = mapped_column(BigId)
    action_request_id: Mapped[str | None] = mapped_column(sa.String(40))
    created_at: Mapped[datetime] = created()
