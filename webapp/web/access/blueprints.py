"""The blueprint of the API: flask-smorest's, with answers of the keys that `fields` and `include` ask for."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, cast

import flask_smorest
import marshmallow as ma
from flask import Response, request
from flask.json.provider import DefaultJSONProvider
from flask_smorest.utils import resolve_schema_instance

from webapp.queries.access.principals import Principal
from webapp.queries.audit import proposals
from webapp.services.audit import action_requests
from webapp.web.access import selections, versions
from webapp.web.access.request_state import state
from webapp.web.access.strictness import ArgumentsParser

JSON: Final = "application/json"
_encode = json.JSONEncoder(separators=(",", ":"), default=DefaultJSONProvider.default).encode


class JsonAnswer(Response):
    """JSON whose headers are sent as they are: none of them names an address that werkzeug would have to complete."""

    def get_wsgi_headers(self, environ: Any) -> Any:
        """Give the headers themselves, where nothing has to be added to them or left out."""
        if self.status_code == HTTPStatus.OK and "Content-Length" in self.headers:
            return self.headers
        return super().get_wsgi_headers(environ)


def marked(result: Any, schema: ma.Schema, *, is_changed: bool) -> Any:
    """Add to the result of a write whether it changed anything, else which proposals wait where it was sent."""
    if isinstance(result, tuple):
        return marked(result[0], schema, is_changed=is_changed), *result[1:]
    members = result
    if not isinstance(result, Mapping):
        members = {name: getattr(result, name) for name in schema.dump_fields if hasattr(result, name)}
    waiting = {} if is_changed else {"waiting": _waiting_here()}
    return {**members, "changed": is_changed, **waiting}


def with_warnings(body: Any, warned: Sequence[tuple[str, str]]) -> Any:
    """Add to an answer what the acts behind it warn of, beside what it warns of itself.

    >>> with_warnings({"ok": True}, [("moved_by_lock", "It is moved.")])
    {'ok': True, 'warnings': ['It is moved.'], 'warningCodes': ['moved_by_lock']}
    """
    if not warned or not isinstance(body, Mapping):
        return body
    own = list(body.get("warnings") or ())
    if own and not isinstance(own[0], str):
        return {**body, "warnings": [*own, *({"code": code, "message": text} for code, text in warned)]}
    codes = [*(body.get("warningCodes") or ("",) * len(own)), *(code for code, _ in warned)]
    return {**body, "warnings": [*own, *(text for _, text in warned)], "warningCodes": codes}


def warning(response: Response, warned: Sequence[tuple[str, str]]) -> Response:
    """Add to an answer that a view wrote itself what the acts behind it warn of."""
    if warned and response.mimetype == JSON and response.status_code < HTTPStatus.BAD_REQUEST:
        response.set_data(f"{_encode(with_warnings(response.get_json(), warned))}\n")
    return response


def answering(body: Any, status: int) -> Response:
    """Answer a body as JSON, as Flask's jsonify writes it; it is kept for what is said of it in headers."""
    response = JsonAnswer(f"{_encode(body)}\n", status, content_type=JSON)
    state().answer = response, body
    return response


def _waiting_here() -> list[str]:
    """List the proposals of calls to the record that this call is about or to what is below it, and that change it."""
    rule = str(request.url_rule)
    levels = len((versions.rule_of_record(rule) or rule).split("/"))
    who = cast("Principal", state().principal)
    return proposals.waiting_for(who.organization_id, "/".join(request.path.split("/")[:levels]))


def file_or_json(form: type[ma.Schema], json: type[ma.Schema]) -> dict[str, Any]:
    """Describe a body that is a form with a file, or JSON with the bytes of one."""
    return {"content": {"multipart/form-data": {"schema": form}, "application/json": {"schema": json}}}


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A noun of the API."""

    ARGUMENTS_PARSER = ArgumentsParser()

    def response(
        self, status_code: int, schema: Any = None, *, summary: Any = None, **documented: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Dump the result of a view with a schema, or with those of its keys that the query asks for.

        `summary` is the schema of the result with `view=summary`.
        """
        full_schema: Any = resolve_schema_instance(schema)
        short_schema: Any = None if summary is None else resolve_schema_instance(summary)
        says_changed = isinstance(full_schema, ma.Schema) and hasattr(full_schema, "answer")
        respond = super().response(status_code, full_schema, **documented)

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(view)
            def selecting(*args: Any, **kwargs: Any) -> Any:
                before = action_requests.done_count() if says_changed else 0
                told = action_requests.count_untold()
                result = view(*args, **kwargs)
                if says_changed:
                    result = marked(result, full_schema, is_changed=action_requests.done_count() > before)
                warned = action_requests.untold(told)
                if isinstance(result, Response):
                    return warning(result, warned)
                if not isinstance(full_schema, ma.Schema):
                    return result
                versions.note_of_part(responding, result)
                result, status = result if isinstance(result, tuple) else (result, status_code)
                asked = short_schema if state().selection.is_summary else full_schema
                return answering(with_warnings(selections.selected(asked).dump(result), warned), status)

            responding: Callable[..., Any] = respond(selecting)
            if isinstance(full_schema, ma.Schema):
                responding.answer_schema = full_schema  # type: ignore[attr-defined]
            responding.summary_schema = short_schema  # type: ignore[attr-defined]
            return responding

        return decorate
