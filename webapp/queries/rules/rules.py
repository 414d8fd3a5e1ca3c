"""Queries on automation rules and their versions."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import Rule, RuleVersion
from webapp.models.base import Numbered
from webapp.queries.common import lookups
from webapp.queries.common.changed_since import only_changed
from webapp.queries.common.paging import Order, Page, page

BY_PRIORITY = Order((Rule.priority, Rule.id), ascends=True)  # type: ignore[arg-type]
NEWEST_VERSION = Order((RuleVersion.version,))  # type: ignore[arg-type]
IDS_AT_ONCE = 500


def get(organization_id: str, rule_id: int) -> Rule:
    """Find a rule, or raise NotFoundError."""
    return lookups.get(Rule, organization_id, rule_id)


def find(organization_id: str, rule_id: int) -> Rule | None:
    """Find a rule, or nothing where it was deleted."""
    return lookups.by_id(Rule, organization_id, [rule_id]).get(rule_id)


def listed(
    organization_id: str,
    *,
    ids: Sequence[int] = (),
    changed_since: datetime | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[Rule]:
    """List rules in the order in which they run; no ids leave all rules."""
    statement = sa.select(Rule).where(Rule.organization_id == organization_id)
    if ids:
        statement = statement.where(Rule.id.in_(ids))
    statement = only_changed(statement, Rule, organization_id, changed_since)
    return page(statement, BY_PRIORITY, after=after, limit=limit)


def in_order(organization_id: str) -> list[Rule]:
    """Return all rules in the order in which they run."""
    ordered = sa.select(Rule).where(Rule.organization_id == organization_id).order_by(Rule.priority, Rule.id)
    return list(db.session.scalars(ordered))


def versions(
    organization_id: str, rule_id: int, *, after: tuple[Any, ...] | None, limit: int
) -> Page[RuleVersion]:
    """List the versions of a rule, newest first, also of one that was deleted; or raise NotFoundError."""
    statement = sa.select(RuleVersion).where(
        RuleVersion.organization_id == organization_id, RuleVersion.rule_id == rule_id
    )
    found = page(statement, NEWEST_VERSION, after=after, limit=limit)
    if not found.items and after is None:
        get(organization_id, rule_id)
    return found


def versions_by_key(
    organization_id: str, named: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], RuleVersion]:
    """Return versions of rules, by rule and version; one that was not kept is left out."""
    keys = set(named)
    if not keys:
        return {}
    rows = db.session.scalars(
        sa.select(RuleVersion).where(
            RuleVersion.organization_id == organization_id,
            sa.tuple_(RuleVersion.rule_id, RuleVersion.version).in_(sorted(keys)),
        )
    )
    return {(row.rule_id, row.version): row for row in rows}


def unknown_ids(model: type[Numbered], organization_id: str, ids: Iterable[int]) -> set[int]:
    """Return the ids that do not exist in the organization's books."""
    ordered = sorted(set(ids))
    existing: set[int] = set()
    for start in range(0, len(ordered), IDS_AT_ONCE):
        some = ordered[start : start + IDS_AT_ONCE]
        existing |= set(
            db.session.scalars(
                sa.select(model.id).where(model.organization_id == organization_id, model.id.in_(some))
            )
        )
    return set(ordered) - existing
