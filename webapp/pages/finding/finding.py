"""The search for anything, best fit first: a page of its own, and for htmx the list of the palette."""

from flask import Blueprint, Response, request

from webapp.pages.finding import groups
from webapp.schemas.addresses import FindingQuerySchema
from webapp.web.access.auth import organization_id, principal, requires
from webapp.web.rendering.htmx import is_htmx, render

bp = Blueprint("finding", __name__, url_prefix="/search")
# A palette lists as many of a kind as fit beside the others.
IN_PALETTE, ON_PAGE = 5, 25


@bp.get("")
@requires("read")
def index() -> Response:
    """Show what has been found in the pages, the acts and the books."""
    typed = FindingQuerySchema.read_leniently(request.query_string.decode())["q"] or ""
    limit = IN_PALETTE if is_htmx() else ON_PAGE
    return render(
        "finding/_options.html" if is_htmx() else "finding/index.html",
        typed=typed,
        groups=groups.found(organization_id(), principal(), typed, limit=limit),
    )
