"""Searching many texts at once, as rules compare: which contain, begin with or equal a text."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from webapp.ledger.rules.conditions import Operator

# No text holds it.
_BETWEEN = "\0"


class Haystack:
    """Folded texts joined into one, so that searching a hundred thousand costs what searching a book does."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take texts by their places."""
        self._joined = _BETWEEN + _BETWEEN.join(texts) + _BETWEEN
        self._starts = list(accumulate((len(text) + 1 for text in texts), initial=1))

    def find(self, operator: Operator, wanted: str) -> list[int]:
        """Give the places of the texts that CONTAINS, STARTS_WITH or EQUALS finds a folded text in.

        >>> texts = Haystack(["rewe koeln", "", "drewermann", "rewe"])
        >>> texts.find(Operator.CONTAINS, "rewe"), texts.find(Operator.STARTS_WITH, "rewe")
        ([0, 2, 3], [0, 3])
        >>> texts.find(Operator.EQUALS, "rewe")
        [3]
        """
        begins = operator is not Operator.CONTAINS
        needle = _BETWEEN * begins + wanted + _BETWEEN * (operator is Operator.EQUALS)
        found = []
        at = self._joined.find(needle)
        while at >= 0:
            place = bisect_right(self._starts, at + begins) - 1
            found.append(place)
            # On with the mark behind this text, which is also the one before the next.
            at = self._joined.find(needle, self._starts[place + 1] - 1)
        return found
