"""Answers to errors: JSON under /api, a page everywhere else."""

from __future__ import annotations

import errno
import json
import logging
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import marshmallow as ma
import sqlalchemy.exc
from flask import Flask, Response, current_app, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from webapp.database import failures
from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import AmountTooLargeError
from webapp.ledger.texts.legible import is_citing
from webapp.schemas.untrusted import HEADER as UNTRUSTED_FIELDS
from webapp.services.audit.action_requests import record_refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The elements that htmx replaces on our pages.
PARTS = frozenset({"article", "details", "div", "form", "li", "section", "tbody", "tr", "ul"})
MOST_FIELDS, MOST_MESSAGES, LONGEST_PATH = 20, 5, 80
RETRY_AFTER_SECONDS = "2"
# The address of the protocol for models, and its code of a refusal that is none of its own.
MODELS, INTERNAL = "/mcp", -32603
log = logging.getLogger("tieout.errors")

# The database cannot be asked: lost, locked, full, all connections taken, or a transaction that failed before.
UNAVAILABLE = (
    sqlalchemy.exc.OperationalError,
    sqlalchemy.exc.InterfaceError,
    sqlalchemy.exc.PendingRollbackError,
    sqlalchemy.exc.TimeoutError,
)
# For people, who send no Idempotency-Key.
UNKNOWN_ON_PAGES = (
    "It is not known whether this was stored. Load the page again and look, before you do it once more."
)

HTTP_ERRORS = {
    400: ("bad_request", "The request could not be read."),
    401: ("unauthenticated", "Sign in, or send an API token as a bearer token."),
    403: ("forbidden", "You may not do this."),
    404: ("not_found", "There is nothing here."),
    405: ("method_not_allowed", "This address does not allow that method."),
    413: ("too_large", "The body is larger than this address allows."),
    415: ("unsupported_media_type", "Send the body as application/json."),
    422: ("validation", "Some values are not valid."),
    429: ("too_many_requests", "Too many attempts; wait a little."),
    500: (
        "internal",
        "Something went wrong; nothing was changed. The log has the details under this request's id.",
    ),
    503: ("busy", "The books are busy; try again in a few seconds."),
}

# What the server refuses before a request is whole: the code by which it says so, status, sentence and fields.
SERVER_REFUSALS: dict[str, tuple[int, str, dict[str, str]]] = {
    "bad_request": (400, HTTP_ERRORS[400][1], {}),
    "unauthenticated": (
        401,
        "Sign in, or send an API token as a bearer token; without one a body may have 64 KiB.",
        {"WWW-Authenticate": "Bearer"},
    ),
    "too_slow": (408, "The request came too slowly; send it again over a faster connection.", {}),
    "too_large": (413, HTTP_ERRORS[413][1], {}),
    "headers_too_large": (431, "The headers are too large.", {}),
    "busy": (503, "Too much is being sent at once; try again in a few seconds.", {"Retry-After": "5"}),
    "disk_full": (
        503,
        "There is no room on the server's disk for this body; nothing was changed. Try again later.",
        {"Retry-After": "60"},
    ),
}


def register_errors(app: Flask) -> None:
    """Register the handlers of all errors."""
    app.register_error_handler(LedgerError, answer_ledger_error)
    app.register_error_handler(HTTPException, answer_http_error)
    app.register_error_handler(ma.ValidationError, answer_validation_error)
    for unavailable in UNAVAILABLE:
        app.register_error_handler(unavailable, answer_unavailable)
    app.register_error_handler(sqlalchemy.exc.InternalError, answer_internal)
    app.register_error_handler(OSError, answer_file_error)
    app.register_error_handler(sqlalchemy.exc.DataError, answer_data_error)
    app.register_error_handler(sqlalchemy.exc.IntegrityError, answer_integrity_error)
    app.register_error_handler(Exception, answer_unexpected)


def answer_ledger_error(error: LedgerError) -> Response:
    """Answer an error of the ledger."""
    if isinstance(error, failures.UnknownOutcomeError | failures.RefusedCommitError):
        log.error("A COMMIT failed: %s", type(error).__name__, exc_info=error.__cause__)
    sentence = sentence_for_page(error) if not is_for_api() else str(error)
    response = error_response(error.status, error.code, sentence, fields=error.fields, details=error.details)
    _record_refusal(error)
    paths = _quoting(error)
    if paths and is_for_api():
        response.headers[UNTRUSTED_FIELDS] = ", ".join(paths)
    if error.status in (429, 503):
        response.headers["Retry-After"] = str((error.details or {}).get("retryAfter", RETRY_AFTER_SECONDS))
    return response


def _quoting(error: LedgerError) -> list[str]:
    """List the paths of a refusal that quote what a stranger may have written."""
    fields = [sentence for sentences in error.fields.values() for sentence in sentences]
    cited = {"error": is_citing(str(error)), "fields": any(map(is_citing, fields))}
    return list(dict.fromkeys([*error.untrusted, *(path for path, is_one in cited.items() if is_one)]))


