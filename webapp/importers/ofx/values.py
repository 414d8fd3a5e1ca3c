"""The times and charsets of OFX as banks write them."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from webapp.importers.values import day

_TIME: Final = re.compile(
    r"\d{8}(\d\d)(\d\d)(\d\d)?(?:\.\d*)?\s*(?:\[\s*([+-]?\d{1,2})(?:[.:](\d\d?))?\s*(?::[^\]]*)?\]?)?",
    re.ASCII,
)
_NO_DAY: Final = re.compile(r"[0\s:.-]*(\[.*)?")

_CHARSET: Final = re.compile(
    rb"(CHARSET|ENCODING)[ \t]*:[ \t]*([\w.-]*?)[ \t]*"
    rb"(?=[\r\n<?\s]|CHARSET|COMPRESSION|OLDFILEUID|NEWFILEUID|$)",
    re.IGNORECASE,
)


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


def charsets(data: bytes) -> list[str]:
    r"""Return the encodings in an OFX 1 header, the CHARSET first; the header may be on several lines or on one.

    >>> charsets(b"OFXHEADER:100\r\nENCODING:USASCII\r\nCHARSET:1252\r\n<OFX>")
    ['1252', 'USASCII']
    >>> charsets(b"OFXHEADER:100 ENCODING:UTF-8 CHARSET:NONECOMPRESSION:NONE<OFX>")
    ['NONE', 'UTF-8']
    """
    header = data[:4096].partition(b"<OFX>")[0]
    found = {name.upper(): value.decode("ascii", "ignore") for name, value in _CHARSET.findall(header)}
    return [found[name] for name in (b"CHARSET", b"ENCODING") if name in found]
