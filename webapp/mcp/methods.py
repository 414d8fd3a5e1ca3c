"""The methods of the protocol and their answers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.config import version
from webapp.errors import sentence_of, shortened, walk_messages
from webapp.ledger.texts.legible import visible
from webapp.mcp import prompts, resources, tools
from webapp.mcp.calls.api_calls import RefusedCallError
from webapp.mcp.messages import (
    INVALID_PARAMS,
    LEGACY,
    NO_METHOD,
    NO_RESOURCE,
    SUPPORTED,
    Message,
    ProtocolError,
)
from webapp.mcp.resources import INSTRUCTIONS
from webapp.mcp.shapes import tables
from webapp.mcp.shapes.tool import ToolError
from webapp.web.access.auth import principal
from webapp.web.access.request_state import state

Json = dict[str, Any]

SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"
CAPABILITIES: Final[Mapping[str, Any]] = {"tools": {}, "resources": {}, "prompts": {}}
# How long an answer is fresh, in milliseconds: the tools are those of a key's scopes, and what has books never is.
LASTING, FLEETING = 60_000, 0


def answer(message: Message) -> Json:
    """Answer a request with its result; raises ProtocolError. Notifications need nothing done."""
    if message.is_notification:
        return {}
    method = (MODERN_METHODS if message.is_modern else LEGACY_METHODS).get(message.method)
    if method is None:
        raise ProtocolError(NO_METHOD, f"There is no method {message.method[:80]} here.", status=404)
    try:
        result = method(message.params)
    except resources.NoResourceError as error:
        raise ProtocolError(INVALID_PARAMS if message.is_modern else NO_RESOURCE, str(error)) from error
    if not message.is_modern:
        return result
    lasting = {"ttlMs": FRESH[message.method], "cacheScope": "private"} if message.method in FRESH else {}
    return {"resultType": "complete", **result, **lasting, "_meta": {SERVER_INFO: _server()}}


def _server() -> Json:
    return {"name": "tieout", "title": "Tieout", "version": version()}


def _discover(_params: Mapping[str, Any]) -> Json:
    return {
        "supportedVersions": list(SUPPORTED),
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
    }


def _initialize(params: Mapping[str, Any]) -> Json:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in LEGACY else LEGACY[0],
        "capabilities": CAPABILITIES,
        "serverInfo": _server(),
        "instructions": INSTRUCTIONS,
    }


def _ping(_params: Mapping[str, Any]) -> Json:
    return {}


def _list_tools(_params: Mapping[str, Any]) -> Json:
    return {"tools": [each.definition for each in tools.open_to(frozenset(principal().scopes))]}


def _call_tool(params: Mapping[str, Any]) -> Json:
    """Call a tool; a refusal by the books is a result, so that a model can correct it."""
    name, arguments = params.get("name"), params.get("arguments") or {}
    found = {each.name: each for each in tools.open_to(frozenset(principal().scopes))}
    if not isinstance(name, str) or name not in found:
        raise ProtocolError(
            INVALID_PARAMS, f"There is no tool {str(name)[:80]!r}; there are: {', '.join(found)}."
        )
    if not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "arguments: Send a JSON object.")
    try:
        return found[name].call(arguments)
    except ma.ValidationError as error:
        return _failed(_sentence(error))
    except ToolError as error:
        return _failed(str(error))
    except RefusedCallError as error:
        return _failed(tools.in_words_of_tools(str(error)))


def _sentence(error: ma.ValidationError) -> str:
    messages: dict[str, list[str]] = {}
    for path, text in walk_messages(error.messages, ()):
        messages.setdefault(path, []).append(text)
    return sentence_of(shortened(messages))


def _failed(sentence: str) -> Json:
    state().is_refused = True
    return {"content": [{"type": "text", "text": tables.with_fences(visible(sentence))}], "isError": True}


MODERN_METHODS: Final[Mapping[str, Callable[[Mapping[str, Any]], Json]]] = {
    "server/discover": _discover,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "resources/list": resources.listed,
    "resources/templates/list": resources.templates,
    "resources/read": resources.read,
    "prompts/list": prompts.listed,
    "prompts/get": prompts.get,
}
LEGACY_METHODS: Final[Mapping[str, Callable[[Mapping[str, Any]], Json]]] = {
    **{name: method for name, method in MODERN_METHODS.items() if name != "server/discover"},
    "initialize": _initialize,
    "ping": _ping,
}
FRESH: Final[Mapping[str, int]] = {
    "server/discover": LASTING,
    "tools/list": LASTING,
    "resources/list": LASTING,
    "resources/templates/list": LASTING,
    "prompts/list": LASTING,
    "resources/read": FLEETING,
}
