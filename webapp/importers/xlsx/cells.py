"""The value of one cell: numbers as a spreadsheet shows them, dates from serial numbers, texts unescaped."""

import re
from datetime import date, timedelta
from decimal import Context, Decimal
from typing import Final, Literal

from webapp.importers.tables.typed_cells import DayCell, ErrorCell, NumberCell

Kind = Literal["number", "day", "time"]

# By ECMA-376 fraction 1, 18.8.30; those from 27 on are dates in East Asian languages, and unused in others.
_DAYS: Final = frozenset({*range(14, 18), 22, *range(27, 37), *range(50, 59)})
_TIMES: Final = frozenset({*range(18, 22), 45, 46, 47})
_LITERALS: Final = re.compile(r'"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]?')
_GENERAL: Final = frozenset({"general", "standard"})

_NUMBER: Final = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_SHORT: Final = re.compile(r"-?(?=[\d.]{1,16}$)\d{1,15}(?:\.\d+)?", re.ASCII)
_MAX_LENGTH: Final = 60
# A spreadsheet shows fifteen significant digits, the precision of a double.
_DIGITS: Final = 15
_SHOWN: Final = Context(prec=_DIGITS)
# Finer than any currency, and coarser than the rounding errors of binary arithmetic.
_FINEST: Final = Decimal("1e-9")

_MILLISECONDS: Final = 86_400_000
_EPOCH_1904: Final = date(1904, 1, 1)
_EPOCH: Final = date(1899, 12, 30)
# Serial number 60 is the 29th of February 1900, a day of Lotus 1-2-3 that does not exist.
_FALSE_LEAP_DAY: Final = 60
_LAST: Final = 2_958_465

_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def kind_of(number: int, code: str | None) -> Kind:
    """Return what a number format shows: a number, a date or a time; `code` is the workbook's own format.

    >>> kind_of(14, None), kind_of(0, None), kind_of(164, "dd.mm.yyyy;@"), kind_of(165, "[h]:mm:ss"), kind_of(9, None)
    ('day', 'number', 'day', 'time', 'number')
    >>> kind_of(166, '#,##0.00 "days"'), kind_of(167, "[Red]0.00"), kind_of(168, "[$-409]d-mmm"), kind_of(1, "General")
    ('number', 'number', 'day', 'number')
    """
    if code is None:
        return "day" if number in _DAYS else "time" if number in _TIMES else "number"
    placeholders = _LITERALS.sub("", code.partition(";")[0]).strip().lower()
    if placeholders in _GENERAL:
        return "number"
    if "y" in placeholders or "d" in placeholders or "mmm" in placeholders:
        return "day"
    return "time" if re.search(r"[hms]", placeholders) or re.search(r"\[[hms]+\]", code.lower()) else "number"


def number(raw: str, *, is_computed: bool) -> NumberCell | ErrorCell:
    """Return a number as a spreadsheet shows it in a wide column: fifteen digits of the nearest double.

    >>> [number(raw, is_computed=False) for raw in ("1234.5600000000001", "-12.50", "1E-2", "1.0E+3", "0.1")]
    ['1234.56', '-12.50', '0.01', '1000', '0.1']
    >>> number("1.0913936421275139E-11", is_computed=True), type(number("1234567890123456", is_computed=False))
    ('0', <class 'webapp.importers.tables.typed_cells.ErrorCell'>)

    The result of a formula is rounded, to remove the errors of binary arithmetic.
    """
    if _SHORT.fullmatch(raw) and not is_computed:
        return NumberCell(raw)
    if len(raw) > _MAX_LENGTH or not _NUMBER.fullmatch(raw):
        return ErrorCell(raw)
    shown = _SHOWN.create_decimal(raw)
    if shown.adjusted() >= _DIGITS:
        return ErrorCell(raw)
    if is_computed:
        shown = shown.quantize(_FINEST)
    return NumberCell(f"{shown.normalize():f}")


def day(raw: str, *, is_1904: bool) -> DayCell | ErrorCell:
    """Return the date of a serial number, counted from 1900 or from 1904, with its time.

    >>> day("46086", is_1904=False), day("44624.5", is_1904=True), day("46085.99999999999", is_1904=False)
    ('2026-03-05', '2026-03-05 12:00:00', '2026-03-05')
    >>> day("1", is_1904=False), day("61", is_1904=False), type(day("60", is_1904=False)).__name__
    ('1900-01-01', '1900-03-01', 'ErrorCell')
    """
    if len(raw) > _MAX_LENGTH or not _NUMBER.fullmatch(raw):
        return ErrorCell(raw)
    serial = Decimal(raw)
    if not 0 <= serial <= _LAST + 1:
        return ErrorCell(raw)
    whole, milliseconds = divmod(round(serial * _MILLISECONDS), _MILLISECONDS)
    if is_1904:
        found = _EPOCH_1904 + timedelta(whole)
    elif whole in {0, _FALSE_LEAP_DAY} or whole > _LAST:
        return ErrorCell(raw)
    else:
        found = _EPOCH + timedelta(whole + (whole < _FALSE_LEAP_DAY))
    return DayCell(f"{found} {clock(milliseconds)}" if milliseconds else f"{found}")


def time(figure: NumberCell) -> str:
    """Return the time of day of a fraction of a day; other numbers stay numbers.

    >>> time(NumberCell("0.5242592593")), time(NumberCell("1.5"))
    ('12:34:56', '1.5')
    """
    fraction = Decimal(figure)
    return clock(round(fraction * _MILLISECONDS)) if 0 <= fraction < 1 else figure


def clock(milliseconds: int) -> str:
    """Return a time of day to the second, from its milliseconds."""
    seconds = min(milliseconds // 1000, 86_399)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def stated_day(text: str) -> DayCell | ErrorCell:
    """Return the date of a cell in ISO 8601 text, as some programs write it.

    >>> stated_day("2026-03-05T12:30:00Z"), type(stated_day("2026-02-30")).__name__
    ('2026-03-05', 'ErrorCell')
    """
    try:
        return DayCell(date.fromisoformat(text.strip()[:10]))
    except ValueError:
        return ErrorCell(text)


def unescaped(text: str) -> str:
    r"""Return a text with the escapes of the format resolved and without control characters.

    >>> unescaped("Rent_x000D_\nMay"), unescaped("a_x0041_b"), unescaped("snake_xylo_case")
    ('Rent\r\nMay', 'aAb', 'snake_xylo_case')
    """
    if "_x" in text:
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return _CONTROLS.sub("", text).strip()
