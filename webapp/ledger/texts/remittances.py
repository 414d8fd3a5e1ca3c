"""Whether the text of a payment names a document: by its number, its structured reference, or its payment text."""

import re
from functools import lru_cache
from typing import Final

from webapp.ledger.texts.finding import folded

SHORTEST_NUMBER: Final = 3
# Shorter numbers of digits alone are as often a year, a day, a street or an amount.
SHORTEST_DIGITS: Final = 5
LONGEST_TEXT: Final = 500
LONGEST_SPANNED: Final = 2_000
_APART: Final = re.compile(r"[\W_]+")
_DIGIT: Final = re.compile(r"[0-9]")
_CREDITOR_REFERENCE: Final = re.compile(r"(?<![a-z0-9])rf[0-9]{2}(?: ?[a-z0-9]){1,21}")
_MOST_REFERENCE: Final = 25
_CHECKED_BY: Final = 97


def compacted(text: str | None) -> str:
    """Write a number without separators and case.

    >>> compacted("RE 2026/0042-a"), compacted(None)
    ('re20260042a', '')
    """
    return _APART.sub("", folded(text)) if text else ""


def names(text: str, number: str | None) -> bool:
    """Return whether a text has a document's whole number, with any separators.

    >>> names("Payment of inv. RE 2026-0042, thank you", "RE-2026/0042")
    True
    >>> names("RE-2026-00421", "RE-2026-0042"), names("12", "12")
    (False, False)
    """
    wanted = compacted(number)
    if len(wanted) < SHORTEST_NUMBER or len(wanted) > LONGEST_TEXT:
        return False
    return bool(_whole(wanted).search(folded(text)))


def spans(text: str, longest: int) -> set[str]:
    """Return all compacted runs of whole words of a text, up to a length; any number in it is among them.

    >>> sorted(spans("inv. RE 4711", 6))
    ['4711', 'inv', 'invre', 're', 're4711']
    """
    words = [each for each in _APART.split(folded(text)[:LONGEST_SPANNED]) if each]
    found = set()
    for first in range(len(words)):
        run = ""
        for word in words[first:]:
            run += word
            if len(run) > longest:
                break
            found.add(run)
    return found


def names_another(text: str, number: str | None) -> bool:
    """Return whether a text names another number of the same kind, next to this one or in its place.

    >>> names_another("RE-4711, RE-4712", "RE 4711"), names_another("RE-4711 of 3 March 2026", "RE 4711")
    (True, False)
    """
    wanted = compacted(number)
    kind = _DIGIT.sub("0", wanted)
    return any(each != wanted and _DIGIT.sub("0", each) == kind for each in spans(text, len(wanted)))


def is_telling(number: str | None) -> bool:
    """Return whether a number can hardly be in a text by chance.

    >>> is_telling("RE-17"), is_telling("2026"), is_telling("100417"), is_telling("invoice")
    (True, False, True, False)
    """
    wanted = compacted(number)
    has_digit = any(character.isdigit() for character in wanted)
    is_long = len(wanted) >= (SHORTEST_DIGITS if wanted.isdigit() else SHORTEST_NUMBER + 1)
    return has_digit and is_long


def creditor_references(text: str) -> set[str]:
    """Find the structured creditor references (ISO 11649) with right check digits in a text, compacted.

    A reference is written in groups of four, and the next word may follow without a gap, so each end is tried.

    >>> creditor_references("Ref RF18 5390 0754 7034 thanks")
    {'rf18539007547034'}
    >>> creditor_references("RF19 5390 0754 7034")
    set()
    """
    plain = _APART.sub(" ", folded(text))
    found = set()
    for match in _CREDITOR_REFERENCE.finditer(plain):
        words = match[0].split(" ")
        ends = ("".join(words[:count]) for count in range(1, len(words) + 1))
        found |= {each for each in ends if is_creditor_reference(each)}
    return found


def is_creditor_reference(text: str | None) -> bool:
    """Return whether a text is a structured creditor reference with the right check digits.

    >>> is_creditor_reference("RF18 5390 0754 7034"), is_creditor_reference("RF18 5390 0754 7035")
    (True, False)
    >>> is_creditor_reference("RF18")
    False
    """
    plain = compacted(text)
    if not re.fullmatch(r"rf[0-9]{2}[a-z0-9]{1,21}", plain) or len(plain) > _MOST_REFERENCE:
        return False
    # Letters count from a = 10, as in an IBAN; the first four characters go to the end.
    return int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % _CHECKED_BY == 1


def refers_to_number(reference: str, number: str | None) -> bool:
    """Return whether a compacted creditor reference is a number, or contains it after leading zeros.

    >>> refers_to_number("rf18539007547034", "5390 0754 7034"), refers_to_number("rf18539007547034", "7034")
    (True, False)
    """
    wanted = compacted(number)
    return bool(wanted) and (reference == wanted or reference[4:].lstrip("0") == wanted.lstrip("0"))


# The items of a page of lines are asked for each line.
@lru_cache(maxsize=4096)
def _whole(wanted: str) -> re.Pattern[str]:
    # A structured reference whose check digits are wrong names nothing: somebody mistyped it.
    spelled = r"[\W_]*".join(map(re.escape, wanted))
    return re.compile(rf"(?<!rf[0-9]{{2}}[\W_])(?<!\w){spelled}(?!\w)")
