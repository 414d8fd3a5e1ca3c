"""Files of this machine in messages: a tool's `path` becomes the file's bytes before a message is passed on."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from webapp.schemas.files import MOST_BYTES

PATH: Final = "path"
CALL, LIST = "tools/call", "tools/list"
CONTENT, FILE_NAME, TEXT = "content", "fileName", "text"
SHAPE: Final = {"type": "string", "description": "A file on this machine."}


class UnsentFileError(Exception):
    """A path is of no file that may be sent; the sentence says why and what to do."""


def with_bytes(body: Mapping[str, Any], folder: Path | None) -> dict[str, Any] | None:
    """Write a call of a tool with the bytes of the file that it names, or None for any other message.

    With a `folder` only its files are sent; hidden ones never are. Raises UnsentFileError.
    """
    params = body.get("params")
    if body.get("method") != CALL or not isinstance(params, dict):
        return None
    arguments = params.get("arguments")
    if not isinstance(arguments, dict) or PATH not in arguments:
        return None
    named = {key: value for key, value in arguments.items() if key != PATH}
    if {CONTENT, TEXT} & named.keys():
        raise UnsentFileError("Send path, or the file itself; not both.")
    path = _readable(arguments[PATH], folder)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnsentFileError(f"path: {path.name} cannot be read: {error.strerror}.") from error
    sent = {FILE_NAME: path.name, CONTENT: base64.b64encode(data).decode(), **named}
    return {**body, "params": {**params, "arguments": sent}}


def _readable(path: Any, folder: Path | None) -> Path:
    if not isinstance(path, str) or not path or "\0" in path:
        raise UnsentFileError("path: Send the path of a file as text.")
    # What it leads to counts, so that no link leads out of the folder.
    found = (folder or Path()).joinpath(Path(path).expanduser()).resolve()
    if folder is not None and not found.is_relative_to(folder.resolve()):
        raise UnsentFileError(f"path: Only files below {folder} are sent; TIEOUT_FILES names that folder.")
    if any(part.startswith(".") for part in found.parts):
        raise UnsentFileError("path: Hidden files are never sent.")
    if not found.is_file():
        raise UnsentFileError(f"path: There is no file {path[:200]!r}.")
    if found.stat().st_size > MOST_BYTES:
        raise UnsentFileError(
            f"path: {found.name} has more than {MOST_BYTES:,} bytes; tieout import takes any."
        )
    return found


def with_paths(answer: Any) -> Any:
    """Add `path` to the input of each listed tool that takes a file."""
    tools = answer.get("result", {}).get("tools", ()) if isinstance(answer, dict) else ()
    for tool in tools:
        properties = tool["inputSchema"].get("properties", {})
        if CONTENT in properties:
            properties[PATH] = SHAPE
    return answer
