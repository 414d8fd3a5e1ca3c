"""Owners with their shares, and the entry that puts a year's result to them."""

from collections.abc import Callable

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.chart import AccountType
from webapp.schemas.bookkeeping.appropriations import (
    AppropriationFormSchema,
    OwnerChangesFormSchema,
    OwnerFormSchema,
    OwnersPageSchema,
)
from webapp.web.access import requests
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.rendering.forms import filled_fields, form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("owners", __name__, url_prefix="/owners")


@bp.get("")
@requires("read", is_heavy=True)
def index() -> Response:
    """Show owners, and the result of a year with what was put to them."""
    return shown()


@bp.post("")
@requires("admin")
def create() -> Response:
    """Write an owner, or show why not."""
    load = OwnerFormSchema().load
    return _done(
        "new", lambda: services.closes.appropriations.create_owner(**load(filled_fields()), **acting())
    )


@bp.post("/<id:owner_id>")
@requires("admin")
def change(owner_id: int) -> Response:
    """Change an owner, or show why not."""
    owner, load = (
        queries.closes.appropriations.get(organization_id(), owner_id),
        OwnerChangesFormSchema().load,
    )
    act = services.closes.appropriations.change_owner
    return _done(str(owner_id), lambda: act(owner, load(form_body()), **acting()))


@bp.post("/appropriation")
@requires("draft", posts=True, is_heavy=True)
def appropriate() -> Response:
    """Draft the entry that puts a year's result to owners, or post it; show why not."""
    load, act = AppropriationFormSchema().load, services.closes.appropriations.appropriate
    if request.form.get("post") == "true":
        demand("confirm")
    return _done("appropriation", lambda: act(**load(filled_fields()), **acting()))


def _done(part: str, act: Callable[[], object]) -> Response:
    year = request.form.get("year", type=int)
    return act_or_show(act, url_for("owners.index", year=year), lambda problem: shown(problem, part))


def shown(problem: Problem | None = None, part: str = "") -> Response:
    """Render owners and the appropriation of a year, with the form that was refused as it was typed."""
    here, of = organization_id(), queries.closes.appropriations
    today = queries.access.organizations.today(here, requests.now())
    asked = OwnersPageSchema().load(request.args)["year"] or request.form.get("year", type=int)
    last_over = queries.access.organizations.financial_years(here).of(today).first - of.DAY
    year = asked or last_over.year
    equity = [each for each in queries.accounts.choices.accounts(here) if each.type == AccountType.EQUITY]
    return render(
        "owners/index.html",
        owners=[of.owner_record(each) for each in of.owners(here, with_archived=True)],
        year=year,
        appropriation=of.of_year(here, year),
        equity=equity,
        accounts=queries.accounts.choices.accounts(here),
        merchants=queries.accounts.choices.merchants(here),
        today=today,
        form=request.form,
        problem=problem,
        part=part,
    )
