"""The values of CAMT: days, amounts with their direction, currencies; read exactly or not at all."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.texts import quoted
from webapp.importers.xml_records import Record
from webapp.ledger.currencies import UnknownCurrencyError, canonical

_AMOUNT: Final = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_SIGNS: Final = {"CRDT": 1, "DBIT": -1}
# More than the books can hold, and few enough that no arithmetic on them is ever rounded.
_MAX_DIGITS: Final = 27
_MAX_LENGTH: Final = 80


def signed_amount(record: Record) -> Decimal:
    """The amount of an entry or a balance from the account holder's view.

    CdtDbtInd is the direction in which the money went, also where RvslInd says that it came back: the
    indicator tells of an earlier entry and turns nothing around. Raises FileRefusedError.
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
        raise FileRefusedError(f"its amount is none: {quoted(text)}.")
    return size.copy_negate() if sign < 0 and size else size


def unsigned(text: str) -> Decimal | None:
    """Read an amount as XML has it, with a point and without a sign, or None where it is none.

    >>> [str(unsigned(text)) for text in ("12.50", "8.850", "+3", "007", "-1", "1,5", "1e3", "½", "")]
    ['12.50', '8.850', '3', '7', 'None', 'None', 'None', 'None', 'None']
    """
    plain = text.removeprefix("+")
    if len(plain) > _MAX_LENGTH or not _AMOUNT.fullmatch(plain):
        return None
    return Decimal(plain) if len(plain.replace(".", "").lstrip("0")) <= _MAX_DIGITS else None


def currency(record: Record) -> str | None:
    """The currency an amount is in, or None where it names none; raises FileRefusedError for one that is none."""
    return known(record.value("Amt@Ccy") or "")


def known(code: str) -> str | None:
    """A currency of ISO 4217, a replaced code as its successor; None for an empty one, and XXX, its word for none."""
    if code.strip().upper() in {"", "XXX"}:
        return None
    try:
        return canonical(code)
    except UnknownCurrencyError:
        raise FileRefusedError(f"{quoted(code)} is no currency of ISO 4217.") from None


def instant(text: str) -> datetime | None:
    """The moment of a time that has a zone, in UTC, else None.

    >>> instant("2013-12-31T13:15:00+01:00"), instant("2013-12-31T13:15:00"), instant("2013-12-31")
    (datetime.datetime(2013, 12, 31, 12, 15, tzinfo=datetime.timezone.utc), None, None)
    """
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None
