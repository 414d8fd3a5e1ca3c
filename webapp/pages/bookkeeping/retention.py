"""The files in the settings: how long they stay, and deleting those that are older."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.bookkeeping.periods import RetentionFormSchema
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("retention", __name__, url_prefix="/settings/files")


@bp.get("")
@requires("read")
def show() -> Response:
    """Show how long files stay."""
    return show_retention()


@bp.post("")
@requires("admin")
def change() -> Response:
    """Change how long files stay, or show it with the error."""
    organization = queries.access.organizations.get(organization_id())
    return act_or_show(
        lambda: services.bookkeeping.retention.change(
            organization, **RetentionFormSchema().load(form_body()), **acting()
        ),
        url_for("retention.show"),
        show_retention,
    )


@bp.post("/delete")
@requires("admin", is_heavy=True)
def delete_old() -> Response:
    """Delete the oldest of the files that may go."""
    services.bookkeeping.retention.delete_old(queries.access.organizations.get(organization_id()), **acting())
    return redirect_to(url_for("retention.show"))


def show_retention(problem: Problem | None = None) -> Response:
    """Render how long files stay, with a refused form as it was typed."""
    organization = queries.access.organizations.get(organization_id())
    return render(
        "settings/files.html",
        years=organization.retention_years,
        old=queries.documents.retention.old_files(organization, now=requests.now()),
        most=services.bookkeeping.retention.MOST_AT_ONCE,
        form=request.form,
        problem=problem,
    )