def sentence_for_page(error: LedgerError) -> str:
    """Give an error's sentence as a page shows it."""
    return UNKNOWN_ON_PAGES if isinstance(error, failures.UnknownOutcomeError) else str(error)


def _record_refusal(error: LedgerError) -> None:
    """Record a refused act; a failure of that must not hide the refusal."""
    try:
        record_refusal(error)
    except Exception as other:
        if not _is_of_database(other):
            raise
        _take_back()
        log.error("A refused act was not recorded: %s", type(other).__name__)  # noqa: TRY400


def sentence_of(fields: Mapping[str, list[str]]) -> str:
    """The first message of each field in one line."""
    return " ".join(f"{path}: {messages[0]}" if path else messages[0] for path, messages in fields.items())


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """What an error is answered with."""

    status: int
    code: str
    sentence: str
    fields: dict[str, list[str]]


def http_error_facts(error: HTTPException) -> ErrorFacts:
    """Give what an error of Werkzeug, Flask or webargs is answered with."""
    status = error.code or 500
    code, sentence = HTTP_ERRORS.get(status, ("error", error.description or error.name))
    fields = shortened(flat_messages(getattr(error, "data", None)))
    if fields:
        sentence = sentence_of(fields)
    own_code = getattr(error, "own_code", None)
    if own_code is not None:
        code, sentence = own_code, error.description or sentence
    return ErrorFacts(status, code, sentence, fields)


def answer_http_error(error: HTTPException) -> Response:
    """Answer an error of Werkzeug, Flask or webargs, with its headers."""
    facts = http_error_facts(error)
    response = error_response(facts.status, facts.code, facts.sentence, fields=facts.fields or None)
    for name, value in error.get_headers():
        if name.lower() not in {"content-type", "content-length"}:
            response.headers.setdefault(name, value)
    if isinstance(error.response, Response):
        response.headers.extend(error.response.headers)
    return response


def answer_validation_error(error: ma.ValidationError) -> Response:
    """Answer an invalid form, where its view does not handle it."""
    found: dict[str, list[str]] = {}
    for path, text in walk_messages(error.messages, ()):
        found.setdefault(path, []).append(text)
    fields = shortened(found)
    return error_response(422, "validation", sentence_of(fields), fields=fields)


def answer_unavailable(error: Exception) -> Response:
    """Answer a database that cannot do a statement now: locked, full, or not available; or a sum beyond 64 bits."""
    if isinstance(error, sqlalchemy.exc.DBAPIError) and failures.is_too_large(error):
        return answer_ledger_error(AmountTooLargeError())
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
    log.error("The database refused: %s %s", type(cause).__name__, code or "")
    return answer_ledger_error(failures.of_statement(error))


def answer_internal(error: sqlalchemy.exc.InternalError) -> Response:
    """Answer a database that may only be read, or a transaction that failed before; the rest is unexpected."""
    if getattr(error.orig, "sqlstate", None) in failures.PG_UNAVAILABLE:
        return answer_unavailable(error)
    return answer_unexpected(error)


def answer_file_error(error: OSError) -> Response:
    """Answer a file that could not be written or read because of its disk; any other such error is unexpected."""
    failure = failures.of_file(error)
    if failure is None:
        return answer_unexpected(error)
    log.error("The disk refused: %s", errno.errorcode.get(error.errno or 0, "unknown"))
    return answer_ledger_error(failure)


def answer_data_error(error: sqlalchemy.exc.DataError) -> Response:
    """Answer a value that the database refuses and no schema has checked."""
    if failures.is_too_large(error):
        return answer_ledger_error(AmountTooLargeError())
    log.error("The database could not take a value", exc_info=error)
    return error_response(422, *HTTP_ERRORS[422])


def answer_integrity_error(error: sqlalchemy.exc.IntegrityError) -> Response:
    """Answer a write that a constraint of the database refused."""
    if failures.is_too_large(error):
        return answer_ledger_error(AmountTooLargeError())
    log.error("The database refused a write", exc_info=error)
    sentence = (
        "This contradicts the present state of the books; nothing was changed. Read it again and retry."
    )
    return error_response(409, "conflict", sentence)


def answer_unexpected(error: Exception) -> Response:
    """Answer an unexpected error without details, unless it is the database's, past SQLAlchemy."""
    if failures.is_of_driver(error):
        return answer_unavailable(error)
    log.error("Unexpected error", exc_info=error)
    return error_response(500, *HTTP_ERRORS[500])


