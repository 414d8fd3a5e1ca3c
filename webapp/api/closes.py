"""Closes of months over JSON."""

from dataclasses import replace
from typing import Any

from flask import url_for

from webapp import queries
from webapp.schemas.closes import CloseSchema
from webapp.schemas.paging import wrapped
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_closes", __name__, url_prefix="/api/closes", description="Closes of months")


@bp.get("/<string:period>")
@requires("read", is_heavy=True)
@bp.response(200, wrapped("close", CloseSchema))
def read(period: str) -> dict[str, Any]:
    """Read the close of a month such as 2026-03: what is left to do, and what is dated after it."""
    found = queries.closes.closes.read(organization_id(), period, requests.now())
    steps = [replace(each, href=each.page and url_for(each.page, **each.named)) for each in found.steps]
    return {"close": replace(found, steps=steps)}
