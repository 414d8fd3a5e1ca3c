"""tieout mcp: messages line by line, each answered by a service, in parallel."""

import json
import logging
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue
from threading import Lock, Thread
from typing import Any, BinaryIO, Final

import click

from webapp import create_app
from webapp.commands.books import application, require_revision, require_safe_role
from webapp.commands.failures import FailedError
from webapp.commands.stdio import files
from webapp.commands.stdio.services import (
    AskedService,
    LocalService,
    RemoteService,
    ServiceAnswer,
    UnreachableError,
)
from webapp.config import LOOPBACK_HOSTS, SettingTexts
from webapp.mcp import messages
from webapp.mcp.messages import INTERNAL_ERROR, INVALID_REQUEST, LARGEST_MESSAGE, MessageId

# Calls that are made at once, and messages that wait for one of them to end; nothing is read beyond that.
WORKERS: Final = 8
MOST_WAITING: Final = 32
CANCELLED: Final = "notifications/cancelled"
TOO_LONG: Final = f"A message has at most {LARGEST_MESSAGE:,} bytes. Send less at a time."
# What to do about an answer that is none of the protocol; the service's own sentence stands before it.
HINTS: Final[Mapping[int, str]] = {
    401: "Set TIEOUT_TOKEN to an API key that is valid: Settings, API keys.",
    403: "Set TIEOUT_TOKEN to an API key that may do this: Settings, API keys.",
    404: "Set TIEOUT_URL to the address of Tieout, as a browser shows it.",
    413: TOO_LONG,
    429: "Wait a minute, then send it again.",
}
LOOK_FIRST: Final = "If it was to write something, look whether it is there before you send it again."
log = logging.getLogger("tieout.mcp")


@dataclass(slots=True)
class WaitingMessage:
    """A request under way: its line, its key, and what stands on the line."""

    line: bytes
    id: MessageId
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    is_cancelled: bool = False


class Relay:
    """Between lines and a service; only answers are written to `output`."""

    def __init__(self, service: AskedService, output: BinaryIO, folder: Path | None = None) -> None:
        """Take the service, the output for answers, and the folder of the files that tools may name, if only one."""
        self._service, self._output, self._folder = service, output, folder
        self._waiting: Queue[WaitingMessage] = Queue(MOST_WAITING)
        self._under_way: dict[str, WaitingMessage] = {}
        # One for what is under way, and so that each answer is a line of its own.
        self._lock = Lock()

    def run(self, lines: BinaryIO) -> None:
        """Answer all lines, and return after the last answer."""
        for _ in range(WORKERS):
            # A daemon, as whoever stops the command does not wait for its calls.
            Thread(target=self._work, daemon=True).start()
        while line := lines.readline(LARGEST_MESSAGE + 1):
            if len(line) > LARGEST_MESSAGE and not line.endswith(b"\n"):
                _skip_line(lines)
                self._write(_refusal(None, INVALID_REQUEST, TOO_LONG))
            elif line.strip():
                self._receive(line)
        self._waiting.join()

    def _receive(self, line: bytes) -> None:
        body = _object(_parsed(line))
        if "method" in body and "id" not in body:
            # The service keeps nothing between messages, so that no other notification concerns it.
            if body["method"] == CANCELLED:
                self._cancel(body.get("params"))
            return
        if "method" not in body and ("result" in body or "error" in body):
            log.warning("An answer was sent to a server that asks nothing; it is ignored.")
            return
        message = WaitingMessage(line, messages.id_of(body), headers_of(body), body)
        if message.id is not None:
            with self._lock:
                self._under_way[_key(message.id)] = message
        self._waiting.put(message)

    def _cancel(self, params: Any) -> None:
        """Leave a request without its answer; its effect on the books is unchanged."""
        with self._lock:
            message = self._under_way.get(_key(_object(params).get("requestId")))
            if message is not None:
                message.is_cancelled = True

    def _work(self) -> None:
        while True:
            message = self._waiting.get()
            try:
                self._write(self._ask(message), message)
            except OSError as error:
                # Whoever started the program has closed its output, and ends the input as well.
                log.warning("An answer could not be written: %s", error.strerror)
            finally:
                self._waiting.task_done()

    def _ask(self, message: WaitingMessage) -> Any:
        try:
            sent = files.with_bytes(message.body, self._folder)
            line = message.line if sent is None else json.dumps(sent).encode()
            answer = self._service.ask(line, message.headers)
        except files.UnsentFileError as error:
            return _tool_refusal(message.id, str(error))
        except UnreachableError as error:
            return _refusal(message.id, INTERNAL_ERROR, str(error))
        except Exception as error:
            log.exception("A message could not be passed on.")
            sentence = (
                f"The program failed ({type(error).__name__}); standard error has the details. {LOOK_FIRST}"
            )
            return _refusal(message.id, INTERNAL_ERROR, sentence)
        found = _answer_of(message.id, answer)
        return files.with_paths(found) if message.body.get("method") == files.LIST else found

    def _write(self, answer: Any, message: WaitingMessage | None = None) -> None:
        """Write an answer, unless its request has been cancelled meanwhile."""
        # Pure ASCII: some readers take other characters than \n for the end of a line too.
        line = json.dumps(answer).encode() + b"\n"
        with self._lock:
            if message is not None:
                if self._under_way.get(_key(message.id)) is message:
                    del self._under_way[_key(message.id)]
                if message.is_cancelled:
                    return
            self._output.write(line)
            self._output.flush()


