"""The lock date over JSON."""

from __future__ import annotations

from typing import Any

from webapp import queries, services
from webapp.schemas.bookkeeping.lock_dates import LockDateChangeSchema, LockDateSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_lock_dates", __name__, url_prefix="/api/lock-date", description="The lock date")


@bp.get("")
@requires("read")
@bp.response(200, LockDateSchema)
def read() -> Any:
    """Read up to which day the books are closed."""
    return queries.access.organizations.get(organization_id())


@bp.put("")
@requires("admin")
@bp.arguments(LockDateChangeSchema)
@bp.response(200, LockDateSchema)
def put(body: dict[str, Any]) -> Any:
    """Close the books up to a day, or open them again."""
    return services.bookkeeping.lock_dates.move(
        queries.access.organizations.get(organization_id()), **body, **acting()
    )
