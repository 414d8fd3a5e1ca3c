"""The conditions that a posting belongs to a project, to a group of projects, or to a merchant."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.ledger.dimensions import DimensionSelection
from webapp.models import Merchant, Posting, Project


def postings_of(organization_id: str, selection: DimensionSelection) -> list[sa.ColumnElement[bool]]:
    """Build the conditions that a posting belongs to a selection; none for any posting."""
    chosen: list[sa.ColumnElement[bool]] = []
    if selection.project_id is not None:
        chosen.append(Posting.project_id == selection.project_id)
    if selection.project_group_id is not None:
        # The query of the group names no column of the posting, so that it is read once and leads to an index.
        of_group = sa.select(Project.id).where(
            Project.organization_id == organization_id, Project.group_id == selection.project_group_id
        )
        chosen.append(Posting.project_id.in_(of_group))
    if selection.org_merchant_id is not None:
        chosen.append(of_merchant(organization_id, selection.org_merchant_id))
    return chosen


def of_merchant(organization_id: str, merchant_id: int) -> sa.ColumnElement[bool]:
    """Build the condition that a posting counts for a merchant: it names one that counts as the same."""
    asked, alike = orm.aliased(Merchant), orm.aliased(Merchant)
    counting_id = (
        sa.select(sa.func.coalesce(asked.merged_into_id, asked.id))
        .where(asked.organization_id == organization_id, asked.id == merchant_id)
        .correlate(None)
        .scalar_subquery()
    )
    ids = sa.select(alike.id).where(
        alike.organization_id == organization_id,
        sa.or_(alike.id == counting_id, alike.merged_into_id == counting_id),
    )
    # Here too the query names no column of the posting.
    return Posting.org_merchant_id.in_(ids.correlate(None))
