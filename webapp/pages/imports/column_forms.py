"""The page of a file's columns: what its form tells as a mapping, and how the file stands under one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import accumulate
from typing import Any

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.queries.imports.imports import ImportLineRecord
from webapp.schemas.imports.column_forms import ROLES
from webapp.services.imports.column_trials import ColumnReading

TOLD = "told"
ROWS_SHOWN = 12
_MARKS = {"tab": "\t", "none": "", "space": " "}
_PLAIN = {
    "encoding": "encoding",
    "delimiter": "delimiter",
    "sheet": "sheet",
    "date_format": "dateFormat",
    "decimal": "decimal",
    "thousands": "thousands",
    "invert": "invert",
    "currency": "currency",
}


class ColumnsUnclearError(UnprocessableError):
    """The columns contradict each other."""

    code = "validation"


@dataclass(frozen=True, slots=True)
class Question:
    """What the file leaves open: the mapping's key, the sentence, and what may be chosen as (value, words)."""

    key: str
    sentence: str
    choices: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line as it would be read, with the sum of its account's lines so far."""

    line: ImportLineRecord
    running: Money | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a file stands under a mapping: its lines, or the sentence why it does not read, and what it asks."""

    names: Sequence[str]
    rows: Sequence[Any]
    roles: Sequence[str]
    guess: str
    sheets: Sequence[str]
    found: Mapping[str, object]
    lines: Sequence[ReadLine]
    total: int
    added: int
    opens: bool
    problem: str | None
    refused: Mapping[str, Any]
    question: Question | None


def standing(
    reading: ColumnReading, mapping: Mapping[str, object] | None, unclear: Sequence[str] = ()
) -> Standing:
    """Show how a file stands under what was told; `unclear` are roles that contradict each other, kept as they are."""
    glimpse, refusal, told = reading.glimpse, reading.refusal, mapping or {}
    refused = dict(refusal.details or {}) if refusal else {}
    names = glimpse.names if glimpse else []
    is_told = any(role in told for role in ROLES)
    guessed = reading.mapping or (glimpse.columns if glimpse else {})
    left = {key: place for key, place in guessed.items() if key != refused.get("key")}
    roles = roles_of(told if is_told else left, names)
    guess = TOLD if is_told else ",".join(roles)
    if len(unclear) == len(names):
        roles = list(unclear)
    return Standing(
        names=names,
        rows=glimpse.body[:ROWS_SHOWN] if glimpse else (),
        roles=roles,
        guess=guess,
        sheets=glimpse.sheets if glimpse else (),
        found=reading.mapping or {},
        lines=running(reading.records[:ROWS_SHOWN]),
        total=len(reading.records),
        added=reading.added,
        opens=reading.opens,
        problem=str(refusal) if refusal else None,
        refused=refused,
        question=_question(refused, str(refusal)) if "key" in refused else None,
    )


def _question(refused: Mapping[str, Any], sentence: str) -> Question:
    key, example = refused["key"], str(refused.get("example", ""))
    if key == "dateFormat" and refused.get("dateFormats"):
        choices = [(each, _day_in_words(example, each)) for each in refused["dateFormats"]]
        return Question(key, f"Is “{example}” a day in which month?", choices)
    if key == "decimal":
        choices = [
            (",", f"The comma parts the cents: “{example}” has {_cents(example, ',')}"),
            (".", f"The point parts the cents: “{example}” has {_cents(example, '.')}"),
        ]
        return Question(key, f"Where do the cents begin in “{example}”?", choices)
    if key == "invert":
        choices = [("false", f"“{example}” is money in"), ("true", f"“{example}” is money out")]
        return Question(key, f"Is “{example}”, without a minus, money in or money out?", choices)
    if key == "sheet":
        return Question(key, sentence, [(each, each) for each in refused.get("sheets", ())])
    return Question(key, sentence)


def _day_in_words(example: str, date_format: str) -> str:
    try:
        found = datetime.strptime(example, date_format).replace(tzinfo=UTC)
    except ValueError:
        order = "Day" if date_format.find("%d") < date_format.find("%m") else "Month"
        return f"{order} first, {date_format}"
    return f"{found:%-d %B %Y}"


def _cents(example: str, mark: str) -> str:
    return "no cents" if mark not in example else f"“{example.rpartition(mark)[2]}” behind it"


def mapping_of(form: Mapping[str, Any]) -> dict[str, object] | None:
    """Give the mapping that a form tells, None where it tells nothing; raises ColumnsUnclearError."""
    mapping: dict[str, object] = {
        key: _MARKS.get(form[name], form[name]) for name, key in _PLAIN.items() if form[name] is not None
    }
    if form["header"] == "none":
        mapping["header"] = None
    elif form["header"] is not None and form["header"].isascii() and form["header"].isdigit():
        mapping["header"] = int(form["header"])
    if form["columns"] and ",".join(form["columns"]) != form["guess"]:
        mapping |= _columns(form)
    return mapping or None


def _columns(form: Mapping[str, Any]) -> dict[str, object]:
    told: dict[str, object] = {}
    for place, role in enumerate(form["columns"]):
        if role and role in told:
            raise ColumnsUnclearError(
                f"Columns {_place(told[role])} and {place + 1} are both taken for one thing. Ignore one of them."
            )
        if role:
            told[role] = place
    if "flag" in told:
        told["flag"] = [told["flag"], _words(form["flag_out"]), _words(form["flag_in"])]
    if "pending" in told:
        told["pending"] = [told["pending"], form["pending_value"]]
    return told


def _place(place: object) -> int:
    return place + 1 if isinstance(place, int) else 0


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def roles_of(mapping: Mapping[str, object], names: Sequence[str]) -> list[str]:
    """Give each column's role, "" for none, as a mapping tells it by names or places."""
    found = [""] * len(names)
    for role in ROLES:
        column = mapping.get(role)
        column = column[0] if isinstance(column, list) and column else column
        place = names.index(column) if isinstance(column, str) and column in names else column
        if isinstance(place, int) and 0 <= place < len(found):
            found[place] = role
    return found


def running(lines: Sequence[ImportLineRecord]) -> list[ReadLine]:
    """Give lines with the running sum of their amounts, as long as they are in one currency."""
    sums = accumulate(
        (each.amount.decimal if each.amount else Decimal(0) for each in lines), initial=Decimal(0)
    )
    next(sums)
    currencies = {each.currency for each in lines if each.amount}
    currency = currencies.pop() if len(currencies) == 1 else None
    return [
        ReadLine(each, Money.of(so_far, currency) if currency and each.amount else None)
        for each, so_far in zip(lines, sums, strict=True)
    ]


def form_of(mapping: Mapping[str, object] | None) -> dict[str, object]:
    """Give the fields of the form under a mapping."""
    told = mapping or {}
    words = {mark: name for name, mark in _MARKS.items()}
    fields: dict[str, object] = {}
    for name, key in _PLAIN.items():
        value = told.get(key)
        fields[name] = words.get(value, value) if isinstance(value, str) else value
    if "header" in told:
        fields["header"] = "none" if told["header"] is None else str(told["header"])
    flag, pending = told.get("flag"), told.get("pending")
    if isinstance(flag, list):
        fields["flag_out"], fields["flag_in"] = ", ".join(flag[1]), ", ".join(flag[2])
    if isinstance(pending, list):
        fields["pending_value"] = pending[1]
    return fields
