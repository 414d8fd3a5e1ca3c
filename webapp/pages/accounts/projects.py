"""Projects and their groups: all of them by group, and each one's own page to change or delete it."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.accounts.projects import ProjectFormSchema, ProjectGroupFormSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("projects", __name__, url_prefix="/projects")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show projects by group."""
    return show_list()


@bp.post("")
@requires("draft")
def create() -> Response:
    """Make a project, or show the list with what is wrong."""
    try:
        services.accounts.projects.create(**ProjectFormSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return show_list(problem_of(error), of="project")
    return redirect_to(url_for("projects.index"))


@bp.post("/groups")
@requires("draft")
def create_group() -> Response:
    """Make a group, or show the list with what is wrong."""
    try:
        services.accounts.projects.create_group(**ProjectGroupFormSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return show_list(problem_of(error), of="group")
    return redirect_to(url_for("projects.index"))


@bp.get("/<id:project_id>")
@requires("read")
def show(project_id: int) -> Response:
    """Show one project."""
    return show_project(project_id)


@bp.post("/<id:project_id>")
@requires("draft")
def update(project_id: int) -> Response:
    """Change a project, or show it with what is wrong."""
    project = queries.accounts.projects.get(organization_id(), project_id)
    return done_or(
        lambda: services.accounts.projects.update(project, ProjectFormSchema().load(form_body()), **acting()),
        lambda problem: show_project(project_id, problem),
    )


@bp.post("/<id:project_id>/delete")
@requires("draft")
def delete(project_id: int) -> Response:
    """Delete a project, or show it with the reason why not."""
    project = queries.accounts.projects.get(organization_id(), project_id)
    return done_or(
        lambda: services.accounts.projects.delete(project, **acting()),
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
    """Change a group, or show it with what is wrong."""
    group = queries.accounts.projects.get_group(organization_id(), group_id)
    return done_or(
        lambda: services.accounts.projects.update_group(
            group, ProjectGroupFormSchema().load(form_body()), **acting()
        ),
        lambda problem: show_group(group_id, problem),
    )


@bp.post("/groups/<id:group_id>/delete")
@requires("draft")
def delete_group(group_id: int) -> Response:
    """Delete a group; its projects stay."""
    group = queries.accounts.projects.get_group(organization_id(), group_id)
    return done_or(
        lambda: services.accounts.projects.delete_group(group, **acting()),
        lambda problem: show_group(group_id, problem),
    )


def done_or(act: Callable[[], object], otherwise: Callable[[Problem], Response]) -> Response:
    """Do something and go back to the list, or answer its refusal."""
    try:
        act()
    except REFUSALS as error:
        return otherwise(problem_of(error))
    return redirect_to(url_for("projects.index"))


def show_list(problem: Problem | None = None, *, of: str = "") -> Response:
    """Render all projects, with what was typed where it was refused."""
    return render(
        "projects/index.html",
        status=problem.status if problem else 200,
        groups=queries.accounts.projects.by_group(organization_id()),
        all_groups=queries.accounts.choices.project_groups(organization_id()),
        form=request.form,
        problem=problem,
        refused=of,
    )


def show_project(project_id: int, problem: Problem | None = None) -> Response:
    """Render a project, with what was typed where it was refused."""
    return render(
        "projects/show.html",
        status=problem.status if problem else 200,
        project=queries.accounts.projects.get(organization_id(), project_id),
        all_groups=queries.accounts.choices.project_groups(organization_id()),
        form=request.form,
        problem=problem,
    )


def show_group(group_id: int, problem: Problem | None = None) -> Response:
    """Render a group, with what was typed where it was refused."""
    return render(
        "projects/group.html",
        status=problem.status if problem else 200,
        group=queries.accounts.projects.get_group(organization_id(), group_id),
        form=request.form,
        problem=problem,
    )
