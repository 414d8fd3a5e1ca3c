"""Amounts as people write them: printed in a notation, and read if they have one meaning."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from webapp.ledger.notation.locales import DEFAULT, Notation

MINUS: Final = "\N{MINUS SIGN}"
LONGEST: Final = 60
_MINUSES: Final = "-\N{MINUS SIGN}\N{EN DASH}"
_SPACES: Final = re.compile(r"[\s\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}]+")
_APOSTROPHES: Final = str.maketrans("\N{RIGHT SINGLE QUOTATION MARK}`\N{ACUTE ACCENT}", "'''")
_BODY: Final = re.compile(r"[0-9., ']*[0-9][0-9., ']*", re.ASCII)
# The cents of a whole amount as a dash, like 20,-
_NO_CENTS: Final = re.compile(rf"(?<=[0-9])[.,] ?[{_MINUSES}]{{1,2}}$")
_THREES: Final = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+", re.ASCII)
_LAKHS: Final = re.compile(r"[1-9][0-9]?(?:,[0-9]{2})*,[0-9]{3}", re.ASCII)
_POINTS: Final = ".,"
_GROUPS: Final = (None, ",", ".", "'", " ")


def written(amount: object, notation: Notation = DEFAULT, *, is_grouped: bool = True) -> str:
    """Print an amount from its plain decimal, with its own digits and a real minus sign.

    >>> from webapp.ledger.notation.locales import NOTATIONS
    >>> written("-1234567.50"), written("1234567.50", NOTATIONS["en-DE"]), written("1234567.5", NOTATIONS["en-IN"])
    ('−1,234,567.50', '1.234.567,50', '12,34,567.5')
    >>> written("-0.005"), written("1482600"), written("1084.2", is_grouped=False)
    ('−0.005', '1,482,600', '1084.2')
    """
    plain = str(amount)
    sign = MINUS if plain.startswith("-") else ""
    whole, point, fraction = plain.removeprefix("-").partition(".")
    return f"{sign}{_grouped(whole, notation) if is_grouped else whole}{point and notation.decimal}{fraction}"


def _grouped(whole: str, notation: Notation) -> str:
    threes = f"{int(whole):,}"
    if not notation.is_indian:
        return threes if notation.group == "," else threes.replace(",", notation.group)
    head, last = whole[:-3], whole[-3:]
    pairs = [head[max(end - 2, 0) : end] for end in range(len(head), 0, -2)][::-1]
    return notation.group.join([*pairs, last])


def read(text: str, notation: Notation = DEFAULT, *, is_grouped: bool = True) -> Decimal | None:
    """Read a typed or pasted amount; None if it is none, or could be several.

    The notation's own form has its own meaning. Anything else is read if all possible notations agree:
    one mark before three digits could mean thousands or thousandths.

    >>> from webapp.ledger.notation.locales import NOTATIONS
    >>> [str(read(text)) for text in ("23,06", "1.234,50", "1'234.50", "1,234", "−1 450.00", "20,-", "12.50-")]
    ['23.06', '1234.50', '1234.50', '1234', '-1450.00', '20', '-12.50']
    >>> german, french = NOTATIONS["en-DE"], NOTATIONS["en-FR"]
    >>> str(read("1.234", german)), str(read("1,234", german)), read("1.234", french), read("1,2,3")
    ('1234', '1.234', None, None)

    A rate is written without groups, so that a comma before three digits is refused where it is no decimal comma.

    >>> read("1,084", is_grouped=False), str(read("1,0842", is_grouped=False))
    (None, '1.0842')
    """
    parts = _parts(text)
    if parts is None:
        return None
    sign, body = parts
    group = {"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{NARROW NO-BREAK SPACE}": " "}.get(
        notation.group, notation.group
    )
    for mark in (None, group) if is_grouped else (None,):
        found = _as_written(body, notation.decimal, mark)
        if found is not None:
            return sign * found
    found_by_all = set(_all_readings(body))
    return sign * found_by_all.pop() if len(found_by_all) == 1 else None


def readings(text: str) -> set[Decimal]:
    """Return all possible meanings of an amount, for a search, where several do no harm.

    >>> sorted(map(str, readings("1,234"))), readings("DB ICE"), readings("12.2.2026")
    (['1.234', '1234'], set(), set())
    """
    parts = _parts(text)
    return set() if parts is None else {parts[0] * found for found in _all_readings(parts[1])}


def plain(amount: Decimal) -> str:
    """Print an amount in the notation of the schemas.

    >>> plain(Decimal("-1.50")), plain(Decimal("0E-2")), plain(Decimal("-0"))
    ('-1.50', '0.00', '0')
    """
    return format(amount or abs(amount), "f")


def _parts(text: str) -> tuple[int, str] | None:
    """Split an amount into its sign, also a trailing sign or brackets, and its figures."""
    body = _SPACES.sub(" ", text[: LONGEST + 1]).strip().translate(_APOSTROPHES)
    if len(body) > LONGEST:
        return None
    body = _NO_CENTS.sub("", body)
    signs = [body[:1] == "(" and body[-1:] == ")", body[:1] in _MINUSES, body[-1:] in _MINUSES]
    if not body or sum(signs) > 1:
        return None
    if signs[0]:
        body = body[1:-1]
    elif signs[1] or body[0] == "+":
        body = body[1:]
    elif signs[2]:
        body = body[:-1]
    body = body.strip()
    return (-1 if any(signs) else 1, body) if _BODY.fullmatch(body) else None


def _all_readings(body: str) -> Iterator[Decimal]:
    for decimal in _POINTS:
        for group in _GROUPS:
            found = _as_written(body, decimal, group) if group != decimal else None
            if found is not None:
                yield found


def _as_written(body: str, decimal: str, group: str | None) -> Decimal | None:
    """Read figures with exactly these two marks; None if a mark is misplaced."""
    whole, point, fraction = body.partition(decimal)
    if group is not None and group in whole:
        with_commas = whole if group == "," else whole.replace(",", "x").replace(group, ",")
        if not (_THREES.fullmatch(with_commas) or (group == "," and _LAKHS.fullmatch(whole))):
            return None
        whole = whole.replace(group, "")
    if not ((whole or fraction) and _is_digits(whole) and _is_digits(fraction)) or (point and not fraction):
        return None
    return Decimal(f"{whole or 0}{point and '.'}{fraction}")


def _is_digits(text: str) -> bool:
    return text == "" or (text.isascii() and text.isdigit())
