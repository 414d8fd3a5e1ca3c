"""The tools' calls of the JSON API: each is a request with the caller's key, so no tool may do more."""

import json
from collections.abc import Iterator, Mapping
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from flask import Flask, request
from flask.globals import app_ctx
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, run_wsgi_app

from webapp.web.access.idempotency import HEADER as IDEMPOTENCY_KEY
from webapp.web.access.idempotency import ONLY_EARLIER, SENT_AS
from webapp.web.access.rate_limits import WITHIN
from webapp.web.access.request_state import state

Json = dict[str, Any]

API: Final = "/api"
NOTHING, REFUSED = 204, 400
LARGEST_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """The answer to a call."""

    status: int
    body: Json


class RefusedCallError(Exception):
    """The books refuse a call: `body` is the error that the API answers."""

    def __init__(self, answer: ApiAnswer) -> None:
        """Keep the answer."""
        super().__init__(answer.body.get("error", ""))
        self.answer = answer

    @property
    def code(self) -> str:
        """The code of the refusal."""
        return str(self.answer.body.get("code", ""))


def get(path: str, **query: Any) -> Json:
    """Read an address of the API, without `/api` and without parameters that are None."""
    return ask("GET", path, query=query).body


def write(
    method: str, path: str, body: Any, *, key: str | None = None, sent_as: str | None = None, **query: Any
) -> ApiAnswer:
    """Write with an Idempotency-Key, or propose if the key may only propose.

    `sent_as` is the fingerprint of the tool's own input, if the body contains more.
    """
    return ask(method, path, query=query, body=body, key=key, within={SENT_AS: sent_as} if sent_as else {})


def earlier(key: str, sent_as: str) -> ApiAnswer | None:
    """Return the stored answer to a write `sent_as` this under a key, or None."""
    within = {SENT_AS: sent_as, ONLY_EARLIER: True}
    answer = ask("POST", "/plans", body={}, key=key, within=within)
    return None if answer.status == NOTHING else answer


def every(path: str, name: str, **query: Any) -> Iterator[Json]:
    """Yield each record of a list, page by page; `name` is the list's key."""
    cursor = None
    while True:
        page = get(path, limit=LARGEST_PAGE, cursor=cursor, **query)
        yield from page[name]
        cursor = page["nextCursor"]
        if cursor is None:
            return


def ask(
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: Any = None,
    key: str | None = None,
    within: Mapping[str, Any] | None = None,
) -> ApiAnswer:
    """Make a call with the request's credentials; raises RefusedCallError.

    `within` are facts that no header carries.
    """
    headers = {"Authorization": request.headers["Authorization"], "X-Request-Id": state().id}
    if key is not None:
        headers[IDEMPOTENCY_KEY] = key
    builder = EnvironBuilder(
        path=API + path,
        base_url=request.host_url,
        method=method,
        query_string=urlencode(
            [(name, _written(value)) for name, value in (query or {}).items() if value is not None]
        ),
        headers=Headers(headers),
        data=None if body is None else json.dumps(body),
        content_type=None if body is None else "application/json",
        environ_overrides={"REMOTE_ADDR": request.remote_addr, WITHIN: state().id, **(within or {})},
    )
    # In a context of its own: with a session and a transaction of its own, and none of this request's.
    chunks, status, _ = Context().run(
        run_wsgi_app, partial(Flask.wsgi_app, app_ctx.app), builder.get_environ(), buffered=True
    )
    data = b"".join(chunks)
    answer = ApiAnswer(int(status.split()[0]), json.loads(data) if data else {})
    if answer.status >= REFUSED:
        raise RefusedCallError(answer)
    return answer


def _written(value: Any) -> str:
    """Write a value of a query.

    >>> _written(True), _written([3, 4]), _written(5)
    ('true', '3,4', '5')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(str(each) for each in value)
    return str(value)
