"""Matching bank lines of two own accounts as likely transfers, with the evidence for each match."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final

MOST_DAYS: Final = 5
MOST_PERCENT: Final = 3
# Of many equal lines only the nearest matter: two that fit are already too many to choose from.
NEAREST: Final = 4
SHORTEST_NAME: Final = 4


@dataclass(frozen=True, slots=True)
class TransferSide:
    """A bank line as one side of a transfer; `text` is all of the bank's text.

    `base_minor` is its amount at its day's rate, None where there is none.
    """

    id: int
    fa_id: int
    day: date
    amount_minor: int
    currency: str
    base_minor: int | None = None
    text: str = ""
    iban: str | None = None


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """The number and the names by which another bank's line may refer to an own account."""

    number: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TransferMatch:
    """Two lines that may be one transfer: money out of one account, into another.

    `is_only` says that neither line fits any other one. `off_permille` is by how much the two differ at their
    days' rates, None in one currency.
    """

    out_id: int
    in_id: int
    days_apart: int
    off_permille: int | None
    named_number: str | None
    named_text: str | None
    is_only: bool = False
    rivals: int = 0

    @property
    def rank(self) -> tuple[object, ...]:
        """Order matches by evidence: an account's number, its name, the days between, the difference."""
        return (
            self.named_number is None,
            self.named_text is None,
            self.days_apart,
            self.off_permille or 0,
            self.out_id,
            self.in_id,
        )

    @property
    def reason(self) -> str:
        """The evidence for the pair, in a sentence."""
        amount = (
            "Same amount"
            if self.off_permille is None
            else f"Within {self.off_permille // 10}.{self.off_permille % 10} % at the day's rate"
        )
        days = {0: "same day", 1: "1 day apart"}.get(self.days_apart, f"{self.days_apart} days apart")
        named = self.named_number or self.named_text
        evidence = f"{amount}, {days}" + (f", names {named}" if named else "")
        return evidence if self.is_only else f"{evidence}; one of {self.rivals} that fit"


@dataclass(slots=True)
class _Shelf:
    """The lines of one amount, direction and account, by day."""

    days: list[date] = field(default_factory=list)
    sides: list[TransferSide] = field(default_factory=list)

    def near(self, day: date) -> Iterator[TransferSide]:
        first = bisect_left(self.days, day - timedelta(days=MOST_DAYS))
        last = bisect_right(self.days, day + timedelta(days=MOST_DAYS))
        if last - first > 2 * NEAREST:
            middle = bisect_left(self.days, day)
            first, last = max(first, middle - NEAREST), min(last, middle + NEAREST)
        yield from self.sides[first:last]


def transfer_matches(
    sides: Iterable[TransferSide],
    own: Mapping[int, OwnAccount],
    refused: Collection[tuple[int, int]] = (),
) -> list[TransferMatch]:
    """Find the pairs that fit, the best evidence first; `refused` are pairs that somebody refused.

    In one currency the amounts are opposite, across currencies within 3 % at their days' rates; at most five
    days lie between. A line whose IBAN is another account's is no side of this one. The work grows with the
    number of lines, not with its square, however many are alike.
    """
    ordered = sorted((side for side in sides if side.amount_minor), key=lambda side: (side.day, side.id))
    found = {
        (out.id, into.id): _match(out, into, own)
        for out, into in _fitting(ordered)
        if (out.id, into.id) not in refused and not _contradicted(out, into, own)
    }
    fits = Counter(line_id for pair in found for line_id in pair)
    ranked = [_with_rivals(each, max(fits[each.out_id], fits[each.in_id])) for each in found.values()]
    return sorted(ranked, key=lambda each: each.rank)


def _with_rivals(each: TransferMatch, rivals: int) -> TransferMatch:
    return TransferMatch(
        each.out_id,
        each.in_id,
        each.days_apart,
        each.off_permille,
        each.named_number,
        each.named_text,
        is_only=rivals == 1,
        rivals=rivals,
    )


def _fitting(ordered: Sequence[TransferSide]) -> Iterator[tuple[TransferSide, TransferSide]]:
    """Pair lines with those near them, looked up by amount and day: from either side, money out first."""
    shelves: dict[tuple[str, int], dict[int, _Shelf]] = defaultdict(dict)
    for side in ordered:
        shelf = shelves[side.currency, side.amount_minor].setdefault(side.fa_id, _Shelf())
        shelf.days.append(side.day)
        shelf.sides.append(side)
    rated = _Rated(ordered)
    for side in ordered:
        for fa_id, shelf in shelves.get((side.currency, -side.amount_minor), {}).items():
            if fa_id != side.fa_id:
                yield from (_out_first(side, other) for other in shelf.near(side.day))
        yield from (_out_first(side, other) for other in rated.near(side))


