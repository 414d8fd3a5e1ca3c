"""The organization and its settings."""

from zoneinfo import available_timezones

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.access import OrganizationFormSchema
from webapp.web.access.auth import acting, organization_id, principal, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.notation import notations
from webapp.web.rendering.problems import Problem, act_or_show

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
