"""Which keys of each record an answer carries, and which of its texts somebody else wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import marshmallow as ma
from flask import Response, current_app, g, request

from webapp.errors import is_for_api
from webapp.ledger.errors import UnprocessableError
from webapp.queries.common import paging
from webapp.schemas.audit.action_requests import ActionRequestAnswerSchema
from webapp.schemas.audit.effects import DryRunSchema
from webapp.schemas.instants import Since
from webapp.schemas.untrusted import HEADER, UNTRUSTED_KEY, nested, untrusted_paths

FIELDS, COUNT, SINCE, DRY_RUN = "fields", "count", "updatedSince", "dryRun"
READ = "read"
LARGEST_LIST = 100
WHOLE = "*"
# The first status that is no answer to what was asked.
REFUSED = 300


@dataclass(frozen=True, slots=True)
class Record:
    """What an answer holds under its key: one record, or a list of them; `names` are the keys that each has."""

    key: str
    names: tuple[str, ...]
    is_page: bool

    @property
    def is_dated(self) -> bool:
        """Whether it is known of each when it changed."""
        return self.is_page and ("updatedAt" in self.names or self.key == "entries")


class SelectionError(UnprocessableError):
    """A selection names keys that a record has."""

    code = "validation"

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(f"{name}: {sentence}", fields={name: [sentence]})


def general_names(view: Callable[..., Any]) -> tuple[str, ...]:
    """Give the query parameters that an address takes because of what it does and answers, beside its own."""
    record = record_of(view)
    if request.method not in {"GET", "HEAD"}:
        return (DRY_RUN,) if view.scope != READ else ()  # type: ignore[attr-defined]
    if record is None:
        return ()
    return (FIELDS, *((COUNT,) if record.is_page else ()), *((SINCE,) if record.is_dated else ()))


def read(view: Callable[..., Any], organization_id: str) -> None:
    """Read what a request says about all answers of its kind, or raise SelectionError."""
    names, record = general_names(view), record_of(view)
    if COUNT in names and COUNT in request.args:
        if request.args.getlist(COUNT) not in (["true"], ["false"]):
            raise SelectionError(COUNT, "Send true or false.")
        g.is_counted = request.args[COUNT] == "true"
    if SINCE in names and SINCE in request.args:
        paging.only_since(organization_id, _instant())
    if FIELDS in names and FIELDS in request.args and record is not None:
        asked = ",".join(request.args.getlist(FIELDS)).split(",")
        if len(asked) > LARGEST_LIST or not set(asked) <= set(record.names):
            raise SelectionError(
                FIELDS, f"Send keys of {record.key} with commas between: {', '.join(record.names)}."
            )
        g.selected = (record, frozenset(asked))


def _instant() -> datetime:
    if len(request.args.getlist(SINCE)) > 1:
        raise SelectionError(SINCE, "Send this once.")
    try:
        return Since().deserialize(request.args[SINCE])
    except ma.ValidationError as error:
        raise SelectionError(SINCE, str(error.messages[0])) from error


def dress(response: Response) -> Response:
    """Leave out of each record what nobody asked for, and name the texts that are data."""
    view = current_app.view_functions.get(request.endpoint or "")
    if is_for_api() and "Content-Disposition" in response.headers:
        # A file is theirs from its first letter to its last, or repeats what they wrote on any line.
        response.headers[HEADER] = WHOLE
    if view is None or response.mimetype != "application/json":
        return response
    paths = untrusted_in(response, view)
    if "selected" in g and response.status_code < REFUSED:
        record, asked = g.selected
        paths = tuple(path for path in paths if is_asked(path, record, asked))
        answer = narrowed(response.get_json(), record.key, asked)
        marked = {UNTRUSTED_KEY: paths} if UNTRUSTED_KEY in answer else {}
        response.data = json.dumps(answer | marked) + "\n"
    if paths:
        response.headers[HEADER] = ", ".join(paths)
    return response


def narrowed(answer: dict[str, Any], key: str, asked: frozenset[str]) -> dict[str, Any]:
    """Keep only the asked keys of each record.

    >>> narrowed({"rules": [{"id": 1, "name": "a"}], "nextCursor": None}, "rules", frozenset({"id"}))
    {'rules': [{'id': 1}], 'nextCursor': None}
    """
    held = answer[key]
    records = held if isinstance(held, list) else [held]
    kept = [{name: value for name, value in each.items() if name in asked} for each in records]
    return {**answer, key: kept if isinstance(held, list) else kept[0]}


def is_asked(path: str, record: Record, asked: frozenset[str]) -> bool:
    """Tell whether a path leads to something that the answer still carries."""
    first, _, rest = path.partition(".")
    return first.removesuffix("[]") != record.key or rest.partition(".")[0].removesuffix("[]") in asked


@cache
def record_of(view: Callable[..., Any]) -> Record | None:
    """Find the records in a view's answer: of a page its list, else what stands first; none in other shapes."""
    schema = answer_schema(view)
    if schema is None:
        return None
    is_page = "next_cursor" in schema.dump_fields
    for field in schema.dump_fields.values():
        inner = nested(field)
        is_list = isinstance(field, ma.fields.List)
        if inner is not None and (is_list or not is_page):
            names = tuple(each.data_key or name for name, each in inner.dump_fields.items())
            return Record(field.data_key or "", names, is_page and is_list)
        if not is_page:
            return None
    return None


def untrusted_in(response: Response, view: Callable[..., Any]) -> tuple[str, ...]:
    """Give the paths of such text in an answer: a refusal's, a proposal's, a dry run's, or the view's own."""
    if response.status_code >= REFUSED:
        return tuple(g.get("untrusted", ()))
    if response.status_code == 202:  # noqa: PLR2004  (a call that waits)
        return tuple(untrusted_paths(ActionRequestAnswerSchema()))
    return tuple(untrusted_paths(DryRunSchema())) if g.get("is_dry_run") else untrusted_of(view)


@cache
def untrusted_of(view: Callable[..., Any]) -> tuple[str, ...]:
    """Give the paths of a view's answer whose text comes from a bank, a file or a document."""
    schema = answer_schema(view)
    return () if schema is None else tuple(untrusted_paths(schema))


def answer_schema(view: Callable[..., Any]) -> ma.Schema | None:
    """Give the schema of what a view answers when all is well, as flask-smorest noted it."""
    responses = getattr(view, "_apidoc", {}).get("response", {}).get("responses", {})
    for status, noted in sorted(responses.items(), key=lambda item: str(item[0])):
        for each in noted if isinstance(noted, list) else [noted]:
            schema = each.get("schema") if isinstance(each, dict) else None
            if str(status).startswith("2") and isinstance(schema, ma.Schema):
                return schema
    return None
