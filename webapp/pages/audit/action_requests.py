"""Activity: the acts in these books, newest first."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries
from webapp.schemas.audit.action_requests import ActivityQuerySchema
from webapp.web import agents, paging
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, principal, requires
from webapp.web.rendering import wording
from webapp.web.rendering.htmx import render
from webapp.web.rendering.languages import marked, translated

bp = Blueprint("action_requests", __name__, url_prefix="/activity")
CHOICES = (
    ("", marked("All")),
    ("EXECUTED", marked("Done")),
    ("FAILED", marked("Refused")),
    ("PENDING", marked("Waiting")),
)
AREAS = {
    "lines": "Lines and entries",
    "statements": marked("Statements"),
    "files": "Files and bank connections",
    "rules": marked("Rules"),
    "documents": marked("Documents"),
    "names": "Accounts, customers and suppliers, projects",
    "settings": "Settings and people",
}


@bp.get("")
@requires("read")
def index() -> Response:
    """Show acts, newest first, of everybody or of one key or person, all or those that the filters leave."""
    query = ActivityQuerySchema.read_leniently(request.query_string.decode())
    cursor, shown = query.pop("cursor"), query["status"] or ""
    actor = actor_of(query)
    narrowed = {
        "area": query["area"],
        "fa_id": query["fa_id"],
        "begins_at": query["from_"]
        and queries.access.organizations.start_of_day(organization_id(), query["from_"]),
        "ends_at": query["to"] and queries.access.organizations.end_of_day(organization_id(), query["to"]),
    }
    page = queries.audit.action_requests.listed(
        organization_id(),
        status=query["status"],
        kind=query["kind"],
        actor=actor,
        among=queries.audit.activity.conditions(organization_id(), **narrowed),
        now=requests.now(),
        after=paging.decode(cursor, "s"),
        limit=query["limit"],
    )
    keep = kept(actor, query)
    return render(
        "action_requests/index.html",
        acts=queries.audit.activity.grouped(page.items),
        count=len(page.items),
        places=queries.audit.action_requests.addresses(organization_id(), page.items),
        changes=queries.audit.field_changes.of(organization_id(), page.items),
        undoable=agents.undoable_plans(page.items) if "draft" in principal().scopes else set(),
        whose=actor[0] if actor else None,
        name=page.items[0].actor["name"] if actor and page.items else None,
        shown=shown,
        filters={**narrowed, "who": "-".join(map(str, actor)) if actor else None},
        is_narrowed=any(narrowed.values()),
        keep=keep,
        actors=actors(),
        areas=wording.choices(AREAS.items()),
        accounts=queries.accounts.choices.feed_accounts(organization_id(), chosen=[query["fa_id"]]),
        choices=[
            {"value": value, "label": translated(label), "href": address(keep, status=value)}
            for value, label in CHOICES
        ],
        older=address(keep, status=shown, cursor=paging.encode(page.next_key)) if page.next_key else None,
        newest=address(keep, status=shown) if cursor else None,
    )


def actors() -> list[dict[str, str]]:
    """Who may have acted, as choices of a form."""
    kinds = {"PERSON": "", "TOKEN": " (API key)"}
    return [
        {"id": f"{kind}-{row_id}", "name": f"{name}{kinds[kind]}"}
        for kind, row_id, name in queries.audit.activity.actors(organization_id())
    ]


def actor_of(query: Mapping[str, Any]) -> tuple[str, int] | None:
    """The actor whose acts are listed: the form's choice, or else an address's key or person."""
    if query["who"]:
        kind, _, row_id = query["who"].partition("-")
        return kind, int(row_id)
    if query["token_id"] is not None:
        return "TOKEN", query["token_id"]
    return None if query["person_id"] is None else ("PERSON", query["person_id"])


def kept(actor: tuple[str, int] | None, query: Mapping[str, Any]) -> dict[str, Any]:
    """The filters as an address has them, the state and the place in the list apart."""
    found = {"area": query["area"], "faId": query["fa_id"], "from": query["from_"], "to": query["to"]}
    keep: dict[str, Any] = {name: str(value) for name, value in found.items() if value}
    if actor:
        keep[{"TOKEN": "tokenId", "PERSON": "personId"}[actor[0]]] = actor[1]
    return keep


def address(keep: Mapping[str, Any], **parameters: str | None) -> str:
    """The URL of this list with the same filters."""
    query: dict[str, Any] = {**{name: value for name, value in parameters.items() if value}, **keep}
    return url_for("action_requests.index", **query)
