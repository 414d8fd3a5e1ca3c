"""What to send instead of what a schema refuses, for programs: the kind of value, where ids are listed, other names."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final

import marshmallow as ma

from webapp.errors import MOST_FIELDS
from webapp.ledger.canonical import camel
from webapp.schemas import fields
from webapp.schemas.base import KNOWN_NAMES, SENTENCES, Schema
from webapp.schemas.files import FileContent

MISSING: Final = SENTENCES["required"]
NO_OBJECT: Final = Schema.error_messages["type"]
# Sentences of fields that name a type and not yet what to send.
OF_TYPE: Final = frozenset({"Send a whole number.", "Send text.", "Send true or false.", "Not a valid list."})
# Names that other interfaces have, and what to do about them here; a second name has to be among those that are taken.
HINTS: Final[Mapping[str, tuple[str, str]]] = {
    "debit": ("amount", "Send one signed amount: a debit is positive, a credit negative."),
    "credit": ("amount", "Send one signed amount: a debit is positive, a credit negative."),
    "page": ("cursor", "Lists go on with nextCursor, sent as cursor."),
    "offset": ("cursor", "Lists go on with nextCursor, sent as cursor."),
    "amount": ("q", "q finds texts and amounts, such as q=42.31."),
    "search": ("q", "q finds texts and amounts."),
    "query": ("q", "q finds texts and amounts."),
    "sort": ("cursor", "Lists have one order each, and are not sorted otherwise."),
    "order": ("cursor", "Lists have one order each, and are not sorted otherwise."),
    "orderBy": ("cursor", "Lists have one order each, and are not sorted otherwise."),
    "dryRun": ("", "dryRun belongs into the address: ?dryRun=true."),
    "fields": ("", "fields belongs into the address of a read: ?fields=id."),
}
MOST_KEYS: Final = 4
# A near name takes half a millisecond to find, and a body may have thousands of unknown ones.
MOST_HINTS: Final = 10
QUOTED: Final = {str: "text", list: "a list", dict: "an object", bool: "true or false", type(None): "null"}


def completed(messages: Any, schema: ma.Schema, sent: Any, names: Collection[str] = ()) -> Any:
    """Complete the messages about a body or a query by what to send; `names` are valid beside those of the schema.

    Only the first ten unknown names get a hint, and of a list as many items are told as an answer shows.
    """
    if not isinstance(messages, dict):
        return messages
    return dict(_of_object(messages, schema, sent, iter(range(MOST_HINTS)), names))


def _of_object(
    messages: Mapping[Any, Any],
    schema: ma.Schema,
    sent: Any,
    left: Iterator[int],
    names: Collection[str] = (),
) -> Iterator[tuple[Any, Any]]:
    own = {field.data_key or name: field for name, field in schema.load_fields.items()}
    for key, inner in messages.items():
        value = sent.get(key) if isinstance(sent, Mapping) else None
        if key == "_schema":
            yield key, [_of_no_object(each, sent, _shape(schema)) for each in inner]
        elif key in own:
            yield key, _of_field(inner, own[key], value, left)
        elif isinstance(inner, list) and next(left, None) is not None:
            yield key, [with_hint(str(each), str(key), {*own, *names}) for each in inner]
        else:
            yield key, inner


def _of_field(messages: Any, field: Any, sent: Any, left: Iterator[int]) -> Any:
    if isinstance(messages, list):
        return [_of_value(str(each), field, sent) for each in messages]
    if not isinstance(messages, dict):
        return messages
    if isinstance(field, ma.fields.Nested):
        return dict(_of_object(messages, field.schema, sent, left))
    if isinstance(field, ma.fields.List):
        items = sent if isinstance(sent, list) else []
        return {
            index: _of_field(
                inner,
                field.inner,
                items[index] if isinstance(index, int) and index < len(items) else None,
                left,
            )
            for index, inner in islice(messages.items(), MOST_FIELDS)
        }
    return messages


def _of_value(sentence: str, field: Any, sent: Any) -> str:
    if sentence == MISSING:
        return f"This is missing: send {wanted(field)}."
    if sentence == NO_OBJECT:
        return _of_no_object(
            sentence, sent, _shape(field.schema if isinstance(field, ma.fields.Nested) else None)
        )
    return f"Send {wanted(field)}." if sentence in OF_TYPE else sentence


def _of_no_object(sentence: str, sent: Any, shape: str) -> str:
    if sentence != NO_OBJECT:
        return sentence
    return f"Send a JSON object, {shape}; this is {QUOTED.get(type(sent), 'a number')}."


def _shape(schema: ma.Schema | None) -> str:
    """Write the object that is wanted with its first keys, those that it needs before others.

    >>> _shape(ma.Schema.from_dict({"a": ma.fields.String(), "b": ma.fields.String(required=True)})())
    '{"b": …, "a": …}'
    """
    loads = schema.load_fields.items() if schema is not None else ()
    keys = [each.data_key or name for name, each in sorted(loads, key=lambda item: not item[1].required)]
    shown = ", ".join(
        [f'"{key}": …' for key in keys[:MOST_KEYS]] + ["…"] * (len(keys) > MOST_KEYS or not keys)
    )
    return f"{{{shown}}}"


def with_hint(sentence: str, name: str, names: Collection[str]) -> str:
    """Complete the message about an unknown name by the one that is meant, or what to do instead."""
    if not sentence.startswith(KNOWN_NAMES):
        return sentence
    needed, hint = HINTS.get(name, ("", ""))
    if hint and (not needed or needed in names):
        return f"{sentence} {hint}"
    near = get_close_matches(camel(name), list(names), n=1) or [
        each for each in sorted(names) if each == f"{name}Id"
    ]
    return f"{sentence} Do you mean {near[0]}?" if near else sentence


def wanted(field: Any) -> str:
    """Name what a field takes.

    >>> wanted(fields.Id()), wanted(fields.Text(least=1, most=20)), wanted(fields.Digits(least=1, most=200))
    ('an id, a whole number without quotes', 'text of 1 to 20 characters, in quotes', 'a whole number from 1 to 200')
    """
    if isinstance(field, fields.Id | fields.FormId):
        quotes = "" if isinstance(field, fields.FormId) else " without quotes"
        listed = field.of.address if field.of is not None else None
        return f"an id, a whole number{quotes}{f'; GET {listed} lists them' if listed else ''}"
    bounds = next((each for each in field.validators if hasattr(each, "min")), None)
    if isinstance(field, fields.WholeNumber):
        within = f" from {bounds.min} to {bounds.max}" if bounds is not None else ""
        return f"a whole number{within}{'' if isinstance(field, fields.Digits) else ', without quotes'}"
    if isinstance(field, fields.Text):
        least = f"{bounds.min} to " if bounds is not None and bounds.min else "at most "
        return (
            f"text of {least}{bounds.max} characters, in quotes" if bounds is not None else "text, in quotes"
        )
    kinds = (
        (fields.Day, "a day as YYYY-MM-DD"),
        (fields.Amount, 'an amount as a decimal string, like "-12.50"'),
        (ma.fields.Boolean, "true or false, without quotes"),
        (ma.fields.List, "a list, […]"),
        (ma.fields.Nested, "a JSON object, {…}"),
        (FileContent, "the bytes of the file as base64"),
    )
    return next((words for kind, words in kinds if isinstance(field, kind)), "a value")
