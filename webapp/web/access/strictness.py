"""Unknown query parameters and bodies: refused by name, except on the interface document's endpoints."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, Final, NoReturn

import marshmallow as ma
from flask import request
from webargs.flaskparser import FlaskParser
from werkzeug.datastructures import ImmutableMultiDict, MultiDict

from webapp.errors import is_for_api
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.references import Kind
from webapp.models import Account, FeedAccount, Merchant, Project, ProjectGroup
from webapp.queries.common import lookups
from webapp.schemas.base import KNOWN_NAMES
from webapp.schemas.fields import FormId
from webapp.web.access import next_steps, notes, selections
from webapp.web.access.request_state import Selection, requested_view, state
from webapp.web.access.selections import (
    DONE_SUMMARY,
    DRY_RUN,
    FIELDS,
    SUMMARY,
    VIEW,
    SelectionError,
)
from webapp.web.access.view_arguments import argument_places

# The kinds of rows that lists are filtered by.
OF_KIND: Final[Mapping[Kind, type[Any]]] = {
    Kind.ACCOUNT: Account,
    Kind.FEED_ACCOUNT: FeedAccount,
    Kind.MERCHANT: Merchant,
    Kind.PROJECT: Project,
    Kind.PROJECT_GROUP: ProjectGroup,
}


class ArgumentsParser(FlaskParser):
    """webargs' parser, with unknown query parameters left to the schema.

    General parameters (`fields`, `count`) are read before, and are not passed to a view's schema.
    """

    DEFAULT_UNKNOWN_BY_LOCATION = FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION | {"query": None}

    def use_args(self, argmap: Any, *args: Any, **options: Any) -> Any:
        """Parse for a view, with a schema that is made once: webargs would make one for each request."""
        made = argmap() if isinstance(argmap, type) else argmap
        return super().use_args(made, *args, **options)

    def load_querystring(self, req: Any, schema: ma.Schema) -> Any:
        """Load the query without general parameters."""
        general = _general()
        own = MultiDict((name, value) for name, value in req.args.items(multi=True) if name not in general)
        refuse_repeated(own, schema)
        return self._makeproxy(own, schema)

    def parse(self, *args: Any, **options: Any) -> Any:
        """Parse what was sent, and refuse days that run backwards: they would find nothing, and say so of the books."""
        found = super().parse(*args, **options)
        refuse_backwards(found)
        if options.get("location") == "query":
            refuse_unknown_ids(found, args[0])
        return found

    def load_json(self, req: Any, schema: ma.Schema) -> Any:
        """Load a body without the note, which says why."""
        return notes.take_from_body(super().load_json(req, schema), schema)

    def load_form(self, req: Any, schema: ma.Schema) -> Any:
        """Load the fields of a form."""
        refuse_repeated(req.form, schema)
        return super().load_form(req, schema)

    def handle_error(
        self, error: ma.ValidationError, req: Any, schema: ma.Schema, **options: Any
    ) -> NoReturn:
        """List the general parameters among the valid ones, and complete each message by what to send."""
        for location, messages in error.messages.items() if isinstance(error.messages, dict) else ():
            names = _general() if location == "query" else ()
            for name, sentences in messages.items() if names and isinstance(messages, dict) else ():
                if isinstance(sentences, list) and str(sentences[0]).startswith(KNOWN_NAMES):
                    own = {field.data_key or key for key, field in schema.load_fields.items()}
                    messages[name] = [allowed_names_message(own | set(names))]
            if not _is_documented():
                sent = req.get_json(silent=True) if location == "json" else None
                error.messages[location] = next_steps.completed(messages, schema, sent, names)
        super().handle_error(error, req, schema, **options)


class UnknownKeysError(UnprocessableError):
    """This address has no parameter or key of that name, or does not take these values together."""

    code = "validation"


def refuse_undeclared() -> None:
    """Refuse a query or a JSON body where the view declares no schema for it; schemas refuse unknown keys."""
    view = requested_view()
    selections.read(view)
    if getattr(view, "is_documented", False):
        return
    refuse_undeclared_query(view)
    if not request.environ.get("CONTENT_TYPE"):
        return
    if request.is_json and "body" not in argument_places(view) and request.get_data():
        body = request.get_json()
        if not isinstance(body, dict):
            raise UnknownKeysError("Send a JSON object.")
        body = notes.take_from_body(body, None)
        if body:
            _refuse(list(body), "body")


def refuse_undeclared_query(view: Any) -> None:
    """Refuse a query where a view declares no schema for it, before the body is read."""
    args = request.args
    unknown = [name for name in args if name not in _general()] if args else []
    if unknown and not getattr(view, "is_documented", False) and "query" not in argument_places(view):
        _refuse(unknown, "query parameters", selections.general_names(view))


def refuse_repeated(sent: MultiDict[str, str], schema: ma.Schema) -> None:
    """Refuse a parameter of a schema that is sent twice, because its value is ambiguous."""
    declared = {field.data_key or key for key, field in schema.load_fields.items()}
    names = [name for name, values in sent.lists() if len(values) > 1 and name in declared]
    if names:
        messages = {name: ["Send this once."] for name in names}
        raise UnknownKeysError(f"Send each of these once: {', '.join(sorted(names))}.", fields=messages)


def refuse_backwards(found: Any) -> None:
    """Refuse a period whose last day lies before its first."""
    first, last = (found.get(name) for name in ("from_", "to")) if isinstance(found, dict) else (None, None)
    if isinstance(first, date) and isinstance(last, date) and first > last:
        sentence = (
            f"This is {last}, before from, {first}. Send the earlier day as from and the later one as to."
        )
        raise UnknownKeysError(f"to: {sentence}", fields={"to": [sentence]})


def refuse_unknown_ids(found: Any, schema: Any) -> None:
    """Refuse a filter by an id that the books do not have: a list without anything would be taken for an answer."""
    caller = state().principal
    if caller is None or not isinstance(found, dict):
        return
    for name, key, kind in id_filters(schema if isinstance(schema, type) else type(schema)):
        if found.get(name) is None or lookups.is_there(OF_KIND[kind], caller.organization_id, found[name]):
            continue
        raise lookups.unknown(OF_KIND[kind], key)


@cache
def id_filters(schema: type[ma.Schema]) -> tuple[tuple[str, str, Kind], ...]:
    """List the filters of a query that take ids: the name, the parameter and the kind of each."""
    return tuple(
        (name, field.data_key or name, field.of)
        for name, field in schema().load_fields.items()
        if isinstance(field, FormId) and field.of is not None
    )


def read_aside(view: Any) -> None:
    """Read what a write of the API is asked beside its own parameters: a note, a dry run, a view."""
    if is_for_api() and notes.takes_note(view):
        notes.take_from_query(view)
        state().is_dry_run = take_dry_run()
        take_view(view)


def take_dry_run() -> bool:
    """Remove `dryRun` from the query of a write and return its value; all writes take it, without a schema."""
    if DRY_RUN not in request.args:
        return False
    values = request.args.getlist(DRY_RUN)
    if values not in (["true"], ["false"]):
        sentence = "Send true or false, once."
        raise UnknownKeysError(f"{DRY_RUN}: {sentence}", fields={DRY_RUN: [sentence]})
    rest = [(key, value) for key, value in request.args.items(multi=True) if key != DRY_RUN]
    request.args = ImmutableMultiDict(rest)
    return values == ["true"]


def take_view(view: Any) -> None:
    """Take out of the query of a write what it asks of its answer; the interface document's endpoints ignore misuse."""
    if VIEW not in request.args:
        return
    try:
        is_summary = selections.is_summary_asked()
        fields = selections.fields_of(DONE_SUMMARY, view) if is_summary and FIELDS in request.args else None
    except SelectionError:
        if not getattr(view, "is_documented", False):
            raise
        is_summary, fields = request.args.getlist(VIEW) == [SUMMARY], None
    taken = {VIEW, FIELDS} if is_summary else {VIEW}
    rest = [(key, value) for key, value in request.args.items(multi=True) if key not in taken]
    request.args = ImmutableMultiDict(rest)
    state().of_write = Selection(fields, is_summary=is_summary)


def allowed_names_message(names: Iterable[str]) -> str:
    """The message about an unknown name, with the valid ones.

    >>> allowed_names_message({"limit", "cursor"}), allowed_names_message([])
    ('This name is unknown; the valid ones are: cursor, limit.', 'This name is unknown; the valid ones are: none.')
    """
    return f"{KNOWN_NAMES}{', '.join(sorted(names)) or 'none'}."


def _is_documented() -> bool:
    """Return whether the request is for one of the interface document's endpoints, whose answers stay as they are."""
    return bool(getattr(requested_view(), "is_documented", False))


def _general() -> tuple[str, ...]:
    return selections.general_names(requested_view())


def _refuse(names: list[str], what: str, allowed: Sequence[str] = ()) -> None:
    names = [name[:80] for name in names[:10]]
    shown, others = ", ".join(sorted(names)), " but " + ", ".join(sorted(allowed)) if allowed else ""
    raise UnknownKeysError(
        f"This address has no {what}{others}; leave out: {shown}.",
        fields={
            name: [next_steps.with_hint(allowed_names_message(allowed), name, allowed)] for name in names
        },
    )
