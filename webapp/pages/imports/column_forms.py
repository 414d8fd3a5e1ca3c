"""The page of a file's columns: its form as a mapping, and the file as it is read with it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import accumulate
from typing import Any

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.queries.imports.imports import ImportLineRecord, ImportRecord
from webapp.services.imports.column_trials import ColumnReading
from webapp.web.rendering.languages import marked

FROM_MAPPING = "typed"
_OF_COLUMNS = {"date": "Booked on"}
# What the roles of columns are called.
KINDS = {
    "date": marked("Date"),
    "amount": marked("Amount"),
    "debit": "Debit, money out",
    "credit": "Credit, money in",
    "flag": "In or out",
    "balance": marked("Balance"),
    "description": marked("Description"),
    "counterparty": marked("Counterparty"),
    "reference": marked("Reference"),
    "currencyColumn": marked("Currency"),
    "accountColumn": marked("Account"),
    "pending": marked("Status"),
    "valueDate": "Value day",
    "leaveOut": "Says which rows to leave out",
    "charges": marked("Charges"),
    "originalAmount": "Original amount",
    "originalCurrency": "Original currency",
    "exchangeRate": "Exchange rate",
}
# What else is chosen, as the settings of the form call it.
_SETTINGS = {
    "dateFormat": ("Days are written", {}),
    "invert": ("Amounts without a sign", {"True": "money out", "False": "money in"}),
    "balanceIs": (
        "The balance is",
        {"before": "the one before each line", "after": "the one after each line"},
    ),
    "chargesAre": (
        "Charges are",
        {"within": "part of the amounts", "beside": "taken in addition to the amounts"},
    ),
}
FIGURES = ("amount", "debit", "credit", "balance")
ROWS_SHOWN = 12
YEARS_END = date(2026, 12, 31)
_STATUSES = ("pending_value", "pending_unmoved", "pending_booked")
# Values of rows may have commas.
_BETWEEN = " | "
_MARKS = {"tab": "\t", "none": "", "space": " "}
_PLAIN = {
    "encoding": "encoding",
    "delimiter": "delimiter",
    "sheet": "sheet",
    "date_format": "dateFormat",
    "decimal": "decimal",
    "thousands": "thousands",
    "invert": "invert",
    "skip_without_amount": "skipWithoutAmount",
    "currency": "currency",
    "balance_is": "balanceIs",
    "charges_are": "chargesAre",
}


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """What was chosen for the user, in words; `field` is the form's field that changes it."""

    name: str
    value: str
    why: str
    field: str


class ColumnsUnclearError(UnprocessableError):
    """The columns contradict each other."""

    code = "validation"


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """A question about an ambiguous file: the mapping's key, the sentence, and the choices as (value, text)."""

    key: str
    sentence: str
    choices: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line as it is read, with the running sum of its account's lines."""

    line: ImportLineRecord
    running: Money | None


@dataclass(frozen=True, slots=True)
class ColumnsView:
    """A file as it is read with a mapping: its lines, or the error, and the question to ask."""

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
    question: ColumnQuestion | None
    is_guessed: bool

    @property
    def found_day(self) -> str | None:
        """The last day of 2026 as the format that was found writes it."""
        found = self.found.get("dateFormat")
        return YEARS_END.strftime(found) if isinstance(found, str) and found else None


def columns_view(
    reading: ColumnReading,
    mapping: Mapping[str, object] | None,
    unclear: Sequence[str] = (),
    kinds: Mapping[str, str] = KINDS,
) -> ColumnsView:
    """The view of a file with a mapping; `unclear` are contradictory roles, which are shown as they were chosen."""
    sample, refusal, mapped = reading.sample, reading.refusal, mapping or reading.guess or {}
    details = dict(refusal.details or {}) if refusal else {}
    names = sample.names if sample else []
    is_mapped = any(role in mapped for role in kinds)
    detected = reading.mapping or (sample.columns if sample else {})
    certain = {key: place for key, place in detected.items() if key != details.get("key")}
    is_whole = "date" in mapped and is_mapped
    roles = roles_of(mapped if is_whole else {**certain, **mapped}, names, kinds)
    guess = FROM_MAPPING if is_mapped else ",".join(roles)
    roles = roles_of(
        {**(mapped if is_whole else {**certain, **mapped}), **proposed_of(reading)}, names, kinds
    )
    if len(unclear) == len(names):
        roles = list(unclear)
    return ColumnsView(
        names=names,
        rows=sample.body[:ROWS_SHOWN] if sample else (),
        roles=roles,
        guess=guess,
        sheets=sample.sheets if sample else (),
        found=reading.mapping or {},
        lines=running(reading.records[:ROWS_SHOWN]),
        total=len(reading.records),
        added=reading.added,
        opens=reading.opens,
        problem=str(refusal) if refusal else None,
        refused=details,
        question=_question(details, str(refusal)) if "key" in details else None,
        is_guessed=reading.guess is not None,
    )


