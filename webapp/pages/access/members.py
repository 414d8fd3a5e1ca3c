"""Members: listed, their roles changed, removed."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.access import RoleFormSchema
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("members", __name__)


@bp.get("/settings/members")
@requires("read")
def index() -> Response:
    """Show the members."""
    return show_members()


@bp.post("/settings/members/<id:user_id>/role")
@requires("admin", session_only=True)
def change_role(user_id: int) -> Response:
    """Change a member's role, or show the error."""
    queries.access.organizations.membership(organization_id(), user_id)
    return act_or_show(
        lambda: services.access.organizations.change_role(
            organization_id(), user_id, **RoleFormSchema().load(form_body()), **acting()
        ),
        url_for("members.index"),
        lambda problem: show_members(problem, member_id=user_id),
    )


@bp.post("/settings/members/<id:user_id>/remove")
@requires("admin", session_only=True)
def remove(user_id: int) -> Response:
    """Remove a member, or show the error."""
    queries.access.organizations.membership(organization_id(), user_id)
    return act_or_show(
        lambda: services.access.organizations.remove_member(organization_id(), user_id, **acting()),
        url_for("members.index"),
        lambda problem: show_members(problem, member_id=user_id),
    )


def show_members(
    problem: Problem | None = None,
    *,
    member_id: int | None = None,
    new_link: dict[str, object] | None = None,
) -> Response:
    """Render members and invitations, with a refused form as it was typed; `member_id` is the member with an error."""
    return render(
        "settings/members.html",
        members=queries.access.organizations.members(organization_id()),
        invitations=queries.access.invitations.listed(organization_id()),
        now=requests.now(),
        new_link=new_link,
        form=request.form if problem and member_id is None else {},
        problem=problem,
        member_id=member_id,
    )
