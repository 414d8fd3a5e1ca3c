"""Usages of a project or a merchant, which keep it from being deleted."""

from dataclasses import dataclass

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.rules.effects import VALUE_KEY, EffectKind
from webapp.ledger.rules.fields import Field, ids_in
from webapp.models import Document, Merchant, Posting, Project, Rule, refers_to


@dataclass(frozen=True, slots=True)
class Usage:
    """The counts of postings and documents that use a project or a merchant, and the rules that do."""

    postings: int
    rules: list[int]
    documents: int
    merged: int = 0

    @property
    def sentence(self) -> str:
        """The usages in words."""
        parts = [
            (self.postings, "posting"),
            (len(self.rules), "rule"),
            (self.documents, "document"),
            (self.merged, "merged merchant"),
        ]
        return titles.joined([titles.counted(count, word) for count, word in parts if count])


def of_project(project: Project) -> Usage:
    """Find the usages of a project, in the books and in rules."""
    postings, documents = (_count(refers_to(model.project_id, project)) for model in (Posting, Document))
    return Usage(postings, _rules_naming(EffectKind.SET_PROJECT, Field.PROJECT, project), documents)


def of_merchant(merchant: Merchant) -> Usage:
    """Find the usages of a merchant, in the books and in rules."""
    postings, documents = (
        _count(refers_to(model.org_merchant_id, merchant)) for model in (Posting, Document)
    )
    named = _rules_naming(EffectKind.SET_MERCHANT, Field.MERCHANT, merchant)
    is_merged_with_it = sa.or_(
        Merchant.merged_into_id == merchant.id, Merchant.merged_through_id == merchant.id
    )
    merged = _count(Merchant.organization_id == merchant.organization_id, is_merged_with_it)
    return Usage(postings, named, documents, merged)


def _count(*naming: sa.ColumnElement[bool]) -> int:
    return db.session.scalars(sa.select(sa.func.count()).where(*naming)).one()


def _rules_naming(kind: EffectKind, field: Field, record: Project | Merchant) -> list[int]:
    """List the rules that set a project or merchant, or have a condition on it."""
    found = db.session.scalars(
        sa.select(Rule).where(Rule.organization_id == record.organization_id).order_by(Rule.id)
    )
    return [rule.id for rule in found if _names(rule, kind, field, record.id)]


def _names(rule: Rule, kind: EffectKind, field: Field, row_id: int) -> bool:
    is_set = any(effect["kind"] == kind and effect[VALUE_KEY[kind]] == row_id for effect in rule.effects)
    is_in_condition = any(
        condition["field"] == field and str(row_id) in ids_in(condition["value"])
        for condition in rule.conditions["conditions"]
    )
    return is_set or is_in_condition
