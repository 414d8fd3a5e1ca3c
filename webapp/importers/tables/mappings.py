"""The mapping of a CSV or XLSX table, its columns and formats, checked key by key."""

import codecs
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, NamedTuple

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.tables.days import is_format
from webapp.importers.tables.statuses import StatusWords, folded_words
from webapp.importers.texts import quoted
from webapp.ledger.currencies import UnknownCurrencyError, canonical

Column = str | int

# The mapping's keys of columns, with the names of these roles in a layout.
COLUMNS: Final = {
    "date": "date",
    "valueDate": "value_date",
    "amount": "amount",
    "debit": "debit",
    "credit": "credit",
    "currencyColumn": "currency_column",
    "accountColumn": "account_column",
    "balance": "balance",
    "description": "description",
    "counterparty": "counterparty",
    "reference": "reference",
    "charges": "charges",
    "originalAmount": "original_amount",
    "originalCurrency": "original_currency",
    "exchangeRate": "exchange_rate",
}
# The keys of which each takes one of some words.
CHOICES: Final = {
    "delimiter": (",", ";", "\t", "|"),
    "decimal": (".", ","),
    "thousands": ("", ".", ",", " ", "'", "\u00a0", "\u202f", "\u2019"),
    "balanceIs": ("after", "before"),
    "chargesAre": ("within", "beside"),
}
# The keys of any table, and those that go with the lines of a bank.
FORMATS: Final = (
    "encoding",
    "header",
    "sheet",
    "dateFormat",
    "delimiter",
    "decimal",
    "thousands",
    "currency",
)
OTHERS: Final = (
    *FORMATS,
    "balanceIs",
    "chargesAre",
    "flag",
    "invert",
    "leaveOut",
    "pending",
    "skipWithoutAmount",
)
# An allow-list, because Python also has codecs that unpack archives or run in quadratic time.
_TEXT: Final = re.compile(
    r"ascii|utf-(8(-sig)?|(16|32)(-[lb]e)?)|cp\d+|iso8859-\d+|koi8-[rut]|mac-\w+|tis-620|ptcp154"
    r"|gb(18030|k|2312)|big5(hkscs)?|shift_jis\w*|euc_(jp|kr|jis_2004)|johab"
)
_MAX_COLUMN: Final = 1_000
_PAIR: Final = 2
_FLAG_SIZES: Final = (3, 4)
_STATUS_SIZES: Final = (2, 3, 4)
_MOST_LEFT_OUT: Final = 100
_LONGEST_HEADER: Final = 1_000


class FlagWords(NamedTuple):
    """The words of a flag: for money out, for money in, and for rows to leave out."""

    out: frozenset[str]
    into: frozenset[str]
    neither: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TableMapping:
    """A checked mapping; a column is a name of the header or an index from 0, `columns` by the role's name.

    `header` is the row of the header; `header_text` is its text, from which `layouts.placed` finds the row.
    """

    columns: Mapping[str, Column]
    choices: Mapping[str, str]
    encoding: str | None = None
    header: int | None = None
    sheet: Column | None = None
    has_header: bool | None = None
    date_format: str | None = None
    header_text: str | None = None
    skips_without_amount: bool = False
    flag: tuple[Column, FlagWords] | None = None
    invert: bool | None = None
    currency: str | None = None
    pending: tuple[Column, StatusWords] | None = None
    leave_out: tuple[Column, frozenset[str]] | None = None
    keys: frozenset[str] = field(default=frozenset())

    @property
    def has_date_and_amount(self) -> bool:
        """Return whether it names columns of dates and amounts."""
        return "date" in self.columns and ("amount" in self.columns or "debit" in self.columns)

    def names(self) -> list[str]:
        """Return the header names that it uses."""
        others = (self.flag, self.pending, self.leave_out)
        columns = [*self.columns.values(), *(each[0] for each in others if each)]
        return [column for column in columns if isinstance(column, str)]


def checked_mapping(
    mapping: Mapping[str, object] | None,
    columns: Mapping[str, str] = COLUMNS,
    others: Collection[str] = OTHERS,
) -> TableMapping:
    """Check a mapping (behaviour.md 2) of these columns and their roles, and its keys without a column.

    Raises FileRefusedError with a sentence that names the key.
    """
    settings = dict(mapping or {})
    known = {*columns, *others}
    unknown = sorted(settings.keys() - known)
    if unknown:
        keys = ", ".join(sorted(known))
        raise FileRefusedError(f"A mapping has no key {quoted(unknown[0])}; its keys are {keys}.")
    _check_amounts(settings)
    return TableMapping(
        columns={name: _column(key, settings[key]) for key, name in columns.items() if key in settings},
        choices={key: _choice(key, settings[key]) for key in CHOICES if key in settings},
        encoding=_encoding(settings["encoding"]) if "encoding" in settings else None,
        header=_header(settings["header"]) if isinstance(settings.get("header"), int) else None,
        header_text=_header_text(settings["header"]) if "header" in settings else None,
        has_header=settings["header"] is not None if "header" in settings else None,
        sheet=_sheet(settings["sheet"]) if settings.get("sheet") is not None else None,
        date_format=_date_format(settings["dateFormat"]) if "dateFormat" in settings else None,
        flag=_flag(settings["flag"]) if "flag" in settings else None,
        skips_without_amount=_true("skipWithoutAmount", settings.get("skipWithoutAmount", False)),
        invert=_true("invert", settings["invert"]) if "invert" in settings else None,
        currency=_currency(settings["currency"]) if "currency" in settings else None,
        pending=_pending(settings["pending"]) if "pending" in settings else None,
        leave_out=left_out(settings["leaveOut"]) if "leaveOut" in settings else None,
        keys=frozenset(settings),
    )


