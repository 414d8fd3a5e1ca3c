"""The request: one transaction, its id, its clock, and the reading of its body."""

import json
import logging
import math
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from flask import Flask, Request, Response, current_app, request
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnsupportedMediaType
from werkzeug.utils import cached_property

from webapp.database import failures, sessions, stop
from webapp.database.sessions import db
from webapp.errors import server_refusal
from webapp.ledger.errors import LedgerError
from webapp.web.access import idempotency, request_state
from webapp.web.access.hosts import SAFE_METHODS, is_trusted
from webapp.web.access.request_state import requested_view, state

Result = TypeVar("Result")

# The scope of a view that anybody may ask.
PUBLIC = "public"
MEBIBYTE = 1024 * 1024
BODY_LIMIT = MEBIBYTE
# A JSON body with a file: its 1 MiB as base64, and the other fields.
BODY_LIMIT_WITH_FILE = 5 * MEBIBYTE // 2
NOT_READ = "The request could not be read."
DEEPEST_JSON, MOST_KEYS, MOST_ITEMS = 32, 200, 20_000
# Of a form: its largest has 10,000 decisions on lines of a file.
MOST_PARTS = 20_000
# What tells whether the process runs, also while an upgrade stops everything else.
ALIVE = "/healthz"
REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
log = logging.getLogger("tieout.requests")


class MalformedError(BadRequest):
    """The body is no JSON."""

    own_code = "bad_request"

    def __init__(self, why: str) -> None:
        """Say where and why, except on the interface document's endpoints, whose answers stay as they are."""
        is_documented = getattr(requested_view(), "is_documented", False)
        super().__init__(NOT_READ if is_documented else f"The body is no JSON: {why[0].lower()}{why[1:]}.")


class TooManyKeysError(BadRequest):
    """An object of the body has more keys, a list more items or a form more fields than any address takes."""

    own_code = "bad_request"

    def __init__(self, what: tuple[str, str], count: int, most: int) -> None:
        """Say how many there are."""
        super().__init__(
            f"{what[0]} of the body has {count:,} {what[1]}, and no address takes more than {most:,}."
        )


class NoUploadError(UnsupportedMediaType):
    """The file was not sent as a form with a file."""

    own_code = "unsupported_media_type"
    description = (
        "Send the file as the part `file` of a multipart/form-data form, or to the API as JSON: `fileName`, and"
        " `content`, its bytes as base64."
    )


class BoundedRequest(Request):
    """A request whose form has a bounded number of fields, before something is said about each."""

    @cached_property
    def form(self) -> ImmutableMultiDict[str, str]:
        """Read the form; raises TooManyKeysError."""
        if self.mimetype == "application/x-www-form-urlencoded":
            count = self.get_data().count(b"&") + 1
            if count > MOST_PARTS:
                raise TooManyKeysError(("The form", "fields"), count, MOST_PARTS)
        return super().form


def register_requests(app: Flask) -> None:
    """Give every request an id and a clock at its beginning."""
    app.request_class = BoundedRequest
    app.before_request(open_request)


def register_commit(app: Flask) -> None:
    """Commit or roll back at the end of every request; registered last, it runs first of all that complete an answer.

    So the answer to a failed COMMIT is completed like every other one.
    """
    app.after_request(close_request)


def open_request() -> Response | None:
    """Set the request's id and clock; what the server or an unknown host sends is refused here."""
    sent = request.environ.get("HTTP_X_REQUEST_ID", "")
    request_state.begin(secrets.token_hex(12), sent if REQUEST_ID.fullmatch(sent) else None)
    if (refused := server_refusal(request.environ)) is not None:
        return refused
    if stop.is_stopped(Path(current_app.instance_path)) and request.path != ALIVE:
        raise stop.UpgradingError
    if not is_trusted(request.host, current_app.config["SETTINGS"].trusted_hosts):
        return _refuse_host()
    _refuse_unreadable_query()
    return None


def _refuse_unreadable_query() -> None:
    """Refuse a query with raw bytes that are not UTF-8, before other code fails on it."""
    if request.environ.get("QUERY_STRING", "").isascii():
        return
    try:
        request.query_string.decode()
    except UnicodeDecodeError:
        request.query_string = b""
        raise BadRequest from None


def _refuse_host() -> Response:
    """Answer an untrusted host name, without links, which would point to it."""
    sentence = "This service does not accept that host name. Its operator can add it to TRUSTED_HOSTS."
    if request.path.startswith("/api"):
        body = json.dumps({"error": sentence, "code": "untrusted_host"})
        return Response(body, 400, content_type="application/json")
    return Response(f"{sentence}\n", 400, content_type="text/plain; charset=utf-8")


def close_request(response: Response) -> Response:
    """Commit a successful request with its Idempotency-Key, and roll back everything else.

    A failure of the COMMIT is answered as the error handlers answer one of the view.
    """
    try:
        _end_transaction(response)
    except Exception as error:  # noqa: BLE001  (the handlers of all errors decide)
        response = current_app.make_response(current_app.handle_user_exception(error))
    response.headers["X-Request-Id"] = state().id
    return response


