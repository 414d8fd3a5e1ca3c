"""The JSON API: one blueprint per noun, documented by the schemas that read and write the bodies."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import flask_smorest
from flask import Flask
from werkzeug.exceptions import HTTPException

from webapp.errors import answer_http_error
from webapp.schemas.errors import ErrorSchema

NOUNS = (
    "accounts.accounts",
    "accounts.feed_accounts",
    "accounts.merchants",
    "accounts.projects",
    "audit.action_requests",
    "audit.agent_undos",
    "audit.events",
    "bookkeeping.exchange_rates",
    "bookkeeping.financial_years",
    "bookkeeping.journal_entries",
    "bookkeeping.lock_dates",
    "bookkeeping.revaluations",
    "callers",
    "documentation",
    "documents.documents",
    "documents.tables",
    "exports",
    "imports",
    "inbox",
    "items.items",
    "plans",
    "pushes",
    "reconciliations",
    "reports",
    "rules.rules",
    "rules.runs",
    "rules.suggestions",
    "transactions.line_joins",
    "transactions.open_items",
    "transactions.settlements",
    "transactions.transactions",
    "transactions.transfers",
)

SECURITY = {
    "security": [{"token": []}, {"session": []}],
    "components": {
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": "tieout"},
        }
    },
}


class Api(flask_smorest.Api):  # type: ignore[misc]
    """flask-smorest's API with our error shape."""

    ERROR_SCHEMA = ErrorSchema

    def handle_http_exception(self, error: HTTPException) -> Any:
        """Answer as everywhere else."""
        return answer_http_error(error)


def register(app: Flask) -> None:
    """Register one blueprint per noun, all under /api."""
    documents = Api(app, spec_kwargs=SECURITY)
    documents.register_converter(app.url_map.converters["id"], document_id)
    documents.register_converter(app.url_map.converters["act"], document_act_id)
    for noun in NOUNS:
        documents.register_blueprint(import_module(f"webapp.api.{noun}").bp)


def document_id(_converter: Any) -> dict[str, Any]:
    """Describe an id in a path."""
    return {"type": "integer", "format": "int64", "minimum": 1}


def document_act_id(converter: Any) -> dict[str, Any]:
    """Describe the id of an act in a path."""
    return {"type": "string", "pattern": f"^{converter.regex}$"}
