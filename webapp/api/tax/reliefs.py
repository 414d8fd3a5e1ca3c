"""Taxes that wait, relief of bad debts, the tax of own unpaid bills, and adjustments by hand, over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.bookkeeping.journal_entries import AdjustmentSchema
from webapp.schemas.paging import changing
from webapp.schemas.tax.returns import (
    BadDebtSchema,
    PostedTaxesSchema,
    UnpaidBillsSchema,
    WaitingTaxesSchema,
)
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_tax_reliefs", __name__, url_prefix="/api/tax", description="Reliefs of taxes")


@bp.get("/waiting")
@requires("read")
@bp.response(200, WaitingTaxesSchema)
def waiting() -> dict[str, Any]:
    """List the taxes that wait for money and those of advances, by account, with what each item has left."""
    return {"accounts": queries.tax.waiting.listed(organization_id())}


@bp.post("/bad-debts")
@requires("confirm")
@bp.arguments(BadDebtSchema)
@bp.response(201, changing(PostedTaxesSchema))
def claim(body: dict[str, Any]) -> dict[str, Any]:
    """Claim relief of the tax of a bad debt; money that comes later returns it of itself."""
    item = queries.items.items.get(organization_id(), body.pop("item_id"))
    return {"journal_entry_ids": services.tax.reliefs.claim(item, **body, **acting())}


@bp.post("/adjustments")
@requires("confirm")
@bp.arguments(AdjustmentSchema)
@bp.response(201, changing(PostedTaxesSchema))
def adjust(body: dict[str, Any]) -> dict[str, Any]:
    """Add to boxes of a form by hand, with the legs of what that is on the accounts of taxes."""
    return {"journal_entry_ids": [services.bookkeeping.tax_adjustments.adjust(**body, **acting()).id]}


@bp.post("/unpaid-bills")
@requires("confirm")
@bp.arguments(UnpaidBillsSchema)
@bp.response(201, changing(PostedTaxesSchema))
@bp.alt_response(200, schema=changing(PostedTaxesSchema), description="No bill is unpaid for six months")
def repay(body: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Repay the tax of own bills that are unpaid for six months; paying them later brings it back of itself."""
    entry_ids = services.tax.reliefs.repay(**body, **acting())
    return {"journal_entry_ids": entry_ids}, 201 if entry_ids else 200
