"""The single address of the protocol: each message is a POST, answered at once as JSON."""

import json
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest

from webapp.mcp import messages, methods
from webapp.mcp.messages import INTERNAL_ERROR, LARGEST_MESSAGE, PARSE_ERROR, Message, ProtocolError
from webapp.web.access import requests
from webapp.web.access.auth import requires
from webapp.web.access.hosts import CrossSiteError
from webapp.web.access.request_state import state

bp = Blueprint("mcp", __name__)
REFUSED = 400
SMALL_BODY = 64 * 1024


@bp.post("/mcp")
@requires("read", begins=False, writes=False, body_limit=LARGEST_MESSAGE, token_only=True)
def receive() -> Response:
    """Answer a message of an API key; pages of other sites are refused, to protect servers behind firewalls."""
    origin = request.headers.get("Origin")
    if origin is not None and origin != request.host_url.rstrip("/"):
        raise CrossSiteError
    body: Any = None
    message: Message | None = None
    try:
        body = _body()
        message = messages.read(body, request.headers)
        result = methods.answer(message)
    except ProtocolError as error:
        return _refused(error, messages.id_of(body), message)
    if message.is_notification:
        return Response(status=202)
    return _json({"jsonrpc": "2.0", "id": message.id, "result": result})


@bp.after_request
def as_protocol_error(response: Response) -> Response:
    """Write a guard's refusal as an error of the protocol: clients show no other sentence."""
    if response.status_code < REFUSED:
        return response
    body = response.get_json(silent=True)
    if isinstance(body, dict) and "jsonrpc" in body:
        return response
    facts = dict(body) if isinstance(body, dict) else {"error": response.get_data(as_text=True).strip()}
    error = ProtocolError(INTERNAL_ERROR, str(facts.pop("error", "")), data=facts)
    response.set_data(_refused(error, _id_sent(), None).get_data())
    response.content_type = "application/json"
    return response


def _id_sent() -> messages.MessageId:
    """Return the id for a refusal; without a key, only a small body is read."""
    if not 0 < (request.content_length or 0) <= SMALL_BODY:
        return None
    try:
        return messages.id_of(request.get_json(silent=True, force=True))
    except RecursionError:
        return None


def _body() -> Any:
    try:
        requests.read_json_body()
    except BadRequest as error:
        raise ProtocolError(PARSE_ERROR, error.description or requests.NOT_READ) from error
    body = request.get_json(silent=True)
    if b"\\ud" in request.get_data().lower() and not _is_whole(body):
        raise ProtocolError(PARSE_ERROR, "A text in the message has half a character in it; send whole ones.")
    return body


def _is_whole(body: Any) -> bool:
    """Return whether all texts can be written in UTF-8: JSON may contain half of a surrogate pair."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refused(error: ProtocolError, message_id: messages.MessageId, message: Message | None) -> Response:
    """Answer a refusal with its own status, or with 200 to a valid legacy request."""
    refusal: dict[str, Any] = {"code": error.code, "message": str(error)}
    if error.data is not None:
        refusal["data"] = error.data
    body: dict[str, Any] = {"jsonrpc": "2.0", "error": refusal}
    if message_id is not None:
        body["id"] = message_id
    state().is_refused = True
    is_legacy = message is not None and not message.is_modern
    return _json(body, 200 if is_legacy else error.status)


def _json(body: Any, status: int = 200) -> Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    # Half a character, which JSON can say and UTF-8 cannot, becomes the escape that it came as.
    return Response(text.encode(errors="backslashreplace"), status, content_type="application/json")
