"""The lock date in the settings: its day, and moving it."""

from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.bookkeeping.periods import LockDateFormSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("lock_dates", __name__, url_prefix="/settings/lock-date")


@bp.get("")
@requires("read")
def show() -> Response:
    """Show the lock date."""
    return show_lock()


@bp.post("")
@requires("admin", is_heavy=True)
def move() -> Response:
    """Move the lock date, or show it with the error."""
    body = None
    try:
        body = LockDateFormSchema().load({"lockDate": None} | form_body())
        services.bookkeeping.lock_dates.move(
            queries.access.organizations.get(organization_id()), **body, **acting()
        )
    except REFUSALS as error:
        return show_lock(body, problem_of(error))
    return redirect_to(url_for("lock_dates.show"))


def show_lock(body: dict[str, Any] | None = None, problem: Problem | None = None) -> Response:
    """Render the lock date, with a refused form as it was typed."""
    lock_date = queries.access.organizations.get(organization_id()).lock_date
    return render(
        "settings/lock_date.html",
        lock_date=lock_date,
        typed=body
        or {
            "lock_date": request.form.get("lockDate", lock_date),
            "reason": request.form.get("reason"),
            "move_drafts": "moveDrafts" in request.form,
        },
        problem=problem,
    )
