"""Idempotency-Key: a write that is sent again is done once, and answered as it was the first time."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from datetime import datetime
from hashlib import file_digest, sha256
from typing import Any

from flask import Response, current_app, request
from sqlalchemy.exc import SQLAlchemyError

from webapp import db as database
from webapp.db import db
from webapp.errors import answer_ledger_error, is_for_api
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.queries.access.principals import Principal
from webapp.services.audit import idempotency_keys
from webapp.services.audit.idempotency_keys import Answer, Claim
from webapp.web.access.request_state import state
from webapp.web.access.strictness import declared_places

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
KEY = re.compile(r"[!-~]{1,255}")
WRITES = frozenset({"post", "put", "patch", "delete"})
# Who was not let in, or sent what was not read, has not used the key yet.
NOT_KEPT = frozenset({401, 403, 413, 415, 429})
PARAMETER: dict[str, Any] = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": (
        "A key of your own making for this one request, such as a random UUID. Sent again within a day, the same "
        "request is not done again but answered as it was, with `Idempotency-Replayed: true`; another request "
        "under the same key is refused (422 `idempotency_key_reused`)."
    ),
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}

log = logging.getLogger("tieout.idempotency")


class MalformedKeyError(UnprocessableError):
    """An Idempotency-Key is 1 to 255 visible ASCII characters without spaces, such as a random UUID."""

    code = "validation"


def answered(who: Principal, *, is_read: bool) -> Response | None:
    """Give the answer that a write's key stands for already, or remember the key for `settle`; 422 for a wrong one.

    It is asked once the body is in, in the transaction that writes; before it where the view opens that itself.
    """
    key = request.headers.get(HEADER)
    if key is None or request.method.lower() not in WRITES or not is_for_api():
        return None
    if not KEY.fullmatch(key):
        raise MalformedKeyError(fields={HEADER: [str(MalformedKeyError())]})
    fingerprint = _fingerprint()
    if is_read or fingerprint is None:
        return None
    claim = Claim(who.organization_id, _actor(who), key, fingerprint)
    is_open = db.session().in_transaction()
    if not is_open:
        database.scope_session(who.organization_id)
        database.begin_read()
    earlier = idempotency_keys.answered(claim)
    if not is_open:
        db.session.rollback()
    if earlier is None:
        state().key_claim = claim
        return None
    return _written(Response(), earlier)


def settle(response: Response) -> None:
    """Keep a write's answer in its own transaction, or a refusal in one of its own after the write's has ended.

    Where somebody else was answered under the key meanwhile, that one counts: what this request did is taken back.
    """
    claim, state().key_claim = state().key_claim, None
    if claim is None or response.status_code in NOT_KEPT or response.status_code >= 500:  # noqa: PLR2004
        return
    is_done = _is_writing()
    try:
        if not is_done:
            db.session.rollback()
            database.begin_write(claim.organization_id)
        _settle(claim, response, state().now)
    except (LedgerError, SQLAlchemyError) as error:
        if is_done:
            raise
        # Nothing was written, so that whoever sends it again is judged anew; that must not hide the refusal.
        db.session.rollback()
        log.warning("A refusal was not kept under its key: %s", type(error).__name__)


def _settle(claim: Claim, response: Response, now: datetime) -> None:
    try:
        earlier = idempotency_keys.answered(claim)
    except idempotency_keys.KeyReusedError as error:
        db.session.rollback()
        refusal = answer_ledger_error(error)
        _write(response, Answer(refusal.status_code, refusal.content_type, refusal.get_data()))
        return
    if earlier is not None:
        db.session.rollback()
        _written(response, earlier)
        return
    kept = Answer(response.status_code, response.content_type, response.get_data())
    idempotency_keys.keep(claim, kept, now=now)


def _is_writing() -> bool:
    """Tell whether the open transaction is one that writes."""
    if not db.session().in_transaction():
        return False
    return not db.session.connection().get_execution_options().get("read_only", False)


def _written(response: Response, answer: Answer) -> Response:
    """Let a response say what was answered before."""
    _write(response, answer)
    response.headers[REPLAYED] = "true"
    return response


def _write(response: Response, answer: Answer) -> None:
    response.status_code = answer.status
    response.content_type = answer.content_type
    response.set_data(answer.body)


def _actor(who: Principal) -> tuple[str, int]:
    return ("PERSON", who.user_id) if who.token_id is None else ("TOKEN", who.token_id)


def _fingerprint() -> str | None:
    """Write down what is asked as SHA-256 in hex; None for a body that the view will not read."""
    places = declared_places(current_app.view_functions[request.endpoint or ""])
    if request.mimetype == "multipart/form-data":
        said: list[str | bytes] = list(_parts())
    elif places & {"form", "files"} and "body" not in places:
        return None
    else:
        said = [request.get_data()]
    asked = sha256()
    for part in (request.method, request.path, request.query_string, *said):
        asked.update(sha256(part if isinstance(part, bytes) else part.encode()).digest())
    return asked.hexdigest()


def _parts() -> Iterator[str | bytes]:
    """Give a form's fields and files by name: the border between its parts is another each time it is sent."""
    for name, values in sorted(request.form.lists()):
        for value in values:
            yield from ("field", name, value)
    for name, files in sorted(request.files.lists()):
        for file in files:
            digest = file_digest(file.stream, "sha256").digest()  # type: ignore[arg-type]
            file.stream.seek(0)
            yield from ("file", name, file.filename or "", digest)
