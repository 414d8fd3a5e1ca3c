"""Links by mail, where mail is set: for another password, and as the proof of a new address."""

from flask import Blueprint, Response, make_response, render_template, request

from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.pages.access.sessions import COOKIE_WOULD_LEAK, is_cookie_safe
from webapp.services.access import mailed_links, own_sign_in
from webapp.services.access.letters import ADDRESS, RESET
from webapp.web.access import requests
from webapp.web.access.auth import PUBLIC, requires, settings
from webapp.web.access.browsers import set_browser_cookie, visitor
from webapp.web.rendering.notation import sentence
from webapp.web.rendering.problems import shown_fields, shown_sentence

bp = Blueprint("mailed_links", __name__, url_prefix="/sign-in")


@bp.get("/forgotten")
@requires(PUBLIC)
def forgotten() -> Response:
    """Show the form that asks for a link."""
    demand_mail(passwords=True)
    return show("forgotten")


@bp.post("/forgotten")
@requires(PUBLIC)
def ask_reset() -> Response:
    """Send a link for another password if somebody here has the address, and say the same if not."""
    demand_mail(passwords=True)
    try:
        mailed_links.ask_reset(request.form.get("email", ""), visitor=visitor(), now=requests.now())
    except LedgerError as error:
        return show("forgotten", error)
    return show("asked")


@bp.get("/reset/<string:secret>")
@requires(PUBLIC)
def show_reset(secret: str) -> Response:
    """Show the form for another password."""
    demand_mail(passwords=True)
    return show("reset", email=mailed_links.read(RESET, secret, requests.now())["email"])


@bp.post("/reset/<string:secret>")
@requires(PUBLIC)
def reset(secret: str) -> Response:
    """Choose another password, or show the error."""
    demand_mail(passwords=True)
    email = mailed_links.read(RESET, secret, requests.now())["email"]
    if not is_cookie_safe():
        return show("reset", email=email)
    try:
        password = request.form.get("password", "")
        browser = mailed_links.reset(secret, password, visitor=visitor(), now=requests.now())
    except LedgerError as error:
        return show("reset", error, email=email)
    return set_browser_cookie(show("changed"), browser)


@bp.get("/address/<string:secret>")
@requires(PUBLIC)
def show_address(secret: str) -> Response:
    """Show the new address of a person, with the button that makes it theirs."""
    demand_mail()
    return show("address", email=mailed_links.read(ADDRESS, secret, requests.now())["email"])


@bp.post("/address/<string:secret>")
@requires(PUBLIC)
def prove_address(secret: str) -> Response:
    """Let a person have their new address, or show the error."""
    demand_mail()
    email = mailed_links.read(ADDRESS, secret, requests.now())["email"]
    try:
        own_sign_in.prove_address(secret, visitor=visitor(), now=requests.now())
    except LedgerError as error:
        return show("address", error, email=email)
    return show("proved", email=email)


def demand_mail(*, passwords: bool = False) -> None:
    """Raise NotFoundError where no mail is sent, or where passwords do not count."""
    if not settings().smtp_url or (passwords and not settings().takes_passwords):
        raise NotFoundError


def show(about: str, error: LedgerError | None = None, *, email: str = "") -> Response:
    """Render what a link is about, or what came of it, with the error of a refused form."""
    problems = shown_fields(error) if error else {}
    if not is_cookie_safe():
        problems = {"password": [sentence(COOKIE_WOULD_LEAK)]}
    page = render_template(
        "sessions/mailed_link.html",
        about=about,
        email=email,
        problem=shown_sentence(error) if error and not error.fields else "",
        problems=problems,
    )
    response = make_response(page, error.status if error else 200 if is_cookie_safe() else 403)
    if error and "retryAfter" in error.details:
        response.headers["Retry-After"] = str(error.details["retryAfter"])
    return response
