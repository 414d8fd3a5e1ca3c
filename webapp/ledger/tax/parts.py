"""Parts of items: what of an item's base and tax belongs to what was paid, deducted or credited of it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, NamedTuple

from webapp.ledger.money import bounded, divided

MONEY, DISCOUNT, WRITE_OFF, CREDIT, APPLIED = "MONEY", "DISCOUNT", "WRITE_OFF", "CREDIT", "APPLIED"
# Relief of a bad debt and what later money returns of it; tax of own unpaid bills and what later money brings back.
RELIEF, RETURNED, UNPAID, REPAID = "RELIEF", "RETURNED", "UNPAID", "REPAID"
BACK: Final[Mapping[str, str]] = {RELIEF: RETURNED, UNPAID: REPAID}
PART_KINDS: Final = (MONEY, DISCOUNT, WRITE_OFF, APPLIED, RELIEF, RETURNED, UNPAID, REPAID)
SHORT: Final = (DISCOUNT, WRITE_OFF)
# What nobody owes any more; what is written off is still unpaid.
NOT_OWED: Final = (MONEY, DISCOUNT, CREDIT)


class TaxFigures(NamedTuple):
    """A base and its tax in the base currency, positive on invoices."""

    base_minor: int = 0
    tax_minor: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """What a settlement takes of an item as one kind: its size in the item's currency, without a sign.

    `credited` is what a CREDIT takes of base and tax by code. `cause` is what a return names for it,
    and `account` bears what is short.
    """

    settlement: int
    kind: str
    size_minor: int
    tax_point: date
    cause: int
    is_own_day: bool = False
    credited: Mapping[int, TaxFigures] = field(default_factory=dict)
    account: int | None = None


@dataclass(frozen=True, slots=True)
class PartShare:
    """What a part has of a code's base and tax, on a tax point."""

    settlement: int | None
    kind: str
    code: int
    tax_point: date
    figures: TaxFigures
    cause: int
    is_own_day: bool = False
    account: int | None = None
    size_minor: int = 0


@dataclass(frozen=True, slots=True)
class TaxedItem:
    """An item with its base and tax by code, and its gross size in its own currency.

    Codes of `cash` wait for money, also those that only a credit note takes out of it. An advance gives its tax back as
    it is applied. `relieved` is what its codes had of relief, or of what was unpaid after six months, with the sizes of
    both.
    """

    wholes: Mapping[int, TaxFigures]
    gross_minor: int
    cash: frozenset[int] = frozenset()
    is_advance: bool = False
    relieved: Sequence[PartShare] = ()


def part_of(whole: int, gross: int, settled: int, had: int) -> int:
    """Return what one more part has of a base or tax, `settled` being all parts of its kind with this one.

    Shares are cumulative, so that the parts add up to the whole whatever their number.

    >>> [part_of(20000, 120000, settled, had) for settled, had in ((40000, 0), (80000, 6667), (120000, 13333))]
    [6667, 6666, 6667]
    >>> part_of(20000, 200000 - 40000, 160000, 0), part_of(500, 0, 0, 500)
    (20000, -500)
    """
    return bounded((divided(whole * settled, gross) if gross else 0) - had)


def shares_of(
    item: TaxedItem, pieces: Iterable[Piece], given: Mapping[int, Sequence[PartShare]] | None = None
) -> list[PartShare]:
    """Return what the parts of an item have of its base and tax; `pieces` are in the order of their settlements.

    What a settlement of `given` had stays as it was.

    >>> day = date(2026, 3, 31)
    >>> item = TaxedItem({7: TaxFigures(100000, 20000)}, 120000, frozenset({7}))
    >>> paid = [Piece(number, MONEY, 40000, day, number) for number in (1, 2, 3)]
    >>> [share.figures.tax_minor for share in shares_of(item, paid)]
    [6667, 6666, 6667]
    >>> mixed = TaxedItem({7: TaxFigures(100000, 20000), 8: TaxFigures(100000, 0)}, 220000, frozenset({7, 8}))
    >>> credit = Piece(1, CREDIT, 60000, day, 1, credited={7: TaxFigures(50000, 10000)})
    >>> [share.figures for share in shares_of(mixed, [credit, Piece(2, MONEY, 160000, day, 2)])]
    [TaxFigures(base_minor=50000, tax_minor=10000), TaxFigures(base_minor=100000, tax_minor=0)]
    """
    parting = _Parting(item, dict(item.wholes), item.gross_minor)
    for piece in pieces:
        parting.take(piece, (given or {}).get(piece.settlement))
    return parting.shares


