"""/llms.txt, the first page that an agent reads."""

from flask import Blueprint, Response, current_app, request

from webapp.reference import markdown
from webapp.reference import openapi as reference
from webapp.web.access.auth import PUBLIC, requires

bp = Blueprint("llms", __name__)


@bp.get("/llms.txt")
@requires(PUBLIC)
def llms() -> Response:
    """Show what this service is, and how an agent uses it."""
    text = markdown.llms(reference.document(current_app), request.host_url.rstrip("/"))
    return Response(text, content_type="text/plain; charset=utf-8")