def headers_of(body: Any) -> dict[str, str]:
    """Make the HTTP headers of a modern request from its body; a legacy request has none."""
    params = _object(_object(body).get("params"))
    version = _object(params.get(messages.META)).get(messages.PROTOCOL_VERSION)
    if not isinstance(version, str):
        return {}
    method = _object(body).get("method")
    name = params.get(messages.NAMED_BY.get(str(method), ""))
    found = {
        messages.VERSION_HEADER: version,
        messages.METHOD_HEADER: method,
        messages.NAME_HEADER: name,
    }
    return {header: messages.encoded(value) for header, value in found.items() if isinstance(value, str)}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _answer_of(message_id: MessageId, answer: ServiceAnswer) -> Any:
    """Return the service's message, or a message about another answer."""
    body = _object(_parsed(answer.data))
    error = _object(body.get("error"))
    if body.get("jsonrpc") == "2.0" and error.get("code") != INTERNAL_ERROR:
        return body
    own = error.get("message")
    sentence = own if isinstance(own, str) else f"{answer.source} answers {answer.status}, and no message."
    after = f"Wait {answer.retry_after} seconds, then send it again." if answer.retry_after else None
    hint = after or HINTS.get(answer.status) or LOOK_FIRST
    facts = _object(error.get("data")) | {"status": answer.status}
    return _refusal(message_id, INTERNAL_ERROR, f"{sentence} {hint}", **facts)


def _refusal(message_id: MessageId, error_code: int, sentence: str, **data: Any) -> dict[str, Any]:
    refusal = {"code": error_code, "message": sentence} | (
        {"data": {name: value for name, value in data.items() if value is not None}} if data else {}
    )
    return {"jsonrpc": "2.0"} | ({} if message_id is None else {"id": message_id}) | {"error": refusal}


def _tool_refusal(message_id: MessageId, sentence: str) -> dict[str, Any]:
    """Answer a call with an error of its tool, which a model can mend."""
    result = {"content": [{"type": "text", "text": sentence}], "isError": True}
    return {"jsonrpc": "2.0", "id": message_id, "result": result}


def _parsed(data: bytes) -> Any:
    """Parse JSON, or return None: the service reports what is wrong."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _key(message_id: Any) -> str:
    """Identify a request: the number 1 differs from the text."""
    return json.dumps(message_id)


def _skip_line(lines: BinaryIO) -> None:
    while (rest := lines.readline(LARGEST_MESSAGE)) and not rest.endswith(b"\n"):
        pass


@click.command()
def mcp() -> None:
    """Answer the Model Context Protocol on standard input and output, for clients that start a program.

    TIEOUT_TOKEN is an API key, and TIEOUT_URL the address of the service. Without TIEOUT_URL the books of this
    installation are used. Tools that take a file take its path; with TIEOUT_FILES only files below that folder are
    sent. One JSON message a line is read and answered; nothing else is written to standard output.
    """
    texts = SettingTexts()
    token, url = texts.text("TIEOUT_TOKEN", ""), texts.text("TIEOUT_URL", "")
    if not token:
        raise FailedError(
            "Set TIEOUT_TOKEN to an API key: Settings, API keys, or tieout create-token.", "unsafe_setting"
        )
    folder = texts.text("TIEOUT_FILES", "")
    output = sys.stdout.buffer
    with redirect_stdout(sys.stderr):
        service = _remote(url, token) if url else _local(token)
        Relay(service, output, Path(folder) if folder else None).run(sys.stdin.buffer)


def _remote(url: str, token: str) -> AskedService:
    service = RemoteService(url, token)
    if service.is_readable_on_the_way:
        raise FailedError(
            f"{service.name} is no HTTPS: anybody on the way to it could read the API key. Set TIEOUT_URL to its"
            " https:// address.",
            "unsafe_setting",
        )
    return service


def _local(token: str) -> AskedService:
    app = application(maintains=False, make=create_app)
    service = LocalService(app, token)
    # No visitor comes by a name, and no proxy is in between.
    app.config["SETTINGS"] = replace(app.config["SETTINGS"], trusted_hosts=LOOPBACK_HOSTS)
    with app.app_context():
        require_revision()
        require_safe_role()
    return service
