"""The end of a month: what is left to do before it can be closed, and what is dated after it."""

from datetime import date, timedelta

from flask import Blueprint, Response

from webapp import queries
from webapp.ledger.closing.closes import YearBetweenError
from webapp.ledger.periods import month_end
from webapp.queries.closes.closes import CloseRecord
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import problem_of

bp = Blueprint("closes", __name__, url_prefix="/month-end")
DAY = timedelta(days=1)


@bp.get("")
@requires("read", is_heavy=True)
def index() -> Response:
    """Show the month that is to be closed next; the hub loads its steps as a part."""
    period = next_period()
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
    """Show the steps of a month, and its cut-off."""
    return shown(period)


def shown(period: str) -> Response:
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
    return render(
        "closes/show.html",
        close=found,
        earlier=f"{month.first - DAY:%Y-%m}",
        later=f"{later:%Y-%m}" if month_end(later) < today() else None,
    )


def next_period() -> str:
    """Name the first month that is over and not locked, or the last one that is over."""
    over = today().replace(day=1) - DAY
    lock_date = queries.access.organizations.get(organization_id()).lock_date
    first_open = over if lock_date is None else month_end(lock_date + DAY)
    return f"{min(first_open, over):%Y-%m}"


def today() -> date:
    """The present day in these books."""
    return queries.access.organizations.today(organization_id(), requests.now())
