"""Query parameters and bodies that nobody asked for: refused by name, except on the interface document's endpoints."""

from __future__ import annotations

from typing import Any

from flask import current_app, request
from webargs.flaskparser import FlaskParser

from webapp.ledger.errors import UnprocessableError


class ArgumentsParser(FlaskParser):
    """webargs' parser, but whether an unknown query parameter is an error is the schema's to say."""

    DEFAULT_UNKNOWN_BY_LOCATION = FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION | {"query": None}


class UnknownKeysError(UnprocessableError):
    """This address takes nothing of that name."""

    code = "validation"


def refuse_unasked() -> None:
    """Refuse a query or a JSON body where the view declares no schema for one; the schemas refuse the rest."""
    view = current_app.view_functions[request.endpoint or ""]
    if getattr(view, "is_documented", False):
        return
    refuse_unasked_query(view)
    places = declared_places(view)
    if request.is_json and "body" not in places and request.get_data():
        body = request.get_json()
        if not isinstance(body, dict):
            raise UnknownKeysError("Send a JSON object.")
        if body:
            _refuse(list(body), "body")


def refuse_unasked_query(view: Any) -> None:
    """Refuse a query where a view declares no schema for one, before anything of the body is read."""
    if request.args and not getattr(view, "is_documented", False) and "query" not in declared_places(view):
        _refuse(list(request.args), "query parameters")


def declared_places(view: Any) -> set[str]:
    """Tell where a view's schemas read from, as flask-smorest noted it for the OpenAPI document."""
    noted = getattr(view, "_apidoc", {}).get("arguments", {}).get("parameters", [])
    places = {each["in"] for each in noted if isinstance(each, dict)}
    return {"body" if place in {"json", "body"} else place for place in places}


def _refuse(names: list[str], what: str) -> None:
    names = [name[:80] for name in names[:10]]
    shown = ", ".join(sorted(names))
    raise UnknownKeysError(
        f"This address takes no {what}; leave out: {shown}.",
        fields={name: ["This is not known here; known are: none."] for name in names},
    )
