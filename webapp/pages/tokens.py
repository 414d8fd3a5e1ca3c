"""API keys: made and shown once, listed, revoked; every member's own, and for an owner everybody's."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.scopes import SCOPES
from webapp.schemas.tokens import TokenFormSchema
from webapp.web.auth import acting, here, principal, requires
from webapp.web.forms import form_body
from webapp.web.htmx import go, render
from webapp.web.problems import REFUSALS, Problem, problem_of

bp = Blueprint("tokens", __name__, url_prefix="/settings/keys")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the keys."""
    return show_keys()


@bp.post("")
@requires("read", session_only=True)
def create() -> Response:
    """Make a key for oneself and show it this once, or show what is wrong."""
    try:
        said = TokenFormSchema().load(form_body(lists=frozenset({"scopes"})))
        expires_at = end_of(said.pop("expires_on"))
        member = queries.organizations.membership(here(), principal().user_id)
        token, text = services.tokens.create(member, expires_at=expires_at, **said, **acting())
    except REFUSALS as error:
        return show_keys(problem_of(error))
    return show_keys(new_token={"name": token.name, "token": text})


@bp.post("/<id:token_id>/revoke")
@requires("read", session_only=True)
def revoke(token_id: int) -> Response:
    """End a key at once."""
    token = queries.tokens.get(here(), token_id, user_id=whose())
    services.tokens.revoke(here(), token.id, **acting())
    return go(url_for("tokens.index"))


def whose() -> int | None:
    """Tell whose keys the visitor may see and revoke: his own, or for an owner everybody's."""
    return None if "admin" in principal().scopes else principal().user_id


def end_of(day: date | None) -> datetime | None:
    """Give the end of a day where the organization is."""
    if day is None:
        return None
    zone = ZoneInfo(queries.organizations.get(here()).time_zone)
    return datetime.combine(day + timedelta(days=1), time(), zone).astimezone(UTC)


def show_keys(problem: Problem | None = None, *, new_token: dict[str, str] | None = None) -> Response:
    """Render the keys, with what was typed where it was refused."""
    return render(
        "settings/keys.html",
        status=problem.status if problem else 200,
        tokens=queries.tokens.listed(here(), user_id=whose()),
        new_token=new_token,
        scopes=[scope for scope in SCOPES if scope in principal().scopes],
        form=request.form if problem else {},
        chosen=request.form.getlist("scopes") if problem else ["read", "draft"],
        problem=problem,
    )
