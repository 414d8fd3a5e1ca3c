"""What the interface says of itself."""

from __future__ import annotations

from typing import Any

from flask import current_app
from flask_smorest import Blueprint

from webapp.web.auth import requires

bp = Blueprint("documentation", __name__, url_prefix="/api", description="About this interface")


@bp.get("/openapi.json")
@requires("read")
@bp.doc(summary="The OpenAPI document")
@bp.response(200)
def openapi() -> dict[str, Any]:
    """Give the interface as an OpenAPI 3.1 document."""
    spec: dict[str, Any] = current_app.extensions["flask-smorest"]["apis"][""]["ext_obj"].spec.to_dict()
    return spec
