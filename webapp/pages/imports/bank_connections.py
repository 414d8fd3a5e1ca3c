"""Connections to providers of bank lines, in the settings: made, renewed and ended, with what each account brings."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Blueprint, Response, make_response, redirect, request, url_for

from webapp import queries, services
from webapp.ledger.codes import FEED_ACCOUNT_TYPES, PSU_TYPES
from webapp.ledger.currencies import DIGITS
from webapp.schemas.bank_connections import (
    ConnectedChoiceFormSchema,
    NewBankConnectionSchema,
    PauseFormSchema,
    ProvidersQuerySchema,
    RenewalSchema,
)
from webapp.services.banks.connections import ConnectedChoice
from webapp.services.operating.timetable import RATES
from webapp.web import consents
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires, settings
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.languages import marked, translated
from webapp.web.rendering.problems import REFUSALS, Problem, act_or_show, problem_of

NEW = {"ASSET": marked("A new bank account"), "LIABILITY": marked("A new card or loan")}
PEOPLE = {"business": marked("A business"), "personal": marked("A person")}
NOWHERE = marked("Nowhere: leave it alone")

bp = Blueprint("bank_connections", __name__, url_prefix="/settings/banks")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the connections with their accounts."""
    return show_connections()


@bp.get("/new")
@requires("admin", begins=False)
def new() -> Response:
    """Show the banks of a country, to choose one that is to give a consent."""
    try:
        country = ProvidersQuerySchema().load(request.args).get("country", "").upper()
        banks = services.banks.enablebanking.banks(consents.way(), country)
    except REFUSALS as error:
        return show_connections(problem_of(error))
    requests.begin_reading(organization_id())
    return render(
        "connections/bank_choice.html",
        country=country,
        banks=[{"id": each.name, "name": each.name} for each in banks],
        psu_types=[{"id": each, "name": translated(PEOPLE[each])} for each in PSU_TYPES],
    )


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
    """Put a new setup token, or the code that was copied, in the place of the secret, or show the error."""

    def act() -> object:
        sent = RenewalSchema().load(form_body())
        connection, code = found(connection_id), sent.get("code", "")
        opens = sent.get("setup_token") or services.banks.consents.copied(connection, code, requests.now())
        return services.banks.connections.renew(connection, opens, **acting())

    return done(act)


@bp.get("/<id:connection_id>/consent")
@requires("admin", begins=False, session_only=True)
def consent(connection_id: int) -> Response:
    """Send the person to the bank to give a consent, or show why there is none."""
    try:
        return make_response(redirect(consents.begun(connection_id), 303))
    except REFUSALS as error:
        return show_connections(problem_of(error))


@bp.get("/<id:connection_id>/back")
@requires("admin", begins=False, session_only=True)
def come_back(connection_id: int) -> Response:
    """Take the code with which a bank sends the person back, or show what it says instead."""
    return done(lambda: consents.take(connection_id, request.args))


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
    target = form.pop("target")
    chosen: ConnectedChoice = {"external_id": form["external_id"]}
    if form["fetch_from"] is not None:
        chosen["fetch_from"] = form["fetch_from"]
    if target in FEED_ACCOUNT_TYPES:
        return {**chosen, "opens": True, "type": target}
    return {**chosen, "fa_id": int(target)} if target.isdecimal() else {**chosen, "is_left": True}


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
    organization = queries.access.organizations.get(organization_id())
    opened = {account.currency for each in connections for account in each.accounts if account.fa_id}
    return render(
        "settings/bank_connections.html",
        offers_rates=bool(opened - {organization.base_currency}) and RATES not in organization.automatic,
        connections=[each for each in connections if each.status != "ENDED"],
        choices={
            account.currency: choices(account.currency, active)
            for each in connections
            for account in each.accounts
        },
        names={each.id: each.name for each in active},
        comes_back=bool(settings().public_url),
        has_application=bool(consents.way().application.id),
        typed={key: value for key, value in request.form.items() if key != "setupToken"} if problem else {},
        now=requests.now(),
        problem=problem,
    )
