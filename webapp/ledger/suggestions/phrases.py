"""Phrases: the words that repeat in the texts of bank lines, without numbers, days and references."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from webapp.ledger.matching.lines import normalised

Words = tuple[str, ...]

# The first words of a run are about the counterparty or the purpose; what follows is towns and advertising.
MOST_WORDS: Final = 6
LEAST_LETTERS: Final = 3
# A number: a word with a digit in it, unless it is as short as o2 or 3m, which are names. So is a longer word than any
# language has, for references may be of letters alone.
_NUMBER: Final = re.compile(r"(?<!\S)(?:(?=\S*\d)(?:\S{4,}|(?!\S*[^\W\d_])\S+)|\S{41,})(?!\S)")

# What banks and companies write on lines of every kind: alone, none of these is distinctive.
_OF_EVERY_KIND: Final = (
    "sepa lastschrift basislastschrift folgelastschrift überweisung ueberweisung gutschrift dauerauftrag "
    "kartenzahlung kreditkarte karte zahlung abbuchung einzug rechnung girocard eref mref cred svwz kundenreferenz "
    "card payment purchase debit credit direct transfer standing order pos visa mastercard maestro online "
    "invoice ref reference from to the for and of your our mandate contactless ecommerce "
    "prlv prelevement prélèvement virement vir paiement carte cb facture de du la le "
    "pagamento bonifico addebito carta pago transferencia recibo compra tarjeta betaling incasso overboeking factuur "
    "gmbh ag kg ug ohg se ltd llc inc plc corp co sa sarl srl spa bv nv ab as oy"
)
_GENERIC: Final = frozenset(_OF_EVERY_KIND.split())
_PUNCTUATION: Final = ".,:;/\\-*+#()'\"&|"


def folded(text: str | None) -> str:
    """Write a text as rules compare it, without case and encoding differences.

    >>> folded("  Café\u0301 BAR "), folded(None)
    ('café\u0301 bar', '')
    """
    if not text:
        return ""
    # Most texts of banks are ASCII, of which this is the same at a fraction of the cost.
    return " ".join(text.lower().split()) if text.isascii() else normalised(text)


@lru_cache(maxsize=4096)
def runs_of(text: str) -> tuple[Words, ...]:
    """Return the runs of repeating words in a folded text, between words with a number.

    >>> runs_of("kartenzahlung 12.03. rewe sagt danke 4711 koeln")
    (('kartenzahlung',), ('rewe', 'sagt', 'danke'), ('koeln',))
    >>> runs_of("- möller & söhne / o2 shop -")
    (('möller', '&', 'söhne', '/', 'o2'),)
    """
    runs = (_without_marks_around(part.split()[:MOST_WORDS]) for part in _NUMBER.split(text))
    return tuple(run for run in runs if run)


def is_distinctive(words: Sequence[str]) -> bool:
    """Return whether words are distinctive, and not on lines of every kind.

    >>> is_distinctive(["sepa", "lastschrift"]), is_distinctive(["sepa", "lastschrift", "stadtwerke"])
    (False, True)
    >>> is_distinctive(["hm"])
    False
    """
    distinctive = [word for word in words if word.strip(_PUNCTUATION) not in _GENERIC]
    return sum(character.isalpha() for word in distinctive for character in word) >= LEAST_LETTERS


def beginnings(run: Words) -> list[Words]:
    """Return the distinctive beginnings of a run, the longest first.

    >>> beginnings(("sepa", "rewe", "koeln"))
    [('sepa', 'rewe', 'koeln'), ('sepa', 'rewe')]
    """
    every = (run[:length] for length in range(len(run), 0, -1))
    return [words for words in every if is_distinctive(words)]


def as_written(words: Sequence[str], text: str) -> str:
    """Return words in the case of a text, or folded if the text does not have them next to each other.

    >>> as_written(["rewe", "sagt"], "Danke REWE  Sagt 4711"), as_written(["rewe"], "Aldi")
    ('REWE Sagt', 'rewe')
    """
    written = text.split()
    plain = [folded(word) for word in written]
    for start in range(len(written) - len(words) + 1):
        if plain[start : start + len(words)] == list(words):
            return " ".join(written[start : start + len(words)])
    return " ".join(words)


def _without_marks_around(run: Sequence[str]) -> Words:
    first, last = 0, len(run)
    while first < last and not run[first].strip(_PUNCTUATION):
        first += 1
    while last > first and not run[last - 1].strip(_PUNCTUATION):
        last -= 1
    return tuple(run[first:last])
