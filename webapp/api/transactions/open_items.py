"""The open items of the watched accounts over JSON."""

from typing import Any

from webapp import queries
from webapp.schemas.paging import listing
from webapp.schemas.transactions.settlements import OpenItemQuerySchema, OpenItemSchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_open_items", __name__, url_prefix="/api/open-items", description="Open items")


@bp.get("")
@requires("read")
@bp.arguments(OpenItemQuerySchema, location="query")
@bp.response(200, listing("openItems", OpenItemSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List the open items of the watched accounts with their age in days, newest first."""
    today = queries.access.organizations.today(organization_id(), requests.now())
    return paging.listed("openItems", "di", query, queries.transfers.open_items.listed, today=today)
