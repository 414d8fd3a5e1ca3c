"""Queries on runs of rules, and on the rule that set each field of a line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.rules.effects import FIELD_OF, EffectKind
from webapp.models import DocumentSetting, RuleRun, RuleSetting
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.records import record_of

NEWEST = Order((RuleRun.id,))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which rule in which version set a field of a line's entry, in which run, and when."""

    field: str
    value: str
    before: str | None
    rule_id: int
    rule_version: int
    rule_name: str | None
    run_id: int
    action_request_id: str
    set_at: datetime


def get(organization_id: str, run_id: int) -> RuleRun:
    """Find a run, or raise NotFoundError."""
    return lookups.get(RuleRun, organization_id, run_id)


def listed(
    organization_id: str, *, rule_id: int | None = None, after: tuple[Any, ...] | None, limit: int
) -> Page[RuleRun]:
    """List runs, newest first; of one rule, those that were made by hand with it."""
    statement = sa.select(RuleRun).where(RuleRun.organization_id == organization_id)
    if rule_id is not None:
        statement = statement.where(RuleRun.rule_id == rule_id)
    return page(statement, NEWEST, after=after, limit=limit)


def set_fields(organization_id: str, transaction_ids: Sequence[int]) -> dict[int, set[str]]:
    """Return the fields of some lines' entries that a rule set, and nobody since."""
    if not transaction_ids:
        return {}
    rows = db.session.execute(*_settings(organization_id, transaction_ids))
    found: dict[int, set[str]] = {}
    for transaction_id, kind in rows:
        found.setdefault(transaction_id, set()).add(FIELD_OF[EffectKind(kind)])
    return found


@made_once
def _settings(organization_id: str, transaction_ids: Sequence[int]) -> sa.Select[int, str]:
    return sa.select(RuleSetting.transaction_id, RuleSetting.kind).where(
        RuleSetting.organization_id == organization_id,
        RuleSetting.transaction_id.in_(transaction_ids),
        RuleSetting.superseded_by.is_(None),
    )


def provenance(organization_id: str, transaction_id: int) -> list[Provenance]:
    """Return the rule of each field of a line's entry that a rule set, and nobody since."""
    return _current(organization_id, RuleSetting, RuleSetting.transaction_id == transaction_id)


def provenance_of_document(organization_id: str, document_id: int) -> list[Provenance]:
    """Return the rule of each field of a document that a rule set, and nobody since."""
    return _current(organization_id, DocumentSetting, DocumentSetting.document_id == document_id)


def _current(
    organization_id: str,
    model: type[RuleSetting | DocumentSetting],
    of_item: sa.ColumnElement[bool],
) -> list[Provenance]:
    rows: Iterable[Any] = db.session.scalars(
        sa.select(model)
        .where(model.organization_id == organization_id, of_item, model.superseded_by.is_(None))
        .order_by(model.id)
        .options(orm.joinedload(model.run))
    )
    return [_provenance(row) for row in rows]


def _provenance(row: RuleSetting | DocumentSetting) -> Provenance:
    names = {each["id"]: each["name"] for each in row.run.rules}
    return record_of(
        Provenance,
        row,
        field=FIELD_OF[EffectKind(row.kind)],
        rule_name=names.get(row.rule_id),
        action_request_id=row.run.action_request_id,
        set_at=row.run.created_at,
    )
