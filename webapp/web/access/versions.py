"""The version of a record: a digest of all that a read of it answers, which ETag, If-None-Match and If-Match name."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import marshmallow as ma
from flask import Response, current_app, request

from webapp.errors import is_for_api
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.schemas.untrusted import UNTRUSTED_KEY, nested
from webapp.web.access import selections
from webapp.web.access.request_state import Selection, requested_view, state

EXTENSION: Final = "tieout-versions"
DIGITS, FEWER_DIGITS = 16, 8
# Between the version and what says which representation of the record it was.
JOINT: Final = "-"
ANSWERED: Final = frozenset({200, 201})
NOT_MODIFIED: Final = 304
# What turns the pages of a list beside the record, and asks for no other record.
OF_PAGES: Final = frozenset({"limit", "cursor"})
# What a write says beside its record.
OF_WRITES: Final = frozenset({"changed", "waiting"})
Kind = tuple[str, type[ma.Schema]]


@cache
def kind_of(view: Callable[..., Any]) -> Kind | None:
    """Give the one record that a view answers with: its key and its schema; the key is empty of a bare record."""
    schema = selections.answer_schema(view)
    if schema is None:
        return None
    has_lists = False
    for key, field in schema.dump_fields.items():
        inner = nested(field)
        if inner is not None and not isinstance(field, ma.fields.List):
            return field.data_key or key, type(inner)
        has_lists = has_lists or inner is not None
    return None if has_lists else ("", getattr(schema, "answer", type(schema)))


def _reads() -> dict[str, Kind]:
    """The addresses that read one record, each with its kind: an id stands at their end, or a PUT replaces it."""
    found: dict[str, Kind] | None = current_app.extensions.get(EXTENSION)
    if found is None:
        rules = [rule for rule in current_app.url_map.iter_rules() if rule.rule.startswith("/api/")]
        replaced = {rule.rule for rule in rules if "PUT" in (rule.methods or ())}
        found = current_app.extensions[EXTENSION] = {}
        for rule in rules:
            kind = kind_of(current_app.view_functions[rule.endpoint])
            is_one = rule.rule.endswith(">") or rule.rule in replaced
            if is_one and kind is not None and "GET" in (rule.methods or ()):
                found[rule.rule] = kind
    return found


def has_version(view: Callable[..., Any]) -> bool:
    """Return whether a view answers with a record that has a version: it is of a kind that is read alone."""
    kind = kind_of(view)
    return kind is not None and kind in _reads().values()


def rule_of_record(rule: str) -> str | None:
    """Give the rule at or above a rule where its record is read; None where there is none.

    A confirmation, a draft of a statement or a relation is of the record that its address begins with.
    """
    while rule and rule not in _reads():
        rule = rule.rpartition("/")[0]
    return rule or None


def of_answer(view: Callable[..., Any], body: Any) -> str:
    """Give the version of the record in an answer that has all of its keys."""
    key, _ = kind_of(view) or ("", None)
    record = body[key] if key else {name: value for name, value in body.items() if name not in OF_WRITES}
    return sha256_hex(canonical_json(record))[:DIGITS]


def note(view: Callable[..., Any], result: Any) -> None:
    """Note the version of the record in a view's result where the query asks for another representation of it."""
    schema = selections.answer_schema(view)
    if schema is not None:
        state().version = of_answer(view, selections.selected(schema, Selection()).dump(result))


def note_of_part(view: Callable[..., Any], result: Any) -> None:
    """Note the version where the query asks for some keys, or for more than are sent unasked."""
    chosen = state().selection
    is_part = chosen.fields is not None or bool(chosen.included)
    if is_part and not chosen.is_summary and has_version(view):
        note(view, result)


def of_tag(tag: str) -> str:
    """Give the version that an ETag names.

    >>> of_tag("6d1c0a2be0b1c3f4-0f9e8d7c")
    '6d1c0a2be0b1c3f4'
    """
    return tag.partition(JOINT)[0]


def add_tag(response: Response) -> Response:
    """Add the ETag to an answer with one record; 304 without a body where If-None-Match has it."""
    view = requested_view()
    if view is None or not _is_of_record(response, view):
        return response
    answer = state().answer
    body = answer[1] if answer is not None and answer[0] is response else response.get_json()
    tag = _tag(view, body)
    response.set_etag(tag)
    if request.method in {"GET", "HEAD"} and request.if_none_match.contains_weak(tag):
        response.status_code = NOT_MODIFIED
        response.set_data(b"")
    return response


def _is_of_record(response: Response, view: Any) -> bool:
    """Return whether an answer has a record's present content, asked by no parameter of another day."""
    if response.status_code not in ANSWERED or response.mimetype != "application/json":
        return False
    if not is_for_api() or state().is_dry_run or state().of_write.is_summary or not has_version(view):
        return False
    if request.method not in {"GET", "HEAD"}:
        return True
    return request.args.keys() <= OF_PAGES | set(selections.general_names(view))


def _tag(view: Any, body: Any) -> str:
    version = state().version or of_answer(view, body)
    if request.method not in {"GET", "HEAD"}:
        return version
    asked, (key, _) = state().selection, kind_of(view) or ("", None)
    beside = {name: each for name, each in body.items() if name not in {key, UNTRUSTED_KEY}} if key else {}
    chosen = [sorted(asked.fields) if asked.fields is not None else None, sorted(asked.included)]
    if not beside and not asked.is_summary and chosen == [None, []]:
        return version
    shown = sha256_hex(canonical_json([*chosen, asked.is_summary, beside]))
    return f"{version}{JOINT}{shown[:FEWER_DIGITS]}"
