"""Merchants over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.accounts.merchants import (
    MerchantChangesSchema,
    MerchantQuerySchema,
    MerchantSchema,
    MergeSchema,
    NewMerchantSchema,
)
from webapp.schemas.paging import changing, listing, wrapped
from webapp.services.accounts.merchants import MerchantChanges
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_merchants", __name__, url_prefix="/api/merchants", description="Merchants")
AnswerSchema = wrapped("merchant", MerchantSchema)


@bp.get("")
@requires("read")
@bp.arguments(MerchantQuerySchema, location="query")
@bp.response(200, listing("merchants", MerchantSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List the merchants that count, A to Z; with `mergedIntoId` those that count as that one, with `ids` any."""
    return paging.listed("merchants", "si", query, queries.accounts.merchants.listed)


@bp.post("")
@requires("draft")
@bp.arguments(NewMerchantSchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Create a merchant."""
    return {"merchant": services.accounts.merchants.create(**body, **acting())}


@bp.get("/<id:merchant_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(merchant_id: int) -> dict[str, Any]:
    """Read one merchant."""
    return {"merchant": queries.accounts.merchants.get(organization_id(), merchant_id)}


@bp.patch("/<id:merchant_id>")
@requires("draft")
@bp.arguments(MerchantChangesSchema)
@bp.response(200, changing(AnswerSchema))
def update(changes: MerchantChanges, merchant_id: int) -> dict[str, Any]:
    """Change a merchant."""
    merchant = queries.accounts.merchants.get(organization_id(), merchant_id)
    return {"merchant": services.accounts.merchants.update(merchant, changes, **acting())}


@bp.post("/<id:merchant_id>/merge")
@requires("draft")
@bp.arguments(MergeSchema)
@bp.response(200, changing(AnswerSchema))
def merge(body: dict[str, int], merchant_id: int) -> dict[str, Any]:
    """Merge a merchant into another one: everything answers by that one, and no posting changes."""
    merchant = queries.accounts.merchants.get(organization_id(), merchant_id)
    merged = services.accounts.merchants.merge(merchant, body["merged_into_id"], **acting())
    return {"merchant": merged}


@bp.post("/<id:merchant_id>/separate")
@requires("draft")
@bp.response(200, changing(AnswerSchema))
def separate(merchant_id: int) -> dict[str, Any]:
    """Separate a merged merchant again, with those that came along with it."""
    merchant = queries.accounts.merchants.get(organization_id(), merchant_id)
    return {"merchant": services.accounts.merchants.separate(merchant, **acting())}
