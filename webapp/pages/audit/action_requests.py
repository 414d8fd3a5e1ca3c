"""Activity: the acts in these books, newest first."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries
from webapp.schemas.audit.action_requests import ActivityQuerySchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.rendering.htmx import render

bp = Blueprint("action_requests", __name__, url_prefix="/activity")
CHOICES = (("", "All"), ("EXECUTED", "Done"), ("FAILED", "Refused"), ("PENDING", "Waiting"))


@bp.get("")
@requires("read")
def index() -> Response:
    """Show acts, newest first, of everybody or of one key or person."""
    query = ActivityQuerySchema.read_leniently(request.query_string.decode())
    cursor, shown = query.pop("cursor"), query["status"] or ""
    actor = actor_of(query.pop("token_id"), query.pop("person_id"))
    after = paging.decode(cursor, "s")
    page = queries.audit.action_requests.listed(
        organization_id(), actor=actor, now=requests.now(), after=after, **query
    )
    return render(
        "action_requests/index.html",
        requests=page.items,
        places=queries.audit.action_requests.addresses(organization_id(), page.items),
        changes=queries.audit.field_changes.of(organization_id(), page.items),
        whose=actor[0] if actor else None,
        name=page.items[0].actor["name"] if actor and page.items else None,
        shown=shown,
        choices=[
            {"value": value, "label": label, "href": address(actor, status=value)} for value, label in CHOICES
        ],
        older=address(actor, status=shown, cursor=paging.encode(page.next_key)) if page.next_key else None,
        newest=address(actor, status=shown) if cursor else None,
    )


def actor_of(token_id: int | None, person_id: int | None) -> tuple[str, int] | None:
    """The actor whose acts are listed; a key comes before a person."""
    if token_id is not None:
        return "TOKEN", token_id
    return None if person_id is None else ("PERSON", person_id)


def address(actor: tuple[str, int] | None, **parameters: str | None) -> str:
    """The URL of this list for the same actor."""
    query: dict[str, Any] = {name: value for name, value in parameters.items() if value}
    if actor:
        query[{"TOKEN": "tokenId", "PERSON": "personId"}[actor[0]]] = actor[1]
    return url_for("action_requests.index", **query)
