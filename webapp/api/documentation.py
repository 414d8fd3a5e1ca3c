"""The documentation of the API: as OpenAPI, as pages and as Markdown."""

import gzip
import json
from functools import lru_cache
from hashlib import sha256
from itertools import groupby
from typing import Any, Final

from flask import Response, current_app, request

from webapp.ledger.errors import NotFoundError
from webapp.reference import guide, markdown
from webapp.reference import openapi as reference
from webapp.reference.call_pages import CallPage, call_pages, matching_calls, shape_names, shapes, slug
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.web.access.auth import requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.rendering.htmx import render

bp = Blueprint("documentation", __name__, url_prefix="/api", description="Documentation")
MARKDOWN = "text/markdown; charset=utf-8"
PAGE = {"content_type": "text/html", "description": "A page."}
LEVEL: Final = 6
# The whole reference in two forms, and an area each.
MOST_KEPT: Final = 64
DIGITS: Final = 16


class SearchSchema(Schema):
    """The words to search for."""

    q = fields.Text(most=255, load_default=None)


@bp.get("/openapi.json")
@requires("read")
@bp.response(200, {"type": "object"}, description="The document.")
def openapi() -> Response:
    """Get the API as an OpenAPI 3.1 document."""
    # UTF-8 as it is: readers of YAML refuse the surrogate pairs that emoji would be escaped to.
    return text_answer(json.dumps(document(), ensure_ascii=False), "application/json")


@bp.get("/docs")
@requires("read")
@bp.arguments(SearchSchema, location="query")
@bp.response(200, {"type": "string"}, **PAGE)
def docs(query: dict[str, Any]) -> Response:
    """Show the API as a page: the guide, and all calls by area."""
    calls = matching_calls(call_pages(document()), query["q"] or "")
    areas = {area: list(each) for area, each in groupby(calls, key=lambda call: call.area)}
    return render("documentation/index.html", areas=areas, q=query["q"], sections=guide.SECTIONS, slug=slug)


@bp.get("/docs/<string:area>")
@requires("read")
@bp.response(200, {"type": "string"}, **PAGE)
def docs_area(area: str) -> Response:
    """Show the calls of an area with their parameters, shapes, examples and errors."""
    calls = _calls_of(area)
    return render(
        "documentation/area.html",
        area=calls[0].area,
        description=guide.AREAS.get(calls[0].area, ""),
        calls=calls,
        shapes=shapes(document(), shape_names(calls)),
        areas={each.area: slug(each.area) for each in call_pages(document())},
    )


@bp.get("/docs.md")
@requires("read")
@bp.response(200, {"type": "string"}, content_type="text/markdown", description="A text.")
def docs_as_markdown() -> Response:
    """Get what holds for all calls as Markdown, and an index of the areas with each call in a line."""
    return text_answer(markdown.index(document()), MARKDOWN)


@bp.get("/docs/<string:area>.md")
@requires("read")
@bp.response(200, {"type": "string"}, content_type="text/markdown", description="A text.")
def docs_area_as_markdown(area: str) -> Response:
    """Get the calls of one area as Markdown, with the shapes that they send and answer."""
    calls = _calls_of(area)
    return text_answer(markdown.of_area(document(), calls), MARKDOWN)


def _calls_of(area: str) -> list[CallPage]:
    """Give the calls of an area by its name in addresses; raises NotFoundError."""
    calls = [each for each in call_pages(document()) if slug(each.area) == area]
    if not calls:
        raise NotFoundError
    return calls


def document() -> dict[str, Any]:
    """The OpenAPI document of this application."""
    return reference.document(current_app)


def text_answer(text: str, content_type: str) -> Response:
    """Answer with a text: as gzip where the client takes it, with its ETag, and 304 where If-None-Match names that."""
    version, packed = _packed(text)
    if request.if_none_match.contains_weak(version):
        response = Response(status=304)
    elif request.accept_encodings["gzip"] > 0:
        response = Response(packed, content_type=content_type)
        response.content_encoding = "gzip"
    else:
        response = Response(text, content_type=content_type)
    # It names both forms.
    response.set_etag(version, weak=True)
    response.vary.add("Accept-Encoding")
    return response


@lru_cache(maxsize=MOST_KEPT)
def _packed(text: str) -> tuple[str, bytes]:
    data = text.encode()
    return sha256(data).hexdigest()[:DIGITS], gzip.compress(data, LEVEL, mtime=0)
