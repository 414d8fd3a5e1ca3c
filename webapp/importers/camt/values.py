"""The values of CAMT, read strictly: times, amounts with their direction, currencies."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.texts import quoted
from webapp.importers.xml_records import XmlRecord
from webapp.ledger.currencies import UnknownCurrencyError, canonical

_AMOUNT: Final = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_SIGNS: Final = {"CRDT": 1, "DBIT": -1}
# More digits than the books can hold, and few enough that Decimal arithmetic is never rounded.
_MAX_DIGITS: Final = 27
_MAX_LENGTH: Final = 80


def signed_amount(record: XmlRecord) -> Decimal:
    """The signed amount of an entry or a balance from the account holder's view.

    CdtDbtInd is the direction in which the money moved. RvslInd only marks a reversal of an earlier entry and does
    not turn the direction around. Raises FileRefusedError.
    """
    text, direction = record.value("Amt"), record.value("CdtDbtInd")
    if text is None:
        raise FileRefusedError("it has no amount (Amt).")
    sign = _SIGNS.get(direction or "")
    if sign is None:
        stated = quoted(direction) if direction else "missing"
        raise FileRefusedError(f"its direction (CdtDbtInd) must be CRDT or DBIT, and is {stated}.")
    size = unsigned(text)
    if size is None:
        raise FileRefusedError(f"its amount (Amt) is not a number: {quoted(text)}.")
    return size.copy_negate() if sign < 0 and size else size


def unsigned(text: str) -> Decimal | None:
    """Read an amount as XML has it, with a decimal point and without a sign, or None where it is not one.

    >>> [str(unsigned(text)) for text in ("12.50", "8.850", "+3", "007", "-1", "1,5", "1e3", "½", "")]
    ['12.50', '8.850', '3', '7', 'None', 'None', 'None', 'None', 'None']
    """
    plain = text.removeprefix("+")
    if len(plain) > _MAX_LENGTH or not _AMOUNT.fullmatch(plain):
        return None
    return Decimal(plain) if len(plain.replace(".", "").lstrip("0")) <= _MAX_DIGITS else None


def currency(record: XmlRecord) -> str | None:
    """The currency of an amount, or None where none is stated; raises FileRefusedError for an unknown one."""
    return iso_currency(record.value("Amt@Ccy") or "")


def iso_currency(code: str) -> str | None:
    """An ISO 4217 currency, a replaced code as its successor; None for an empty code and for XXX (no currency)."""
    if code.strip().upper() in {"", "XXX"}:
        return None
    try:
        return canonical(code)
    except UnknownCurrencyError:
        raise FileRefusedError(f"{quoted(code)} is not an ISO 4217 currency.") from None


def instant(text: str) -> datetime | None:
    """The time in UTC of a text with a date, a time and a zone, else None.

    >>> instant("2013-12-31T13:15:00+01:00"), instant("2013-12-31T13:15:00"), instant("2013-12-31")
    (datetime.datetime(2013, 12, 31, 12, 15, tzinfo=datetime.timezone.utc), None, None)
    """
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None
