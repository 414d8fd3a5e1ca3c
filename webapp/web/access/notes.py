"""What a write says beside its own fields: its note on why it is done, and whether it is meant to be late."""

from typing import Any, Final

import marshmallow as ma
from flask import request
from werkzeug.datastructures import ImmutableMultiDict

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.texts.legible import masked
from webapp.schemas.fields import FormFlag, Text
from webapp.web.access.request_state import requested_view, state

NOTE: Final = "note"
WHY: Final = "why"
MOST: Final = 2000
DESCRIPTION: Final = (
    "Why this is done: kept with the act, and shown where it is. A JSON body may have it as `note` instead."
)
LATE: Final = "late"
LATE_SHAPE: Final = {
    "type": "boolean",
    "default": False,
    "description": "Post it although the tax return of its tax point is filed: it is late, and in the next return.",
}
OF_BODY: Final = "Why this is done: kept with the act, and shown where it is."
FIELD: Final = Text(most=MOST, allow_none=True)


class NoteError(UnprocessableError):
    """A note is text of at most 2000 characters."""

    code = "validation"

    def __init__(self, sentence: str) -> None:
        super().__init__(f"{NOTE}: {sentence}", fields={NOTE: [sentence]})


class LateError(UnprocessableError):
    """Send `late` as true or false."""

    code = "validation"

    def __init__(self) -> None:
        super().__init__(f"{LATE}: Send true or false.", fields={LATE: ["Send true or false."]})


def takes_late(view: Any) -> bool:
    """Return whether an address may post entries, so that its call may say that they are late."""
    return takes_note(view) and (view.scope == "confirm" or getattr(view, "posts", False))


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
    """Take the note and `late` out of a page's form, where the note has another name than a field of its own."""
    if WHY in request.form:
        _keep(request.form[WHY], requested_view())
    if LATE in request.form:
        state().is_late = FormFlag().deserialize(request.form[LATE])
    if {WHY, LATE} & request.form.keys():
        rest = [(key, value) for key, value in request.form.items(multi=True) if key not in (WHY, LATE)]
        request.form = ImmutableMultiDict(rest)


def take_from_body(body: Any, schema: ma.Schema | None) -> Any:
    """Take the note out of the body of a write, unless its schema has its own, and `late`; give the rest."""
    view = requested_view()
    if isinstance(body, dict) and LATE in body and takes_late(view):
        if not isinstance(body[LATE], bool):
            raise LateError
        state().is_late = body[LATE]
        body = {key: value for key, value in body.items() if key != LATE}
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
