"""Tax codes over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.paging import changing, listing, wrapped
from webapp.schemas.tax.codes import (
    NewTaxCodeSchema,
    TaxCodeChangesSchema,
    TaxCodeQuerySchema,
    TaxCodeSchema,
    UncodedPostingSchema,
    UncodedQuerySchema,
)
from webapp.services.tax.codes import TaxCodeChanges
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_tax_codes", __name__, url_prefix="/api/tax/codes", description="Tax codes")
AnswerSchema = wrapped("taxCode", TaxCodeSchema)


@bp.get("")
@requires("read")
@bp.arguments(TaxCodeQuerySchema, location="query")
@bp.response(200, listing("taxCodes", TaxCodeSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List tax codes, A to Z."""
    return paging.listed("taxCodes", "si", query, queries.tax.codes.listed)


@bp.get("/missing")
@requires("read")
@bp.arguments(UncodedQuerySchema, location="query")
@bp.response(200, listing("postings", UncodedPostingSchema))
def missing(query: dict[str, Any]) -> dict[str, Any]:
    """List income and expenses that are posted without a tax code since the books have taxes, the oldest first."""
    return paging.listed("postings", "di", query, queries.tax.uncoded.listed)


@bp.post("")
@requires("admin")
@bp.arguments(NewTaxCodeSchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Make a tax code; what it computes and posts never changes."""
    return {"taxCode": services.tax.codes.create(**body, **acting())}


@bp.get("/<id:code_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(code_id: int) -> dict[str, Any]:
    """Read one tax code."""
    return {"taxCode": queries.tax.codes.get(organization_id(), code_id)}


@bp.patch("/<id:code_id>")
@requires("admin")
@bp.arguments(TaxCodeChangesSchema)
@bp.response(200, changing(AnswerSchema))
def update(changes: TaxCodeChanges, code_id: int) -> dict[str, Any]:
    """Rename, end or archive a tax code."""
    code = queries.tax.codes.get(organization_id(), code_id)
    return {"taxCode": services.tax.codes.update(code, changes, **acting())}
