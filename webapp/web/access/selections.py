"""Which keys of each record an answer carries, and which of its texts somebody else wrote."""

from collections.abc import Callable
from datetime import datetime
from functools import cache, lru_cache
from itertools import chain
from typing import Any

import marshmallow as ma
from flask import Response, request

from webapp.errors import is_for_api
from webapp.ledger.errors import UnprocessableError
from webapp.schemas import answer_records
from webapp.schemas.answer_records import AnswerRecord
from webapp.schemas.audit.action_requests import ActionRequestAnswerSchema
from webapp.schemas.audit.effects import DryRunSchema
from webapp.schemas.audit.summaries import DoneSummarySchema, DryRunSummarySchema, RequestSummarySchema
from webapp.schemas.instants import Since
from webapp.schemas.untrusted import HEADER, untrusted_paths
from webapp.web.access.notes import NOTE
from webapp.web.access.request_state import Selection, requested_view, state

FIELDS, INCLUDE, COUNT, SINCE = "fields", "include", "count", "updatedSince"
DRY_RUN, VIEW = "dryRun", "view"
# A proposal's key for the older one in whose place it comes.
REPLACES = "replaces"
FULL, SUMMARY = "full", "summary"
READ = "read"
LARGEST_LIST = 100
# What says how a list goes on.
LIST_KEYS = {"next_cursor", "total"}
WHOLE = "*"
# The schemas that are kept, each with some of the keys of its records: programs ask for the same ones again and again.
MOST_NARROWED = 256
WAITS = 202
# The first status that is no answer to what was asked.
REFUSED = 300
REQUEST_SUMMARY, DONE_SUMMARY = RequestSummarySchema(), DoneSummarySchema()
DRY_RUN_SUMMARY = DryRunSummarySchema()


class SelectionError(UnprocessableError):
    """A selection names keys that a record has."""

    code = "validation"

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(f"{name}: {sentence}", fields={name: [sentence]})


def general_names(view: Callable[..., Any]) -> tuple[str, ...]:
    """Give the query parameters that an address takes because of what it does and answers, beside its own."""
    return _general_names(view, is_read=request.method in {"GET", "HEAD"})


@cache
def _general_names(view: Callable[..., Any], *, is_read: bool) -> tuple[str, ...]:
    record = record_of(view)
    if not is_read:
        return (DRY_RUN, NOTE, REPLACES, VIEW) if view.writes else ()  # type: ignore[attr-defined]
    if record is None:
        return ()
    by_name = {
        FIELDS: True,
        INCLUDE: record.extras,
        VIEW: summary_schema(view) is not None,
        COUNT: record.is_page,
        SINCE: record.is_dated,
    }
    return tuple(name for name, is_taken in by_name.items() if is_taken)


def read(view: Callable[..., Any]) -> None:
    """Read what a request asks of all answers of its kind, or raise SelectionError."""
    args = request.args
    if not args:
        state().selection = Selection()
        return
    names = [name for name in general_names(view) if name in args]
    is_counted = COUNT in names and _is_counted()
    changed_since = _instant() if SINCE in names else None
    is_summary = VIEW in names and is_summary_asked()
    schema = summary_schema(view) if is_summary else answer_schema(view)
    record = None if schema is None else answer_records.of_schema(schema)
    fields = _fields(record, view) if FIELDS in names else None
    included = _included(record) if INCLUDE in names else set()
    if record is not None and fields is not None:
        words = {name: record.word_of(name) for name in record.names}
        fields |= {name for name, word in words.items() if word in included}
        included |= {word for name in fields if (word := words.get(name))}
    state().selection = Selection(
        fields, frozenset(included), is_counted, changed_since, is_summary=is_summary
    )


def includes(word: str) -> bool:
    """Tell whether a request asks for keys that are not sent unasked, by their word or by one of their names."""
    return word in state().selection.included


def is_summary_asked() -> bool:
    """Read `view`; raises SelectionError for one that is none."""
    if request.args.getlist(VIEW) not in ([FULL], [SUMMARY]):
        raise SelectionError(VIEW, "Send full or summary, once.")
    return request.args[VIEW] == SUMMARY


def changed_since() -> datetime | None:
    """Give the instant of `updatedSince`: a list leaves out what did not change then or later."""
    return state().selection.changed_since


def _is_counted() -> bool:
    if request.args.getlist(COUNT) not in (["true"], ["false"]):
        raise SelectionError(COUNT, "Send true or false.")
    return request.args[COUNT] == "true"


def _instant() -> datetime:
    if len(request.args.getlist(SINCE)) > 1:
        raise SelectionError(SINCE, "Send this once.")
    try:
        return Since().deserialize(request.args[SINCE])
    except ma.ValidationError as error:
        raise SelectionError(SINCE, str(error.messages[0])) from error


