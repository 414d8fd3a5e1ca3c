"""Search by typed words in names and codes: word by word, beginnings of words first."""

import re
import unicodedata
from enum import IntEnum

# Parts of words are looked for from this length on: shorter ones are in almost everything.
LEAST_PART = 3
_MARKS = re.compile("[\u0300-\u036f]+")
_APART = re.compile(r"[\W_]+")


class Fit(IntEnum):
    """The quality of a match; the lowest is the best."""

    CODE = 0
    CODE_BEGINS = 1
    NAME = 2
    NAME_BEGINS = 3
    WORDS_BEGIN = 4
    PARTS = 5


def folded(text: str) -> str:
    """Write a text without case and accents.

    >>> folded("Café KÖLN")
    'cafe koln'
    """
    return _MARKS.sub("", unicodedata.normalize("NFD", text)).lower()


def words(text: str) -> list[str]:
    """Split a text into its words, without case and accents.

    >>> words("SVWZ+Café-Nero 12,50")
    ['svwz', 'cafe', 'nero', '12', '50']
    """
    return [word for word in _APART.split(folded(text)) if word]


def has_words(text: str, part: str) -> bool:
    """Return whether a text has another one in it as whole words; both without case. Every text has the empty one.

    >>> has_words("rent, may", "rent"), has_words("landlord of the rented flat", "rent"), has_words("rent", "")
    (True, False, True)
    """
    begin = text.find(part)
    if begin < 0 or not part:
        return not part
    # An expression takes longer to make than a text to search, and is needed where the first place is within a word.
    around = text[begin - 1 : begin] + text[begin + len(part) :][:1]
    is_whole = not any(letter.isalnum() or letter == "_" for letter in around)
    return is_whole or bool(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text))


def triples(text: str) -> list[str]:
    """Return the distinct triples of letters in a text: every text that contains it has all of them.

    >>> triples("banana"), triples("ab")
    (['ban', 'ana', 'nan'], [])
    """
    return list(dict.fromkeys(text[at : at + LEAST_PART] for at in range(len(text) - LEAST_PART + 1)))


def fit(typed: str, name: str, *, code: str = "", more: str = "") -> Fit | None:
    """Return how well a name, a code and further words fit the typed text, or None.

    >>> fit("44", "Travel", code="4400"), fit("trav", "Travel costs"), fit("cos tra", "Travel costs")
    (<Fit.CODE_BEGINS: 1>, <Fit.NAME_BEGINS: 3>, <Fit.WORDS_BEGIN: 4>)
    >>> fit("new rule", "New rule", more="create"), fit("create rule", "New rule", more="create")
    (<Fit.NAME: 2>, <Fit.WORDS_BEGIN: 4>)
    >>> fit("bank", "Savingsbank"), fit("ba", "Savingsbank") is None
    (<Fit.PARTS: 5>, True)
    """
    wanted, own, sign = words(typed), words(name), folded(code)
    whole = " ".join(wanted)
    if not whole:
        return None
    if sign and sign.startswith(whole):
        return Fit.CODE if sign == whole else Fit.CODE_BEGINS
    if " ".join(own).startswith(whole):
        return Fit.NAME if own == wanted else Fit.NAME_BEGINS
    found = [*own, *([sign] if sign else []), *(words(more) if len(whole) >= LEAST_PART else ())]
    if all(any(word.startswith(part) for word in found) for part in wanted):
        return Fit.WORDS_BEGIN
    is_long = all(len(part) >= LEAST_PART for part in wanted)
    return Fit.PARTS if is_long and all(any(part in word for word in found) for part in wanted) else None
