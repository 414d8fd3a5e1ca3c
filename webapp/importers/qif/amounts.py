"""Amounts of QIF, in the program's own country's way: 1,234.56 or 1.234,56, and no word of which."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import AskedError
from webapp.importers.texts import quoted

_MARKS: Final = ".,"
_GROUPS: Final = re.compile(r"\d{1,3}(?:[.,' ]\d{3})+", re.ASCII)
_NUMBER: Final = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_MAX_LENGTH: Final = 80
_MAX_DIGITS: Final = 27


def decimal_mark(texts: Iterable[str], mapping: Mapping[str, object]) -> str:
    """Find which mark parts the cents, from all amounts of a file, else from `decimal` of the mapping.

    >>> decimal_mark(["1,000.00", "7"], {}), decimal_mark(["12,50", "1.000"], {}), decimal_mark(["5"], {})
    ('.', ',', '.')

    Raises AskedError where no amount tells: 1,234 may be a thousand or a little more than one.
    """
    chosen = mapping.get("decimal")
    if chosen in {".", ","}:
        return str(chosen)
    unclear = None
    for text in texts:
        plain = text.strip().lstrip("+-")[:_MAX_LENGTH]
        last = max(plain.rfind(mark) for mark in _MARKS)
        if last < 0:
            continue
        mark, behind = plain[last], len(plain) - last - 1
        if plain.count(mark) > 1:
            return _MARKS.replace(mark, "")
        if behind != 3 or any(other in plain for other in _MARKS.replace(mark, "")):  # noqa: PLR2004
            return mark
        unclear = unclear or text
    if unclear:
        raise AskedError(
            f"Amounts such as {quoted(unclear)} can be read in two ways; say the mark before the cents in the"
            " mapping, as decimal.",
            "decimal",
            example=unclear.strip(),
        )
    return "."


def exact(text: str, mark: str) -> Decimal | None:
    """Read an amount exactly, the decimal mark being known, or None where it is none.

    >>> [str(exact(text, ".")) for text in ("-1,000.00", "+5", "12.5", "-0.00", "1,00", "1 000.00", "5-")]
    ['-1000.00', '5', '12.5', '0.00', 'None', '1000.00', '-5']
    """
    plain = text.strip().replace("\u2212", "-")
    if len(plain) > _MAX_LENGTH:
        return None
    is_negative = plain.startswith("-") or plain.endswith("-")
    plain = plain[1:].lstrip() if plain[:1] in {"+", "-"} else plain.removesuffix("-")
    whole, _, part = plain.partition(mark)
    if _GROUPS.fullmatch(whole):
        whole = re.sub(r"[.,' ]", "", whole)
    number = f"{whole}.{part}" if part else whole
    if not _NUMBER.fullmatch(number) or len(number.replace(".", "").lstrip("0")) > _MAX_DIGITS:
        return None
    value = Decimal(number)
    return value.copy_negate() if is_negative and value else value
