"""/llms.txt, the first page that an agent reads."""

from flask import Blueprint, Response, request

from webapp.reference import markdown
from webapp.web.access.auth import PUBLIC, requires

bp = Blueprint("llms", __name__)


@bp.get("/llms.txt")
@requires(PUBLIC)
def llms() -> Response:
    """Show what this service is, and how an agent uses it."""
    return Response(markdown.llms(request.host_url.rstrip("/")), content_type="text/plain; charset=utf-8")
