"""Heavy calls: what may take seconds in large books runs a few times at once, so that everybody else is answered.

A view is declared heavy beside its scope: `@requires("read", is_heavy=True)`. It holds a slot from before its
transaction begins until its request ends, whether it reads, is tried, waits for approval or writes.
"""

import fcntl
import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any, cast
from urllib.parse import unquote

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from webapp.config import Settings
from webapp.ledger.errors import LedgerError
from webapp.queries.access.principals import Principal
from webapp.web.access import request_state
from webapp.web.access.request_state import HeldSlot, state
from webapp.web.access.requests import BODY_LIMIT

MOST, MOST_OF_ONE = 4, 2
FOLDER = "slots"
RETRY_AFTER_SECONDS = 2
log = logging.getLogger("tieout.slots")
# The largest body without a session or a key in its head, be they right or wrong; beyond it one is large.
STRANGER_BYTES = 64 * 1024
SESSION_COOKIE = re.compile(rb"(?:^|;)\s*(?:__Host-)?tieout=([^;\s]+)")
# Where it is noted until when large bodies of a sender wait.
REFUSED_BODIES = "refused_bodies"
# After a refused body that took a tenth of a second, large ones of its sender wait for a second, and for five at most.
WATCHED_SECONDS, TIMES, MOST_SECONDS, REFUSED = 60.0, 10, 5.0, (400, 422)


class TooManyAtOnceError(LedgerError):
    """Two large calls of this key are running; send this one again when one of them is answered."""

    status = 429
    code = "too_many_at_once"


class AllSlotsTakenError(LedgerError):
    """Four large calls are running in this installation; send this one again in a few seconds."""

    status = 429
    code = "too_many_at_once"


class NoSlotError(Exception):
    """No slot is free; `is_own` where the key itself has as many as it may."""

    def __init__(self, *, is_own: bool) -> None:
        self.is_own = is_own
        super().__init__()


