"""The end of a month: what is left to do, preparing and approving its close, and what moved it since."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.closing.closes import YearBetweenError
from webapp.ledger.periods import month_end
from webapp.ledger.scopes import CLOSE
from webapp.queries.closes.closes import CloseRecord
from webapp.schemas.closes import (
    AccrualFormSchema,
    CloseApprovalSchema,
    ClosePreparationSchema,
    CloseReopeningSchema,
    CloseTickSchema,
    CloseUntickSchema,
)
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, principal, requires
from webapp.web.rendering.forms import filled_fields, form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("closes", __name__, url_prefix="/month-end")
DAY = timedelta(days=1)
NOTE = "note-"


@bp.get("")
@requires("read", is_heavy=True)
def index() -> Response:
    """Show the month that is to be closed next; the hub loads its steps as a part."""
    period = f"{queries.closes.closes.next_month(organization_id(), today()):%Y-%m}"
    while True:
        try:
            queries.closes.closes.days_of(organization_id(), period, requests.now())
        except YearBetweenError as error:
            period = str(error.details["closeFirst"])
        else:
            return shown(period)


@bp.get("/<string:period>")
@requires("read", is_heavy=True)
def show(period: str) -> Response:
    """Show the steps of a month, its cut-off, and what it froze."""
    return shown(period)


@bp.get("/<string:period>/pack")
@requires("read", is_heavy=True)
def pack(period: str) -> Response:
    """Show the pack of a close, for paper."""
    packs = queries.closes.packs
    tables = packs.of_close(organization_id(), period, requests.now())
    return render(
        "closes/pack.html",
        period=period,
        to=queries.closes.closes.month_of(period).last,
        tables=[(table, packs.figures_of(table)) for table in tables],
        worded=packs.WORDED,
    )


@bp.post("/<string:period>/prepare")
@requires("reconcile", is_heavy=True)
def prepare(period: str) -> Response:
    """Prepare the close of a month, with the steps that are left and why."""
    return done(period, lambda: services.closes.closes.prepare(period, **prepared(), **acting()))


@bp.post("/<string:period>/complete")
@requires(CLOSE, closes=True, is_heavy=True)
def complete(period: str) -> Response:
    """Close a month at once, with the steps that are left and why."""
    return done(period, lambda: services.closes.closes.complete(period, **prepared(), **acting()))


@bp.post("/<string:period>/approve")
@requires(CLOSE, closes=True, is_heavy=True)
def approve(period: str) -> Response:
    """Close a month as somebody prepared it."""
    load = CloseApprovalSchema().load
    return done(period, lambda: services.closes.closes.approve(period, **load(form_body()), **acting()))


@bp.post("/<string:period>/reopen")
@requires("admin", is_heavy=True)
def reopen(period: str) -> Response:
    """Open the days of the newest close again."""
    load = CloseReopeningSchema().load
    return done(period, lambda: services.closes.closes.reopen(period, **load(form_body()), **acting()))


@bp.post("/<string:period>/accruals")
@requires("confirm", is_heavy=True)
def accrue(period: str) -> Response:
    """Accrue a later entry in a month."""
    load = AccrualFormSchema().load
    return done(period, lambda: services.closes.accruals.accrue(period, **load(form_body()), **acting()))


@bp.post("/<string:period>/steps/<string:code>/done")
@requires("reconcile")
def tick(period: str, code: str) -> Response:
    """Tick a step of one's own, or something within a step."""
    load = CloseTickSchema().load
    return done(period, lambda: services.closes.marks.done(period, code, **load(filled_fields()), **acting()))


@bp.post("/<string:period>/steps/<string:code>/undone")
@requires("reconcile")
def untick(period: str, code: str) -> Response:
    """Take a tick back."""
    load = CloseUntickSchema().load
    return done(
        period, lambda: services.closes.marks.undone(period, code, **load(filled_fields()), **acting())
    )


def prepared() -> dict[str, Any]:
    """Read which steps a form accepts: those that it has a note on."""
    form = filled_fields()
    notes = {name.removeprefix(NOTE): form.pop(name) for name in list(form) if name.startswith(NOTE)}
    accept = [{"step": code, "note": note} for code, note in notes.items()]
    found: dict[str, Any] = ClosePreparationSchema().load({"accept": accept, **form})
    return found


def done(period: str, act: Callable[[], object]) -> Response:
    """Do an act on a close, and show it; where it is refused, say why."""
    try:
        act()
    except REFUSALS as error:
        return shown(period, problem_of(error))
    return redirect_to(url_for("closes.show", period=period))


def shown(period: str, problem: Problem | None = None) -> Response:
    """Render the close of a month, or the sentence that names the month to close first."""
    of = queries.closes.closes
    try:
        found: CloseRecord | None = of.read(organization_id(), period, requests.now())
    except YearBetweenError as error:
        return render(
            "closes/show.html", close=None, problem=problem_of(error), first=error.details["closeFirst"]
        )
    month = of.month_of(period)
    later = month.last + DAY
    newest = of.closed_before(organization_id())
    scopes = principal().scopes
    return render(
        "closes/show.html",
        close=found,
        problem=problem,
        typed=request.form,
        whole=request.headers.get("HX-Target") != "month_end",
        accounts=queries.accounts.choices.accounts(organization_id()),
        accrues_on=queries.journal.cut_offs.last_account(organization_id()),
        needs_two=queries.closes.marks.policy(organization_id()).needs_two,
        may_approve=CLOSE in scopes
        and queries.closes.marks.lets_approve(organization_id(), is_owner="admin" in scopes),
        is_newest=newest is not None and newest.period == period,
        earlier=f"{month.first - DAY:%Y-%m}",
        later=f"{later:%Y-%m}" if month_end(later) < today() else None,
    )


def today() -> date:
    """The present day in these books."""
    return queries.access.organizations.today(organization_id(), requests.now())
