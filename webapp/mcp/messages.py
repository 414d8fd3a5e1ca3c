"""Messages of the Model Context Protocol, each read by the rules of its era.

Sources: JSON-RPC 2.0, and the specification's revisions 2025-06-18 and 2025-11-25 (a handshake comes first: the legacy
era) and 2026-07-28 (each request carries its version and capabilities: the modern era).
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

MODERN: Final = "2026-07-28"
LEGACY: Final = ("2025-11-25", "2025-06-18")
SUPPORTED: Final = (MODERN, *LEGACY)

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR: Final = -32603
# Of the legacy era only.
NO_RESOURCE: Final = -32002
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
# What a modern refusal is answered with over HTTP; each that is not here is 400.
STATUS: Final[Mapping[int, int]] = {NO_METHOD: 404}

# A file of 1 MiB in Base64, and what is sent with it.
LARGEST_MESSAGE: Final = 2 * 1024 * 1024

META: Final = "_meta"
PROTOCOL_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"
# The parameter that a method's name header repeats.
NAMED_BY: Final[Mapping[str, str]] = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
ENCODED: Final = ("=?base64?", "?=")

MessageId = str | int | None


class HeaderValues(Protocol):
    """The headers of a message, from a request or for a line of standard input."""

    def get(self, name: str, /) -> str | None:
        """Return a value, or None."""


class ProtocolError(Exception):
    """A message that the protocol refuses: `code` is JSON-RPC's, `status` HTTP's."""

    def __init__(
        self, code: int, sentence: str, *, status: int = 400, data: Mapping[str, Any] | None = None
    ) -> None:
        """Take the reason; `data` is for programs."""
        super().__init__(sentence)
        self.code, self.status, self.data = code, status, data


class UnsupportedVersionError(ProtocolError):
    """A version of the protocol that this server does not speak."""

    def __init__(self, requested: object) -> None:
        """List the supported versions."""
        super().__init__(
            UNSUPPORTED_VERSION,
            f"This server speaks the revisions {', '.join(SUPPORTED)} of the protocol.",
            data={"supported": list(SUPPORTED), "requested": str(requested)[:80]},
        )


@dataclass(frozen=True, slots=True)
class Message:
    """A request, or a notification without an id and an answer."""

    id: MessageId
    method: str
    params: Mapping[str, Any]
    is_modern: bool
    is_notification: bool


def id_of(body: Any) -> MessageId:
    """Return the valid id of a message for an error, or None."""
    found = body.get("id") if isinstance(body, dict) else None
    return found if isinstance(found, (str, int)) and not isinstance(found, bool) else None


def read(body: Any, headers: HeaderValues) -> Message:
    """Read a message with its headers; raises ProtocolError."""
    if isinstance(body, list):
        raise ProtocolError(INVALID_REQUEST, "Send one message at a time, not a list of them.")
    method = body.get("method") if isinstance(body, dict) else None
    if not isinstance(method, str) or body.get("jsonrpc") != "2.0":
        raise ProtocolError(
            INVALID_REQUEST, 'Send a JSON-RPC message: {"jsonrpc": "2.0", "id": 1, "method": …}.'
        )
    is_notification = "id" not in body
    if not is_notification and id_of(body) is None:
        raise ProtocolError(INVALID_REQUEST, "id: Send text or a whole number.")
    params = body.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "params: Send a JSON object.")
    is_modern = _is_modern(method, params, headers)
    if is_modern and not is_notification:
        _check_modern(method, params, headers)
    return Message(id_of(body), method, params, is_modern, is_notification)


def _is_modern(method: str, params: Mapping[str, Any], headers: HeaderValues) -> bool:
    """Return the era of a message; raises UnsupportedVersionError for a header of another revision."""
    version = headers.get(VERSION_HEADER)
    meta = params.get(META)
    if version == MODERN or (isinstance(meta, dict) and PROTOCOL_VERSION in meta):
        return True
    if version is not None and version not in LEGACY and method != "initialize":
        raise UnsupportedVersionError(version)
    return False


def _check_modern(method: str, params: Mapping[str, Any], headers: HeaderValues) -> None:
    """Refuse a modern request without its version and capabilities, or with other headers."""
    meta = params.get(META)
    missing = [
        key for key in (PROTOCOL_VERSION, CAPABILITIES) if not isinstance(meta, dict) or key not in meta
    ]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"params._meta: missing {' and '.join(missing)}.")
    requested = params[META][PROTOCOL_VERSION]
    _compare(headers, VERSION_HEADER, requested)
    _compare(headers, METHOD_HEADER, method)
    if method in NAMED_BY:
        _compare(headers, NAME_HEADER, params.get(NAMED_BY[method]))
    if requested != MODERN:
        raise UnsupportedVersionError(requested)
    if not isinstance(params[META][CAPABILITIES], dict):
        raise ProtocolError(INVALID_PARAMS, f"params._meta: {CAPABILITIES} is a JSON object.")


def _compare(headers: HeaderValues, name: str, in_body: Any) -> None:
    sent = headers.get(name)
    if sent is None:
        raise ProtocolError(HEADER_MISMATCH, f"The header {name} is missing.")
    if _decoded(name, sent) != in_body:
        raise ProtocolError(HEADER_MISMATCH, f"The header {name} is not what the body says.")


def _decoded(name: str, sent: str) -> str:
    """Decode a header's value.

    >>> _decoded("Mcp-Name", "=?base64?SGVsbG8sIOS4lueVjA==?=")
    'Hello, 世界'
    """
    first, last = ENCODED
    if not (sent.startswith(first) and sent.endswith(last)):
        return sent
    try:
        return base64.b64decode(sent[len(first) : -len(last)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise ProtocolError(HEADER_MISMATCH, f"The header {name} is no Base64 of UTF-8.") from error


def encoded(value: str) -> str:
    """Encode a value for a header, as visible ASCII without surrounding spaces.

    >>> encoded("get_context"), encoded("Zürich")
    ('get_context', '=?base64?WsO8cmljaA==?=')
    """
    first, last = ENCODED
    is_plain = value.isascii() and value.isprintable() and value == value.strip()
    if is_plain and not (value.startswith(first) and value.endswith(last)):
        return value
    # Half a character, which JSON can say, is in no header: the other side finds that it is another value.
    return f"{first}{base64.b64encode(value.encode(errors='replace')).decode()}{last}"
