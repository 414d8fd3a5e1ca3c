"""The JSON API: one blueprint per noun, documented by the schemas that read and write the bodies."""

import threading
from importlib import import_module
from typing import Any, cast

import flask_smorest
from apispec import APISpec
from flask import Flask
from werkzeug.exceptions import HTTPException

from webapp.errors import answer_http_error
from webapp.schemas.base import ErrorSchema

NOUNS = (
    "accounts.accounts",
    "accounts.bank_connections",
    "accounts.feed_accounts",
    "accounts.merchants",
    "accounts.projects",
    "appropriations",
    "audit.action_requests",
    "audit.agent_undos",
    "audit.events",
    "bookkeeping.exchange_rates",
    "bookkeeping.financial_years",
    "bookkeeping.journal_entries",
    "bookkeeping.lock_dates",
    "bookkeeping.revaluations",
    "bookkeeping.balance_proofs",
    "bookkeeping.schedules",
    "bookkeeping.book_tables",
    "callers",
    "close_steps",
    "closes",
    "documentation",
    "documents.documents",
    "documents.tables",
    "exports",
    "imports",
    "inbox",
    "items.items",
    "members",
    "plans",
    "pushes",
    "reconciliations",
    "reports",
    "rules.rules",
    "rules.runs",
    "rules.suggestions",
    "tax.codes",
    "tax.packs",
    "tax.reliefs",
    "tax.returns",
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
    """flask-smorest's API with our error shape, whose description is made when somebody asks for it.

    Describing every view takes a fifth of a start, and few processes are ever asked for it.
    """

    ERROR_SCHEMA = ErrorSchema

    def __init__(self, app: Flask, **named: Any) -> None:
        self._undescribed: list[flask_smorest.Blueprint] = []
        self._describing = threading.Lock()
        super().__init__(app, **named)

    def register_blueprint(self, blueprint: flask_smorest.Blueprint) -> None:
        """Register a blueprint in the application."""
        self._app.extensions["flask-smorest"]["blp_name_to_api"][blueprint.name] = self
        self._app.register_blueprint(blueprint)
        self._undescribed.append(blueprint)

    def described(self) -> APISpec:
        """Give the description of every blueprint."""
        with self._describing:
            while self._undescribed:
                blueprint = self._undescribed.pop(0)
                name = blueprint.name
                blueprint.register_views_in_doc(self, self._app, self.spec, name=name, parameters=None)
                self.spec.tag({"name": name, "description": blueprint.description})
        return cast("APISpec", self.spec)

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
