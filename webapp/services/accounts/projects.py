"""Projects and their groups: created, changed and, where nothing names them, deleted."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from webapp.database.sessions import db
from webapp.ledger.dimensions import Dimension
from webapp.ledger.errors import LedgerError
from webapp.ledger.references import Kind, refs
from webapp.models import Project, ProjectGroup
from webapp.queries.accounts import projects, usages
from webapp.queries.common import lookups
from webapp.services.audit import locked_figures, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change, facts, payload

FACTS = ("name", "emoji", "group_id")
GROUP_FACTS = ("name", "emoji")


class ProjectInUseError(LedgerError):
    """Postings, documents or a rule use this project, so it stays."""

    code = "in_use"


class GroupChanges(TypedDict, total=False):
    """The fields of a group that were sent; what is not sent stays."""

    name: str
    emoji: str | None


class ProjectChanges(GroupChanges, total=False):
    """The fields of a project that were sent; what is not sent stays."""

    group_id: int | None


def create(
    *, name: str, emoji: str | None = None, group_id: int | None = None, actor: Actor, now: datetime
) -> Project:
    """Make a project, in a group of the organization or in none."""
    fields = payload({"name": name, "emoji": emoji, "group_id": group_id}, Project)
    target = ("project", "new")
    with act(
        actor, now, "create_project", target, title=f"Created the project {name}", payload=fields
    ) as doing:
        _check_group(actor.organization_id, group_id)
        project = Project(
            organization_id=actor.organization_id,
            name=name,
            emoji=emoji or None,
            group_id=group_id,
            created_at=now,
        )
        db.session.add(project)
        db.session.flush()
        doing.target_id, doing.after = str(project.id), facts(project, FACTS)
    return project


def update(project: Project, changes: ProjectChanges, *, actor: Actor, now: datetime) -> Project:
    """Change what was sent of a project."""
    title = titles.of_change("the project", project, changes)
    target = ("project", project.id)
    with act(actor, now, "update_project", target, title=title, payload=payload(changes, Project)) as doing:
        _check_group(actor.organization_id, changes.get("group_id"))
        stored = {name: value or None if name == "emoji" else value for name, value in changes.items()}
        differing = [name for name, value in stored.items() if getattr(project, name) != value]
        if "group_id" in differing:
            _watch(doing, [project])
        change(project, stored, doing)
        db.session.expire(project, ["group"])
    return project


def delete(project: Project, *, actor: Actor, now: datetime) -> None:
    """Delete a project that no posting, no rule and no document names, or raise ProjectInUseError."""
    title = f"Deleted the project {project.name}"
    with act(actor, now, "delete_project", ("project", project.id), title=title) as doing:
        usage = usages.of_project(project)
        if usage.postings or usage.rules or usage.documents:
            raise ProjectInUseError(
                f"{project.name} is used by {usage.sentence}. Remove it there first.",
                details={
                    "postings": usage.postings,
                    "rules": usage.rules,
                    "documents": usage.documents,
                },
            )
        doing.before = facts(project, FACTS)
        db.session.delete(project)
        db.session.flush()


def create_group(*, name: str, emoji: str | None = None, actor: Actor, now: datetime) -> ProjectGroup:
    """Make a group; an emoji that was not given is the empty string."""
    fields = payload({"name": name, "emoji": emoji}, ProjectGroup)
    title = f"Created the project group {name}"
    with act(
        actor, now, "create_project_group", ("project_group", "new"), title=title, payload=fields
    ) as doing:
        group = ProjectGroup(
            organization_id=actor.organization_id,
            name=name,
            emoji=emoji or "",
            created_at=now,
        )
        db.session.add(group)
        db.session.flush()
        doing.target_id, doing.after = str(group.id), facts(group, GROUP_FACTS)
    return group


def update_group(group: ProjectGroup, changes: GroupChanges, *, actor: Actor, now: datetime) -> ProjectGroup:
    """Change what was sent of a group."""
    title = titles.of_change("the project group", group, changes)
    target = ("project_group", group.id)
    with act(
        actor, now, "update_project_group", target, title=title, payload=payload(changes, ProjectGroup)
    ) as doing:
        stored = {name: value or "" if name == "emoji" else value for name, value in changes.items()}
        change(group, stored, doing)
    return group


def delete_group(group: ProjectGroup, *, actor: Actor, now: datetime) -> None:
    """Delete a group; its projects stay, without one."""
    title = f"Deleted the project group {group.name}"
    with act(actor, now, "delete_project_group", ("project_group", group.id), title=title) as doing:
        members = projects.of_group(group)
        doing.before = {
            **facts(group, GROUP_FACTS),
            "projectIds": refs(Kind.PROJECT, [project.id for project in members]),
        }
        _watch(doing, members)
        for project in members:
            project.group_id = None
        db.session.flush()
        db.session.delete(group)
        db.session.flush()


def _watch(doing: Act, moving: Sequence[Project]) -> None:
    """Hold the figures of locked days by group of projects."""
    locked_figures.watch_parts(doing, Dimension.PROJECT_GROUP, [each.id for each in moving])


def _check_group(organization_id: str, group_id: int | None) -> None:
    if group_id is not None:
        lookups.refer(ProjectGroup, organization_id, group_id, "groupId")