def _question(details: Mapping[str, Any], sentence: str) -> ColumnQuestion:
    key, example = details["key"], str(details.get("example", ""))
    if key == "dateFormat" and details.get("dateFormats"):
        choices = [(each, _formatted_day(example, each)) for each in details["dateFormats"]]
        is_year_open = any(each.startswith("%y") for each in details["dateFormats"])
        which = f"Which day is “{example}”?" if is_year_open else f"Is “{example}” a day in which month?"
        return ColumnQuestion(key, which, choices)
    if key == "decimal":
        choices = [
            (",", f"The comma is the decimal mark: “{example}” has {_cents(example, ',')}"),
            (".", f"The point is the decimal mark: “{example}” has {_cents(example, '.')}"),
        ]
        return ColumnQuestion(key, f"Where do the cents begin in “{example}”?", choices)
    if key == "invert":
        choices = [("false", f"“{example}” is money in"), ("true", f"“{example}” is money out")]
        return ColumnQuestion(key, f"Is “{example}”, without a minus, money in or money out?", choices)
    if key in {"leaveOut", "chargesAre", "skipWithoutAmount"}:
        return _question_about_rows(key, example, details)
    if key == "sheet":
        return ColumnQuestion(key, sentence, [(each, each) for each in details.get("sheets", ())])
    return ColumnQuestion(key, sentence)


def _question_about_rows(key: str, example: str, details: Mapping[str, Any]) -> ColumnQuestion:
    if key == "skipWithoutAmount":
        choices = [("true", "Nothing: leave out rows without an amount, and list them")]
        return ColumnQuestion(key, f"Row {details['row']:,} has a day and no amount. What moved?", choices)
    if key == "chargesAre":
        charges = details["charges"]
        choices = [
            ("within", f"“{example}” is what the account paid or got, with the fee in it"),
            ("beside", f"“{example}” is without the fee of {charges}, which was taken as well"),
        ]
        return ColumnQuestion(key, f"Is the fee of {charges} in “{example}”?", choices)
    column, values = details["leaveOut"]
    choices = [
        (json.dumps({"leaveOut": [column, values]}), f"“{example}” is a balance: leave such rows out"),
        (
            json.dumps({"leaveOut": [column, []]}),
            f"“{example}” is a payment, and all other rows are lines too",
        ),
    ]
    return ColumnQuestion(key, f"Is “{example}” a balance or a payment?", choices)


def _formatted_day(example: str, date_format: str) -> str:
    try:
        found = datetime.strptime(example, date_format).replace(tzinfo=UTC)
    except ValueError:
        first = {"%d": "Day", "%m": "Month"}.get(date_format[:2], "Year")
        return f"{first} first, {date_format}"
    return f"{found:%-d %b %Y}"


def _cents(example: str, mark: str) -> str:
    return "no cents" if mark not in example else f"“{example.rpartition(mark)[2]}” behind it"


def mapping_of(form: Mapping[str, Any]) -> dict[str, object] | None:
    """The mapping of a form, None where it is empty; raises ColumnsUnclearError."""
    mapping: dict[str, object] = {
        key: _MARKS.get(form[name], form[name]) for name, key in _PLAIN.items() if form.get(name) is not None
    }
    if form["header_text"] is not None:
        mapping["header"] = form["header_text"]
    elif form["header"] == "none":
        mapping["header"] = None
    elif form["header"] is not None and form["header"].isascii() and form["header"].isdigit():
        mapping["header"] = int(form["header"])
    if form.get("leave_out") is not None:
        mapping["leaveOut"] = form["leave_out"].get("leaveOut")
    elif form["columns"] and ",".join(form["columns"]) != form["guess"]:
        mapping |= _columns(form)
    return mapping or None


