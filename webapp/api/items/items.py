"""Items of accounts that keep them over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.items import ItemChangesSchema, ItemQuerySchema, OwedItemSchema
from webapp.schemas.paging import changing, listing, wrapped
from webapp.services.items.due_days import ItemChanges
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_items", __name__, url_prefix="/api/items", description="Items")
AnswerSchema = wrapped("item", OwedItemSchema)


@bp.get("")
@requires("read")
@bp.arguments(ItemQuerySchema, location="query")
@bp.response(200, listing("items", OwedItemSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List what is owed and not settled, newest first."""
    return paging.listed("items", "i", query, queries.items.listings.listed, today=today())


@bp.get("/<id:item_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(item_id: int) -> dict[str, Any]:
    """Read one item, open or settled."""
    return answer(item_id)


@bp.patch("/<id:item_id>")
@requires("draft")
@bp.arguments(ItemChangesSchema)
@bp.response(200, changing(AnswerSchema))
def edit(changes: ItemChanges, item_id: int) -> dict[str, Any]:
    """Change when an item is due, or the reference that a payment of it names."""
    item = queries.items.items.get(organization_id(), item_id)
    services.items.due_days.edit(item, changes, **acting())
    return answer(item_id)


def answer(item_id: int) -> dict[str, Any]:
    """The item as it is now."""
    return {"item": queries.items.listings.record(organization_id(), item_id, today())}


def today() -> Any:
    """Which day it is in the organization's time zone."""
    return queries.access.organizations.today(organization_id(), requests.now())
