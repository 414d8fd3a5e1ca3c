"""Usages of a project or a merchant, which keep it from being deleted."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.models import Document, Merchant, Posting, Project, refers_to
from webapp.queries.rules import rules


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
    return Usage(postings, rules.naming_project(project.organization_id, project.id), documents)


def of_merchant(merchant: Merchant) -> Usage:
    """Find the usages of a merchant, in the books and in rules."""
    postings, documents = (
        _count(refers_to(model.org_merchant_id, merchant)) for model in (Posting, Document)
    )
    named = rules.naming_merchant(merchant.organization_id, merchant.id)
    is_merged_with_it = sa.or_(
        Merchant.merged_into_id == merchant.id, Merchant.merged_through_id == merchant.id
    )
    merged = _count(Merchant.organization_id == merchant.organization_id, is_merged_with_it)
    return Usage(postings, named, documents, merged)


def _count(*naming: sa.ColumnElement[bool]) -> int:
    return db.session.scalars(sa.select(sa.func.count()).where(*naming)).one()
