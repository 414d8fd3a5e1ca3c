"""The conditions that a posting belongs to a project, to a group of projects, or to a merchant."""

import sqlalchemy as sa

from webapp.ledger.dimensions import DimensionSelection
from webapp.models import Posting, Project
from webapp.queries.common import merchants


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
    """Build the condition that a posting counts for a merchant: it names one that counts as the same.

    The ids are read first: of one id the databases know how many postings it leads to.
    """
    ids = merchants.alike(organization_id, merchant_id)
    return Posting.org_merchant_id == ids[0] if len(ids) == 1 else Posting.org_merchant_id.in_(ids)
