"""Projects and their groups over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.accounts.projects import (
    NewProjectGroupSchema,
    NewProjectSchema,
    ProjectChangesSchema,
    ProjectGroupChangesSchema,
    ProjectGroupSchema,
    ProjectQuerySchema,
    ProjectSchema,
)
from webapp.schemas.paging import OkSchema, PageSchema, changing, listing, wrapped
from webapp.services.accounts.projects import GroupChanges, ProjectChanges
from webapp.web import paging
from webapp.web.access import selections
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_projects", __name__, url_prefix="/api/projects", description="Projects")
AnswerSchema = wrapped("project", ProjectSchema)
GroupAnswerSchema = wrapped("group", ProjectGroupSchema)


@bp.get("")
@requires("read")
@bp.arguments(ProjectQuerySchema, location="query")
@bp.response(200, listing("projects", ProjectSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List projects, A to Z."""
    return paging.listed(
        "projects", "si", query, queries.accounts.projects.listed, changed_since=selections.changed_since()
    )


@bp.post("")
@requires("draft")
@bp.arguments(NewProjectSchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Create a project."""
    return {"project": services.accounts.projects.create(**body, **acting())}


@bp.get("/<id:project_id>")
@requires("read", is_documented=True)
@bp.response(200, AnswerSchema)
def read(project_id: int) -> dict[str, Any]:
    """Read one project."""
    return {"project": queries.accounts.projects.get(organization_id(), project_id)}


@bp.patch("/<id:project_id>")
@requires("draft")
@bp.arguments(ProjectChangesSchema)
@bp.response(200, changing(AnswerSchema))
def update(changes: ProjectChanges, project_id: int) -> dict[str, Any]:
    """Change a project."""
    project = queries.accounts.projects.get(organization_id(), project_id)
    return {"project": services.accounts.projects.update(project, changes, **acting())}


@bp.delete("/<id:project_id>")
@requires("draft")
@bp.response(200, changing(OkSchema))
def delete(project_id: int) -> dict[str, bool]:
    """Delete a project that is not in use."""
    services.accounts.projects.delete(
        queries.accounts.projects.get(organization_id(), project_id), **acting()
    )
    return {"ok": True}


@bp.get("/groups")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("groups", ProjectGroupSchema))
def listed_groups(query: dict[str, Any]) -> dict[str, Any]:
    """List project groups, A to Z."""
    return paging.listed(
        "groups",
        "si",
        query,
        queries.accounts.projects.listed_groups,
        changed_since=selections.changed_since(),
    )


@bp.post("/groups")
@requires("draft", is_documented=True)
@bp.arguments(NewProjectGroupSchema)
@bp.response(201, GroupAnswerSchema)
def create_group(body: dict[str, Any]) -> dict[str, Any]:
    """Create a project group."""
    return {"group": services.accounts.projects.create_group(**body, **acting())}


@bp.patch("/groups/<id:group_id>")
@requires("draft")
@bp.arguments(ProjectGroupChangesSchema)
@bp.response(200, changing(GroupAnswerSchema))
def update_group(changes: GroupChanges, group_id: int) -> dict[str, Any]:
    """Change a project group."""
    group = queries.accounts.projects.get_group(organization_id(), group_id)
    return {"group": services.accounts.projects.update_group(group, changes, **acting())}


@bp.delete("/groups/<id:group_id>")
@requires("draft")
@bp.response(200, changing(OkSchema))
def delete_group(group_id: int) -> dict[str, bool]:
    """Delete a project group; its projects remain."""
    services.accounts.projects.delete_group(
        queries.accounts.projects.get_group(organization_id(), group_id), **acting()
    )
    return {"ok": True}
