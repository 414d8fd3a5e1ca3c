"""Invitations: made, with another link, withdrawn; and the page on which the invited person accepts one."""

from datetime import datetime

from flask import Blueprint, Response, url_for

from webapp import services
from webapp.pages.access.members import show_members
from webapp.schemas.access import InvitationFormSchema
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires, settings
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.problems import REFUSALS, act_or_show, problem_of

bp = Blueprint("invitations", __name__)


@bp.post("/settings/members")
@requires("admin", session_only=True)
def create() -> Response:
    """Invite somebody and show the link, or the error."""
    try:
        body = InvitationFormSchema().load(form_body())
        invitation, secret = services.access.invitations.invite(organization_id(), **body, **acting())
    except REFUSALS as error:
        return show_members(problem_of(error))
    return show_link(invitation.email, invitation.expires_at, secret)


@bp.post("/settings/invitations/<id:invitation_id>/link")
@requires("admin", session_only=True)
def renew(invitation_id: int) -> Response:
    """Create a new link for somebody who has not accepted yet."""
    invitation, secret = services.access.invitations.renew(organization_id(), invitation_id, **acting())
    return show_link(invitation.email, invitation.expires_at, secret)


@bp.post("/settings/invitations/<id:invitation_id>/withdraw")
@requires("admin", session_only=True)
def withdraw(invitation_id: int) -> Response:
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
        services.access.letters.invite(organization_id(), secret, requests.now())
    return show_members(
        new_link={
            "email": email,
            "url": url_for("joining.show", secret=secret, _external=True),
            "expires_at": expires_at,
            "is_sent": is_sent,
        }
    )