def server_refusal(environ: Mapping[str, Any]) -> Response | None:
    """Answer what the server refuses, with JSON for everybody; None for every other request.

    The server says so by a field of the request. Under another one it only harms the client that sends it.
    """
    named = environ.get("HTTP_TIEOUT_REFUSAL")
    if named is None:
        return None
    code = named if named in SERVER_REFUSALS else "bad_request"
    status, sentence, headers = SERVER_REFUSALS[code]
    answer: dict[str, Any] = error_body(code, sentence)
    if is_for_models(environ.get("PATH_INFO", "")):
        # Clients of the protocol show no other sentence.
        answer = {"jsonrpc": "2.0", "error": {"code": INTERNAL, "message": sentence, "data": {"code": code}}}
    return Response(json.dumps(answer), status, headers, content_type="application/json")


def is_for_api() -> bool:
    """Return whether the request is of a program: for the API, or for the protocol of models."""
    path = request.path
    return path.startswith("/api/") or path == "/api" or is_for_models(path)


def is_for_models(path: str) -> bool:
    """Return whether a path is the address of the protocol for models, with or without a slash at its end."""
    return path in {MODELS, f"{MODELS}/"}


def error_response(
    status: int,
    code: str,
    sentence: str,
    *,
    fields: Mapping[str, list[str]] | None = None,
    details: Mapping[str, Any] | None = None,
) -> Response:
    """Roll back, and answer an error as JSON or as a page."""
    _take_back()
    if is_for_api():
        body = error_body(code, sentence, fields, details)
        return Response(json.dumps(body), status, content_type="application/json")
    return make_response(_error_part(status, sentence) or _error_page(status, sentence), status)


def _error_part(status: int, sentence: str) -> str | None:
    """Render an error in the place of the element that htmx asked for; a whole page is answered with one."""
    tag, _, element_id = request.headers.get("HX-Target", "").partition("#")
    if request.headers.get("HX-Request") != "true" or tag in {"", "body", "main"}:
        return None
    if status == 404:  # noqa: PLR2004
        sentence = "This is no longer there."
    part = current_app.jinja_env.get_template("errors/part.html")
    return part.render(message=sentence, tag=tag if tag in PARTS else "div", element_id=element_id)


def _take_back() -> None:
    """Roll back; a connection that cannot do so is given up, and the database takes back what was open on it."""
    try:
        db.session.rollback()
    except Exception as error:
        if not _is_of_database(error):
            raise
        log.error("A rollback failed: %s", type(error).__name__)  # noqa: TRY400
        db.session().invalidate()


def _is_of_database(error: Exception) -> bool:
    return isinstance(error, LedgerError | sqlalchemy.exc.SQLAlchemyError) or failures.is_of_driver(error)


def _error_page(status: int, sentence: str) -> str:
    """Render the page of an error; where the database cannot say who looks at it, without the frame of the pages."""
    try:
        return render_template("errors/error.html", status=status, message=sentence)
    except Exception as error:
        if not _is_of_database(error):
            raise
        _take_back()
        # Without the context of the other templates, which asks the database.
        return current_app.jinja_env.get_template("errors/bare.html").render(message=sentence)


def refusal_body(error: LedgerError) -> dict[str, Any]:
    """Give the JSON body that a refusal is answered with."""
    return error_body(error.code, str(error), error.fields, error.details)


def error_body(
    code: str,
    sentence: str,
    fields: Mapping[str, list[str]] | None = None,
    details: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Give the JSON body of an error."""
    beside = {"fields": fields, "details": details}
    return {"error": sentence, "code": code, **{key: value for key, value in beside.items() if value}}


def shortened(fields: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The first messages, with long paths cut: a request may have a million errors or a name of a million letters.

    >>> shortened({"a" * 1000: ["No."]}).popitem()
    ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…', ['No.'])
    """
    return {
        path if len(path) <= LONGEST_PATH else path[: LONGEST_PATH - 1] + "…": messages[:MOST_MESSAGES]
        for path, messages in islice(fields.items(), MOST_FIELDS)
    }


def flat_messages(data: Any) -> dict[str, list[str]]:
    """Flatten the messages of webargs and Marshmallow to dotted paths.

    >>> flat_messages({"messages": {"json": {"effects": {0: {"kind": ["Send one."]}}}}})
    {'effects.0.kind': ['Send one.']}
    """
    if not isinstance(data, dict):
        return {}
    messages = data.get("messages")
    if not isinstance(messages, dict):
        return {}
    flat: dict[str, list[str]] = {}
    for location in messages.values():
        for path, text in walk_messages(location, ()):
            flat.setdefault(path, []).append(text)
    return flat


def walk_messages(messages: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Walk nested validation messages as (dotted path, sentence)."""
    if isinstance(messages, dict):
        for key, inner in messages.items():
            yield from walk_messages(inner, path if key == "_schema" else (*path, str(key)))
    elif isinstance(messages, list):
        for inner in messages:
            yield from walk_messages(inner, path)
    else:
        yield ".".join(path), str(messages)
