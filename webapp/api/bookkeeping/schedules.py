"""Schedules over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.audit.action_requests import ActionResultSchema, BulkResultsSchema
from webapp.schemas.bookkeeping.schedules import (
    DisposalInputSchema,
    NewScheduleSchema,
    PartSkipSchema,
    ScheduleChangesSchema,
    ScheduleRunSchema,
    ScheduleSchema,
    ScheduleStopSchema,
)
from webapp.schemas.paging import PageSchema, changing, listing, wrapped
from webapp.services.audit.results import ActionResult
from webapp.services.bookkeeping.schedule_changes import ScheduleChanges
from webapp.services.bookkeeping.schedules import ScheduleInput
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_schedules", __name__, url_prefix="/api/schedules", description="Schedules")
AnswerSchema = wrapped("schedule", ScheduleSchema)


@bp.get("")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("schedules", ScheduleSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List schedules with their parts, the newest first."""
    return paging.listed("schedules", "i", query, queries.journal.schedules.listed, today=_today())


@bp.get("/<id:schedule_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(schedule_id: int) -> dict[str, Any]:
    """Read a schedule with its parts."""
    found = queries.journal.schedules.get(organization_id(), schedule_id)
    return {"schedule": queries.journal.schedules.record(found, _today())}


@bp.post("")
@requires("confirm")
@bp.arguments(NewScheduleSchema)
@bp.response(201, AnswerSchema)
def create(body: ScheduleInput) -> dict[str, Any]:
    """Write a schedule; its parts are posted as they fall due by a run."""
    made = services.bookkeeping.schedules.create(body, **acting())
    return {"schedule": queries.journal.schedules.record(made, _today())}


@bp.post("/run")
@requires("draft", posts=True, is_heavy=True)
@bp.arguments(ScheduleRunSchema)
@bp.response(200, changing(BulkResultsSchema))
def run(body: dict[str, Any]) -> dict[str, Any]:
    """Post each part that is due up to a day, or draft it; posting needs the scope confirm.

    A part that is refused stays due, and stops no other.
    """
    if body["post"]:
        demand("confirm")
    return {"results": services.bookkeeping.schedules.run(**body, **acting())}


@bp.patch("/<id:schedule_id>")
@requires("confirm")
@bp.arguments(ScheduleChangesSchema)
@bp.response(200, changing(AnswerSchema))
def change(body: ScheduleChanges, schedule_id: int) -> dict[str, Any]:
    """Change a schedule, for its parts that are not posted."""
    found = queries.journal.schedules.get(organization_id(), schedule_id)
    changed = services.bookkeeping.schedule_changes.change(found, body, **acting())
    return {"schedule": queries.journal.schedules.record(changed, _today())}


@bp.post("/<id:schedule_id>/stop")
@requires("confirm")
@bp.arguments(ScheduleStopSchema)
@bp.response(200, ActionResultSchema)
def stop(body: dict[str, Any], schedule_id: int) -> ActionResult:
    """Stop a schedule."""
    found = queries.journal.schedules.get(organization_id(), schedule_id)
    return services.bookkeeping.schedule_changes.stop(found, **body, **acting())


@bp.post("/<id:schedule_id>/dispose")
@requires("confirm", is_heavy=True)
@bp.arguments(DisposalInputSchema)
@bp.response(200, ActionResultSchema)
def dispose(body: dict[str, Any], schedule_id: int) -> ActionResult:
    """Dispose of an asset: its parts up to then, then its cost and depreciation."""
    found = queries.journal.schedules.get(organization_id(), schedule_id)
    return services.bookkeeping.disposals.dispose(found, **body, **acting())


@bp.post("/<id:schedule_id>/parts/<id:number>/post")
@requires("confirm")
@bp.response(200, ActionResultSchema)
def post_part(schedule_id: int, number: int) -> ActionResult:
    """Post a part by hand: one that was voided or refused, or before its day."""
    part = queries.journal.schedules.part(organization_id(), schedule_id, number)
    return services.bookkeeping.schedules.enter(part, **acting())


@bp.post("/<id:schedule_id>/parts/<id:number>/skip")
@requires("confirm")
@bp.arguments(PartSkipSchema)
@bp.response(200, ActionResultSchema)
def skip_part(body: dict[str, Any], schedule_id: int, number: int) -> ActionResult:
    """Leave a part out for good."""
    part = queries.journal.schedules.part(organization_id(), schedule_id, number)
    return services.bookkeeping.schedule_changes.skip(part, **body, **acting())


def _today() -> Any:
    return queries.access.organizations.today(organization_id(), requests.now())