@dataclass(slots=True)
class _Parting:
    """The parts of an item as they come, one by one."""

    item: TaxedItem
    wholes: dict[int, TaxFigures]
    gross: int
    shares: list[PartShare] = field(default_factory=list)
    sizes: Counter[str] = field(default_factory=Counter)
    latest: date | None = None
    since: int = 0
    bearing: int | None = None
    seen: set[int] = field(default_factory=set)

    def take(self, piece: Piece, given: Sequence[PartShare] | None) -> None:
        """Take one more piece, with the shares that its settlement had already, if it had."""
        if given is not None and piece.settlement not in self.seen:
            self.shares += given
        self.seen.add(piece.settlement)
        is_new = given is None
        if piece.kind == CREDIT:
            self._credit(piece, is_new=is_new)
            return
        self.sizes[APPLIED if self.item.is_advance else piece.kind] += piece.size_minor
        self._give_back(piece, is_new=is_new)
        self.bearing = piece.account or self.bearing
        if piece.kind == MONEY:
            self.latest = max(self.latest or piece.tax_point, piece.tax_point)
        if is_new:
            self._share(piece)

    def _give_back(self, piece: Piece, *, is_new: bool) -> None:
        """Return of what was relieved as much as money came since."""
        before = [each for each in self.item.relieved if each.tax_point < piece.tax_point]
        if piece.kind != MONEY or not before:
            return
        self.since += piece.size_minor
        size = min(self.since, sum(each.size_minor for each in before))
        first = {each.code: each for each in reversed(before)}
        for code, relief in first.items() if is_new else ():
            back = BACK[relief.kind]
            tax = part_of(self.wholes[code].tax_minor, self.gross, size, self._had(code, (back,)).tax_minor)
            self._add(replace(piece, account=relief.account), back, code, TaxFigures(0, tax))

    def _share(self, piece: Piece) -> None:
        if self.item.is_advance:
            for code in self.wholes:
                self._up_to(piece, APPLIED, code, (APPLIED,))
            return
        for code in self.wholes:
            if code not in self.item.cash:
                if piece.kind == DISCOUNT:
                    self._up_to(piece, DISCOUNT, code, (DISCOUNT,))
                continue
            kinds = (MONEY,) if piece.kind == MONEY else SHORT
            self._up_to(piece, piece.kind, code, kinds)
            self._close(piece, code)

    def _credit(self, piece: Piece, *, is_new: bool) -> None:
        """Take a credit out of base, tax and gross; what money and discounts had of them before changes with it."""
        self.gross -= piece.size_minor
        self.wholes = _without(self.wholes, piece.credited)
        if not is_new:
            return
        day = max(piece.tax_point, self.latest or piece.tax_point)
        at = replace(piece, tax_point=day, is_own_day=True)
        for code in self.wholes:
            for kinds in ((MONEY,), SHORT) if code in self.item.cash else ((DISCOUNT,),):
                if any(self.sizes[kind] for kind in kinds):
                    self._up_to(at, kinds[0], code, kinds)
            self._close(at, code)

    def _up_to(self, piece: Piece, kind: str, code: int, kinds: Sequence[str]) -> None:
        """Add what all pieces of some kinds have together, less what they had before."""
        whole, had = self.wholes[code], self._had(code, kinds)
        size = sum(self.sizes[each] for each in kinds)
        figures = (part_of(each, self.gross, size, before) for each, before in zip(whole, had, strict=True))
        self._add(piece, kind, code, TaxFigures(*figures))

    def _close(self, piece: Piece, code: int) -> None:
        """Let what is short of an item that is closed now take all that still waits."""
        is_closed = sum(self.sizes.values()) == self.gross
        if not is_closed or code not in self.item.cash or not any(self.sizes[kind] for kind in SHORT):
            return
        whole, had = self.wholes[code], self._had(code, (MONEY, *SHORT))
        rest = TaxFigures(whole.base_minor - had.base_minor, whole.tax_minor - had.tax_minor)
        kind = next(each for each in SHORT if self.sizes[each])
        self._add(piece, kind, code, rest)

    def _add(self, piece: Piece, kind: str, code: int, figures: TaxFigures) -> None:
        if any(figures):
            own = piece.is_own_day or kind in (DISCOUNT, *BACK.values())
            account = piece.account
            if kind in SHORT and account is None:
                account = self.bearing
            self.shares.append(
                PartShare(piece.settlement, kind, code, piece.tax_point, figures, piece.cause, own, account)
            )

    def _had(self, code: int, kinds: Sequence[str]) -> TaxFigures:
        found = [each.figures for each in self.shares if each.code == code and each.kind in kinds]
        return TaxFigures(sum(each.base_minor for each in found), sum(each.tax_minor for each in found))


