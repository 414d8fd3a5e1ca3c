"""Queries on projects and their groups."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.models import Project, ProjectGroup, refers_to
from webapp.queries.common import lookups
from webapp.queries.common.changed_since import only_changed
from webapp.queries.common.paging import Order, Page, page

BY_NAME = Order((fold(Project.name), Project.id), ascends=True)  # type: ignore[arg-type]
GROUPS_BY_NAME = Order((fold(ProjectGroup.name), ProjectGroup.id), ascends=True)  # type: ignore[arg-type]


def get(organization_id: str, project_id: int) -> Project:
    """Find a project, or raise NotFoundError."""
    return lookups.get(Project, organization_id, project_id)


def get_group(organization_id: str, group_id: int) -> ProjectGroup:
    """Find a group, or raise NotFoundError."""
    return lookups.get(ProjectGroup, organization_id, group_id)


def listed(
    organization_id: str,
    *,
    group_id: int | None = None,
    ids: Sequence[int] = (),
    changed_since: datetime | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[Project]:
    """List projects by name, all or those of a group or of some ids."""
    statement = sa.select(Project).where(Project.organization_id == organization_id)
    if group_id is not None:
        statement = statement.where(Project.group_id == group_id)
    if ids:
        statement = statement.where(Project.id.in_(ids))
    statement = only_changed(statement, Project, organization_id, changed_since)
    return page(statement, BY_NAME, after=after, limit=limit)


def listed_groups(
    organization_id: str,
    *,
    changed_since: datetime | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[ProjectGroup]:
    """List groups by name."""
    statement = sa.select(ProjectGroup).where(ProjectGroup.organization_id == organization_id)
    statement = only_changed(statement, ProjectGroup, organization_id, changed_since)
    return page(statement, GROUPS_BY_NAME, after=after, limit=limit)


def by_group(organization_id: str) -> list[tuple[ProjectGroup | None, list[Project]]]:
    """List all projects by group, A to Z; empty groups too, and those without a group last."""
    groups = db.session.scalars(
        sa.select(ProjectGroup)
        .where(ProjectGroup.organization_id == organization_id)
        .order_by(*GROUPS_BY_NAME.columns)
    ).all()
    projects = db.session.scalars(
        sa.select(Project).where(Project.organization_id == organization_id).order_by(*BY_NAME.columns)
    ).all()
    members = [(group, [each for each in projects if each.group_id == group.id]) for group in groups]
    rest = [each for each in projects if each.group_id is None]
    return [*members, (None, rest)] if rest else list(members)


def of_group(group: ProjectGroup) -> Sequence[Project]:
    """List the projects of a group."""
    return db.session.scalars(
        sa.select(Project).where(refers_to(Project.group_id, group)).order_by(*BY_NAME.columns)
    ).all()
