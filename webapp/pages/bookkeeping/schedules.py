"""Schedules: their parts, what is due of them, and posting it."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.addresses import SchedulesPageSchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.htmx import redirect_to, render

bp = Blueprint("schedules", __name__, url_prefix="/schedules")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show schedules with their parts, the newest first."""
    query = SchedulesPageSchema().load(request.args)
    today = queries.access.organizations.today(organization_id(), requests.now())
    page = queries.journal.schedules.listed(
        organization_id(), today=today, after=paging.decode(query["cursor"], "i"), limit=query["limit"]
    )
    return render(
        "schedules/index.html",
        schedules=page.items,
        waiting=queries.journal.schedules.waiting(organization_id(), today),
        cursor=query["cursor"],
        next_cursor=paging.encode(page.next_key),
    )


@bp.post("/run")
@requires("confirm", is_heavy=True)
def run() -> Response:
    """Post what is due, and show it."""
    services.bookkeeping.schedules.run(**acting())
    return redirect_to(url_for("schedules.index"))
