"""Members: invited with a one-time link, their roles changed, removed; and the page of the link."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.pages.access.sessions import COOKIE_WOULD_LEAK, is_cookie_safe, set_session_cookie
from webapp.schemas.access.organizations import MemberFormSchema, RoleFormSchema
from webapp.services.access.organizations import LINK_LIFETIME
from webapp.web.access import requests
from webapp.web.access.auth import PUBLIC, acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, act_or_show, problem_of

bp = Blueprint("members", __name__)


@bp.get("/settings/members")
@requires("read")
def index() -> Response:
    """Show the members."""
    return show_members()


@bp.post("/settings/members")
@requires("admin", session_only=True)
def add() -> Response:
    """Add a member and show the link, or the error."""
    try:
        body = MemberFormSchema().load(form_body())
        membership, secret = services.access.organizations.add_member(organization_id(), **body, **acting())
    except REFUSALS as error:
        return show_members(problem_of(error))
    return show_link(membership.user.name, secret) if secret else redirect_to(url_for("members.index"))


@bp.post("/settings/members/<id:user_id>/link")
@requires("admin", session_only=True)
def renew_link(user_id: int) -> Response:
    """Create a new link for a member who has not signed in yet."""
    queries.access.organizations.membership(organization_id(), user_id)
    try:
        membership, secret = services.access.organizations.renew_link(organization_id(), user_id, **acting())
    except REFUSALS as error:
        return show_members(problem_of(error), member_id=user_id)
    return show_link(membership.user.name, secret)


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


@bp.get("/join/<string:secret>")
@requires(PUBLIC)
def welcome(secret: str) -> Response:
    """Show the form in which a new member chooses a password."""
    return show_welcome(secret)


@bp.post("/join/<string:secret>")
@requires(PUBLIC)
def join(secret: str) -> Response:
    """Store the password and open the first session, or show the error."""
    if not is_cookie_safe():
        return show_welcome(secret)
    try:
        session = services.access.sessions.join(secret, request.form.get("password", ""), now=requests.now())
    except LedgerError as error:
        return show_welcome(secret, error)
    return set_session_cookie(make_response(redirect(url_for("hub.index"), 303)), session)


def show_link(name: str, secret: str) -> Response:
    """Show a one-time link, only now."""
    return show_members(
        new_link={
            "name": name,
            "url": url_for("members.welcome", secret=secret, _external=True),
            "expires_at": requests.now() + LINK_LIFETIME,
        }
    )


def show_members(
    problem: Problem | None = None,
    *,
    member_id: int | None = None,
    new_link: dict[str, object] | None = None,
) -> Response:
    """Render the members, with a refused form as it was typed; `member_id` is the member with an error."""
    return render(
        "settings/members.html",
        status=problem.status if problem else 200,
        members=queries.access.organizations.members(organization_id()),
        new_link=new_link,
        form=request.form if problem and member_id is None else {},
        problem=problem,
        member_id=member_id,
    )


def show_welcome(secret: str, error: LedgerError | None = None) -> Response:
    """Render the choice of a password, or raise NotFoundError where the link is no longer valid."""
    membership = queries.access.organizations.invitation(secret, requests.now())
    problems = error.fields if error else {}
    if not is_cookie_safe():
        problems = {"password": [COOKIE_WOULD_LEAK]}
    page = render_template(
        "sessions/welcome.html",
        member=membership.user,
        organization=membership.organization,
        problems=problems,
    )
    return make_response(page, error.status if error else 200 if is_cookie_safe() else 403)
