"""Tax packs over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.paging import changing, wrapped
from webapp.schemas.tax.codes import (
    TaxPackChangesSchema,
    TaxPackInstallationSchema,
    TaxPackSchema,
    TaxPacksSchema,
)
from webapp.services.tax.packs import PackChanges
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_tax_packs", __name__, url_prefix="/api/tax/packs", description="Tax packs")


@bp.get("")
@requires("read")
@bp.response(200, TaxPacksSchema)
def listed() -> dict[str, Any]:
    """List the packs of tax forms, and what none of them supports: do not file that from here."""
    packs = queries.tax.packs
    return {"packs": packs.listed(organization_id()), "not_supported": packs.NOT_SUPPORTED}


@bp.post("/<string:name>/install")
@requires("admin")
@bp.arguments(TaxPackInstallationSchema)
@bp.response(201, wrapped("pack", TaxPackSchema))
def install(body: dict[str, Any], name: str) -> dict[str, Any]:
    """Install a pack: its tax codes, its boxes from a day on, and the accounts of taxes."""
    return {"pack": services.tax.packs.install(name, **body, **acting())}


@bp.patch("/<string:name>")
@requires("admin")
@bp.arguments(TaxPackChangesSchema)
@bp.response(200, changing(wrapped("pack", TaxPackSchema)))
def update(changes: PackChanges, name: str) -> dict[str, Any]:
    """Change the periods of an installed pack."""
    return {"pack": services.tax.packs.update(name, changes, **acting())}