def _check_amounts(settings: Mapping[str, object]) -> None:
    if ("debit" in settings) != ("credit" in settings):
        present, missing = ("debit", "credit") if "debit" in settings else ("credit", "debit")
        raise FileRefusedError(f"The mapping has {present} without {missing}; give both columns.")
    if "amount" in settings and "debit" in settings:
        raise FileRefusedError(
            "The mapping has amount and also debit and credit; give the one or the others."
        )
    if "flag" in settings and "debit" in settings:
        raise FileRefusedError("The mapping has flag beside debit and credit; a flag goes with amount.")
    if "currency" in settings and "currencyColumn" in settings:
        raise FileRefusedError("The mapping has currency and also currencyColumn; give one of them.")
    thousands = settings.get("thousands")
    if thousands and settings.get("decimal", ".") == thousands:
        raise FileRefusedError("decimal and thousands of the mapping are the same mark; they must differ.")


def _value_error(key: str, what: str) -> FileRefusedError:
    return FileRefusedError(f"{key} of the mapping must be {what}.")


def _column(key: str, value: object) -> Column:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_COLUMN:
        return value
    raise _value_error(key, "a column: a name of the header or an index from 0")


def _choice(key: str, value: object) -> str:
    if isinstance(value, str) and value in CHOICES[key]:
        return {"\u00a0": " ", "\u202f": " ", "\u2019": "'"}.get(value, value)
    raise _value_error(key, "one of " + " ".join(repr(each) for each in CHOICES[key][:6]))


def _encoding(value: object) -> str:
    if isinstance(value, str) and value.isascii() and value.isprintable():
        try:
            codec = codecs.lookup(value)
        except (LookupError, ValueError):
            pass
        else:
            if _TEXT.fullmatch(codec.name):
                return codec.name
    raise _value_error("encoding", "the name of an encoding, such as utf-8, cp1252 or gb18030")


def _header(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _header_error()


def _header_text(value: object) -> str | None:
    if value is None or isinstance(value, int):
        return None
    if isinstance(value, str) and value.strip() and len(value) <= _LONGEST_HEADER:
        return value
    raise _header_error()


def _header_error() -> FileRefusedError:
    return _value_error(
        "header",
        "the row of the header, counted from 0, or the text with which it begins (Date;Text), or null where there is"
        " none",
    )


def _sheet(value: object) -> Column:
    try:
        return _column("sheet", value)
    except FileRefusedError:
        raise _value_error("sheet", "a sheet of a workbook: its name or an index from 0") from None


def _date_format(value: object) -> str:
    if isinstance(value, str) and is_format(value):
        return value
    raise _value_error("dateFormat", "a format of day, month and year, such as %d.%m.%Y")


def _words(value: object) -> frozenset[str] | None:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return None
    return frozenset(word.strip().casefold() for word in value)


def _flag(value: object) -> tuple[Column, FlagWords]:
    if isinstance(value, list) and len(value) in _FLAG_SIZES:
        out, into, neither = (_words(each) for each in (*value[1:], [])[:3])
        if out and into and neither is not None and not (out & into or neither & (out | into)):
            return _column("flag", value[0]), FlagWords(out, into, neither)
    raise _value_error(
        "flag",
        "[column, [words for money out], [other words for money in], [words of rows to leave out]], the last of them"
        " optional",
    )


def _true(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise _value_error(key, "true or false")


def _currency(value: object) -> str:
    try:
        if isinstance(value, str):
            return canonical(value)
    except UnknownCurrencyError:
        pass
    raise _value_error("currency", "a currency of ISO 4217, such as EUR")


def _pending(value: object) -> tuple[Column, StatusWords]:
    if isinstance(value, list) and len(value) in _STATUS_SIZES:
        first = [value[1]] if isinstance(value[1], str) else value[1]
        words = [_words(each) for each in (first, *value[2:])]
        if None not in words:
            pending, *others = (folded_words(each) for each in words if each is not None)
            if not any(each & other for each, other in combinations((pending, *others), 2)):
                # The short form names the pending rows alone.
                unmoved = others[0] if others else frozenset[str]()
                booked = (*others, frozenset[str]())[1] if others else None
                return _column("pending", value[0]), StatusWords(pending, unmoved, booked)
    raise _value_error(
        "pending",
        "[column, value of a pending line], or [column, [words of pending rows], [words of rows that moved no money],"
        " [words of booked rows]], the last of them optional",
    )


def left_out(value: object) -> tuple[Column, frozenset[str]]:
    """Check the rows that a mapping leaves out: a column, and the values of it; raises FileRefusedError."""
    if isinstance(value, list) and len(value) == _PAIR:
        words = _words(value[1])
        if words is not None and len(words) <= _MOST_LEFT_OUT:
            return _column("leaveOut", value[0]), words
    raise _value_error(
        "leaveOut",
        f"[column, [values of rows to leave out]], at most {_MOST_LEFT_OUT}, none where all rows are lines",
    )
