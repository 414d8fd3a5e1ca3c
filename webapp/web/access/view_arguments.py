"""The arguments that a view declares with `bp.arguments`, as flask-smorest notes them on the view."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import marshmallow as ma

# flask-smorest notes a view's documentation under this private name, and has no public way to read it.
NOTES = "_apidoc"
PLACES = {"multipart/form-data": "form", "application/json": "body"}


def argument_schemas(view: Any) -> list[type[ma.Schema]]:
    """List the schemas of a view's query and body."""
    found = [each["schema"] for each in _parameters(view) if "schema" in each]
    return [each if isinstance(each, type) else type(each) for each in found]


@cache
def argument_places(view: Any) -> frozenset[str]:
    """List the places that a view's schemas read: `query`, `body`, `form`, `files`.

    A view that takes a form as well as JSON documents one of them by `bp.doc`, since only one body can be declared.
    """
    places = {each["in"] for each in _parameters(view)}
    documented = _notes(view).get("manual_doc", {}).get("requestBody", {}).get("content", {})
    places |= {place for media_type, place in PLACES.items() if media_type in documented}
    return frozenset("body" if place == "json" else place for place in places)


def _parameters(view: Any) -> list[Mapping[str, Any]]:
    listed = _notes(view).get("arguments", {}).get("parameters", [])
    return [each for each in listed if isinstance(each, Mapping)]


def _notes(view: Any) -> Mapping[str, Any]:
    notes: Mapping[str, Any] = getattr(view, NOTES, {})
    return notes
