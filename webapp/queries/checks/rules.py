"""Rules: the current content of each is stored as its version, so that the fields it sets can be explained."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from webapp.models import Rule, RuleContent, RuleVersion, refers_to
from webapp.queries.checks.violations import Violation, found


def versions_differ() -> Iterable[Violation]:
    """Find rules whose current version is not stored, or differs."""
    differs = [
        sa.cast(getattr(Rule, name), sa.Text).is_distinct_from(sa.cast(getattr(RuleVersion, name), sa.Text))
        for name in RuleContent.FACTS
    ]
    is_kept = sa.and_(
        refers_to(RuleVersion.rule_id, Rule),
        RuleVersion.version == Rule.version,
    )
    return found(
        "rule_version_differs",
        sa.select(Rule.organization_id, Rule.id.label("rule_id"), Rule.version)
        .outerjoin(RuleVersion, is_kept)
        .where(sa.or_(RuleVersion.id.is_(None), *differs)),
        lambda row: f"Rule {row.rule_id} does not match its stored version {row.version}.",
        lambda row: {"ruleId": row.rule_id},
    )


CHECKS = (versions_differ,)