def fields_of(schema: ma.Schema, view: Callable[..., Any]) -> frozenset[str] | None:
    """Read `fields` as keys of the records in an answer of this shape."""
    return _fields(answer_records.of_schema(schema), view)


def _fields(record: AnswerRecord | None, view: Callable[..., Any]) -> frozenset[str] | None:
    asked = ",".join(request.args.getlist(FIELDS)).split(",")
    if record is None or (getattr(view, "is_documented", False) and not set(asked) <= set(record.names)):
        return None
    known = {name for each in record.family for name in each.names}
    if len(asked) > LARGEST_LIST or not set(asked) <= known:
        listed = "; or of ".join(
            f"{each.key} with commas between: {', '.join(each.names)}" for each in record.family
        )
        raise SelectionError(FIELDS, f"Send keys of {listed}.")
    return frozenset(asked)


def _included(record: AnswerRecord | None) -> set[str]:
    asked = set(",".join(request.args.getlist(INCLUDE)).split(","))
    words = record.words if record is not None else []
    if not asked <= set(words):
        raise SelectionError(INCLUDE, f"Send words with commas between: {', '.join(words)}.")
    return asked


def selected(schema: ma.Schema, asked: Selection | None = None) -> ma.Schema:
    """Give the schema that an answer is dumped with: with the keys of each record that the query asks for."""
    record, asked = answer_records.of_schema(schema), asked or state().selection
    if record is None or (asked.fields is None and not record.extras):
        return schema
    return _narrowed(schema, asked.fields, asked.included)


@lru_cache(maxsize=MOST_NARROWED)
def _narrowed(schema: ma.Schema, fields: frozenset[str] | None, included: frozenset[str]) -> ma.Schema:
    record = answer_records.of_schema(schema)
    if record is None:
        return schema
    left_out = [path for each in record.family for path in each.left_out(included)]
    if fields is None:
        return type(schema)(exclude=left_out)
    asked = {each: each.paths(fields) for each in record.family}
    # What stands beside a list is whole unless some of its keys are named; a list without a named key is left out.
    without = {each.members[0] for each, paths in asked.items() if paths or each is record}
    if not asked[record]:
        without |= LIST_KEYS
    others = [name for name in schema.dump_fields if name not in without]
    return type(schema)(only=[*others, *chain.from_iterable(asked.values())], exclude=left_out)


def name_untrusted(response: Response) -> Response:
    """Name the texts of an answer that are data; a refusal names its own when it is made."""
    view = requested_view()
    if is_for_api() and "Content-Disposition" in response.headers:
        # A file is theirs from its first letter to its last, or repeats what they wrote on any line.
        response.headers[HEADER] = WHOLE
    if view is None or response.mimetype != "application/json" or response.status_code >= REFUSED:
        return response
    paths = _untrusted_in(response, view)
    if paths:
        response.headers[HEADER] = ", ".join(paths)
    return response


def _untrusted_in(response: Response, view: Callable[..., Any]) -> tuple[str, ...]:
    """Give the paths of such text in an answer: a proposal's, a dry run's, or the view's own."""
    if state().of_write.is_summary:
        summary = (
            REQUEST_SUMMARY
            if response.status_code == WAITS
            else DRY_RUN_SUMMARY
            if state().is_dry_run
            else DONE_SUMMARY
        )
        return _untrusted(selected(summary, state().of_write))
    if response.status_code == WAITS:
        return tuple(untrusted_paths(ActionRequestAnswerSchema()))
    if state().is_dry_run:
        return tuple(untrusted_paths(DryRunSchema()))
    schema = summary_schema(view) if state().selection.is_summary else answer_schema(view)
    return () if schema is None else _untrusted(selected(schema))


def untrusted_of(view: Callable[..., Any]) -> tuple[str, ...]:
    """Give the paths of a view's answer whose text comes from a bank, a file or a document."""
    schema = answer_schema(view)
    return () if schema is None else _untrusted(schema)


@lru_cache(maxsize=2 * MOST_NARROWED)
def _untrusted(schema: ma.Schema) -> tuple[str, ...]:
    return tuple(untrusted_paths(schema))


def record_of(view: Callable[..., Any]) -> AnswerRecord | None:
    """Find the records in a view's answer: of a page its list, else what stands first; none in other shapes."""
    schema = answer_schema(view)
    return None if schema is None else answer_records.of_schema(schema)


def summary_schema(view: Callable[..., Any]) -> ma.Schema | None:
    """Give the schema of what a view that reads answers with `view=summary`, where it can."""
    found: ma.Schema | None = getattr(view, "summary_schema", None)
    return found


def answer_schema(view: Callable[..., Any]) -> ma.Schema | None:
    """Give the schema of what a view answers when all is well, as its blueprint noted it."""
    found: ma.Schema | None = getattr(view, "answer_schema", None)
    return found
