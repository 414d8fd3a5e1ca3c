"""Locks and exceptions from them over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.bookkeeping.periods import (
    LockDateChangeSchema,
    LockDateSchema,
    LockExceptionSchema,
    LocksChangeSchema,
    LocksSchema,
    NewLockExceptionSchema,
)
from webapp.schemas.paging import PageSchema, changing, listing, wrapped
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_lock_dates", __name__, url_prefix="/api", description="The lock date")


@bp.get("/lock-date")
@requires("read")
@bp.response(200, LockDateSchema)
def read() -> Any:
    """Read the lock date, the last day of the closed period."""
    return queries.access.organizations.get(organization_id())


@bp.put("/lock-date")
@requires("admin", is_heavy=True)
@bp.arguments(LockDateChangeSchema)
@bp.response(200, changing(LockDateSchema))
def put(body: dict[str, Any]) -> Any:
    """Move the lock date: close the books up to a day, or reopen them."""
    return services.bookkeeping.lock_dates.move(
        queries.access.organizations.get(organization_id()), **body, **acting()
    )


@bp.get("/locks")
@requires("read")
@bp.response(200, LocksSchema)
def read_locks() -> Any:
    """Read both locks: of all entries, and of adjusting ones."""
    return queries.access.organizations.get(organization_id())


@bp.put("/locks")
@requires("admin", is_heavy=True)
@bp.arguments(LocksChangeSchema)
@bp.response(200, changing(LocksSchema))
def put_locks(body: dict[str, Any]) -> Any:
    """Move locks, each to its day; one that is not sent stays."""
    organization = queries.access.organizations.get(organization_id())
    services.bookkeeping.lock_dates.move_both(organization, body, **acting())
    return organization


@bp.get("/lock-exceptions")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("exceptions", LockExceptionSchema))
def list_exceptions(query: dict[str, Any]) -> dict[str, Any]:
    """List exceptions from the lock with the entries that were dated by them, the newest first."""
    return paging.listed("exceptions", "i", query, queries.journal.lock_exceptions.listed, now=requests.now())


@bp.post("/lock-exceptions")
@requires("admin")
@bp.arguments(NewLockExceptionSchema)
@bp.response(201, wrapped("exception", LockExceptionSchema))
def grant_exception(body: dict[str, Any]) -> dict[str, Any]:
    """Let a person date entries by hand back to a locked day, until an instant."""
    made = services.bookkeeping.lock_dates.grant_exception(**body, **acting())
    return {"exception": _record(made)}


@bp.delete("/lock-exceptions/<id:exception_id>")
@requires("admin")
@bp.response(200, changing(wrapped("exception", LockExceptionSchema)))
def end_exception(exception_id: int) -> dict[str, Any]:
    """End an exception; the entries that were dated by it stay."""
    found = queries.journal.lock_exceptions.get(organization_id(), exception_id)
    services.bookkeeping.lock_dates.end_exception(found, **acting())
    return {"exception": _record(found)}


def _record(exception: Any) -> Any:
    return queries.journal.lock_exceptions.records(organization_id(), [exception], requests.now())[0]
