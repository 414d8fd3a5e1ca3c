"""Projects and their groups: the list by group, and the pages to change or delete one."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.pages.accounts.dimension_figures import figures, results
from webapp.schemas.accounts.projects import ProjectFormSchema, ProjectGroupFormSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("projects", __name__, url_prefix="/projects")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show projects by group."""
    return show_list()


@bp.post("")
@requires("draft")
def create() -> Response:
    """Create a project, or show the list with the error."""
    return act_or_show(
        lambda: services.accounts.projects.create(**ProjectFormSchema().load(form_body()), **acting()),
        url_for("projects.index"),
        lambda problem: show_list(problem, of="project"),
    )


@bp.post("/groups")
@requires("draft")
def create_group() -> Response:
    """Create a group, or show the list with the error."""
    return act_or_show(
        lambda: services.accounts.projects.create_group(
            **ProjectGroupFormSchema().load(form_body()), **acting()
        ),
        url_for("projects.index"),
        lambda problem: show_list(problem, of="group"),
    )


@bp.get("/<id:project_id>")
@requires("read")
def show(project_id: int) -> Response:
    """Show one project."""
    return show_project(project_id)


@bp.post("/<id:project_id>")
@requires("draft")
def update(project_id: int) -> Response:
    """Change a project, or show it with the error."""
    project = queries.accounts.projects.get(organization_id(), project_id)
    return act_or_show(
        lambda: services.accounts.projects.update(project, ProjectFormSchema().load(form_body()), **acting()),
        url_for("projects.index"),
        lambda problem: show_project(project_id, problem),
    )


@bp.post("/<id:project_id>/delete")
@requires("draft")
def delete(project_id: int) -> Response:
    """Delete a project, or show it with the error."""
    project = queries.accounts.projects.get(organization_id(), project_id)
    return act_or_show(
        lambda: services.accounts.projects.delete(project, **acting()),
        url_for("projects.index"),
        lambda problem: show_project(project_id, problem),
    )


@bp.get("/groups/<id:group_id>")
@requires("read")
def show_one_group(group_id: int) -> Response:
    """Show one group."""
    return show_group(group_id)


@bp.post("/groups/<id:group_id>")
@requires("draft")
def update_group(group_id: int) -> Response:
    """Change a group, or show it with the error."""
    group = queries.accounts.projects.get_group(organization_id(), group_id)
    return act_or_show(
        lambda: services.accounts.projects.update_group(
            group, ProjectGroupFormSchema().load(form_body()), **acting()
        ),
        url_for("projects.index"),
        lambda problem: show_group(group_id, problem),
    )


@bp.post("/groups/<id:group_id>/delete")
@requires("draft")
def delete_group(group_id: int) -> Response:
    """Delete a group; its projects remain."""
    group = queries.accounts.projects.get_group(organization_id(), group_id)
    return act_or_show(
        lambda: services.accounts.projects.delete_group(group, **acting()),
        url_for("projects.index"),
        lambda problem: show_group(group_id, problem),
    )


def show_list(problem: Problem | None = None, *, of: str = "") -> Response:
    """Render all projects, with a refused form as it was typed."""
    groups = queries.accounts.projects.by_group(organization_id())
    return render(
        "projects/index.html",
        groups=groups,
        results=results(Dimension.PROJECT, [project.id for _, projects in groups for project in projects]),
        all_groups=queries.accounts.choices.project_groups(organization_id()),
        form=request.form,
        problem=problem,
        refused=of,
    )


def show_project(project_id: int, problem: Problem | None = None) -> Response:
    """Render a project, with a refused form as it was typed."""
    return render(
        "projects/show.html",
        project=queries.accounts.projects.get(organization_id(), project_id),
        all_groups=queries.accounts.choices.project_groups(organization_id()),
        form=request.form,
        problem=problem,
        **figures(DimensionSelection(project_id=project_id)),
    )


def show_group(group_id: int, problem: Problem | None = None) -> Response:
    """Render a group, with a refused form as it was typed."""
    return render(
        "projects/group.html",
        group=queries.accounts.projects.get_group(organization_id(), group_id),
        form=request.form,
        problem=problem,
        **figures(DimensionSelection(project_group_id=group_id)),
    )
