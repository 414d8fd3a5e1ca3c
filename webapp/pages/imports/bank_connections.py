"""Connections to providers of bank lines, in the settings: made, renewed and ended, with what each account brings."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.codes import FEED_ACCOUNT_TYPES
from webapp.ledger.currencies import DIGITS
from webapp.schemas.bank_connections import (
    ConnectedChoiceFormSchema,
    NewBankConnectionSchema,
    PauseFormSchema,
    SetupSchema,
)
from webapp.services.banks.connections import ConnectedChoice
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.languages import marked, translated
from webapp.web.rendering.problems import Problem, act_or_show

NEW = {"ASSET": marked("A new bank account"), "LIABILITY": marked("A new card or loan")}
NOWHERE = marked("Nowhere: leave it alone")

bp = Blueprint("bank_connections", __name__, url_prefix="/settings/banks")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the connections with their accounts."""
    return show_connections()


@bp.post("")
@requires("admin")
def connect() -> Response:
    """Make a connection, or show the error."""
    return done(
        lambda: services.banks.connections.connect(NewBankConnectionSchema().load(form_body()), **acting())
    )


@bp.post("/<id:connection_id>/renew")
@requires("admin")
def renew(connection_id: int) -> Response:
    """Put a new setup token in the place of the secret, or show the error."""
    return done(
        lambda: services.banks.connections.renew(
            found(connection_id), **SetupSchema().load(form_body()), **acting()
        )
    )


@bp.post("/<id:connection_id>/account")
@requires("admin")
def choose(connection_id: int) -> Response:
    """Choose what becomes of one account, or show the error."""
    return done(
        lambda: change(connection_id, {"accounts": [choice(ConnectedChoiceFormSchema().load(form_body()))]})
    )


@bp.post("/<id:connection_id>/pause")
@requires("admin")
def pause(connection_id: int) -> Response:
    """Pause a connection, or go on with it."""
    return done(lambda: change(connection_id, PauseFormSchema().load(form_body())))


@bp.post("/<id:connection_id>/sync")
@requires("draft")
def sync(connection_id: int) -> Response:
    """Let a connection be asked at once, or show why it is not."""
    return done(lambda: services.banks.connections.sync(found(connection_id), **acting()))


@bp.post("/<id:connection_id>/end")
@requires("admin")
def end(connection_id: int) -> Response:
    """End a connection."""
    return done(lambda: services.banks.connections.end(found(connection_id), **acting()))


def found(connection_id: int) -> Any:
    """Find a connection of the books."""
    return queries.imports.bank_connections.get(organization_id(), connection_id)


def change(connection_id: int, changes: Any) -> object:
    """Change a connection of the books."""
    return services.banks.connections.change(found(connection_id), changes, **acting())


def choice(form: dict[str, Any]) -> ConnectedChoice:
    """Read what becomes of an account from its form."""
    to = form.pop("to")
    chosen: ConnectedChoice = {"external_id": form["external_id"]}
    if form["fetch_from"] is not None:
        chosen["fetch_from"] = form["fetch_from"]
    if to in FEED_ACCOUNT_TYPES:
        return {**chosen, "opens": True, "type": to}
    return {**chosen, "fa_id": int(to)} if to.isdecimal() else {**chosen, "is_left": True}


def done(act: Callable[[], object]) -> Response:
    """Act and show the connections again, or show the error there."""
    return act_or_show(act, url_for("bank_connections.index"), show_connections)


def choices(currency: str, active: Sequence[Any]) -> list[dict[str, Any]]:
    """List where the lines of an account may go: one in a currency that is none in the books goes nowhere."""
    own = [{"id": each.id, "name": each.name} for each in active if each.currency == currency]
    new = NEW if own or currency in DIGITS else {}
    others = [{"id": to, "name": translated(name)} for to, name in {**new, "leave": NOWHERE}.items()]
    return [*own, *others]


def show_connections(problem: Problem | None = None) -> Response:
    """Render the connections, with a refused form as it was typed."""
    connections = queries.imports.bank_connections.listed(organization_id(), requests.now())
    active = queries.accounts.feed_accounts.active(organization_id())
    return render(
        "settings/bank_connections.html",
        connections=[each for each in connections if each.status != "ENDED"],
        choices={
            account.currency: choices(account.currency, active)
            for each in connections
            for account in each.accounts
        },
        names={each.id: each.name for each in active},
        typed={key: value for key, value in request.form.items() if key != "setupToken"} if problem else {},
        now=requests.now(),
        problem=problem,
    )