def _end_transaction(response: Response) -> None:
    is_refused = response.status_code >= 400 and not state().keeps_writes  # noqa: PLR2004  (an error's first status)
    if is_refused:
        db.session.rollback()
    idempotency.store(response)
    is_answer_alone = is_refused or not idempotency.is_writing()
    try:
        failures.commit(db.session())
    except LedgerError as error:
        if not is_answer_alone:
            raise
        # A read is answered already, and of a refusal only the answer was to be stored: a failure must not hide it.
        db.session.rollback()
        log.warning("A transaction without an act was not committed: %s", type(error).__name__)


def commit_on_error() -> None:
    """Commit although the answer may be an error, for the record of a refused import."""
    state().keeps_writes = True


def now() -> datetime:
    """The time of this request, in UTC."""
    return state().now


def is_safe() -> bool:
    """Return whether the request only reads."""
    return request.method in SAFE_METHODS


def limit_body(most_bytes: int) -> None:
    """Refuse a body that is larger than the address allows, before reading it."""
    # Of a body without a Content-Length Werkzeug reads this much, and ignores the rest without an error.
    # A request without a body says nothing of one, and is asked for it by name.
    says_length = "CONTENT_LENGTH" in request.environ
    length = request.content_length if says_length else None
    request.max_content_length = most_bytes if length is not None else most_bytes + 1
    if length is not None and length > most_bytes:
        raise RequestEntityTooLarge


def read_json_body(*, or_form: bool = False) -> None:
    """Read a JSON body before the transaction begins: 413, 415 for another type, 400 for invalid JSON or UTF-8.

    `or_form` is for an address that takes a form with a file as well.
    """
    data = request.get_data(cache=True)
    if not data:
        return
    if request.content_length is None and len(data) >= (request.max_content_length or 0):
        raise RequestEntityTooLarge
    # Flask's is_json also accepts types that end in +json.
    if request.mimetype != "application/json":
        raise NoUploadError if or_form else UnsupportedMediaType
    try:
        body = json.loads(
            data.decode(), parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_once
        )
    except json.JSONDecodeError as error:
        raise MalformedError(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise MalformedError(f"it is nested more than {DEEPEST_JSON} levels deep") from error
    except ValueError as error:
        raise MalformedError("it is not UTF-8, or has a number that JSON has not") from error
    _refuse_shape(body)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its keys; raises MalformedError for one with a key twice, of which one would be ignored."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedError(f"an object has the key {twice[:40]!r} twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _finite(digits: str) -> float:
    """Read a number with a point or an exponent; raises ValueError for one that overflows, such as 1e400."""
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


_BOUNDS = ((dict, ("An object", "keys"), MOST_KEYS), (list, ("A list", "items"), MOST_ITEMS))


def _refuse_shape(body: Any) -> None:
    """Refuse a body with too many keys or items, before something is said about each, and one that is too deep."""
    layer = [body]
    for _ in range(DEEPEST_JSON):
        for kind, what, most in _BOUNDS:
            count = max((len(each) for each in layer if isinstance(each, kind)), default=0)
            if count > most:
                raise TooManyKeysError(what, count, most)
        layer = [
            inner
            for outer in layer
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    if any(isinstance(each, (dict, list)) for each in layer):
        raise MalformedError(f"it is nested more than {DEEPEST_JSON} levels deep")


@contextmanager
def looking_up(organization_id: str | None) -> Iterator[None]:
    """Open the read snapshot in which the caller is looked up; a view that only reads goes on in it."""
    if db.session().in_transaction():
        yield
        return
    sessions.begin_read(organization_id)
    yield
    view = requested_view()
    is_public = getattr(view, "scope", PUBLIC) == PUBLIC
    if is_public or not is_safe() or not getattr(view, "begins", True):
        sessions.end_read()


def begin(organization_id: str) -> None:
    """Open the request's transaction on an organization's books: a read snapshot, or a write transaction."""
    sessions.scope_session(organization_id)
    if not is_safe():
        sessions.begin_write(organization_id)
    elif not db.session().in_transaction():
        sessions.begin_read()


def begin_reading(organization_id: str) -> None:
    """Open a read snapshot, for the part of a request before it writes; an open transaction is read in."""
    sessions.scope_session(organization_id)
    if not db.session().in_transaction():
        sessions.begin_read()


def begin_trial(organization_id: str) -> None:
    """Open a write transaction in place of the open one, for a preview that does an act and takes it back."""
    db.session.rollback()
    sessions.scope_session(organization_id)
    sessions.begin_write(organization_id)


def query_first(organization_id: str, query: Callable[[], Result]) -> Result:
    """Run a slow query in a snapshot of its own, and only then open the transaction that writes.

    So nobody waits for the query. If a transaction is open already, the query runs in it.
    """
    if db.session().in_transaction():
        return query()
    begin_reading(organization_id)
    result = query()
    db.session.rollback()
    begin(organization_id)
    return result
