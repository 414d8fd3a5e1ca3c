"""Exchange rates in the settings: the list, adding rates, importing them, and revaluation."""

from hashlib import sha256
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.bookkeeping.exchange_rates import (
    ExchangeRatePageQuerySchema,
    ExchangeRateSchema,
    RevaluationSchema,
)
from webapp.web import paging, uploads
from webapp.web.access import notes, requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, act_or_show, problem_of

# The parts of a form have names and boundaries beside the file itself.
FILE_LIMIT = services.bookkeeping.exchange_rates.MOST_FILE_BYTES + requests.MEBIBYTE

bp = Blueprint("exchange_rates", __name__, url_prefix="/settings/exchange-rates")


@bp.get("")
@requires("read")
def show() -> Response:
    """Show the rates."""
    return show_rates()


@bp.post("")
@requires("admin", is_heavy=True)
def put() -> Response:
    """Store one rate, or show the error."""
    return act_or_show(
        lambda: services.bookkeeping.exchange_rates.put([ExchangeRateSchema().load(form_body())], **acting()),
        url_for("exchange_rates.show"),
        lambda problem: show_rates("rate", problem),
    )


@bp.post("/file")
@requires("admin", body_limit=FILE_LIMIT, begins=False, is_heavy=True)
def take_file() -> Response:
    """Import a file of the European Central Bank, or show the error."""
    try:
        upload = uploads.received({})
        notes.take_from_form()
        days = services.bookkeeping.exchange_rates.read_file(upload.data)
        requests.begin(organization_id())
        services.bookkeeping.exchange_rates.take_file(
            days, sha256=sha256(upload.data).hexdigest(), **acting()
        )
    except REFUSALS as error:
        return show_rates("file", problem_of(error))
    return redirect_to(url_for("exchange_rates.show"))


@bp.post("/revalue")
@requires("confirm", is_heavy=True)
def revalue() -> Response:
    """Revalue the balances in other currencies, or show the error; from a month's close it leads back there."""
    try:
        as_of = RevaluationSchema().load(form_body())["as_of"]
        done = services.bookkeeping.revaluations.revalue(as_of, **acting())
    except REFUSALS as error:
        return show_rates("revalue", problem_of(error))
    if period := request.args.get("period"):
        return redirect_to(url_for("closes.show", period=period))
    written = done.result.journal_entry_ids
    if done.changed and written:
        return redirect_to(url_for("journal_entries.show", entry_id=written[0]))
    return show_rates("withdrawn" if done.changed else "nothing")


def show_rates(place: str = "", problem: Problem | None = None) -> Response:
    """Render the rates, with an error at the form that has it."""
    query: dict[str, Any] = ExchangeRatePageQuerySchema.read_leniently(request.query_string.decode())
    after = paging.decode(query["cursor"], "di")
    page = queries.currencies.exchange_rates.listed(
        organization_id(), currency=query["currency"], after=after, limit=query["limit"]
    )
    return render(
        "settings/exchange_rates.html",
        base=queries.access.organizations.get(organization_id()).base_currency,
        rates=page.items,
        next_cursor=paging.encode(page.next_key),
        currency=query["currency"] or "",
        currencies=[
            {"id": code, "name": code}
            for code in queries.currencies.exchange_rates.currencies(organization_id())
        ],
        form=request.form,
        place=place,
        problem=problem,
    )
