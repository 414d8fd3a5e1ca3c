"""Error messages of pages, shown at the place where the act was made."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import marshmallow as ma
from flask import Response

from webapp.database.sessions import db
from webapp.errors import sentence_for_page, walk_messages
from webapp.ledger.errors import LedgerError
from webapp.services.audit import action_requests
from webapp.web.access import requests
from webapp.web.access.auth import organization_id
from webapp.web.access.request_state import state
from webapp.web.rendering.htmx import is_htmx, redirect_to, render, target
from webapp.web.rendering.notation import sentence

# The errors that a page catches and shows at the place of the act.
UNPROCESSABLE = 422
REFUSALS = (LedgerError, ma.ValidationError)


@dataclass(frozen=True, slots=True)
class Problem:
    """An error message; `fields` are messages by the input's name, `place` is where the act was made."""

    message: str
    code: str
    status: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    line_id: int | None = None
    place: str = "panel"

    def is_beside(self, *inputs: str) -> bool:
        """Return whether every message is about one of these inputs, named by the last part of their paths."""
        return bool(self.fields) and {path.rpartition(".")[2] for path in self.fields} <= set(inputs)


def shown_sentence(error: LedgerError) -> str:
    """Give an error's sentence in the language of the page."""
    return sentence(sentence_for_page(error))


def shown_fields(error: LedgerError) -> dict[str, list[str]]:
    """Give an error's messages by the input's name, in the language of the page."""
    return {path: [sentence(each) for each in messages] for path, messages in error.fields.items()}


def problem_of(
    error: LedgerError | ma.ValidationError, *, line_id: int | None = None, place: str = "panel"
) -> Problem:
    """Roll back a refused act, record the refusal, and open a snapshot to render the page with the message."""
    db.session.rollback()
    action_requests.untold()
    if isinstance(error, LedgerError):
        # What was typed wrongly is no act; only what the state of the books refuses is worth remembering.
        if error.status != UNPROCESSABLE:
            action_requests.record_refusal(error)
        problem = Problem(
            shown_sentence(error),
            error.code,
            error.status,
            shown_fields(error),
            dict(error.details),
            line_id,
            place,
        )
    else:
        fields: dict[str, list[str]] = {}
        for path, message in walk_messages(error.messages, ()):
            fields.setdefault(path, []).append(sentence(message))
        message = " ".join(messages[0] for messages in fields.values())
        problem = Problem(message, "validation", 422, fields, {}, line_id, place)
    # Nobody waits for a page: what it shows of a large book may take seconds to read.
    if state().principal is not None:
        requests.begin_reading(organization_id())
    return problem


def act_or_show(act: Callable[[], object], then: str, show: Callable[[Problem], Response]) -> Response:
    """Act and redirect to the URL `then`, or show the error; a field that creates its choice gets the choice."""
    try:
        made = act()
    except REFUSALS as error:
        return show(problem_of(error))
    if is_htmx() and target() == "combobox-list":
        return render("_choice.html", choice=made)
    return redirect_to(then)
