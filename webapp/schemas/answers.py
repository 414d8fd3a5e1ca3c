"""Answers: records as their schemas dump them, by functions that are made of a schema's fields once.

Marshmallow asks every field of every record anew how its value is found and written. What it would answer for a kind of
field is known when the schema is made; a field that is not of such a kind, and a value of an odd type, is left to it.
tests/properties/test_answers.py holds every schema to the same answer by both ways.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

import marshmallow as ma
from marshmallow.decorators import POST_DUMP, PRE_DUMP

from webapp.ledger.canonical import instant_text
from webapp.ledger.money import Money
from webapp.schemas import fields
from webapp.schemas.entry_days import EffectiveAt, entry_day
from webapp.schemas.untrusted import Untrusted

Write = Callable[[Any], Any]
Dump = Callable[[Any], Any]


class ValueWriting(NamedTuple):
    """How a value is written: one of a type by a function, or as it is where there is none; any other otherwise."""

    of_type: type | None
    write: Write | None
    otherwise: Write


# Of a field that is asked each time.
ASKED: Final = (None, None, None)
# The kinds of fields whose values of these types are written as they are.
PLAIN: Final[dict[type[ma.fields.Field[Any]], type]] = {
    **dict.fromkeys(
        (ma.fields.String, fields.OneOf, fields.Currency, fields.Text, fields.Name, Untrusted), str
    ),
    **dict.fromkeys((ma.fields.Integer, fields.WholeNumber, fields.Id, fields.FormId, fields.Digits), int),
    **dict.fromkeys((ma.fields.Boolean, fields.Flag), bool),
}
# The kinds of fields whose values of these types are written by a function of them.
WRITTEN: Final[dict[type[ma.fields.Field[Any]], tuple[type, Write]]] = {
    fields.Amount: (Money, str),
    fields.Day: (date, date.isoformat),
    EffectiveAt: (date, entry_day),
    fields.Timestamp: (datetime, instant_text),
}


@lru_cache(maxsize=1024)
def dumping(schema: ma.Schema) -> Dump:
    """Make the function that dumps what a schema dumps, one record or many, as the schema does."""
    if _has_hooks(schema, PRE_DUMP) or type(schema).get_attribute is not ma.Schema.get_attribute:
        return schema.dump
    of_one = _of_one(schema)
    if not _has_hooks(schema, POST_DUMP):
        return (lambda records: [of_one(each) for each in records]) if schema.many else of_one

    def with_hooks(record: Any) -> Any:
        result = [of_one(each) for each in record] if schema.many else of_one(record)
        # What the schema itself calls next.
        return schema._invoke_dump_processors(  # noqa: SLF001
            POST_DUMP, result, many=bool(schema.many), original_data=record
        )

    return with_hooks


def _has_hooks(schema: ma.Schema, kind: str) -> bool:
    # Marshmallow names them nowhere else.
    return bool(schema._hooks[kind])  # noqa: SLF001


def _of_one(schema: ma.Schema) -> Dump:
    steps = [
        (name, field.data_key or name, field.attribute or name, *(_writing(field, name) or ASKED), field)
        for name, field in schema.dump_fields.items()
    ]

    def of_one(record: Any) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        is_object = not hasattr(record, "__getitem__")
        for name, key, attribute, of_type, write, otherwise, field in steps:
            if otherwise is None:
                value = field.serialize(name, record, accessor=schema.get_attribute)
                if value is not ma.missing:
                    answer[key] = value
                continue
            value = (
                getattr(record, attribute, ma.missing)
                if is_object
                else ma.utils.get_value(record, attribute, ma.missing)
            )
            if type(value) is of_type:
                answer[key] = value if write is None else write(value)
            elif value is not ma.missing:
                answer[key] = None if value is None else otherwise(value)
        return answer

    return of_one


def _writing(field: ma.fields.Field[Any], name: str) -> ValueWriting | None:
    """Give how a field's value that is not None is written; none where the field is asked each time."""
    if field.dump_default is not ma.missing or "." in (field.attribute or ""):
        return None
    kind = type(field)
    if kind is ma.fields.Nested:
        return ValueWriting(None, None, _of_nested(field))
    if kind is ma.fields.List:
        return _of_list(field, name)
    return _of_value(field, name)


def _of_value(field: Any, name: str) -> ValueWriting | None:
    kind = type(field)

    def as_ever(value: Any) -> Any:
        # What `serialize` calls with a value.
        return field._serialize(value, name, None)  # noqa: SLF001

    if kind in PLAIN and not getattr(field, "as_string", False):
        return ValueWriting(PLAIN[kind], None, as_ever)
    if kind in WRITTEN and not getattr(field, "format", None):
        return ValueWriting(*WRITTEN[kind], as_ever)
    return None


def _of_nested(field: Any) -> Write:
    schema, inner = field.schema, dumping(field.schema)
    if not field.many or schema.many:
        return inner
    if _has_hooks(schema, POST_DUMP):
        return lambda records: schema.dump(records, many=True)
    return lambda records: [inner(each) for each in records]


def _of_list(field: Any, name: str) -> ValueWriting | None:
    writing = _writing(field.inner, name)
    if writing is None:
        return None
    of_type, write, otherwise = writing

    def one(value: Any) -> Any:
        if type(value) is of_type:
            return value if write is None else write(value)
        return None if value is None else otherwise(value)

    return ValueWriting(None, None, lambda values: [one(each) for each in values])