class Slots:
    """Files of one folder, each locked by the call that has it, with the name of the call's key inside.

    The kernel unlocks the files of a process that ends, however it ends, so that no slot is ever lost. A name in a file
    that nobody has locked means nothing.
    """

    def __init__(self, folder: Path, *, most: int, most_of_one: int) -> None:
        self._folder = folder
        self._most, self._most_of_one = most, most_of_one
        self._is_alone = False

    def take(self, name: str) -> int:
        """Take a slot for a key, or raise NoSlotError; returns the file descriptor, which frees it when closed."""
        with self._gate():
            mine, free = 0, -1
            for number in range(self._most):
                slot = self._open(f"slot-{number}")
                if not _locked(slot):
                    mine += os.pread(slot, 100, 0).decode() == name
                elif free < 0:
                    free = slot
                    continue
                os.close(slot)
            if free >= 0 and mine < self._most_of_one:
                _write_name(free, name)
                return free
            if free >= 0:
                os.close(free)
        raise NoSlotError(is_own=mine >= self._most_of_one)

    @contextmanager
    def _gate(self) -> Iterator[None]:
        """Let one call at a time look for a slot: what it counts stays true until it has one."""
        gate = self._open("gate")
        try:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield
        finally:
            os.close(gate)

    def _open(self, name: str) -> int:
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            return os.open(self._folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if self._is_alone:
                raise
            log.warning("Each worker counts heavy calls for itself: %s", error.strerror)
            self._folder, self._is_alone = Path(tempfile.mkdtemp(prefix="tieout-slots-")), True
            return self._open(name)


def register_heavy_calls(app: Flask) -> None:
    """Set up the slots, and free that of a request when it ends."""
    settings: Settings = app.config["SETTINGS"]
    app.extensions["heavy_calls"] = Slots(settings.instance_path / FOLDER, most=MOST, most_of_one=MOST_OF_ONE)
    app.extensions[REFUSED_BODIES] = {}
    app.after_request(note_refusal)
    app.teardown_request(leave)


def enter(view: Any, principal: Principal) -> None:
    """Take a slot for a view that is declared heavy, or raise; once for a request, whatever it calls.

    A large body counts as heavy for a minute after one of the same key or browser was refused in this process.
    """
    is_heavy = getattr(view, "is_heavy", False) or (_is_large() and _is_watched())
    if not is_heavy or state().slot is not None:
        return
    slots = cast("Slots", current_app.extensions["heavy_calls"])
    try:
        descriptor = slots.take(_name_of(principal))
    except NoSlotError as error:
        refusal = TooManyAtOnceError if error.is_own else AllSlotsTakenError
        raise refusal(details={"retryAfter": RETRY_AFTER_SECONDS}) from None
    state().slot = HeldSlot(descriptor, request.environ)


def note_refusal(response: Response) -> Response:
    """Note until when large bodies wait whose sender had one refused for what is in it: it took long for nothing."""
    is_refused = response.status_code in REFUSED or state().is_refused
    if is_refused and _is_large() and state().principal is not None:
        sender, refused, now = _sender(), _refused(), monotonic()
        took = (datetime.now(UTC) - state().now).total_seconds()
        refused[sender] = min(max(refused.get(sender, 0.0), now) + TIMES * took, now + MOST_SECONDS)
        for name in [name for name, until in refused.items() if until + WATCHED_SECONDS < now]:
            refused.pop(name, None)
    return response


def _refused() -> dict[str, float]:
    return cast("dict[str, float]", current_app.extensions[REFUSED_BODIES])


def _is_watched() -> bool:
    return _refused().get(_sender(), -WATCHED_SECONDS) + WATCHED_SECONDS > monotonic()


def _is_large() -> bool:
    return (request.content_length or 0) > STRANGER_BYTES


def sender_of(authorization: bytes | None, cookies: bytes) -> str | None:
    """Name who sends a request by a digest of its key, or else of its session; None where it has neither."""
    session = SESSION_COOKIE.search(cookies)
    named = authorization if authorization is not None else session and session[1]
    return None if named is None else hashlib.sha256(named).hexdigest()


def limit_of(app: Flask, line: str, fields: Mapping[bytes, bytes]) -> tuple[int, str, float]:
    """Tell by a request's head how large its body may be, before the server reads it.

    Answers the most bytes, the code of the refusal of a larger one, and until when it is not read.
    """
    method, target, _ = line.split(" ")
    try:
        endpoint, _ = app.url_map.bind("").match(unquote(target.partition("?")[0]), method)
        most = getattr(app.view_functions[endpoint], "body_limit", BODY_LIMIT)
    except HTTPException:
        most = BODY_LIMIT
    sender = sender_of(fields.get(b"authorization"), fields.get(b"cookie", b""))
    if sender is None:
        return min(most, STRANGER_BYTES), "unauthenticated", 0.0
    is_large = int(fields.get(b"content-length", most)) > STRANGER_BYTES
    return most, "too_large", app.extensions.get(REFUSED_BODIES, {}).get(sender, 0.0) if is_large else 0.0


def _sender() -> str:
    environ = request.environ
    key, cookies = environ.get("HTTP_AUTHORIZATION"), environ.get("HTTP_COOKIE", "")
    return sender_of(None if key is None else key.encode("latin-1"), cookies.encode("latin-1")) or ""


def leave(_error: BaseException | None = None) -> None:
    """Free the slot at the end of the request that took it; a call that it makes again has contexts of its own."""
    current = request_state.begun()
    held = current.slot if current is not None else None
    if held is not None and held.environ is request.environ:
        state().slot = None
        os.close(held.descriptor)


def _name_of(principal: Principal) -> str:
    """Name a token, or a session by a digest that opens nothing."""
    if principal.token_id is not None:
        return f"token {principal.token_id}"
    return f"session {hashlib.sha256((principal.session_hash or '').encode()).hexdigest()[:32]}"


def _write_name(descriptor: int, name: str) -> None:
    """Write whose slot it is; on a full disk it has no name, and counts among all but not for its key."""
    with suppress(OSError):
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, name.encode(), 0)


def _locked(descriptor: int) -> bool:
    """Lock a file unless another call has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
