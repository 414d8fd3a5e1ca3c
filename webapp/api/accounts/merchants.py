"""Merchants over JSON."""

from __future__ import annotations

from typing import Any

from webapp import queries, services
from webapp.schemas.accounts.merchants import (
    MerchantChangesSchema,
    MerchantQuerySchema,
    MerchantSchema,
    NewMerchantSchema,
)
from webapp.schemas.paging import listing, wrapped
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
    """List merchants, A to Z."""
    after = paging.decode(query.pop("cursor"), "si")
    return paging.answer(
        "merchants", queries.accounts.merchants.listed(organization_id(), after=after, **query)
    )


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
@bp.response(200, AnswerSchema)
def update(changes: MerchantChanges, merchant_id: int) -> dict[str, Any]:
    """Change a merchant."""
    merchant = queries.accounts.merchants.get(organization_id(), merchant_id)
    return {"merchant": services.accounts.merchants.update(merchant, changes, **acting())}
