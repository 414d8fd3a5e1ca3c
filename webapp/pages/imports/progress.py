"""The progress of an import, which its page polls."""

from flask import Blueprint, Response

from webapp import queries
from webapp.web import progress
from webapp.web.access.auth import organization_id, requires
from webapp.web.rendering.htmx import render

bp = Blueprint("import_progress", __name__, url_prefix="/imports")


@bp.get("/<id:import_id>/progress")
@requires("read")
def show(import_id: int) -> Response:
    """Show the progress of an import."""
    imported = queries.imports.imports.get(organization_id(), import_id)
    return render(
        "imports/progress.html",
        bank_import=queries.imports.imports.record(imported),
        progress=progress.of_import(import_id),
    )