def _columns(form: Mapping[str, Any]) -> dict[str, object]:
    mapping: dict[str, object] = {}
    for place, role in enumerate(form["columns"]):
        if role and role in mapping:
            raise ColumnsUnclearError(
                f"Columns {_place(mapping[role])} and {place + 1} have the same role. Ignore one of them."
            )
        if role:
            mapping[role] = place
    if "flag" in mapping:
        words = [_split_words(form[name]) for name in ("flag_out", "flag_in", "flag_neither")]
        mapping["flag"] = [mapping["flag"], *words]
    if "pending" in mapping:
        words = [_split_words(form[name]) for name in _STATUSES]
        mapping["pending"] = [mapping["pending"], *(words if any(words[1:]) else [form["pending_value"]])]
    if "leaveOut" in mapping:
        mapping["leaveOut"] = [
            mapping["leaveOut"],
            form["left_out"].split(_BETWEEN) if form["left_out"] else [],
        ]
    return mapping


def _place(place: object) -> int:
    return place + 1 if isinstance(place, int) else 0


def _split_words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def roles_of(mapping: Mapping[str, object], names: Sequence[str], roles: Iterable[str] = KINDS) -> list[str]:
    """The role of each column, "" for none, by a mapping of names or indexes."""
    found = [""] * len(names)
    for role in roles:
        column = mapping.get(role)
        column = column[0] if isinstance(column, list) and column else column
        place = names.index(column) if isinstance(column, str) and column in names else column
        if isinstance(place, int) and 0 <= place < len(found):
            found[place] = role
    return found


def running(lines: Sequence[ImportLineRecord]) -> list[ReadLine]:
    """Lines with the running sum of their amounts, if they are in one currency."""
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
    """The fields of the form for a mapping."""
    keys = mapping or {}
    mark_names = {mark: name for name, mark in _MARKS.items()}
    fields: dict[str, object] = {}
    for name, key in _PLAIN.items():
        value = keys.get(key)
        fields[name] = mark_names.get(value, value) if isinstance(value, str) else value
    if isinstance(keys.get("header"), str):
        fields["header_text"] = keys["header"]
    elif "header" in keys:
        fields["header"] = "none" if keys["header"] is None else str(keys["header"])
    flag, pending = keys.get("flag"), keys.get("pending")
    if isinstance(flag, list):
        names = ("flag_out", "flag_in", "flag_neither")
        fields |= {name: ", ".join(words) for name, words in zip(names, flag[1:], strict=False)}
    if isinstance(pending, list):
        words = [[each] if isinstance(each, str) else each for each in pending[1:]]
        fields |= {name: ", ".join(each) for name, each in zip(_STATUSES, words, strict=False)}
    if isinstance(left_out := keys.get("leaveOut"), list):
        fields |= {"left_out": _BETWEEN.join(left_out[1]), "leave_out": json.dumps({"leaveOut": left_out})}
    return fields


def choices_of(record: ImportRecord) -> list[ShownChoice]:
    """The choices among several readings of a table, in words."""
    return [_shown_choice(**each) for each in record.chosen]


def _shown_choice(key: str, value: object, why: str) -> ShownChoice:
    if key in KINDS:
        return ShownChoice(
            _OF_COLUMNS.get(key, KINDS[key]),
            value if isinstance(value, str) else f"column {_place(value)}",
            why,
            "columns",
        )
    name, words = _SETTINGS[key]
    shown = YEARS_END.strftime(str(value)) if key == "dateFormat" else words[str(value)]
    return ShownChoice(name, shown, why, f"column-{key}")


def proposed_of(reading: ColumnReading) -> dict[str, object]:
    """The part of a mapping that a question proposes: the words of a column of statuses, the rows to leave out."""
    details = (reading.refusal.details or {}) if reading.refusal else {}
    key = details.get("key")
    return {key: details[key]} if key in {"pending", "leaveOut"} and key in details else {}
