"""Schedules: written on their page, their parts, what is due of them, and posting it; assets are disposed of."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.money import Money
from webapp.schemas.addresses import SchedulesPageSchema
from webapp.schemas.bookkeeping.schedules import DisposalFormSchema, NewScheduleFormSchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import Problem, act_or_show

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


@bp.post("/<id:schedule_id>/dispose")
@requires("confirm", is_heavy=True)
def dispose(schedule_id: int) -> Response:
    """Dispose of an asset, or show why not."""
    found = queries.journal.schedules.get(organization_id(), schedule_id)
    return act_or_show(
        lambda: services.bookkeeping.disposals.dispose(
            found, **DisposalFormSchema().load(form_body()), **acting()
        ),
        url_for("schedules.index"),
        lambda problem: shown(problem, schedule_id),
    )


@bp.post("/run")
@requires("confirm", is_heavy=True)
def run() -> Response:
    """Post what is due, and show it."""
    services.bookkeeping.schedules.run(**acting())
    return redirect_to(url_for("schedules.index"))


def shown(problem: Problem | None = None, disposing: int | None = None) -> Response:
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
        disposing=disposing,
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
