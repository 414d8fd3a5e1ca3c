"""The values of MT940: the balance of :60: and :62:, and the first line of :61: with dates and amount."""

import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from webapp.importers.bank_files import FileRefusedError, StatedBalance
from webapp.importers.texts import quoted
from webapp.importers.value_days import value_day
from webapp.importers.values import amount, iso_currency

_BALANCE: Final = re.compile(r"(R?[CD])\s?(\d{6})\s?([A-Za-z]{3})?\s?([\d.,]+)\s*", re.ASCII)
# The transaction type has four characters; some banks leave the last blank, others omit the type before NONREF.
_KIND: Final = r"(?!NONREF)[NSF](?:[A-Z0-9]{3}|[A-Z0-9]{2}(?: |$)|[A-Z0-9] {2}| {3})"
_ENTRY: Final = re.compile(
    r"(?P<value>\d{6})(?P<entry>\d{4})?\s*(?P<mark>[RE]?[CD])(?P<funds>[A-Z])?\s?(?P<amount>[\d.,]*\d[.,]?)"
    rf"\s*(?P<kind>{_KIND})?(?P<references>.*)",
    re.ASCII,
)
# From the account holder's view. A reversed credit is money out, a reversed debit money in.
_SIGNS: Final = {"C": 1, "D": -1, "RC": -1, "RD": 1, "EC": 1, "ED": -1}
# The beginning of a line in another field, or behind a tag that is not whole, such as 61: or :6I:.
_BEGINNING: Final = r"\d{6}(?:\d{4})?[RE]?[CD][A-Z]?\d{1,15},\d{0,2}(?!\d)"
_LOST: Final = re.compile(rf"(?:\W{{0,3}}6[1lI][A-Z]?\W{{0,2}})?{_BEGINNING}", re.ASCII)
_LOST_IN_TEXT: Final = re.compile(rf"\W{{0,3}}6[1lI][A-Z]?\W{{0,2}}{_BEGINNING}", re.ASCII)
_EXPECTED: Final = frozenset({"EC", "ED"})
_NO_DAY: Final = "000000"
# SWIFT introduced MT940 in 1977.
_FIRST_YEAR: Final = 77
_REFERENCE: Final = 16
# A day that is nearer than this in one year is farther in the years around it.
_HALF_A_YEAR: Final = timedelta(days=182)


class Mt940Entry(NamedTuple):
    """The first line of :61:; `remark` is the text behind a reference that a bank pads to its full length.

    With `has_moved_value_day` the bank's value date does not exist, and `value_on` is the last of its month.
    """

    booked_on: date
    value_on: date
    has_moved_value_day: bool
    amount: Decimal
    pending: bool
    reference: str
    bank_reference: str
    remark: str


def balance(text: str) -> tuple[StatedBalance, str | None]:
    """Read a stated balance and its currency, which some banks omit in the closing one; raises FileRefusedError.

    >>> balance("D110522EUR000003236,28")
    (StatedBalance(amount=Decimal('-3236.28'), day=datetime.date(2011, 5, 22), stated_at=None), 'EUR')
    """
    found = _BALANCE.fullmatch(text.strip())
    size = amount(found[4]) if found else None
    day = _day(found[2]) if found else None
    if not found or size is None or not (day or found[2] == _NO_DAY):
        raise FileRefusedError(f"the balance is unreadable: {quoted(text)}.")
    currency = iso_currency(found[3]) if found[3] else None
    return StatedBalance(_signed(size, found[1]), day), currency


