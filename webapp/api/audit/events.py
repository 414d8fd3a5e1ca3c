"""The feed of events over JSON."""

from typing import Any

from webapp import queries
from webapp.queries.audit.events import EventFeed
from webapp.schemas.audit.action_requests import EventFeedSchema, EventQuerySchema
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_events", __name__, url_prefix="/api/events", description="Events")


@bp.get("")
@requires("read")
@bp.arguments(EventQuerySchema, location="query")
@bp.response(200, EventFeedSchema)
def feed(query: dict[str, Any]) -> EventFeed:
    """List what happened in the books after an event, oldest first: the audit chain, which you can verify yourself."""
    return queries.audit.events.after(organization_id(), query["after"], limit=query["limit"])
