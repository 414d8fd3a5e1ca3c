"""Members: listed, their roles changed, removed, and others invited."""

from datetime import datetime

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.access import (
    AddressDecisionFormSchema,
    InvitationFormSchema,
    MembershipEndFormSchema,
    RoleFormSchema,
)
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires, settings
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import REFUSALS, Problem, act_or_show, problem_of

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


@bp.post("/settings/members/<id:user_id>/end")
@requires("admin", session_only=True)
def end(user_id: int) -> Response:
    """Set the last day of a membership or take it back, or show the error."""
    queries.access.organizations.membership(organization_id(), user_id)
    return act_or_show(
        lambda: services.access.organizations.end_membership(
            organization_id(), user_id, **MembershipEndFormSchema().load(form_body()), **acting()
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


@bp.post("/settings/members/<id:user_id>/address")
@requires("admin", session_only=True)
def decide_address(user_id: int) -> Response:
    """Let a member have another address or refuse it, or show the error."""
    queries.access.organizations.membership(organization_id(), user_id)
    return act_or_show(
        lambda: services.access.own_sign_in.decide_address(
            user_id, **AddressDecisionFormSchema().load(form_body()), **acting()
        ),
        url_for("members.index"),
        lambda problem: show_members(problem, member_id=user_id),
    )


@bp.post("/settings/members")
@requires("admin", session_only=True)
def invite() -> Response:
    """Invite somebody and show the link, or the error."""
    try:
        body = InvitationFormSchema().load(form_body())
        invitation, secret = services.access.invitations.invite(organization_id(), **body, **acting())
    except REFUSALS as error:
        return show_members(problem_of(error))
    return show_link(invitation.email, invitation.expires_at, secret)


@bp.post("/settings/invitations/<id:invitation_id>/link")
@requires("admin", session_only=True)
def renew_invitation(invitation_id: int) -> Response:
    """Create a new link for somebody who has not accepted yet."""
    invitation, secret = services.access.invitations.renew(organization_id(), invitation_id, **acting())
    return show_link(invitation.email, invitation.expires_at, secret)


@bp.post("/settings/invitations/<id:invitation_id>/withdraw")
@requires("admin", session_only=True)
def withdraw_invitation(invitation_id: int) -> Response:
    """Withdraw an invitation."""
    return act_or_show(
        lambda: services.access.invitations.withdraw(organization_id(), invitation_id, **acting()),
        url_for("members.index"),
        show_members,
    )


def show_link(email: str, expires_at: datetime, secret: str) -> Response:
    """Show a one-time link, only now, and send it where mail is set."""
    is_sent = bool(settings().smtp_url)
    if is_sent:
        services.access.letters.mail_link(
            organization_id(), services.access.letters.INVITATION, secret, requests.now()
        )
    return show_members(
        new_link={
            "email": email,
            "url": url_for("joining.show", secret=secret, _external=True),
            "expires_at": expires_at,
            "is_sent": is_sent,
        }
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
        members=queries.access.organizations.member_records(organization_id(), requests.now()),
        invitations=queries.access.invitations.listed(organization_id()),
        addresses=services.access.own_sign_in.waiting_addresses(organization_id(), requests.now()),
        now=requests.now(),
        new_link=new_link,
        form=request.form if problem and member_id is None else {},
        problem=problem,
        member_id=member_id,
    )
