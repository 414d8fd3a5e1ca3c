"""What is done by itself, in the settings: switches, when each was done and comes next, and what failed."""

from typing import Any

from flask import Blueprint, Response, url_for

from webapp import queries
from webapp.ledger.codes import AUTOMATIC
from webapp.schemas.access import JobSwitchFormSchema
from webapp.services.operating import jobs
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("jobs", __name__, url_prefix="/settings/automatic")


@bp.get("")
@requires("admin")
def index() -> Response:
    """Show what is done by itself."""
    return show_jobs()


@bp.post("")
@requires("admin")
def switch() -> Response:
    """Let something be done by itself, or no more."""
    organization = queries.access.organizations.get(organization_id())
    jobs.switch(organization, **JobSwitchFormSchema().load(form_body()), **acting())
    return redirect_to(url_for("jobs.index"))


@bp.post("/<id:job_id>/run")
@requires("admin")
def run(job_id: int) -> Response:
    """Let a job be done now, or show why it cannot be."""
    return act_or_show(lambda: jobs.run_now(organization_id(), job_id), url_for("jobs.index"), show_jobs)


def show_jobs(problem: Problem | None = None) -> Response:
    """Render what is done by itself, with the reason why a job was not started."""
    organization = queries.access.organizations.get(organization_id())
    found = queries.access.jobs.open_and_failed(organization_id())
    last = queries.access.jobs.last_ends(organization_id())
    shown: list[dict[str, Any]] = [
        {
            "kind": kind,
            "is_on": kind in organization.automatic,
            "last": last.get(kind),
            "next": next((each for each in found if each.kind == kind and each.state != "FAILED"), None),
        }
        for kind in AUTOMATIC
    ]
    return render(
        "settings/jobs.html",
        kinds=shown,
        paused=queries.access.jobs.paused_webhooks(organization_id()),
        failed=[each for each in found if each.state == "FAILED"],
        problem=problem,
    )
