"""What programs are answered is what the schemas say, by whichever way a record is written."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from random import Random
from types import SimpleNamespace
from typing import Any

import marshmallow as ma
import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.ledger.money import Money
from webapp.schemas import fields
from webapp.schemas.answers import dumping
from webapp.schemas.base import OPTIONAL
from webapp.web.access import selections
from webapp.web.access.request_state import Selection

TEXTS = ["", "Miete", 'He said "no" \u2028 \\ </script>', "Zoë 東京 💶", "\x7f\t"]
DAYS = [date(1900, 1, 1), date(2026, 2, 28), date(2199, 12, 31)]
AT = datetime(2026, 11, 3, 1, 30, 0, 999_500, UTC)
MONEY = [Money(0, "EUR"), Money(-5, "EUR"), Money(123456, "JPY"), Money(-1, "BHD"), Money(2**63 - 1, "CLF")]


def value_of(field: Any, chance: Random, *, depth: int) -> Any:
    """Make up a value of a field: each of its words, each kind of text, amounts of all numbers of digits, null."""
    if field.allow_none and chance.random() < 0.3:
        return None
    if isinstance(field, ma.fields.Nested):
        record = record_of(field.schema, chance, depth=depth + 1)
        return [record, record] if field.many or field.schema.many else record
    if isinstance(field, ma.fields.List):
        return [value_of(field.inner, chance, depth=depth) for _ in range(chance.choice((0, 1, 3)))]
    made = [
        (fields.OneOf, lambda: chance.choice(field.words)),
        (fields.Amount, lambda: chance.choice(MONEY)),
        (fields.Timestamp, lambda: AT + timedelta(seconds=chance.randrange(10**6))),
        (fields.Day, lambda: chance.choice(DAYS)),
        (ma.fields.Date, lambda: chance.choice(DAYS)),
        (ma.fields.Integer, lambda: chance.choice((0, 1, 2**53, 2**63 - 1))),
        (ma.fields.Boolean, lambda: chance.random() < 0.5),
        (ma.fields.Dict, lambda: {"kind": "PERSON", "id": 7, "name": "Ada"}),
        (ma.fields.String, lambda: chance.choice(TEXTS)),
    ]
    return next((make() for kind, make in made if isinstance(field, kind)), None)


def record_of(schema: ma.Schema, chance: Random, *, depth: int = 0) -> Any:
    """Make up a record of a schema: an object or a dict, without some of what may be missing."""
    members = {}
    for name, field in schema.dump_fields.items():
        is_left_out = field.metadata.get("x-optional") and chance.random() < 0.5
        if not is_left_out and depth < 6:
            members[field.attribute or name] = value_of(field, chance, depth=depth)
    return members if depth == 0 or chance.random() < 0.2 else SimpleNamespace(**members)


def schemas_of(app: Any) -> dict[str, ma.Schema]:
    """Find what every address of the API answers, whole, by its summary, and with the keys that are asked for."""
    found = {}
    for endpoint, view in app.view_functions.items():
        for kind in ("answer_schema", "summary_schema"):
            schema = getattr(view, kind, None)
            if schema is None:
                continue
            found[f"{endpoint} {kind}"] = schema
            record = selections.record_of(view)
            if record is not None and kind == "answer_schema":
                asked = Selection(frozenset(record.names[::2]), frozenset(record.words[:1]))
                found[f"{endpoint} some"] = selections.selected(schema, asked)
                found[f"{endpoint} more"] = selections.selected(
                    schema, Selection(None, frozenset(record.words))
                )
    return found


def outcome(dump: Any, record: Any) -> str:
    """Give what comes of dumping a record: the canonical JSON, or the kind of error."""
    try:
        return json.dumps(dump(record), sort_keys=False, default=str)
    except Exception as error:  # noqa: BLE001  (a made-up value that a field refuses is refused both ways)
        return type(error).__name__


@on_sqlite
def test_records_are_written_as_their_schemas_write_them(app, rounds):
    answers = 0
    for name, schema in schemas_of(app).items():
        chance = Random(name)  # noqa: S311  (the same records each time)
        for _ in range(rounds(3, 100)):
            record = record_of(schema, chance)
            expected = outcome(schema.dump, record)
            assert outcome(dumping(schema), record) == expected, f"{name}: {record}"
            answers += expected.startswith("{")
    assert answers > 300


@pytest.mark.parametrize("field", [fields.Amount(), fields.Id(), fields.Timestamp(), ma.fields.Boolean()])
def test_odd_values_are_left_to_the_schema(field):
    schema = ma.Schema.from_dict({"value": field})()
    for value in (None, "7", 7, True, 1.5, Money(1, "EUR"), AT, date(2026, 1, 1)):
        assert outcome(dumping(schema), {"value": value}) == outcome(schema.dump, {"value": value})


def test_what_is_missing_is_left_out_and_null_is_not():
    schema = ma.Schema.from_dict(
        {"number": ma.fields.Integer(metadata=OPTIONAL), "name": ma.fields.String()}
    )()
    assert dumping(schema)({"name": None}) == {"name": None}
