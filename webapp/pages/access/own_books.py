"""The books of a person: where `/` leads, switching to others, and starting new ones."""

from hmac import compare_digest
from zoneinfo import available_timezones

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.chart import CHARTS
from webapp.ledger.currencies import ACTIVE
from webapp.ledger.errors import LedgerError
from webapp.ledger.notation.locales import DEFAULT_LOCALE
from webapp.pages.access.organizations import show_organization
from webapp.pages.access.sessions import COOKIE_WOULD_LEAK, first_link, is_cookie_safe
from webapp.schemas.access import FirstFormSchema, OrganizationChoiceFormSchema, StartFormSchema
from webapp.services.access.sessions import FirstLinkError
from webapp.web.access import requests
from webapp.web.access.auth import PUBLIC, principal, requires
from webapp.web.access.books import with_query
from webapp.web.access.browsers import let_in, set_session_cookie, visitor
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_to, render
from webapp.web.rendering.notation import sentence
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("own_books", __name__)


@bp.get("/")
@requires("read")
def index() -> Response:
    """Go to the hub of the books that the session chose."""
    return redirect_to(with_query(url_for("hub.index")))


@bp.get("/books")
@requires("read", session_only=True)
def list_books() -> Response:
    """Show the viewer's books: a page, and for htmx the list in the menu of the bar."""
    return render(
        "organizations/_own.html" if is_htmx() else "organizations/own.html",
        own=queries.access.organizations.of_user(principal().user_id),
    )


@bp.get("/banks/back")
@requires("read", session_only=True)
def come_back_from_bank() -> Response:
    """Go on where a consent was begun: a bank sends everybody to this one address."""
    try:
        books, connection_id = services.banks.consents.place_of(request.args.get("state", ""))
    except LedgerError:
        return redirect_to(url_for("bank_connections.index"))
    return redirect_to(
        with_query(url_for("bank_connections.come_back", books=books, connection_id=connection_id))
    )


@bp.post("/books/choose")
@requires("read", session_only=True)
def choose() -> Response:
    """Switch to another organization of the signed-in person."""
    try:
        return switch_organization(OrganizationChoiceFormSchema().load(form_body())["organization_id"])
    except REFUSALS as error:
        return show_organization(problem_of(error))


@bp.get("/start")
@requires("read")
def start() -> Response:
    """Show the form that starts new books."""
    return show_start()


@bp.post("/start")
@requires("read", session_only=True)
def open_books() -> Response:
    """Start new books and switch to them, or show the error."""
    try:
        body = StartFormSchema().load(form_body())
        opened = services.access.organizations.open_own(
            principal().user_id, **body, locale=principal().locale, now=requests.now()
        )
    except REFUSALS as error:
        return show_start(problem_of(error))
    return switch_organization(opened.id)


@bp.get("/start/<string:secret>")
@requires(PUBLIC)
def start_first(secret: str) -> Response:
    """Show the form that starts the first books of this installation, by the link of the server that runs."""
    return show_first(secret)


@bp.post("/start/<string:secret>")
@requires(PUBLIC)
def open_first(secret: str) -> Response:
    """Start the first books and sign their owner in, or show the error."""
    refuse_ended(secret)
    if not is_cookie_safe():
        return show_first(secret)
    try:
        signed_in = services.access.sessions.open_first(
            **FirstFormSchema().load(form_body()),
            locale=DEFAULT_LOCALE,
            visitor=visitor(),
            now=requests.now(),
        )
    except REFUSALS as error:
        return show_first(secret, problem_of(error))
    return let_in(redirect_to(url_for("own_books.index")), signed_in)


def refuse_ended(secret: str) -> None:
    """Raise FirstLinkError unless this is the link of a server whose installation has nobody yet."""
    link = first_link()
    if link is None or not compare_digest(secret.encode(), link.encode()):
        raise FirstLinkError


def switch_organization(organization_id: str) -> Response:
    """Switch to another organization with a new session."""
    secret = services.access.sessions.choose_organization(
        principal().session_hash or "",
        principal().user_id,
        organization_id,
        is_strong=principal().is_strong,
        visitor=visitor(),
        now=requests.now(),
    )
    return set_session_cookie(redirect_to(url_for("hub.index", books=organization_id)), secret)


def show_start(problem: Problem | None = None) -> Response:
    """Render the form that starts books, with a refused form as it was typed."""
    return _show_form(problem, is_of_demo=services.access.organizations.is_of_demo(principal().user_id))


def show_first(secret: str, problem: Problem | None = None) -> Response:
    """Render the form that starts the first books, or how to serve over HTTPS where plain HTTP would expose them."""
    refuse_ended(secret)
    leak = None if is_cookie_safe() else Problem(sentence(COOKIE_WOULD_LEAK), "insecure", 403)
    return _show_form(problem or leak, is_first=True)


def _show_form(problem: Problem | None, *, is_of_demo: bool = False, is_first: bool = False) -> Response:
    return render(
        "organizations/start.html",
        currencies=[{"id": code, "name": code} for code in sorted(ACTIVE)],
        charts=CHARTS,
        time_zones=sorted(available_timezones()),
        is_of_demo=is_of_demo,
        is_first=is_first,
        form=request.form,
        problem=problem,
    )