class _Rated:
    """The lines by direction, account and day, then by what they are in the base currency."""

    def __init__(self, ordered: Iterable[TransferSide]) -> None:
        sides = [side for side in ordered if side.base_minor]
        self._currencies = sorted({side.currency for side in sides})
        self._by_day: dict[tuple[bool, date, str], list[tuple[int, int, TransferSide]]] = defaultdict(list)
        if len(self._currencies) == 1:
            return
        for side in sides:
            key = (side.amount_minor > 0, side.day, side.currency)
            self._by_day[key].append((abs(side.base_minor or 0), side.id, side))
        for shelf in self._by_day.values():
            shelf.sort(key=lambda place: place[:2])

    def near(self, side: TransferSide) -> Iterator[TransferSide]:
        if not self._by_day or not side.base_minor:
            return
        size = abs(side.base_minor)
        least = -(-size * (100 - MOST_PERCENT) // 100)
        most = size * 100 // (100 - MOST_PERCENT)
        for currency in self._currencies:
            if currency == side.currency:
                continue
            for distance in range(-MOST_DAYS, MOST_DAYS + 1):
                shelf = self._by_day.get(
                    (side.amount_minor < 0, side.day + timedelta(days=distance), currency), ()
                )
                first, last = bisect_left(shelf, (least,)), bisect_left(shelf, (most + 1,))
                if last - first > 2 * NEAREST:
                    middle = bisect_left(shelf, (size,))
                    first, last = max(first, middle - NEAREST), min(last, middle + NEAREST)
                yield from (other for _, _, other in shelf[first:last] if other.fa_id != side.fa_id)


def _out_first(one: TransferSide, other: TransferSide) -> tuple[TransferSide, TransferSide]:
    return (one, other) if one.amount_minor < 0 else (other, one)


def _match(out: TransferSide, into: TransferSide, own: Mapping[int, OwnAccount]) -> TransferMatch:
    off = None
    if out.currency != into.currency:
        sizes = sorted((abs(out.base_minor or 0), abs(into.base_minor or 0)))
        off = -((sizes[0] - sizes[1]) * 1000 // sizes[1])
    return TransferMatch(
        out.id,
        into.id,
        abs((out.day - into.day).days),
        off,
        _named_number(out, into, own) or _named_number(into, out, own),
        _named_text(out, into, own) or _named_text(into, out, own),
    )


def compact(number: str) -> str:
    """Write an account's number without spaces, in capitals.

    >>> compact("de89 3704 0044")
    'DE8937040044'
    """
    return "".join(number.split()).upper()


def is_iban(number: str) -> bool:
    """Return whether an account's number has the shape of an IBAN (ISO 13616): country, check digits, 15 to 34 long.

    >>> is_iban("DE89370400440532013000"), is_iban("0532013000")
    (True, False)
    """
    return 15 <= len(number) <= 34 and number[:2].isalpha() and number[2:4].isdigit() and number.isalnum()  # noqa: PLR2004


def _number(side: TransferSide, own: Mapping[int, OwnAccount]) -> str:
    return compact(own.get(side.fa_id, OwnAccount()).number or "")


def _named_number(one: TransferSide, other: TransferSide, own: Mapping[int, OwnAccount]) -> str | None:
    """Give the number of the other account that a line names: as its IBAN, or as the end of one."""
    number, iban = _number(other, own), compact(one.iban or "")
    is_named = iban and number and (iban == number or (len(number) > SHORTEST_NAME and iban.endswith(number)))
    return iban if is_named else None


def _named_text(one: TransferSide, other: TransferSide, own: Mapping[int, OwnAccount]) -> str | None:
    text = one.text.casefold()
    names = own.get(other.fa_id, OwnAccount()).names
    return next((name for name in names if len(name) >= SHORTEST_NAME and name.casefold() in text), None)


def _contradicted(out: TransferSide, into: TransferSide, own: Mapping[int, OwnAccount]) -> bool:
    """Return whether the IBAN in one line is not that of the other line's account."""
    return any(
        is_iban(iban) and is_iban(number) and iban != number
        for iban, number in (
            (compact(out.iban or ""), _number(into, own)),
            (compact(into.iban or ""), _number(out, own)),
        )
    )
