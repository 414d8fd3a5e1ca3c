"""The values of CAMT, read strictly: amounts with their direction, and currencies."""

import re
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.texts import quoted
from webapp.importers.values import MAX_DIGITS, iso_currency
from webapp.importers.xml_records import XmlRecord

_AMOUNT: Final = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_SIGNS: Final = {"CRDT": 1, "DBIT": -1}
_MAX_LENGTH: Final = 80


def signed_amount(record: XmlRecord) -> Decimal:
    """Return the signed amount of an entry or a balance from the account holder's view.

    CdtDbtInd is the direction in which the money moved. RvslInd only marks a reversal of an earlier entry and does
    not turn the direction around. Raises FileRefusedError.
    """
    text, direction = only_value(record, "Amt"), only_value(record, "CdtDbtInd")
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


def only_value(record: XmlRecord, *paths: str) -> str | None:
    """Return the text at the first of the paths that has one; raises FileRefusedError where it has several."""
    found = next(filter(None, map(record.values, paths)), [])
    if len(set(found)) > 1:
        first, other, *_ = dict.fromkeys(found)
        raise FileRefusedError(f"it states {paths[0]} twice: {quoted(first)} and {quoted(other)}.")
    return found[0] if found else None


def unsigned(text: str) -> Decimal | None:
    """Read an amount as XML has it, with a decimal point and without a sign, or None.

    >>> [str(unsigned(text)) for text in ("12.50", "8.850", "+3", "007", "-1", "1,5", "1e3", "½", "")]
    ['12.50', '8.850', '3', '7', 'None', 'None', 'None', 'None', 'None']
    """
    plain = text.removeprefix("+")
    if len(plain) > _MAX_LENGTH or not _AMOUNT.fullmatch(plain):
        return None
    return Decimal(plain) if len(plain.replace(".", "").lstrip("0")) <= MAX_DIGITS else None


def currency(record: XmlRecord) -> str | None:
    """Return the currency of an amount, or None if it states none; raises FileRefusedError for an unknown code."""
    return stated_currency(only_value(record, "Amt@Ccy") or "")


def stated_currency(code: str) -> str | None:
    """Return an ISO 4217 currency; None for an empty code and for XXX (no currency); raises FileRefusedError."""
    return None if code.strip().upper() in {"", "XXX"} else iso_currency(code)
