"""Pieces of settlements: what each item that a settlement joins is met by, and on which tax point."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from webapp.ledger.journal.mirrors import share
from webapp.ledger.tax.parts import CREDIT, MONEY, SHORT, Piece

DOCUMENT, ADVANCE = "DOCUMENT", "ADVANCE"


@dataclass(frozen=True, slots=True)
class SettledPart:
    """What a settlement takes of an item, with its sign: a document, an advance, money, or what is short.

    `day` is the tax point of a document or an advance, and the booking day of money; with `is_line` it is that of a
    bank line. `is_credit` says that a document lowers taxes. `account` bears what is short. What `is_caused` was posted
    by the settlement itself, so that a return names its line.
    """

    item: int
    entry: int
    amount_minor: int
    kind: str
    day: date
    is_line: bool = False
    is_credit: bool = False
    account: int | None = None
    is_caused: bool = False


def pieces_of(settlement: int, parts: Sequence[SettledPart]) -> dict[int, list[Piece]]:
    """Return by entry what meets it: credit notes first, then what is short, then money, the oldest first.

    >>> day = date(2026, 3, 31)
    >>> joined = [SettledPart(1, 1, 1200, DOCUMENT, day), SettledPart(2, 2, -1188, MONEY, day, is_line=True)]
    >>> found = pieces_of(9, [*joined, SettledPart(3, 3, -12, "DISCOUNT", day, account=5)])
    >>> [(piece.kind, piece.size_minor) for piece in found[1]]
    [('DISCOUNT', 12), ('MONEY', 1188)]
    """
    meeting = _Meeting(settlement, parts)
    meeting.meet((DOCUMENT,), (DOCUMENT,))
    meeting.share_short()
    meeting.meet((DOCUMENT,), (MONEY, ADVANCE))
    meeting.meet((ADVANCE,), (MONEY,))
    return meeting.pieces


class _Meeting:
    """The parts of a settlement as they meet, each with what is left of it."""

    def __init__(self, settlement: int, parts: Sequence[SettledPart]) -> None:
        self.settlement = settlement
        self.parts = sorted(parts, key=lambda part: (part.day, part.entry))
        self.left = {part.item: part.amount_minor for part in parts}
        self.latest = max(part.day for part in parts)
        self.line = next((part.entry for part in self.parts if part.is_line), None)
        self.pieces: dict[int, list[Piece]] = defaultdict(list)

    def meet(self, ones: Sequence[str], others: Sequence[str]) -> None:
        """Let parts of some kinds meet those of others that have the opposite sign."""
        for one in self._of(ones):
            for other in self._of(others):
                if one.entry != other.entry and self.left[one.item] * self.left[other.item] < 0:
                    size = min(abs(self.left[one.item]), abs(self.left[other.item]))
                    self._take(one, size)
                    self._take(other, size)
                    self._add(one, other, size)
                    if other.kind in (DOCUMENT, ADVANCE):
                        self._add(other, one, size)

    def _of(self, kinds: Sequence[str]) -> list[SettledPart]:
        return [part for part in self.parts if part.kind in kinds]

    def share_short(self) -> None:
        """Let each document have its share of what is short of all of them."""
        for short in self._of(SHORT):
            owed = [each for each in self._of((DOCUMENT,)) if self.left[each.item] * short.amount_minor < 0]
            weights = [abs(self.left[each.item]) for each in owed]
            whole = min(abs(self.left[short.item]), sum(weights))
            for each, size in zip(owed, share(whole, weights), strict=True):
                if size:
                    self._take(each, size)
                    self._take(short, size)
                    self._add(each, short, size)

    def _take(self, part: SettledPart, size: int) -> None:
        self.left[part.item] -= size if self.left[part.item] > 0 else -size

    def _add(self, part: SettledPart, met: SettledPart, size: int) -> None:
        kind, cause, day = MONEY, (met.is_caused and self.line) or met.entry, self.latest
        is_own_day = part.kind == ADVANCE and met.kind == MONEY
        if met.kind in SHORT:
            kind = met.kind
        elif met.kind == DOCUMENT and part.kind == DOCUMENT and (part.is_credit or met.is_credit):
            kind, day = CREDIT, max(part.day, met.day)
        elif met.kind == ADVANCE or (part.kind == ADVANCE and met.kind == DOCUMENT):
            day = max(part.day, met.day)
            cause = part.entry if part.kind == ADVANCE else met.entry
        elif met.is_line:
            day = met.day
        self.pieces[part.entry].append(
            Piece(self.settlement, kind, size, day, cause, is_own_day, account=met.account)
        )
