"""The mapping of a table, of CSV or XLSX: where it keeps its columns and how it writes, checked key by key."""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.tables.days import is_format
from webapp.importers.texts import quoted
from webapp.ledger.currencies import UnknownCurrencyError, canonical

Column = str | int

# What a mapping calls a column, and the role's name in a layout.
COLUMNS: Final = {
    "date": "date",
    "amount": "amount",
    "debit": "debit",
    "credit": "credit",
    "currencyColumn": "currency_column",
    "accountColumn": "account_column",
    "balance": "balance",
    "description": "description",
    "counterparty": "counterparty",
    "reference": "reference",
}
_CHOICES: Final = {
    "delimiter": (",", ";", "\t", "|"),
    "decimal": (".", ","),
    "thousands": ("", ".", ",", " ", "'", "\u00a0", "\u202f", "\u2019"),
    "balanceIs": ("after", "before"),
}
_OTHERS: Final = ("encoding", "header", "sheet", "dateFormat", "flag", "invert", "currency", "pending")
# An allow-list, because Python also has codecs that unpack archives or run in quadratic time.
_TEXT: Final = re.compile(
    r"ascii|utf-(8(-sig)?|(16|32)(-[lb]e)?)|cp\d+|iso8859-\d+|koi8-[rut]|mac-\w+|tis-620|ptcp154"
    r"|gb(18030|k|2312)|big5(hkscs)?|shift_jis\w*|euc_(jp|kr|jis_2004)|johab"
)
_MAX_COLUMN: Final = 1_000
_PAIR: Final = 2
_TRIPLE: Final = 3


@dataclass(frozen=True, slots=True)
class Told:
    """What a mapping says; a column is a name of the header or an index from 0, `columns` by the role's name."""

    columns: Mapping[str, Column]
    choices: Mapping[str, str]
    encoding: str | None = None
    header: int | None = None
    sheet: Column | None = None
    has_header: bool | None = None
    date_format: str | None = None
    flag: tuple[Column, frozenset[str], frozenset[str]] | None = None
    invert: bool | None = None
    currency: str | None = None
    pending: tuple[Column, str] | None = None
    keys: frozenset[str] = field(default=frozenset())

    @property
    def names_the_money(self) -> bool:
        """Tell whether the day and the amount are told, so that no column need be found."""
        return "date" in self.columns and ("amount" in self.columns or "debit" in self.columns)

    def names(self) -> list[str]:
        """The names of the header that it uses."""
        columns = [*self.columns.values(), *(each[0] for each in (self.flag, self.pending) if each)]
        return [column for column in columns if isinstance(column, str)]


def told(mapping: Mapping[str, object] | None) -> Told:
    """Check a mapping (behaviour.md 2); raises FileRefusedError with a sentence that names the key."""
    given = dict(mapping or {})
    unknown = sorted(given.keys() - COLUMNS.keys() - _CHOICES.keys() - set(_OTHERS))
    if unknown:
        known = ", ".join(sorted({*COLUMNS, *_CHOICES, *_OTHERS}))
        raise FileRefusedError(f"The mapping has no key {quoted(unknown[0])}; it has {known}.")
    _check_amounts(given)
    return Told(
        columns={name: _column(key, given[key]) for key, name in COLUMNS.items() if key in given},
        choices={key: _choice(key, given[key]) for key in _CHOICES if key in given},
        encoding=_encoding(given["encoding"]) if "encoding" in given else None,
        header=_header(given["header"]) if given.get("header") is not None else None,
        has_header=given["header"] is not None if "header" in given else None,
        sheet=_sheet(given["sheet"]) if given.get("sheet") is not None else None,
        date_format=_date_format(given["dateFormat"]) if "dateFormat" in given else None,
        flag=_flag(given["flag"]) if "flag" in given else None,
        invert=_invert(given["invert"]) if "invert" in given else None,
        currency=_currency(given["currency"]) if "currency" in given else None,
        pending=_pending(given["pending"]) if "pending" in given else None,
        keys=frozenset(given),
    )


def _check_amounts(given: Mapping[str, object]) -> None:
    if ("debit" in given) != ("credit" in given):
        there, missing = ("debit", "credit") if "debit" in given else ("credit", "debit")
        raise FileRefusedError(f"The mapping has {there} without {missing}; give both columns.")
    if "amount" in given and "debit" in given:
        raise FileRefusedError(
            "The mapping has amount and also debit and credit; give the one or the others."
        )
    if "flag" in given and "debit" in given:
        raise FileRefusedError("The mapping has flag beside debit and credit; a flag goes with amount.")
    if "currency" in given and "currencyColumn" in given:
        raise FileRefusedError("The mapping has currency and also currencyColumn; give one of them.")
    thousands = given.get("thousands")
    if thousands and given.get("decimal", ".") == thousands:
        raise FileRefusedError("decimal and thousands of the mapping are the same mark; they have to differ.")


def _wrong(key: str, what: str) -> FileRefusedError:
    return FileRefusedError(f"{key} of the mapping has to be {what}.")


def _column(key: str, value: object) -> Column:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_COLUMN:
        return value
    raise _wrong(key, "a column: a name of the header or an index from 0")


def _choice(key: str, value: object) -> str:
    if isinstance(value, str) and value in _CHOICES[key]:
        return {"\u00a0": " ", "\u202f": " ", "\u2019": "'"}.get(value, value)
    raise _wrong(key, "one of " + " ".join(repr(each) for each in _CHOICES[key][:6]))


def _encoding(value: object) -> str:
    if isinstance(value, str) and value.isascii() and value.isprintable():
        try:
            codec = codecs.lookup(value)
        except (LookupError, ValueError):
            pass
        else:
            if _TEXT.fullmatch(codec.name):
                return codec.name
    raise _wrong("encoding", "the name of an encoding, such as utf-8, cp1252 or gb18030")


def _header(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _wrong("header", "the row of the header, counted from 0, or null where there is none")


def _sheet(value: object) -> Column:
    try:
        return _column("sheet", value)
    except FileRefusedError:
        raise _wrong("sheet", "a sheet of a workbook: its name or an index from 0") from None


def _date_format(value: object) -> str:
    if isinstance(value, str) and is_format(value):
        return value
    raise _wrong("dateFormat", "a format of day, month and year, such as %d.%m.%Y")


def _words(value: object) -> frozenset[str] | None:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return None
    return frozenset(word.strip().casefold() for word in value)


def _flag(value: object) -> tuple[Column, frozenset[str], frozenset[str]]:
    if isinstance(value, list) and len(value) == _TRIPLE:
        out, into = _words(value[1]), _words(value[2])
        if out and into and not out & into:
            return _column("flag", value[0]), out, into
    raise _wrong("flag", "[column, [words for money out], [other words for money in]]")


def _invert(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise _wrong("invert", "true or false")


def _currency(value: object) -> str:
    try:
        if isinstance(value, str):
            return canonical(value)
    except UnknownCurrencyError:
        pass
    raise _wrong("currency", "a currency of ISO 4217, such as EUR")


def _pending(value: object) -> tuple[Column, str]:
    if isinstance(value, list) and len(value) == _PAIR and isinstance(value[1], str):
        return _column("pending", value[0]), value[1].strip().casefold()
    raise _wrong("pending", "[column, value of a pending line]")
