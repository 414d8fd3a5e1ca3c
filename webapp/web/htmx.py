"""htmx's side of a view: a plain visit gets the page, htmx the part that it named as its target."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, make_response, redirect, render_template, request
from jinja2_fragments.flask import render_blocks


def is_htmx() -> bool:
    """Tell whether htmx asks."""
    return request.headers.get("HX-Request") == "true"


def render(template: str, *, parts: tuple[str, ...] = (), status: int = 200, **context: Any) -> Response:
    """Render the page; or, for htmx, the blocks in `parts`, or else the block that its target names."""
    if is_htmx():
        blocks = current_app.jinja_env.get_template(template).blocks
        chosen = parts or ((target(),) if target() in blocks else ())
        if chosen:
            return make_response(render_blocks(template, list(chosen), **context), status)
    return make_response(render_template(template, **context), status)


def target() -> str:
    """Tell the id of the element that htmx will replace; htmx 4 sends it after the element's tag."""
    return request.headers.get("HX-Target", "").rpartition("#")[2]


def go(address: str) -> Response:
    """Send the visitor to another page after a change."""
    if is_htmx():
        return Response("", 200, headers={"HX-Location": address})
    return make_response(redirect(address, 303))
