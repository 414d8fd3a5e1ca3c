"""The note of a write: why it is done, beside what a JSON body says, or in the address where there is none."""

from typing import Any, Final

import marshmallow as ma
from flask import request
from werkzeug.datastructures import ImmutableMultiDict

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.texts.legible import masked
from webapp.schemas.fields import Text
from webapp.web.access.request_state import requested_view, state

NOTE: Final = "note"
WHY: Final = "why"
MOST: Final = 2000
DESCRIPTION: Final = (
    "Why this is done: kept with the act, and shown where it is. A JSON body may have it as `note` instead."
)
OF_BODY: Final = "Why this is done: kept with the act, and shown where it is."
FIELD: Final = Text(most=MOST, allow_none=True)


class NoteError(UnprocessableError):
    """A note is text of at most 2000 characters."""

    code = "validation"

    def __init__(self, sentence: str) -> None:
        super().__init__(f"{NOTE}: {sentence}", fields={NOTE: [sentence]})


def takes_note(view: Any) -> bool:
    """Return whether an address writes, so that its call may say why."""
    return request.method not in {"GET", "HEAD", "OPTIONS"} and bool(getattr(view, "writes", False))


def take_from_query(view: Any) -> None:
    """Take the note out of the query of a write."""
    if NOTE in request.args and takes_note(view):
        _keep(request.args[NOTE], view)
        rest = [(key, value) for key, value in request.args.items(multi=True) if key != NOTE]
        request.args = ImmutableMultiDict(rest)


def take_from_form() -> None:
    """Take the note out of a page's form, where it has another name than a field of its own."""
    if WHY in request.form:
        _keep(request.form[WHY], requested_view())
        rest = [(key, value) for key, value in request.form.items(multi=True) if key != WHY]
        request.form = ImmutableMultiDict(rest)


def take_from_body(body: Any, schema: ma.Schema | None) -> Any:
    """Take the note out of the body of a write, unless its schema has a note of its own; give the rest."""
    view = requested_view()
    is_own = schema is not None and any(
        (field.data_key or name) == NOTE for name, field in schema.load_fields.items()
    )
    if not isinstance(body, dict) or NOTE not in body or is_own or not takes_note(view):
        return body
    is_kept = _keep(body[NOTE], view)
    return {key: value for key, value in body.items() if key != NOTE or not is_kept}


def _keep(note: Any, view: Any) -> bool:
    """Keep a note, and say whether it is one; the interface document's endpoints ignore what is none."""
    try:
        state().note = masked(FIELD.deserialize(note) or "")
    except ma.ValidationError as error:
        if getattr(view, "is_documented", False):
            return False
        sentence = str(error.messages[0])
        raise NoteError(f"{sentence[:-1]}, in quotes." if sentence == "Send text." else sentence) from error
    return True
