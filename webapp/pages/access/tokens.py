"""API keys: created and shown once, listed, changed, revoked; a member's own, and for an owner all."""

from datetime import date, datetime
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.scopes import APPROVE, PRESETS, PROGRAM_SCOPES, preset_scopes, scopes_of_role
from webapp.queries.access.tokens import TokenRecord
from webapp.schemas.access import TokenChangesFormSchema, TokenFormSchema
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, principal, requires, settings
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("tokens", __name__, url_prefix="/settings/keys")
LISTS = frozenset({"scopes"})
ACTS_SHOWN = 10


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the keys."""
    return show_keys()


@bp.post("")
@requires("read", session_only=True)
def create() -> Response:
    """Create a key for oneself and show it, only now, or show the error."""
    try:
        body = TokenFormSchema().load(form_body(lists=LISTS))
        preset = body.pop("preset")
        if preset != "own":
            body["scopes"] = preset_scopes(principal().role).get(preset, PRESETS[preset])
        member = queries.access.organizations.membership(organization_id(), principal().user_id)
        token, text = services.access.tokens.create(member, **expiry_and_caps(body), **body, **acting())
    except REFUSALS as error:
        return show_keys(problem_of(error))
    return show_keys(new_token={"name": token.name, "token": text})


@bp.get("/<id:token_id>")
@requires("read")
def detail(token_id: int) -> Response:
    """Show one key: its scopes, and its acts today."""
    return show_key(token_id)


@bp.post("/<id:token_id>")
@requires("read", session_only=True)
def change(token_id: int) -> Response:
    """Change a key, or show the error."""
    token = queries.access.tokens.get(organization_id(), token_id, user_id=owner_id())
    try:
        body = TokenChangesFormSchema().load(form_body(lists=LISTS))
        services.access.tokens.change(token, **expiry_and_caps(body), **body, **acting())
    except REFUSALS as error:
        return show_key(token_id, problem_of(error))
    return redirect_to(url_for("tokens.detail", token_id=token_id))


@bp.post("/<id:token_id>/revoke")
@requires("read", session_only=True)
def revoke(token_id: int) -> Response:
    """Revoke a key at once."""
    token = queries.access.tokens.get(organization_id(), token_id, user_id=owner_id())
    services.access.tokens.revoke(token, **acting())
    return redirect_to(url_for("connections.index" if token.client_id else "tokens.index"))


def owner_id() -> int | None:
    """The owner of the keys that the signed-in person may see and change; None for all keys."""
    return None if "admin" in principal().scopes else principal().user_id


def expiry_and_caps(body: dict[str, Any]) -> dict[str, Any]:
    """Move expiry and caps out of a form's body, as arguments of the service."""
    day: date | None = body.pop("expires_on")
    expires_at: datetime | None = (
        None if day is None else queries.access.organizations.end_of_day(organization_id(), day)
    )
    names = ("max_entries_a_day", "max_amount_a_day", "max_requests_a_minute")
    caps = services.access.tokens.caps(organization_id(), **{name: body.pop(name) for name in names})
    return {"expires_at": expires_at, "caps": caps}


def typed_fields() -> dict[str, Any]:
    """The fields of the form as they were typed, with the day as a date."""
    try:
        day = date.fromisoformat(request.form.get("expiresOn", ""))
    except ValueError:
        day = None
    return {**request.form, "expiresOn": day}


def stored_fields(key: TokenRecord) -> dict[str, Any]:
    """The fields of the form of a stored key."""
    return {
        "name": key.name,
        "expiresOn": key.last_day,
        "maxEntriesADay": key.max_entries_a_day,
        "maxAmountADay": key.max_amount_a_day,
        "maxRequestsAMinute": key.max_requests_a_minute,
    }


def show_keys(problem: Problem | None = None, *, new_token: dict[str, str] | None = None) -> Response:
    """Render the keys, with a refused form as it was typed."""
    presets = preset_scopes(principal().role)
    if not queries.access.organizations.get(organization_id()).has_approving_keys:
        presets.pop(APPROVE, None)
    return render(
        "settings/keys.html",
        tokens=queries.access.tokens.listed(organization_id(), user_id=owner_id(), connects=False),
        new_token=new_token,
        presets=presets,
        scopes=[scope for scope in PROGRAM_SCOPES if scope in scopes_of_role(principal().role)],
        typed=typed_fields() if problem else {},
        chosen=request.form.getlist("scopes") if problem else [],
        problem=problem,
        most_requests=settings().rate_limit,
    )


def show_key(token_id: int, problem: Problem | None = None) -> Response:
    """Render one key, with a refused form as it was typed."""
    token = queries.access.tokens.get(organization_id(), token_id, user_id=owner_id())
    key = queries.access.tokens.record(token)
    return render(
        "settings/key.html",
        key=key,
        today=queries.access.tokens.today(token, requests.now(), limit=ACTS_SHOWN),
        scopes=key.scopes
        if APPROVE in key.scopes
        else [scope for scope in PROGRAM_SCOPES if scope in scopes_of_role(key.role)],
        chosen=request.form.getlist("scopes") if problem else key.scopes,
        typed=typed_fields() if problem else stored_fields(key),
        problem=problem,
        most_requests=settings().rate_limit,
    )
