"""What is done by itself, in the settings: switches, when each was done and comes next, and what failed."""

from typing import Any

from flask import Blueprint, Response, url_for

from webapp import queries
from webapp.ledger.codes import AUTOMATIC
from webapp.queries.imports import bank_connections
from webapp.schemas.access import JobSwitchFormSchema
from webapp.services.operating import jobs, webhooks
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import Problem, act_or_show

#: What is switched on elsewhere, by the page that does it.
PLACES = {bank_connections.SYNC: "bank_connections.index", webhooks.DELIVER: "webhooks.index"}

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
    comes = queries.access.jobs.next_of_kinds(organization_id())
    last = queries.access.jobs.last_ends(organization_id())
    shown: list[dict[str, Any]] = [
        {
            "kind": kind,
            "is_on": kind in organization.automatic or (kind in PLACES and kind in comes),
            "last": last.get(kind),
            "next": comes.get(kind),
            "place": PLACES.get(kind) and url_for(PLACES[kind]),
        }
        for kind in (*AUTOMATIC, *(each for each in PLACES if each in {**last, **comes}))
    ]
    return render(
        "settings/jobs.html",
        kinds=shown,
        paused=queries.access.jobs.paused_webhooks(organization_id()),
        failed=queries.access.jobs.failed(organization_id()),
        problem=problem,
    )
