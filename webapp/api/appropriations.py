"""Owners and appropriations of results over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.bookkeeping.appropriations import (
    AppropriationInputSchema,
    AppropriationQuerySchema,
    AppropriationSchema,
    NewOwnerSchema,
    OwnerChangesSchema,
    OwnerSchema,
    OwnersSchema,
)
from webapp.schemas.paging import changing, wrapped
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_appropriations", __name__, url_prefix="/api", description="Appropriations")
OwnerAnswerSchema = wrapped("owner", OwnerSchema)
AnswerSchema = wrapped("appropriation", AppropriationSchema)


@bp.get("/owners")
@requires("read")
@bp.response(200, OwnersSchema)
def list_owners() -> dict[str, Any]:
    """List owners with their shares."""
    found = queries.closes.appropriations.owners(organization_id(), with_archived=True)
    return {"owners": [queries.closes.appropriations.owner_record(each) for each in found]}


@bp.post("/owners")
@requires("admin")
@bp.arguments(NewOwnerSchema)
@bp.response(201, OwnerAnswerSchema)
def create_owner(body: dict[str, Any]) -> dict[str, Any]:
    """Write an owner, with the share from a day on."""
    made = services.closes.appropriations.create_owner(**body, **acting())
    return {"owner": queries.closes.appropriations.owner_record(made)}


@bp.patch("/owners/<id:owner_id>")
@requires("admin")
@bp.arguments(OwnerChangesSchema)
@bp.response(200, changing(OwnerAnswerSchema))
def change_owner(body: dict[str, Any], owner_id: int) -> dict[str, Any]:
    """Change an owner; a share counts from its day on."""
    found = queries.closes.appropriations.get(organization_id(), owner_id)
    changed = services.closes.appropriations.change_owner(found, body, **acting())  # type: ignore[arg-type]
    return {"owner": queries.closes.appropriations.owner_record(changed)}


@bp.get("/appropriations")
@requires("read", is_heavy=True)
@bp.arguments(AppropriationQuerySchema, location="query")
@bp.response(200, AnswerSchema)
def read(query: dict[str, Any]) -> dict[str, Any]:
    """Read what a year's result is, and what of it was not put to anything yet."""
    return {"appropriation": queries.closes.appropriations.of_year(organization_id(), **query)}


@bp.post("/appropriations")
@requires("draft", posts=True, is_heavy=True)
@bp.arguments(AppropriationInputSchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Draft the entry that puts a year's result to owners; posting it at once needs the scope confirm."""
    if body["post"]:
        demand("confirm")
    return {"appropriation": services.closes.appropriations.appropriate(**body, **acting())}
