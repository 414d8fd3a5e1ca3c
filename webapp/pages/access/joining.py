"""The page on which an invited person accepts, by the link."""

from urllib.parse import urlsplit

from flask import Blueprint, Response, make_response, render_template, request, url_for
from flask_login import current_user

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.pages.access.sessions import COOKIE_WOULD_LEAK, go_on, is_cookie_safe
from webapp.web.access import requests
from webapp.web.access.auth import PUBLIC, requires, settings
from webapp.web.access.browsers import visitor
from webapp.web.rendering.notation import sentence
from webapp.web.rendering.problems import shown_fields, shown_sentence

bp = Blueprint("joining", __name__, url_prefix="/join")


@bp.get("/<string:secret>")
@requires(PUBLIC)
def show(secret: str) -> Response:
    """Show the invitation of a link, with the form that accepts it."""
    return show_invitation(secret)


@bp.post("/<string:secret>")
@requires(PUBLIC)
def accept(secret: str) -> Response:
    """Accept an invitation and open a session in these books, or show the error."""
    if not is_cookie_safe():
        return show_invitation(secret)
    signed_in_id = current_user.user_id if current_user.is_authenticated else None
    try:
        signed_in = services.access.sessions.join(
            secret,
            request.form.get("password", ""),
            signed_in_id=signed_in_id,
            is_strong=current_user.is_authenticated and current_user.is_strong,
            visitor=visitor(),
            now=requests.now(),
        )
    except LedgerError as error:
        return show_invitation(secret, error)
    return go_on(signed_in, url_for("own_books.index"))


def show_invitation(secret: str, error: LedgerError | None = None) -> Response:
    """Render an invitation, the same whether its address has an account or not, or raise LinkEndedError."""
    signed_in_email = current_user.email if current_user.is_authenticated else None
    problems = shown_fields(error) if error else {}
    if not is_cookie_safe():
        problems = {"password": [sentence(COOKIE_WOULD_LEAK)]}
    page = render_template(
        "sessions/invitation.html",
        invitation=queries.access.invitations.read_of_link(secret, requests.now()),
        signed_in_email=signed_in_email,
        secret=secret,
        elsewhere=urlsplit(settings().oidc_issuer).hostname,
        problem=shown_sentence(error) if error and not error.fields else "",
        problems=problems,
    )
    response = make_response(page, error.status if error else 200 if is_cookie_safe() else 403)
    if error and "retryAfter" in error.details:
        response.headers["Retry-After"] = str(error.details["retryAfter"])
    return response
