"""The values of MT940: the balance of :60: and :62:, and the first line of :61: with dates and amount."""

import re
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from webapp.importers.bank_files import FileRefusedError, StatedBalance
from webapp.importers.texts import quoted
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
_EXPECTED: Final = frozenset({"EC", "ED"})
_NO_DAY: Final = "000000"
# SWIFT introduced MT940 in 1977.
_FIRST_YEAR: Final = 77
_REFERENCE: Final = 16


class Mt940Entry(NamedTuple):
    """The first line of :61:; `remark` is the text behind a reference that a bank pads to its full length."""

    booked_on: date
    value_on: date
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
    (datetime.date(2019, 12, 31), datetime.date(2020, 1, 2), Decimal('1027.25'), False)
    """
    found = _ENTRY.fullmatch(text.strip())
    size = amount(found["amount"]) if found else None
    value_on = _day(found["value"]) if found else None
    if not found or size is None or not value_on:
        raise FileRefusedError(f"the line is unreadable: {quoted(text)}.")
    booked_on = _nearest(found["entry"], value_on)
    if not booked_on:
        raise FileRefusedError(f"its entry date is not a date: {quoted(found['entry'])}.")
    reference, _, bank_reference = found["references"].partition("//")
    reference, remark = _unpadded(reference)
    return Mt940Entry(
        booked_on=booked_on,
        value_on=value_on,
        amount=_signed(size, found["mark"]),
        pending=found["mark"] in _EXPECTED,
        reference=reference,
        bank_reference=bank_reference.strip(),
        remark=remark,
    )


def _signed(size: Decimal, mark: str) -> Decimal:
    return size.copy_negate() if _SIGNS[mark] < 0 and size else size


def _day(text: str) -> date | None:
    """Read a date of two digits each for year, month and day."""
    year = int(text[:2])
    return _in_year(year + (1900 if year >= _FIRST_YEAR else 2000), text[2:])


def _in_year(year: int, text: str) -> date | None:
    try:
        return date(year, int(text[:2]), int(text[2:]))
    except ValueError:
        return None


def _nearest(text: str | None, value_on: date) -> date | None:
    """The date of a month and a day, in the year that brings it nearest to the value date.

    >>> _nearest("1231", date(2020, 1, 2)), _nearest("0102", date(2019, 12, 31)), _nearest(None, date(2020, 1, 2))
    (datetime.date(2019, 12, 31), datetime.date(2020, 1, 2), datetime.date(2020, 1, 2))
    >>> _nearest("1332", date(2020, 1, 2)) is None
    True
    """
    if not text or text == "0000":
        return value_on
    days = (_in_year(value_on.year + step, text) for step in (0, -1, 1))
    return min(filter(None, days), key=lambda day: abs(day - value_on), default=None)


def _unpadded(reference: str) -> tuple[str, str]:
    """Split a reference from the text behind it, where a bank pads it to 16 characters and writes on.

    >>> _unpadded("0121470966      W.P. Jansen      "), _unpadded("NL47INGB9999999999"), _unpadded("TFNr 40001 MSGID")
    (('0121470966', 'W.P. Jansen'), ('NL47INGB9999999999', ''), ('TFNr 40001 MSGID', ''))
    """
    if len(reference) > _REFERENCE and " " in reference[: _REFERENCE + 1]:
        return reference[:_REFERENCE].strip(), reference[_REFERENCE:].strip()
    return reference.strip(), ""
