"""Amounts of QIF, written in the format of the program's country: 1,234.56 or 1.234,56."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import MappingNeededError
from webapp.importers.texts import quoted
from webapp.importers.values import MAX_DIGITS

_MARKS: Final = ".,"
_GROUPS: Final = re.compile(r"\d{1,3}(?:[.,' ]\d{3})+", re.ASCII)
_NUMBER: Final = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_MAX_LENGTH: Final = 80


def decimal_mark(texts: Iterable[str], mapping: Mapping[str, object]) -> str:
    """Find the decimal mark of a file: `decimal` of the mapping, else from all amounts.

    >>> decimal_mark(["1,000.00", "7"], {}), decimal_mark(["12,50", "1.000"], {}), decimal_mark(["5"], {})
    ('.', ',', '.')

    Raises MappingNeededError where all amounts are ambiguous: 1,234 may be a thousand or a little more than one.
    """
    decimal = mapping.get("decimal")
    if decimal in {".", ","}:
        return str(decimal)
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
        raise MappingNeededError(
            f"Amounts such as {quoted(unclear)} can be read in two ways; name the mark before the cents in the"
            " mapping, as decimal.",
            "decimal",
            example=unclear.strip(),
        )
    return "."


def exact(text: str, mark: str) -> Decimal | None:
    """Read an amount exactly with this decimal mark, or None where it is not an amount.

    >>> [str(exact(text, ".")) for text in ("-1,000.00", "+5", "12.5", "-0.00", "1,00", "1 000.00", "5-")]
    ['-1000.00', '5', '12.5', '0.00', 'None', '1000.00', '-5']
    """
    plain = text.strip().replace("\u2212", "-")
    if len(plain) > _MAX_LENGTH:
        return None
    is_negative = plain.startswith("-") or plain.endswith("-")
    plain = plain[1:].lstrip() if plain[:1] in {"+", "-"} else plain.removesuffix("-")
    integer, _, fraction = plain.partition(mark)
    if _GROUPS.fullmatch(integer):
        integer = re.sub(r"[.,' ]", "", integer)
    number = f"{integer}.{fraction}" if fraction else integer
    if not _NUMBER.fullmatch(number) or len(number.replace(".", "").lstrip("0")) > MAX_DIGITS:
        return None
    value = Decimal(number)
    return value.copy_negate() if is_negative and value else value
