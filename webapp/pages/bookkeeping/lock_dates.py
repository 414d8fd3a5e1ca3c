"""Locks in the settings: moving them, and letting single people behind them."""

from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.bookkeeping.periods import (
    AdjustmentsLockFormSchema,
    LockDateFormSchema,
    LockExceptionFormSchema,
)
from webapp.web.access import requests
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


@bp.post("/adjustments")
@requires("admin")
def move_adjustments() -> Response:
    """Move the lock of adjusting entries, or show the locks with the error."""
    try:
        body = AdjustmentsLockFormSchema().load({"adjustmentsLockDate": None} | form_body())
        organization = queries.access.organizations.get(organization_id())
        services.bookkeeping.lock_dates.move_adjustments(
            organization, body["adjustments_lock_date"], reason=body["reason"], **acting()
        )
    except REFUSALS as error:
        return show_lock(None, problem_of(error), "adjustments")
    return redirect_to(url_for("lock_dates.show"))


@bp.post("/exceptions")
@requires("admin")
def grant() -> Response:
    """Let a person date entries behind the lock for some days, or show the locks with the error."""
    try:
        body = LockExceptionFormSchema().load(form_body())
        until = requests.now() + timedelta(days=body.pop("days"))
        services.bookkeeping.lock_dates.grant_exception(**body, until=until, **acting())
    except REFUSALS as error:
        return show_lock(None, problem_of(error), "exceptions")
    return redirect_to(url_for("lock_dates.show"))


@bp.post("/exceptions/<id:exception_id>/end")
@requires("admin")
def end(exception_id: int) -> Response:
    """End an exception from the lock."""
    found = queries.journal.lock_exceptions.get(organization_id(), exception_id)
    services.bookkeeping.lock_dates.end_exception(found, **acting())
    return redirect_to(url_for("lock_dates.show"))


def show_lock(
    body: dict[str, Any] | None = None, problem: Problem | None = None, part: str = "lock"
) -> Response:
    """Render the locks, with a refused form as it was typed; `part` is the form that was refused."""
    here = organization_id()
    organization = queries.access.organizations.get(here)
    exceptions = queries.journal.lock_exceptions.listed(here, now=requests.now(), after=None, limit=20)
    is_of_all = part == "lock"
    return render(
        "settings/lock_date.html",
        lock_date=organization.lock_date,
        adjustments_lock_date=organization.adjustments_lock_date,
        exceptions=exceptions.items,
        members=[each.user for each in queries.access.organizations.members(here)],
        typed=body
        or {
            "lock_date": request.form.get("lockDate", organization.lock_date),
            "reason": request.form.get("reason") if is_of_all else None,
            "move_drafts": "moveDrafts" in request.form,
        },
        sent=request.form,
        part=part,
        problem=problem,
    )
