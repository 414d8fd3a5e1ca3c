"""Schedules: written on their page, what is due of them and posting it; each with its parts, and what changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.closing.schedules import ScheduleKind
from webapp.ledger.money import Money
from webapp.schemas.addresses import SchedulesPageSchema
from webapp.schemas.bookkeeping.schedules import (
    DisposalFormSchema,
    NewScheduleFormSchema,
    PartSkipSchema,
    ScheduleChangesFormSchema,
    ScheduleRunFormSchema,
    ScheduleStopSchema,
)
from webapp.services.bookkeeping import schedule_changes as changes
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import Problem, act_or_show

if TYPE_CHECKING:
    from collections.abc import Callable

    from webapp.models import Schedule

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


@bp.get("/<id:schedule_id>")
@requires("read")
def show(schedule_id: int) -> Response:
    """Show a schedule with its parts, and what can be done with it."""
    return shown_one(schedule_id)


@bp.post("/<id:schedule_id>")
@requires("confirm")
def change(schedule_id: int) -> Response:
    """Change a schedule for its parts that are not posted, or show why not."""
    load = ScheduleChangesFormSchema().load
    return _done(schedule_id, "change", lambda found: changes.change(found, load(form_body()), **acting()))


@bp.post("/<id:schedule_id>/stop")
@requires("confirm")
def stop(schedule_id: int) -> Response:
    """Stop a schedule, or show why not."""
    load = ScheduleStopSchema().load
    return _done(schedule_id, "stop", lambda found: changes.stop(found, **load(form_body()), **acting()))


@bp.post("/<id:schedule_id>/dispose")
@requires("confirm", is_heavy=True)
def dispose(schedule_id: int) -> Response:
    """Dispose of an asset, or show why not."""
    load = DisposalFormSchema().load
    act = services.bookkeeping.disposals.dispose
    return _done(schedule_id, "dispose", lambda found: act(found, **load(form_body()), **acting()))


@bp.post("/<id:schedule_id>/parts/<id:number>/post")
@requires("confirm")
def post_part(schedule_id: int, number: int) -> Response:
    """Post a part by hand, or show why not."""
    part = queries.journal.schedules.part(organization_id(), schedule_id, number)
    return _done(schedule_id, "part", lambda _: services.bookkeeping.schedules.enter(part, **acting()))


@bp.post("/<id:schedule_id>/parts/<id:number>/skip")
@requires("confirm")
def skip_part(schedule_id: int, number: int) -> Response:
    """Leave a part out for good, or show why not."""
    part = queries.journal.schedules.part(organization_id(), schedule_id, number)
    load = PartSkipSchema().load
    return _done(schedule_id, "part", lambda _: changes.skip(part, **load(form_body()), **acting()))


def _done(schedule_id: int, place: str, act: Callable[[Schedule], object]) -> Response:
    """Do an act on a schedule, and show it; where it is refused, say why at its place."""
    found = queries.journal.schedules.get(organization_id(), schedule_id)
    return act_or_show(
        lambda: act(found),
        url_for("schedules.show", schedule_id=schedule_id),
        lambda problem: shown_one(schedule_id, problem, place),
    )


def shown_one(schedule_id: int, problem: Problem | None = None, place: str = "") -> Response:
    """Render the page of a schedule, with what was typed and refused at a place."""
    here = organization_id()
    found = queries.journal.schedules.get(here, schedule_id)
    today = queries.access.organizations.today(here, requests.now())
    return render(
        "schedules/show.html",
        schedule=queries.journal.schedules.record(found, today),
        accounts=queries.accounts.choices.accounts(here),
        sales=_sales(here) if found.kind == ScheduleKind.DEPRECIATION else [],
        documents=queries.documents.documents.choices(here, found.document_id),
        today=today,
        form=request.form,
        problem=problem,
        place=place,
    )


def _sales(here: str) -> list[dict[str, object]]:
    """List the entries that may be the sale of an asset as choices."""
    found = queries.journal.schedules.sales(here)
    return [{"id": each.id, "name": f"{each.effective_on}, {each.description}"} for each in found]


@bp.post("/run")
@requires("draft", posts=True, is_heavy=True)
def run() -> Response:
    """Post what is due or draft it, and show it."""
    asked = ScheduleRunFormSchema().load(form_body())
    if asked["post"]:
        demand("confirm")
    services.bookkeeping.schedules.run(**asked, **acting())
    return redirect_to(url_for("schedules.index"))


def shown(problem: Problem | None = None) -> Response:
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
        form=request.form or _spread(query["spread"], query["account_id"]),
        origin=query["spread"],
        problem=problem,
        cursor=query["cursor"],
        next_cursor=paging.encode(page.next_key),
    )


def _spread(entry_id: int | None, account_id: int | None) -> dict[str, object]:
    """Fill in the form with what an entry has on an account, in the base currency, from the day of the entry on."""
    if entry_id is None:
        return {}
    entry = queries.journal.entries.get(organization_id(), entry_id)
    legs = [each for each in queries.journal.entries.effective_legs(entry) if each.account_id == account_id]
    amount = Money(sum(each.amount_base_minor or 0 for each in legs), entry.base_currency)
    described = {"name": entry.description, "startsOn": entry.effective_on, "originEntryId": entry.id}
    return {**described, "kind": "RELEASE", "accountId": account_id, "amount": str(amount)}
