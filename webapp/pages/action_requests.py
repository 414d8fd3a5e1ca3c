"""Activity: what was done in these books, by whom, newest first."""

from __future__ import annotations

from flask import Blueprint, Response, request

from webapp import queries
from webapp.schemas.action_requests import ActivityQuerySchema
from webapp.web import paging
from webapp.web.auth import here, requires
from webapp.web.htmx import render

bp = Blueprint("action_requests", __name__, url_prefix="/activity")
CHOICES = (("", "All"), ("EXECUTED", "Done"), ("FAILED", "Refused"), ("PENDING", "Waiting"))


@bp.get("")
@requires("read")
def index() -> Response:
    """Show acts, newest first."""
    asked = ActivityQuerySchema.read_leniently(request.query_string.decode())
    cursor = asked.pop("cursor")
    page = queries.action_requests.listed(here(), after=paging.decode(cursor, "s"), **asked)
    return render(
        "action_requests/index.html",
        requests=page.items,
        places=queries.action_requests.places(here(), page.items),
        shown=asked["status"] or "",
        choices=[
            {"value": value, "label": label, "href": f"/activity?status={value}" if value else "/activity"}
            for value, label in CHOICES
        ],
        next_cursor=paging.encode(page.next_key),
        cursor=cursor,
    )
