"""Who asks, over JSON."""

from typing import Any

from webapp import queries
from webapp.config import version
from webapp.schemas.access import CallerSchema
from webapp.schemas.paging import wrapped
from webapp.web.access import rate_limits, requests
from webapp.web.access.auth import principal, requires, settings
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_callers", __name__, url_prefix="/api/me", description="Who asks")


@bp.get("")
@requires("read")
@bp.response(200, wrapped("me", CallerSchema, title="Caller"))
def read() -> dict[str, Any]:
    """Read who you are: the books with their day, your scopes, and what is left of a key's caps today."""
    limit = rate_limits.limit_of(principal(), settings())
    found = queries.access.callers.caller(
        principal(), requests.now(), requests_a_minute=limit, version=version()
    )
    return {"me": found}
