"""Runs of rules, and each field that a run set, with its value before."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind
from webapp.ledger.rules.triggers import Trigger
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered, one_of, refers_to


class RuleRun(Numbered, Base):
    """Rules that ran once: over an import, a push, or by hand over the past.

    `rules` has `{id, version, name, matched}` of each rule that matched, `skipped` has `{ruleId, kind, reason, lines}`
    of what could not be set. `rule_id` is the rule of a run by hand.
    """

    __tablename__ = "rule_runs"
    __table_args__ = numbered(
        one_of("trigger", *(each for each in Trigger if each is not Trigger.MANUAL_PREVIEW)),
        sa.Index("ix_rule_runs_newest", "organization_id", "created_at", "id"),
    )

    action_request_id: Mapped[str] = mapped_column(sa.String(40))
    trigger: Mapped[str] = mapped_column(sa.String(32))
    rule_id: Mapped[int | None] = mapped_column(BigId)
    matched: Mapped[int] = mapped_column(default=0)
    changed: Mapped[int] = mapped_column(default=0)
    rules: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    skipped: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()
    undone_at: Mapped[datetime | None] = mapped_column(Instant)
    undone_by: Mapped[str | None] = mapped_column(sa.String(40))


class FieldSetting:
    """A field that a rule set, as it was before and as the rule set it.

    `value` and `before` are an id or a currency's code; of what a line pays, the id of the item. `superseded_by` is the
    act that set the field anew.
    """

    run_id: Mapped[int] = mapped_column(BigId)
    kind: Mapped[str] = mapped_column(sa.String(16))
    rule_id: Mapped[int] = mapped_column(BigId)
    rule_version: Mapped[int]
    value: Mapped[str] = mapped_column(sa.String(20))
    before: Mapped[str | None] = mapped_column(sa.String(20))
    superseded_by: Mapped[str | None] = mapped_column(sa.String(40))


class RuleSetting(FieldSetting, Numbered, Base):
    """A field of a line's entry that a rule set."""

    __tablename__ = "rule_settings"
    # No key leads to a setting, so that it needs none of its own that carries the organization.
    __table_args__ = (
        one_of("kind", *EffectKind),
        foreign_key("transaction_id", "transactions"),
        foreign_key("run_id", "rule_runs"),
        sa.Index("ix_rule_settings_line", "transaction_id"),
        sa.Index("ix_rule_settings_run", "run_id", "transaction_id"),
        {"sqlite_autoincrement": True},
    )

    transaction_id: Mapped[int] = mapped_column(BigId)
    kind: Mapped[str] = mapped_column(sa.String(20))

    run: Mapped[RuleRun] = relationship(
        foreign_keys="RuleSetting.run_id", primaryjoin=lambda: refers_to(RuleSetting.run_id, RuleRun)
    )


class DocumentSetting(FieldSetting, Numbered, Base):
    """A field of a document that a rule set."""

    __tablename__ = "document_settings"
    __table_args__ = (
        one_of("kind", *VALUE_KEY),
        foreign_key("document_id", "documents"),
        foreign_key("run_id", "rule_runs"),
        sa.Index("ix_document_settings_document", "document_id"),
        sa.Index("ix_document_settings_run", "run_id", "document_id"),
        {"sqlite_autoincrement": True},
    )

    document_id: Mapped[int] = mapped_column(BigId)

    run: Mapped[RuleRun] = relationship(
        foreign_keys="DocumentSetting.run_id", primaryjoin=lambda: refers_to(DocumentSetting.run_id, RuleRun)
    )
