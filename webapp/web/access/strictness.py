"""Query parameters and bodies that nobody asked for: refused by name, except on the interface document's endpoints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import marshmallow as ma
from flask import current_app, request
from webargs.flaskparser import FlaskParser
from werkzeug.datastructures import ImmutableMultiDict, MultiDict

from webapp.ledger.errors import UnprocessableError
from webapp.schemas.base import KNOWN_NAMES
from webapp.web.access import selections
from webapp.web.access.selections import DRY_RUN


class ArgumentsParser(FlaskParser):
    """webargs' parser, but whether an unknown query parameter is an error is the schema's to say.

    What every answer of a kind takes (`fields`, `count`) is read before, and is no matter of a view's schema.
    """

    DEFAULT_UNKNOWN_BY_LOCATION = FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION | {"query": None}

    def load_querystring(self, req: Any, schema: ma.Schema) -> Any:
        """Give a view's schema its own part of the query."""
        general = _general()
        own = MultiDict((name, value) for name, value in req.args.items(multi=True) if name not in general)
        refuse_repeated(own, schema)
        return self._makeproxy(own, schema)

    def load_form(self, req: Any, schema: ma.Schema) -> Any:
        """Give a view's schema the fields of a form."""
        refuse_repeated(req.form, schema)
        return super().load_form(req, schema)

    def handle_error(
        self, error: ma.ValidationError, req: Any, schema: ma.Schema, **options: Any
    ) -> NoReturn:
        """Name the general parameters among those that are known."""
        said = error.messages.get("query", {}) if isinstance(error.messages, dict) else {}
        for name, sentences in said.items() if isinstance(said, dict) else ():
            if isinstance(sentences, list) and str(sentences[0]).startswith(KNOWN_NAMES):
                names = {field.data_key or key for key, field in schema.load_fields.items()}
                said[name] = [known(names | set(_general()))]
        super().handle_error(error, req, schema, **options)


class UnknownKeysError(UnprocessableError):
    """This address takes nothing of that name."""

    code = "validation"


def refuse_unasked() -> None:
    """Refuse a query or a JSON body where the view declares no schema for one; the schemas refuse the rest."""
    view = current_app.view_functions[request.endpoint or ""]
    selections.read(view)
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
    unknown = [name for name in request.args if name not in _general()]
    if unknown and not getattr(view, "is_documented", False) and "query" not in declared_places(view):
        _refuse(unknown, "query parameters", selections.general_names(view))


def refuse_repeated(sent: MultiDict[str, str], schema: ma.Schema) -> None:
    """Refuse what a schema knows and is sent twice: which of its values is meant, nobody can tell."""
    known_here = {field.data_key or key for key, field in schema.load_fields.items()}
    names = [name for name, values in sent.lists() if len(values) > 1 and name in known_here]
    if names:
        said = {name: ["Send this once."] for name in names}
        raise UnknownKeysError(f"Send each of these once: {', '.join(sorted(names))}.", fields=said)


def is_dry_run_asked() -> bool:
    """Take `dryRun` out of the query of a write, and tell what it says: every write knows it, whatever its schema."""
    if DRY_RUN not in request.args:
        return False
    said = request.args.getlist(DRY_RUN)
    if said not in (["true"], ["false"]):
        sentence = "Write true or false, once."
        raise UnknownKeysError(f"{DRY_RUN}: {sentence}", fields={DRY_RUN: [sentence]})
    rest = [(key, value) for key, value in request.args.items(multi=True) if key != DRY_RUN]
    request.args = ImmutableMultiDict(rest)
    return said == ["true"]


def declared_places(view: Any) -> set[str]:
    """Tell where a view's schemas read from, as flask-smorest noted it for the OpenAPI document.

    A view that takes a form instead of its JSON body says so beside it, since only one of the two is noted.
    """
    noted = getattr(view, "_apidoc", {})
    places = {
        each["in"] for each in noted.get("arguments", {}).get("parameters", []) if isinstance(each, dict)
    }
    if "multipart/form-data" in noted.get("manual_doc", {}).get("requestBody", {}).get("content", {}):
        places.add("form")
    return {"body" if place in {"json", "body"} else place for place in places}


def known(names: Iterable[str]) -> str:
    """Say which names are known where one is not.

    >>> known({"limit", "cursor"}), known([])
    ('This is not known here; known are: cursor, limit.', 'This is not known here; known are: none.')
    """
    return f"{KNOWN_NAMES}{', '.join(sorted(names)) or 'none'}."


def _general() -> tuple[str, ...]:
    return selections.general_names(current_app.view_functions[request.endpoint or ""])


def _refuse(names: list[str], what: str, allowed: Iterable[str] = ()) -> None:
    names = [name[:80] for name in names[:10]]
    shown, others = ", ".join(sorted(names)), " but " + ", ".join(sorted(allowed)) if allowed else ""
    raise UnknownKeysError(
        f"This address takes no {what}{others}; leave out: {shown}.",
        fields={name: [known(allowed)] for name in names},
    )
