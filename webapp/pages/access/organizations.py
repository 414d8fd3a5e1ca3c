"""The organization: its settings, switching to another one, and starting new books."""

from zoneinfo import available_timezones

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.currencies import ACTIVE
from webapp.schemas.access import OrganizationChoiceFormSchema, OrganizationFormSchema, StartFormSchema
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, principal, requires
from webapp.web.access.browsers import set_session_cookie, visitor
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.notation import notations
from webapp.web.rendering.problems import REFUSALS, Problem, act_or_show, problem_of

bp = Blueprint("organizations", __name__)


@bp.get("/settings")
@requires("read")
def settings() -> Response:
    """Go to the first of the settings."""
    return redirect_to(url_for("organizations.show"))


@bp.get("/settings/organization")
@requires("read")
def show() -> Response:
    """Show the organization."""
    return show_organization()


@bp.post("/settings/organization")
@requires("admin")
def update() -> Response:
    """Change the organization, or show it with the error."""
    organization = queries.access.organizations.get(organization_id())
    return act_or_show(
        lambda: services.access.organizations.update(
            organization, **OrganizationFormSchema().load(form_body()), **acting()
        ),
        url_for("organizations.show"),
        show_organization,
    )


@bp.post("/settings/organization/choose")
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


def switch_organization(organization_id: str) -> Response:
    """Switch to another organization with a new session."""
    secret = services.access.sessions.choose_organization(
        principal().session_hash or "",
        principal().user_id,
        organization_id,
        visitor=visitor(),
        now=requests.now(),
    )
    return set_session_cookie(redirect_to(url_for("hub.index")), secret)


def show_organization(problem: Problem | None = None) -> Response:
    """Render the organization, with a refused form as it was typed."""
    return render(
        "settings/organization.html",
        organization=queries.access.organizations.get(organization_id()),
        others=[
            each
            for each in queries.access.organizations.of_user(principal().user_id)
            if each.id != organization_id()
        ],
        time_zones=sorted(available_timezones()),
        locales=notations(),
        form=request.form,
        problem=problem,
    )


def show_start(problem: Problem | None = None) -> Response:
    """Render the form that starts books, with a refused form as it was typed."""
    return render(
        "organizations/start.html",
        currencies=[{"id": code, "name": code} for code in sorted(ACTIVE)],
        form=request.form,
        problem=problem,
    )
