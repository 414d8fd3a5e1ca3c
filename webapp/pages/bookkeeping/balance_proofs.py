"""The accounts of the balance sheet at the end of a month: what proves each, and what people say of what is left."""

from collections.abc import Callable

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.closing.balances import PROVED_BY, STATES
from webapp.ledger.money import Money
from webapp.schemas.bookkeeping.balance_proofs import BalanceNoteFormSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import filled_fields
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("balance_proofs", __name__, url_prefix="/month-end/<string:period>/balances")


@bp.get("")
@requires("read", is_heavy=True)
def show(period: str) -> Response:
    """Show what proves each account of the balance sheet at the end of a month."""
    return shown(period)


@bp.post("/notes")
@requires("reconcile")
def create(period: str) -> Response:
    """Attest a figure or explain a difference, or show why not."""
    day = queries.closes.closes.month_of(period).last
    load = BalanceNoteFormSchema().load
    act = services.closes.balance_notes.write
    return _done(period, lambda: act(load(filled_fields()) | {"as_of": day}, **acting()))


@bp.post("/notes/<id:note_id>/withdraw")
@requires("reconcile")
def withdraw(period: str, note_id: int) -> Response:
    """Withdraw what was attested or explained."""
    note = queries.closes.balance_proofs.note(organization_id(), note_id)
    return _done(period, lambda: services.closes.balance_notes.withdraw(note, **acting()))


def _done(period: str, act: Callable[[], object]) -> Response:
    return act_or_show(
        act, url_for("balance_proofs.show", period=period), lambda problem: shown(period, problem)
    )


def shown(period: str, problem: Problem | None = None) -> Response:
    """Render the accounts of the balance sheet, with what was typed and refused."""
    organization = queries.access.organizations.get(organization_id())
    day = queries.closes.closes.month_of(period).last
    return render(
        "closes/balances.html",
        period=period,
        to=day,
        accounts=queries.closes.balance_proofs.of_day(organization, day),
        proved_by=PROVED_BY,
        states=STATES,
        materiality=Money(organization.materiality_minor, organization.base_currency),
        documents=queries.documents.documents.choices(organization.id),
        form=request.form,
        problem=problem,
    )
