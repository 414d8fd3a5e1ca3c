"""What the interface says of itself, to a program and to a reader."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from flask import Response, current_app
from flask_smorest import Blueprint
from werkzeug.routing import Rule

from webapp.ledger.canonical import camel
from webapp.web import idempotency
from webapp.web.auth import requires
from webapp.web.htmx import render

bp = Blueprint("documentation", __name__, url_prefix="/api", description="About this interface")
PARAMETER = re.compile(r"<\w+:(\w+)>|{(\w+)}")


@dataclass(frozen=True, slots=True, order=True)
class Endpoint:
    """An address of the interface: how it is called, the scope that it needs, and what it promises."""

    path: str
    method: str
    scope: str
    summary: str


@bp.get("/openapi.json")
@requires("read")
@bp.doc(summary="The OpenAPI document")
@bp.response(200)
def openapi() -> dict[str, Any]:
    """Give the interface as an OpenAPI 3.1 document."""
    spec: dict[str, Any] = current_app.extensions["flask-smorest"]["apis"][""]["ext_obj"].spec.to_dict()
    return spec | {
        "paths": {
            named(path): idempotency.documented(with_names(item)) for path, item in spec["paths"].items()
        }
    }


@bp.get("/docs")
@requires("read")
@bp.response(200, content_type="text/html", description="A page")
def docs() -> Response:
    """Show every endpoint on a page."""
    return render("documentation/index.html", areas=areas())


def areas() -> dict[str, list[Endpoint]]:
    """Give the endpoints under the names of their areas, both from A to Z."""
    found = defaultdict(list)
    for rule in current_app.url_map.iter_rules():
        if rule.rule.startswith("/api/"):
            blueprint: Any = current_app.blueprints[rule.endpoint.rpartition(".")[0]]
            found[blueprint.description].extend(endpoints(rule))
    return {area: sorted(found[area]) for area in sorted(found)}


def endpoints(rule: Rule) -> list[Endpoint]:
    """Give what a route answers to; its parameters are called as in JSON."""
    view: Any = current_app.view_functions[rule.endpoint]
    summary = (view.__doc__ or "").partition("\n")[0]
    methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    return [Endpoint(named(rule.rule), method, view.scope, summary) for method in methods]


def named(path: str) -> str:
    """Write the parameters of a path as the interface document does.

    >>> named("/api/transactions/<id:transaction_id>/confirm"), named("/api/feeds/accounts/{fa_id}")
    ('/api/transactions/{id}/confirm', '/api/feeds/accounts/{faId}')
    """
    return PARAMETER.sub(lambda match: f"{{{parameter(match[1] or match[2])}}}", path)


def with_names(item: dict[str, Any]) -> dict[str, Any]:
    """Give what the OpenAPI document says of a path, with its parameters called as in the path."""
    if "parameters" not in item:
        return item
    return item | {"parameters": [each | {"name": parameter(each["name"])} for each in item["parameters"]]}


def parameter(name: str) -> str:
    """Call a path's parameter as the interface document does.

    >>> parameter("transaction_id"), parameter("fa_id")
    ('id', 'faId')
    """
    return camel(name) if name == "fa_id" else "id"