def entry(text: str) -> Mt940Entry:
    """Read the first line of :61:; raises FileRefusedError.

    >>> entry("2001021231RD1027,25NTRFNONREF//B4E07")[:4]
    (datetime.date(2019, 12, 31), datetime.date(2020, 1, 2), False, Decimal('1027.25'))

    The entry date is the booking date, and the value date where there is none.
    """
    found = _ENTRY.fullmatch(text.strip())
    size = amount(found["amount"]) if found else None
    value = value_day(*_parts(found["value"])) if found else None
    if not found or size is None or not value:
        raise FileRefusedError(f"the line is unreadable: {quoted(text)}.")
    if value.is_moved and _has_no_entry_date(found["entry"]):
        raise FileRefusedError(
            f"it has no entry date, and its value date does not exist: {quoted(found['value'])}."
        )
    booked_on = _nearest(found["entry"], value.day)
    if not booked_on:
        raise FileRefusedError(f"its entry date is not a date: {quoted(found['entry'])}.")
    reference, _, bank_reference = found["references"].partition("//")
    reference, remark = _unpadded(reference)
    return Mt940Entry(
        booked_on=booked_on,
        value_on=value.day,
        has_moved_value_day=value.is_moved,
        amount=_signed(size, found["mark"]),
        pending=found["mark"] in _EXPECTED,
        reference=reference,
        bank_reference=bank_reference.strip(),
        remark=remark,
    )


def is_lost_entry(text: str, *, is_text: bool) -> bool:
    """Return whether a text is the first line of a :61: with a damaged tag; `is_text` if another field continues.

    >>> is_lost_entry("61:2603020302D12,50NTRF", is_text=True), is_lost_entry("2603020302D12,50", is_text=False)
    (True, True)
    >>> is_lost_entry("61 tickets", is_text=True), is_lost_entry("2603020302D12,50", is_text=True)
    (False, False)
    """
    return bool((_LOST_IN_TEXT if is_text else _LOST).match(text))


def _signed(size: Decimal, mark: str) -> Decimal:
    return size.copy_negate() if _SIGNS[mark] < 0 and size else size


def _day(text: str) -> date | None:
    """Read a date of two digits each for year, month and day."""
    year, *_ = _parts(text)
    return _in_year(year, text[2:])


def _parts(text: str) -> tuple[int, int, int]:
    """Year, month and day of a date of six digits."""
    year = int(text[:2])
    return year + (1900 if year >= _FIRST_YEAR else 2000), int(text[2:4]), int(text[4:])


def _in_year(year: int, text: str) -> date | None:
    try:
        return date(year, int(text[:2]), int(text[2:]))
    except ValueError:
        return None


def _nearest(text: str | None, value_on: date) -> date | None:
    """Return the date of a month and a day, in the year that brings it nearest to the value date.

    >>> _nearest("1231", date(2020, 1, 2)), _nearest("0102", date(2019, 12, 31)), _nearest(None, date(2020, 1, 2))
    (datetime.date(2019, 12, 31), datetime.date(2020, 1, 2), datetime.date(2020, 1, 2))
    >>> _nearest("1332", date(2020, 1, 2)) is None
    True
    """
    if not text or _has_no_entry_date(text):
        return value_on
    found = _in_year(value_on.year, text)
    if found and abs(found - value_on) < _HALF_A_YEAR:
        return found
    days = (found, *(_in_year(value_on.year + step, text) for step in (-1, 1)))
    return min(filter(None, days), key=lambda day: abs(day - value_on), default=None)


def _has_no_entry_date(text: str | None) -> bool:
    return text in {None, "0000"}


def _unpadded(reference: str) -> tuple[str, str]:
    """Split a reference from the text behind it, where a bank pads it to 16 characters and writes on.

    >>> _unpadded("0121470966      W.P. Jansen      "), _unpadded("NL47INGB9999999999"), _unpadded("TFNr 40001 MSGID")
    (('0121470966', 'W.P. Jansen'), ('NL47INGB9999999999', ''), ('TFNr 40001 MSGID', ''))
    """
    if len(reference) > _REFERENCE and " " in reference[: _REFERENCE + 1]:
        return reference[:_REFERENCE].strip(), reference[_REFERENCE:].strip()
    return reference.strip(), ""
