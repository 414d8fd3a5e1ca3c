"""The lock date over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.bookkeeping.periods import LockDateChangeSchema, LockDateSchema
from webapp.schemas.paging import changing
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_lock_dates", __name__, url_prefix="/api/lock-date", description="The lock date")


@bp.get("")
@requires("read")
@bp.response(200, LockDateSchema)
def read() -> Any:
    """Read the lock date, the last day of the closed period."""
    return queries.access.organizations.get(organization_id())


@bp.put("")
@requires("admin", is_heavy=True)
@bp.arguments(LockDateChangeSchema)
@bp.response(200, changing(LockDateSchema))
def put(body: dict[str, Any]) -> Any:
    """Move the lock date: close the books up to a day, or reopen them."""
    return services.bookkeeping.lock_dates.move(
        queries.access.organizations.get(organization_id()), **body, **acting()
    )
