"""The values of OFX as banks write them, read strictly: dates, times, amounts, charsets."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Final

_DAY: Final = re.compile(r"(\d{4})(?:(\d\d)(\d\d)|-(\d\d)-(\d\d))", re.ASCII)
_TIME: Final = re.compile(
    r"\d{8}(\d\d)(\d\d)(\d\d)?(?:\.\d*)?\s*(?:\[\s*([+-]?\d{1,2})(?:[.:](\d\d?))?\s*(?::[^\]]*)?\]?)?",
    re.ASCII,
)
_NO_DAY: Final = re.compile(r"[0\s:.-]*(\[.*)?")
_YEARS: Final = range(1900, 2200)

_PLAIN: Final = re.compile(r"(\d*)[.,]?(\d*)", re.ASCII)
_GROUPED: Final = re.compile(
    r"(\d{1,3}(?:(?P<mark>[.,' \u2019])\d{3})(?:(?P=mark)\d{3})*)(?:(?!(?P=mark))[.,](\d*))?", re.ASCII
)
_AS_WRITTEN: Final = str.maketrans("\u2212\u00a0\u202f\u2009", "-   ")
# More digits than the books can hold, and few enough that Decimal arithmetic is never rounded.
_MAX_DIGITS: Final = 27
_MAX_LENGTH: Final = 80

_CHARSET: Final = re.compile(
    rb"(CHARSET|ENCODING)[ \t]*:[ \t]*([\w.-]*?)[ \t]*"
    rb"(?=[\r\n<?\s]|CHARSET|COMPRESSION|OLDFILEUID|NEWFILEUID|$)",
    re.IGNORECASE,
)


def day(text: str) -> date | None:
    """Read the first eight digits as a date; a time and a zone behind them never shift it.

    None where there is no such day. Some banks write zeros for a missing date.

    >>> day("20140101000000[-5:EST]"), day("2014-01-01"), day("20140231"), day("01/02/2014"), day("00000000")
    (datetime.date(2014, 1, 1), datetime.date(2014, 1, 1), None, None, None)
    """
    found = _DAY.match(text)
    if not found or int(found[1]) not in _YEARS:
        return None
    try:
        return date(int(found[1]), int(found[2] or found[4]), int(found[3] or found[5]))
    except ValueError:
        return None


def is_no_day(text: str) -> bool:
    """Return whether a date is missing, rather than unreadable.

    >>> is_no_day(""), is_no_day("00000000000000[-3:BRT]"), is_no_day("20140231")
    (True, True, False)
    """
    return bool(_NO_DAY.fullmatch(text))


def instant(text: str) -> datetime | None:
    """Read a date with a time, in UTC, which is also the default zone of OFX.

    None where there is no time.

    >>> instant("20131203102000.000[-7:MST]"), instant("20131203")
    (datetime.datetime(2013, 12, 3, 17, 20, tzinfo=datetime.timezone.utc), None)
    """
    on, found = day(text), _TIME.match(text)
    if not on or not found:
        return None
    hour, minute, second, zone, fraction = (int(group or 0) for group in found.groups())
    try:
        # The fraction of an hour is written in hundredths: India's zone is +5.50, or +5.5.
        hundredths = fraction * 10 if len(found[5] or "") == 1 else fraction
        offset = timedelta(
            hours=zone, minutes=(hundredths * 60 // 100) * (-1 if "-" in (found[4] or "") else 1)
        )
        local = datetime(on.year, on.month, on.day, hour, minute, second, tzinfo=timezone(offset))
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def amount(text: str) -> Decimal | None:
    """Read an amount exactly as written, with a point or a comma, or None where it is not an amount.

    A single mark is the decimal mark, as OFX specifies, so that 1,234 is 1.234; groups of three digits are read
    where a second mark, or one mark twice, makes them certain.

    >>> [str(amount(text)) for text in ("-12.50", "+1.234,56", "1,234.5", "-.05", "1 234", "12-", "-0.00")]
    ['-12.50', '1234.56', '1234.5', '-0.05', '1234', '-12', '0.00']
    >>> [amount(text) for text in ("", ".", "12.50 CR", "(3.00)", "1e5", "1_000", "--5", "1,2,3", "½")]
    [None, None, None, None, None, None, None, None, None]
    """
    size = text.translate(_AS_WRITTEN).strip()
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
        or len((integer + fraction).lstrip("0")) > _MAX_DIGITS
        or len(fraction) > _MAX_DIGITS
    ):
        return None
    value = Decimal(f"{integer or 0}.{fraction}" if fraction else integer)
    return value.copy_negate() if is_negative and value else value


def charsets(data: bytes) -> list[str]:
    r"""The encodings in an OFX 1 header, the CHARSET first; the header may be on several lines or on one.

    >>> charsets(b"OFXHEADER:100\r\nENCODING:USASCII\r\nCHARSET:1252\r\n<OFX>")
    ['1252', 'USASCII']
    >>> charsets(b"OFXHEADER:100 ENCODING:UTF-8 CHARSET:NONECOMPRESSION:NONE<OFX>")
    ['NONE', 'UTF-8']
    """
    header = data[:4096].partition(b"<OFX>")[0]
    found = {name.upper(): value.decode("ascii", "ignore") for name, value in _CHARSET.findall(header)}
    return [found[name] for name in (b"CHARSET", b"ENCODING") if name in found]
