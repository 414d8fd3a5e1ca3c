"""The values of OFX as banks write them: days, amounts, charsets; read exactly or not at all."""

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
# More than the books can hold, and few enough that no arithmetic on them is ever rounded.
_MAX_DIGITS: Final = 27
_MAX_LENGTH: Final = 80

_CHARSET: Final = re.compile(
    rb"(CHARSET|ENCODING)[ \t]*:[ \t]*([\w.-]*?)[ \t]*"
    rb"(?=[\r\n<?\s]|CHARSET|COMPRESSION|OLDFILEUID|NEWFILEUID|$)",
    re.IGNORECASE,
)


def day(text: str) -> date | None:
    """Read the literal first eight digits as a day; the time and zone behind them never shift it.

    None where there is no such day. A row of zeros is a bank's way of leaving a day out.

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
    """Tell whether a day is left out, rather than wrongly written.

    >>> is_no_day(""), is_no_day("00000000000000[-3:BRT]"), is_no_day("20140231")
    (True, True, False)
    """
    return bool(_NO_DAY.fullmatch(text))


def instant(text: str) -> datetime | None:
    """Read the moment of a date with a time, in UTC, which is also what OFX means without a zone.

    None where there is no time.

    >>> instant("20131203102000.000[-7:MST]"), instant("20131203")
    (datetime.datetime(2013, 12, 3, 17, 20, tzinfo=datetime.timezone.utc), None)
    """
    on, found = day(text), _TIME.match(text)
    if not on or not found:
        return None
    hour, minute, second, zone, part = (int(group or 0) for group in found.groups())
    try:
        # A part of an hour is written in hundredths: India's zone is +5.50, or +5.5.
        hundredths = part * 10 if len(found[5] or "") == 1 else part
        offset = timedelta(
            hours=zone, minutes=(hundredths * 60 // 100) * (-1 if "-" in (found[4] or "") else 1)
        )
        local = datetime(on.year, on.month, on.day, hour, minute, second, tzinfo=timezone(offset))
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def amount(text: str) -> Decimal | None:
    """Read an amount exactly as it is written, with a point or a comma, or None where it is none.

    A single mark is the decimal one, as OFX says, so that 1,234 is 1.234 and never a guess; groups of
    three are read where a second mark, or a mark that comes twice, leaves no doubt.

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
        whole, part = found.groups()
    elif found := _GROUPED.fullmatch(size):
        whole, part = re.sub(r"\D", "", found[1]), found[3] or ""
    else:
        return None
    if not whole + part or len((whole + part).lstrip("0")) > _MAX_DIGITS or len(part) > _MAX_DIGITS:
        return None
    value = Decimal(f"{whole or 0}.{part}" if part else whole)
    return value.copy_negate() if is_negative and value else value


def charsets(data: bytes) -> list[str]:
    r"""The encodings an OFX 1 header names, the CHARSET first; it may stand on lines or on one.

    >>> charsets(b"OFXHEADER:100\r\nENCODING:USASCII\r\nCHARSET:1252\r\n<OFX>")
    ['1252', 'USASCII']
    >>> charsets(b"OFXHEADER:100 ENCODING:UTF-8 CHARSET:NONECOMPRESSION:NONE<OFX>")
    ['NONE', 'UTF-8']
    """
    header = data[:4096].partition(b"<OFX>")[0]
    found = {name.upper(): value.decode("ascii", "ignore") for name, value in _CHARSET.findall(header)}
    return [found[name] for name in (b"CHARSET", b"ENCODING") if name in found]