def relief_of(item: TaxedItem, codes: Iterable[int], relief: PartShare) -> list[PartShare]:
    """Return the shares of a relief by code, less what they had: as one that says its size, kind, day and account.

    >>> item = TaxedItem({7: TaxFigures(99999, 20000)}, 119999)
    >>> relief = PartShare(None, RELIEF, 0, date(2026, 8, 31), TaxFigures(), 1, size_minor=60000)
    >>> [each.figures.tax_minor for each in relief_of(item, [7], relief)]
    [10000]
    """
    relieved, found = sum(each.size_minor for each in item.relieved) + relief.size_minor, list[PartShare]()
    for code in codes:
        had = sum(each.figures.tax_minor for each in item.relieved if each.code == code)
        figures = TaxFigures(0, part_of(item.wholes[code].tax_minor, item.gross_minor, relieved, had))
        size = 0 if found else relief.size_minor
        found.append(replace(relief, code=code, figures=figures, is_own_day=True, size_minor=size))
    return found


def less_credits(item: TaxedItem, pieces: Iterable[Piece]) -> TaxedItem:
    """Return an item without what credits of its pieces took of its base, tax and gross.

    >>> credit = Piece(1, CREDIT, 12000, date(2026, 3, 31), 1, credited={7: TaxFigures(10000, 2000)})
    >>> item = TaxedItem({7: TaxFigures(100000, 20000), 8: TaxFigures(20000, 0)}, 140000)
    >>> less = less_credits(item, [credit])
    >>> less.wholes[7], less.gross_minor
    (TaxFigures(base_minor=90000, tax_minor=18000), 128000)
    """
    wholes, gross = dict(item.wholes), item.gross_minor
    for piece in pieces:
        if piece.kind == CREDIT:
            wholes, gross = _without(wholes, piece.credited), gross - piece.size_minor
    return replace(item, wholes=wholes, gross_minor=gross)


def _without(wholes: Mapping[int, TaxFigures], credited: Mapping[int, TaxFigures]) -> dict[int, TaxFigures]:
    found = dict(wholes)
    for code, taken in credited.items():
        whole = found.get(code, TaxFigures())
        found[code] = TaxFigures(whole.base_minor - taken.base_minor, whole.tax_minor - taken.tax_minor)
    return found


def changes(wanted: Iterable[PartShare], present: Iterable[PartShare]) -> list[PartShare]:
    """Return what is to be posted so that parts have what they should, each with the tax point of its part.

    >>> day = date(2026, 3, 31)
    >>> had, wants = (PartShare(1, MONEY, 7, day, TaxFigures(*each), 1) for each in ((875, 175), (1000, 50)))
    >>> [share.figures for share in changes([wants], [had])], changes([had], [had])
    ([TaxFigures(base_minor=125, tax_minor=-125)], [])
    """
    sums: dict[tuple[int | None, str, int, date], list[PartShare]] = {}
    for each in (*wanted, *map(negative, present)):
        sums.setdefault((each.settlement, each.kind, each.code, each.tax_point), []).append(each)
    found = []
    for group in sums.values():
        figures = TaxFigures(*(sum(each.figures[place] for each in group) for place in (0, 1)))
        if any(figures):
            found.append(replace(group[0], figures=figures))
    return found


def negative(share: PartShare) -> PartShare:
    """Return what takes a share back."""
    figures = TaxFigures(-share.figures.base_minor, -share.figures.tax_minor)
    return replace(share, figures=figures, size_minor=-share.size_minor)


def standing(shares: Iterable[PartShare]) -> list[PartShare]:
    """Return the reliefs of shares, without those that were taken back.

    >>> relief = PartShare(None, RELIEF, 7, date(2026, 8, 31), TaxFigures(0, 10000), 1, size_minor=60000)
    >>> [len(standing(found)) for found in ([relief], [relief, negative(relief)], [relief] * 2)]
    [1, 0, 1]
    """
    groups: dict[tuple[str, int, date], list[PartShare]] = {}
    for each in shares:
        if each.kind in BACK and each.settlement is None:
            groups.setdefault((each.kind, each.code, each.tax_point), []).append(each)
    found = []
    for group in groups.values():
        figures = TaxFigures(*(sum(each.figures[place] for each in group) for place in (0, 1)))
        size = sum(each.size_minor for each in group)
        if size or any(figures):
            found.append(replace(group[0], figures=figures, size_minor=size))
    return found
