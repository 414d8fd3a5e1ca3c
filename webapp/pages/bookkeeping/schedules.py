"""Schedules: written on their page, their parts, what is due of them, and posting it; assets are disposed of."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.addresses import SchedulesPageSchema
from webapp.schemas.bookkeeping.schedules import DisposalFormSchema, NewScheduleFormSchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("schedules", __name__, url_prefix="/schedules")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show schedules with their parts, the newest first."""
    return shown()


@bp.post("")
@requires("confirm")
def create() -> Response:
    """Write a schedule, or show the form with the error."""
    return act_or_show(
        lambda: services.bookkeeping.schedules.create(NewScheduleFormSchema().load(form_body()), **acting()),
        url_for("schedules.index"),
        shown,
    )


@bp.post("/<id:schedule_id>/dispose")
@requires("confirm", is_heavy=True)
def dispose(schedule_id: int) -> Response:
    """Dispose of an asset, or show why not."""
    found = queries.journal.schedules.get(organization_id(), schedule_id)
    return act_or_show(
        lambda: services.bookkeeping.disposals.dispose(
            found, **DisposalFormSchema().load(form_body()), **acting()
        ),
        url_for("schedules.index"),
        lambda problem: shown(problem, schedule_id),
    )


@bp.post("/run")
@requires("confirm", is_heavy=True)
def run() -> Response:
    """Post what is due, and show it."""
    services.bookkeeping.schedules.run(**acting())
    return redirect_to(url_for("schedules.index"))


def shown(problem: Problem | None = None, disposing: int | None = None) -> Response:
    """Render the page, with what was typed and refused."""
    query = SchedulesPageSchema().load(request.args)
    here = organization_id()
    today = queries.access.organizations.today(here, requests.now())
    page = queries.journal.schedules.listed(
        here, today=today, after=paging.decode(query["cursor"], "i"), limit=query["limit"]
    )
    return render(
        "schedules/index.html",
        schedules=page.items,
        waiting=queries.journal.schedules.waiting(here, today),
        accounts=queries.accounts.choices.accounts(here),
        today=today,
        form=request.form,
        problem=problem,
        disposing=disposing,
        cursor=query["cursor"],
        next_cursor=paging.encode(page.next_key),
    )
