"""Values that several formats share: dates, amounts, times and currencies, read exactly or not at all."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.texts import quoted
from webapp.ledger.currencies import UnknownCurrencyError, canonical

# Five different dates are in ascending or descending order by chance once in sixty times.
_ENOUGH: Final = 5

_DAY: Final = re.compile(r"(\d{4})(?:(\d\d)(\d\d)|-(\d\d)-(\d\d))", re.ASCII)
YEARS: Final = range(1900, 2200)

_PLAIN: Final = re.compile(r"(\d*)[.,]?(\d*)", re.ASCII)
_GROUPED: Final = re.compile(
    r"(\d{1,3}(?:(?P<mark>[.,' \u2019])\d{3})(?:(?P=mark)\d{3})*)(?:(?!(?P=mark))[.,](\d*))?", re.ASCII
)
_AS_WRITTEN: Final = str.maketrans("\u2212\u00a0\u202f\u2009", "-   ")
# More digits than the books can hold, and few enough that Decimal arithmetic is never rounded.
MAX_DIGITS: Final = 27
_MAX_LENGTH: Final = 80


def day(text: str) -> date | None:
    """Read the first eight digits as a date; a time and a zone behind them never shift it.

    None where there is no such day. Some banks write zeros for a missing date.

    >>> day("20140101000000[-5:EST]"), day("2014-01-01"), day("20140231"), day("01/02/2014"), day("00000000")
    (datetime.date(2014, 1, 1), datetime.date(2014, 1, 1), None, None, None)
    """
    parts = day_parts(text)
    try:
        return date(*parts) if parts and parts[0] in YEARS else None
    except ValueError:
        return None


def day_parts(text: str) -> tuple[int, int, int] | None:
    """Read year, month and day from the first eight digits, even of an impossible day.

    >>> day_parts("20140231"), day_parts("2014-01-01T12:00"), day_parts("01/02/2014")
    ((2014, 2, 31), (2014, 1, 1), None)
    """
    found = _DAY.match(text)
    return (int(found[1]), int(found[2] or found[4]), int(found[3] or found[5])) if found else None


def amount(text: str) -> Decimal | None:
    """Read an amount exactly as written, with a point or a comma, or None where it is not an amount.

    A single mark is the decimal mark, as OFX specifies, so that 1,234 is 1.234; groups of three digits are read
    where a second mark, or one mark twice, makes them certain.

    >>> [str(amount(text)) for text in ("-12.50", "+1.234,56", "1,234.5", "-.05", "1 234", "12-", "-0.00")]
    ['-12.50', '1234.56', '1234.5', '-0.05', '1234', '-12', '0.00']
    >>> [amount(text) for text in ("", ".", "12.50 CR", "(3.00)", "1e5", "1_000", "--5", "1,2,3", "½")]
    [None, None, None, None, None, None, None, None, None]
    """
    size = (text if text.isascii() else text.translate(_AS_WRITTEN)).strip()
    if len(size) > _MAX_LENGTH:
        return None
    is_negative = size.startswith("-") or size.endswith("-")
    if size[:1] in {"+", "-"}:
        size = size[1:].lstrip()
    elif size.endswith("-"):
        size = size[:-1].rstrip()
    if found := _PLAIN.fullmatch(size):
        integer, fraction = found.groups()
    elif found := _GROUPED.fullmatch(size):
        integer, fraction = re.sub(r"\D", "", found[1]), found[3] or ""
    else:
        return None
    if (
        not integer + fraction
        or len((integer + fraction).lstrip("0")) > MAX_DIGITS
        or len(fraction) > MAX_DIGITS
    ):
        return None
    value = Decimal(f"{integer or 0}.{fraction}" if fraction else integer)
    return value.copy_negate() if is_negative and value else value


def utc_time(text: str) -> datetime | None:
    """Return the time in UTC of a text with a date, a time and a zone, else None.

    >>> utc_time("2013-12-31T13:15:00+01:00"), utc_time("2013-12-31T13:15:00"), utc_time("2013-12-31")
    (datetime.datetime(2013, 12, 31, 12, 15, tzinfo=datetime.timezone.utc), None, None)
    """
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None


def are_in_order(days: Sequence[date | None]) -> bool:
    """Return whether enough dates are all in ascending or descending order."""
    dates = [each for each in days if each]
    return len(set(dates)) >= _ENOUGH and (dates == sorted(dates) or dates == sorted(dates, reverse=True))


def iso_currency(code: str) -> str:
    """Return an ISO 4217 currency, a replaced code as its successor; raises FileRefusedError for an unknown one."""
    try:
        return canonical(code)
    except UnknownCurrencyError:
        raise FileRefusedError(f"{quoted(code)} is not an ISO 4217 currency.") from None
