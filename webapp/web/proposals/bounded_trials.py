"""Trials of whole calls that keep nobody waiting: short ones in the transaction that writes, long ones on a copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import request

from webapp.database.sessions import db
from webapp.services.storage import trial_copies
from webapp.services.storage.trial_copies import OverBudgetError
from webapp.web.access import heavy_calls, requests
from webapp.web.access.auth import organization_id, principal

Result = TypeVar("Result")


def bounded(run: Callable[[], Result], *, is_long: bool = False) -> Result:
    """Run a trial in the open transaction, or on a copy where it is long; after that no transaction may be open.

    Nothing may have been written in the transaction before. A trial on a copy takes a slot as a heavy call does.
    """
    if not trial_copies.can_copy():
        return run()
    if not is_long:
        try:
            with trial_copies.budget():
                return run()
        except OverBudgetError:
            db.session.rollback()
    heavy_calls.enter_any(principal())
    _rewind()
    return trial_copies.on_copy(run)


def is_long(view: Any) -> bool:
    """Return whether a view's call is long whatever it is asked: it reads a file, or the books as a whole."""
    return bool(getattr(view, "is_heavy", False)) and not getattr(view, "begins", True)


def begin_again() -> None:
    """Open the transaction that writes, if the trial has left none."""
    if not db.session().in_transaction():
        requests.begin(organization_id())


def _rewind() -> None:
    """Let the files of the request be read from their beginning once more."""
    for file in request.files.values():
        file.stream.seek(0)
