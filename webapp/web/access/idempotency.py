"""Idempotency-Key: a write that is sent again is executed once, and gets the first answer again."""

import logging
import re
from collections.abc import Iterator
from datetime import datetime
from hashlib import file_digest, sha256
from typing import Any

from flask import Response, current_app, request
from sqlalchemy.exc import SQLAlchemyError

from webapp.database import sessions
from webapp.database.sessions import db
from webapp.errors import answer_ledger_error, is_for_api
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.queries.access.principals import Principal
from webapp.services.audit import idempotency_keys
from webapp.services.audit.idempotency_keys import Answer, Claim
from webapp.web.access.request_state import state
from webapp.web.access.view_arguments import argument_places

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
KEY = re.compile(r"[!-~]{1,255}")
WRITES = frozenset({"post", "put", "patch", "delete"})
# The acts of pages whose script sends a key. Answers of others are not stored: some show a new secret once.
HELD = frozenset({"confirmations.confirm"})
FORMS = frozenset({"multipart/form-data", "application/x-www-form-urlencoded"})
# What a call that one of our own makes brings along, where no header can: as which request its key counts, and that
# only an earlier answer is wanted.
SENT_AS, ONLY_EARLIER = "tieout.sent_as", "tieout.only_earlier"
# Statuses of requests that were not accepted, and have not used the key.
NOT_STORED = frozenset({401, 403, 412, 413, 415, 429})
PARAMETER: dict[str, Any] = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": (
        "A key that you choose for this request, such as a random UUID. The same request sent again within a day "
        "is not executed again, and gets the same answer with `Idempotency-Replayed: true`; another request with "
        "the same key is refused (422 `idempotency_key_reused`)."
    ),
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}

log = logging.getLogger("tieout.idempotency")


class MalformedKeyError(UnprocessableError):
    """An Idempotency-Key is 1 to 255 visible ASCII characters without spaces, such as a random UUID."""

    code = "validation"


def answered(principal: Principal, *, is_read: bool) -> Response | None:
    """Return the stored answer of a write's key, or remember the key for `store`; 422 for an invalid one.

    Called after the body is read, in the transaction that writes, or before it where the view opens that itself.
    Who wants an earlier answer only gets 204 where there is none.
    """
    key = request.headers.get(HEADER)
    if key is None or request.method.lower() not in WRITES or not (is_for_api() or _is_held()):
        return None
    if not KEY.fullmatch(key):
        raise MalformedKeyError(fields={HEADER: [str(MalformedKeyError())]})
    fingerprint = request.environ.get(SENT_AS) or _fingerprint()
    # What is only tried uses no key up.
    if is_read or fingerprint is None or state().is_dry_run:
        return None
    claim = Claim(principal.organization_id, _actor(principal), key, fingerprint)
    is_open = db.session().in_transaction()
    if not is_open:
        sessions.scope_session(principal.organization_id)
        sessions.begin_read()
    earlier = idempotency_keys.answered(claim)
    if not is_open:
        db.session.rollback()
    if earlier is not None:
        return _replayed(Response(), earlier)
    if ONLY_EARLIER in request.environ:
        return Response(status=204)
    state().key_claim = claim
    return None


def store(response: Response) -> None:
    """Store a write's answer in its transaction, or an error answer in another one after the write's has ended.

    If another request with the key was answered meanwhile, this one is rolled back and gets that answer.
    """
    claim, state().key_claim = state().key_claim, None
    if claim is None or response.status_code in NOT_STORED or response.status_code >= 500:  # noqa: PLR2004
        return
    is_done = is_writing()
    try:
        if not is_done:
            db.session.rollback()
            sessions.begin_write(claim.organization_id)
        _store(claim, response, state().now)
    except (LedgerError, SQLAlchemyError) as error:
        if is_done:
            raise
        # Nothing was written, so that the request can be sent again; this failure must not hide the error answer.
        db.session.rollback()
        log.warning("An error answer was not stored under its key: %s", type(error).__name__)


def _store(claim: Claim, response: Response, now: datetime) -> None:
    try:
        earlier = idempotency_keys.answered(claim)
    except idempotency_keys.KeyReusedError as error:
        db.session.rollback()
        refusal = answer_ledger_error(error)
        _write(response, Answer(refusal.status_code, refusal.content_type, refusal.get_data()))
        return
    if earlier is not None:
        db.session.rollback()
        _replayed(response, earlier)
        return
    answer = Answer(response.status_code, response.content_type, response.get_data())
    idempotency_keys.keep(claim, answer, now=now)


def is_writing() -> bool:
    """Return whether a transaction that writes is open."""
    if not db.session().in_transaction():
        return False
    return not db.session.connection().get_execution_options().get("read_only", False)


def _replayed(response: Response, answer: Answer) -> Response:
    """Replace a response by a stored answer."""
    _write(response, answer)
    response.headers[REPLAYED] = "true"
    return response


def _write(response: Response, answer: Answer) -> None:
    response.status_code = answer.status
    response.content_type = answer.content_type
    response.set_data(answer.body)


def _is_held() -> bool:
    return request.endpoint in HELD


def _actor(principal: Principal) -> tuple[str, int]:
    return ("PERSON", principal.user_id) if principal.token_id is None else ("TOKEN", principal.token_id)


def _fingerprint() -> str | None:
    """The SHA-256 of a request in hex; None for a body that the view will not read."""
    places = argument_places(current_app.view_functions[request.endpoint or ""])
    if request.mimetype in FORMS:
        body: list[str | bytes] = list(_parts())
    elif places & {"form", "files"} and "body" not in places:
        return None
    else:
        body = [request.get_data()]
    digest = sha256()
    for part in (request.method, request.path, request.query_string, *body):
        digest.update(sha256(part if isinstance(part, bytes) else part.encode()).digest())
    return digest.hexdigest()


def _parts() -> Iterator[str | bytes]:
    """Yield a form's fields and files by name, because the boundary between its parts differs each time."""
    for name, values in sorted(request.form.lists()):
        for value in values:
            yield from ("field", name, value)
    for name, files in sorted(request.files.lists()):
        for file in files:
            digest = file_digest(file.stream, "sha256").digest()  # type: ignore[arg-type]
            file.stream.seek(0)
            yield from ("file", name, file.filename or "", digest)
