"""Automation rules with their versions, their runs with each value before, and dismissed suggestions."""

from datetime import datetime
from typing import Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.rules.effects import OF_LINES, VALUE_KEY, EffectKind
from webapp.ledger.rules.triggers import Target, Trigger
from webapp.ledger.suggestions.habits import LONGEST_KEY
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered, one_of, refers_to, updated


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
        one_of("kind", *(each for each in VALUE_KEY if each not in OF_LINES)),
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


class SuggestionDismissal(Numbered, Base):
    """A suggested rule that was dismissed, by its `key` (ledger/suggestions/habits.py).

    It keeps how many lines were evidence for the rule at that time.
    """

    __tablename__ = "suggestion_dismissals"
    __table_args__ = numbered(
        foreign_key("account_id", "accounts"),
        sa.UniqueConstraint("organization_id", "key"),
    )

    key: Mapped[str] = mapped_column(sa.String(LONGEST_KEY))
    account_id: Mapped[int] = mapped_column(BigId)
    conditions: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    evidence_count: Mapped[int]
    sentence: Mapped[str] = mapped_column(sa.Text)
    dismissed_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    dismissed_at: Mapped[datetime] = created()
