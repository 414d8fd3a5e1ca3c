"""Heavy calls: what may take seconds in large books runs a few times at once, so that everybody else is answered.

A view is declared heavy beside its scope: `@requires("read", is_heavy=True)`. It holds a slot from before its
transaction begins until its request ends, whether it reads, is tried, waits for approval or writes.
"""

import hashlib
import os
from typing import Any, cast

from flask import Flask, current_app, request

from webapp.config import Settings
from webapp.ledger.errors import LedgerError
from webapp.queries.access.principals import Principal
from webapp.web.access import request_state
from webapp.web.access.request_state import HeldSlot, state
from webapp.web.access.slots import NoSlotError, Slots

MOST, MOST_OF_ONE = 4, 2
FOLDER = "slots"
RETRY_AFTER_SECONDS = 2


class TooManyAtOnceError(LedgerError):
    """Two large calls of this key are running; send this one again when one of them is answered."""

    status = 429
    code = "too_many_at_once"


class AllSlotsTakenError(LedgerError):
    """Four large calls are running in this installation; send this one again in a few seconds."""

    status = 429
    code = "too_many_at_once"


def register_heavy_calls(app: Flask) -> None:
    """Set up the slots, and free that of a request when it ends."""
    settings: Settings = app.config["SETTINGS"]
    app.extensions["heavy_calls"] = Slots(settings.instance_path / FOLDER, most=MOST, most_of_one=MOST_OF_ONE)
    app.teardown_request(leave)


def enter(view: Any, principal: Principal) -> None:
    """Take a slot for a view that is declared heavy, or raise; once for a request, whatever it calls."""
    if not getattr(view, "is_heavy", False) or state().slot is not None:
        return
    slots = cast("Slots", current_app.extensions["heavy_calls"])
    try:
        descriptor = slots.take(_name_of(principal))
    except NoSlotError as error:
        refusal = TooManyAtOnceError if error.is_own else AllSlotsTakenError
        raise refusal(details={"retryAfter": RETRY_AFTER_SECONDS}) from None
    state().slot = HeldSlot(descriptor, request.environ)


def leave(_error: BaseException | None = None) -> None:
    """Free the slot at the end of the request that took it; a call that it makes again has contexts of its own."""
    if not request_state.has_begun():
        return
    held = state().slot
    if held is not None and held.environ is request.environ:
        state().slot = None
        os.close(held.descriptor)


def _name_of(principal: Principal) -> str:
    """Name a token, or a session by a digest that opens nothing."""
    if principal.token_id is not None:
        return f"token {principal.token_id}"
    return f"session {hashlib.sha256((principal.session_hash or '').encode()).hexdigest()[:32]}"
