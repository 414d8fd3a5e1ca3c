"""Answers to htmx: a plain request gets the page, htmx the part that it targets."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from flask import Response, current_app, make_response, redirect, render_template, request
from jinja2_fragments.flask import render_block
from werkzeug.exceptions import HTTPException

# The parts of pages that our elements target. A request for another block gets the page: such a block may be one row
# of a loop, or need values from outside of it.
TARGETS = frozenset(
    {
        "balance",
        "columns",
        "hub",
        "lines",
        "month_end",
        "overview",
        "panel",
        "progress",
        "queue",
        "reopen",
        "rules",
        "suggestions",
        "views",
        "void",
    }
)

# The places of a page that show only the sentence of an error: the toast, and the list below a field.
PLACES = frozenset({"combobox-list", "toast"})


def is_htmx() -> bool:
    """Return whether htmx sent the request."""
    return request.headers.get("HX-Request") == "true"


def render(
    template: str, *, parts: Mapping[str, str] | None = None, status: int | None = None, **context: Any
) -> Response:
    """Render the page; for htmx the block that it targets, or the blocks in `parts`, each with an element's id.

    Its status is that of its `problem`, if it has one, unless the view gives another.
    """
    if status is None:
        status = context["problem"].status if context.get("problem") else 200
    if is_htmx():
        if target() in PLACES and context.get("problem"):
            message = getattr(context["problem"], "message", context["problem"])
            shown = render_template("errors/part.html", message=message, tag="div", element_id=target())
            return make_response(shown, status)
        if parts:
            return make_response(render_parts(template, parts, **context), status)
        if target() in TARGETS & current_app.jinja_env.get_template(template).blocks.keys():
            return make_response(render_block(template, target(), **context), status)
    return make_response(render_template(template, **context), status)


def render_parts(template: str, parts: Mapping[str, str], **context: Any) -> str:
    """Render blocks of a page, each wrapped so that htmx replaces the element with that id."""
    return "".join(
        f'<hx-partial hx-target="#{element_id}">{render_block(template, block, **context)}</hx-partial>'
        for block, element_id in parts.items()
    )


def target() -> str:
    """The id of the element that htmx will replace; htmx 4 sends it after the element's tag."""
    return request.headers.get("HX-Target", "").rpartition("#")[2]


def redirect_back(default: str) -> Response:
    """Redirect to the page on which the form was sent, by its referrer.

    After a refused and repeated act the referrer is an address without a page: then redirect to the default.
    """
    parts = urlsplit(request.referrer or "")
    is_ours = parts.netloc == request.host and is_page(parts.path)
    return redirect_to(urlunsplit(("", "", parts.path, parts.query, "")) if is_ours else default)


def is_page(path: str) -> bool:
    """Return whether a path is a page of ours."""
    adapter = current_app.create_url_adapter(request)
    try:
        return adapter is not None and bool(adapter.match(path, "GET"))
    except HTTPException:
        return False


def visit(address: str) -> Response:
    """Redirect to a page that has scripts and styles of its own, which htmx would not load."""
    if is_htmx():
        return Response("", 200, headers={"HX-Redirect": address})
    return make_response(redirect(address, 303))


def redirect_to(address: str) -> Response:
    """Redirect to another page after a change."""
    if is_htmx():
        return Response("", 200, headers={"HX-Location": address})
    return make_response(redirect(address, 303))
