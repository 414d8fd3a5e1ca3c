"""Matching bank lines of two own accounts as likely transfers, with the evidence; and what linked pairs leave over."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from typing import TypeAlias

from webapp.ledger.journal import transfer_fits
from webapp.ledger.journal.entries import Leg, mirrored
from webapp.ledger.journal.transfer_sides import NamedAccounts, OwnAccount, TransferSide
from webapp.ledger.money import Money

# The ids of two lines, money out first.
_Pair: TypeAlias = tuple[int, int]
# Whether a line of a pair fits another one too, and whether the two differ by a fee.
_UNAMBIGUOUS = (False, False)


@dataclass(frozen=True, slots=True)
class TransferMatch:
    """Two lines that may be one transfer: money out of one account, into another.

    `is_only` says that neither line fits another. `off_permille` is the difference at their
    days' rates, None in one currency; `fee` is the missing part of the amount sent, or None.
    """

    out_id: int
    in_id: int
    days_apart: int
    off_permille: int | None
    fee: Money | None
    named_number: str | None
    named_text: str | None
    is_only: bool
    rivals: int

    @property
    def reason(self) -> str:
        """The evidence for the pair, in a sentence."""
        days = {0: "same day", 1: "1 day apart"}.get(self.days_apart, f"{self.days_apart} days apart")
        named = self.named_number or self.named_text
        evidence = f"{self._amounts}, {days}" + (f", names {named}" if named else "")
        return evidence if self.is_only else f"{evidence}; one of {self.rivals} that fit"

    @property
    def _amounts(self) -> str:
        if self.fee is not None:
            return f"{self.fee.formatted} less arrived"
        if self.off_permille is None:
            return "Same amount"
        return f"Within {self.off_permille // 10}.{self.off_permille % 10} % at the day's rate"


@dataclass(frozen=True, slots=True)
class BestMatches:
    """The best of the fitting pairs, their number, and the number that one act may pair."""

    matches: list[TransferMatch]
    count: int
    unambiguous: int


def transfer_matches(
    sides: Iterable[TransferSide],
    own: Mapping[int, OwnAccount],
    refused: Collection[tuple[int, int]] = (),
) -> list[TransferMatch]:
    """Find the pairs that fit, the best evidence first; a person refused the `refused` ones.

    In one currency the amounts are opposite, across currencies within 3 % at their days' rates, where one of the two
    names the other's account or neither fits another line; at most five days lie between. Lines that fit nothing so may
    be a transfer less a fee of up to 5 %, where one of the two names the other's account. A line whose IBAN is another
    account's is no side of this one. The work grows with the number of lines, not with its square, however many are
    alike.
    """
    fitting = _Fitting(sides, NamedAccounts(own), refused)
    return fitting.matches(sorted(fitting.pairs, key=fitting.rank))


def best_matches(
    sides: Iterable[TransferSide],
    own: Mapping[int, OwnAccount],
    refused: Collection[tuple[int, int]] = (),
    *,
    most: int,
) -> BestMatches:
    """Find some of the pairs that fit: those that fit nothing else first, then those without a fee.

    Only the evidence of possible results is compared.
    """
    fitting = _Fitting(sides, NamedAccounts(own), refused)
    kinds: dict[tuple[bool, bool], list[_Pair]] = defaultdict(list)
    for pair in fitting.pairs:
        kinds[fitting.kind(pair)].append(pair)
    best: list[_Pair] = []
    for _, pairs in sorted(kinds.items()):
        best += nsmallest(most - len(best), pairs, key=fitting.rank)
    return BestMatches(fitting.matches(best), len(fitting.pairs), len(kinds[_UNAMBIGUOUS]))


def unambiguous_matches(
    sides: Iterable[TransferSide],
    own: Mapping[int, OwnAccount],
    refused: Collection[tuple[int, int]] = (),
) -> list[TransferMatch]:
    """Find the pairs that fit nothing else and name no fee, the best evidence first."""
    fitting = _Fitting(sides, NamedAccounts(own), refused)
    chosen = [pair for pair in fitting.pairs if fitting.kind(pair) == _UNAMBIGUOUS]
    return fitting.matches(sorted(chosen, key=fitting.rank))


class _Fitting:
    """The pairs that fit, and their number per line."""

    def __init__(
        self, sides: Iterable[TransferSide], named: NamedAccounts, refused: Collection[tuple[int, int]]
    ) -> None:
        self._named, self._refused = named, refused
        ordered = sorted((side for side in sides if side.amount_minor), key=lambda side: (side.day, side.id))
        others = {side.id: fa_ids for side in ordered if (fa_ids := named.others(side))}
        self._sides = {side.id: side for side in ordered}
        self.pairs: dict[_Pair, None] = {}
        self._add(transfer_fits.equal(ordered))
        # Of these it was asked while they were looked for.
        rated = transfer_fits.Rated(ordered, others, self._may_pair)
        self.pairs.update(((out.id, into.id), None) for out, into in rated.pairs())
        fitted = set(chain.from_iterable(self.pairs))
        self._add(transfer_fits.less_a_fee([side for side in ordered if side.id not in fitted], others))
        self._fits = Counter(chain.from_iterable(self.pairs))

    def _add(self, pairs: Iterable[tuple[TransferSide, TransferSide]]) -> None:
        for out, into in pairs:
            pair = out.id, into.id
            if pair not in self.pairs and self._may_pair(out, into):
                self.pairs[pair] = None

    def _may_pair(self, out: TransferSide, into: TransferSide) -> bool:
        if (out.iban or into.iban) and self._named.contradict(out, into):
            return False
        return not self._refused or (out.id, into.id) not in self._refused

    def rivals(self, pair: _Pair) -> int:
        """Count the pairs of the line with more pairs."""
        out_id, in_id = pair
        return max(self._fits[out_id], self._fits[in_id])

    def kind(self, pair: _Pair) -> tuple[bool, bool]:
        """Return whether a line of the pair fits another line too, and whether the two differ by a fee."""
        return self.rivals(pair) > 1, self.fee(pair) is not None

    def fee(self, pair: _Pair) -> int | None:
        """Return the missing part of the amount sent, in minor units; None without one, or in two currencies."""
        out, into = self._of(pair)
        return -out.amount_minor - into.amount_minor or None if out.currency == into.currency else None

    def _of(self, pair: _Pair) -> tuple[TransferSide, TransferSide]:
        return self._sides[pair[0]], self._sides[pair[1]]

    def rank(self, pair: _Pair) -> tuple[object, ...]:
        """Order pairs by evidence: the amount, an account's number, its name, the days between, the difference."""
        out, into = self._of(pair)
        fee, named = self.fee(pair), self._named
        return (
            fee is not None,
            into.fa_id not in named.by_number(out) and out.fa_id not in named.by_number(into),
            into.fa_id not in named.by_text(out) and out.fa_id not in named.by_text(into),
            abs((out.day - into.day).days),
            _off_permille(out, into) or 0,
            fee or 0,
            out.id,
            into.id,
        )

    def matches(self, pairs: Iterable[_Pair]) -> list[TransferMatch]:
        """Return pairs with their evidence."""
        return [self._match(pair) for pair in pairs]

    def _match(self, pair: _Pair) -> TransferMatch:
        out, into = self._of(pair)
        fee, rivals, named = self.fee(pair), self.rivals(pair), self._named
        return TransferMatch(
            out.id,
            into.id,
            abs((out.day - into.day).days),
            _off_permille(out, into),
            None if fee is None else Money(fee, out.currency),
            named.by_number(out).get(into.fa_id) or named.by_number(into).get(out.fa_id),
            named.by_text(out).get(into.fa_id) or named.by_text(into).get(out.fa_id),
            is_only=rivals == 1,
            rivals=rivals,
        )


def _off_permille(out: TransferSide, into: TransferSide) -> int | None:
    if out.currency == into.currency:
        return None
    least, most = sorted((abs(out.base_minor or 0), abs(into.base_minor or 0)))
    return -((least - most) * 1000 // most)


def are_opposite(one: Iterable[Leg], other: Iterable[Leg]) -> bool:
    """Return whether two sides are one transfer: zero together in one currency, or opposite in two.

    >>> out, into = [Leg(1, 1100, "USD", 1000)], [Leg(1, -990, "EUR", -990)]
    >>> are_opposite(out, into), are_opposite(out, []), are_opposite(out, [Leg(1, -1099, "USD", -999)])
    (True, False, False)
    """
    mine, theirs = _amounts(one), _amounts(other)
    if len(mine) != 1 or len(theirs) != 1:
        return False
    [(currency, amount)], [(other_currency, other_amount)] = mine.items(), theirs.items()
    return amount == -other_amount if currency == other_currency else amount * other_amount < 0


def clearing(sides: Iterable[Leg], base: str, difference_account_id: int) -> tuple[Leg, ...]:
    """Return the legs that bring the sides of a transfer to zero in each currency, or none.

    The rest in the base currency goes to the account of differences: a debit is a loss. All sides are on one
    account.

    >>> dollars, euros = Leg(1, 1100, "USD", 1000), Leg(1, -990, "EUR", -990)
    >>> for leg in clearing([dollars, euros], "EUR", 9):
    ...     print(leg.account_id, leg.amount_minor, leg.currency, leg.amount_base_minor)
    1 -1100 USD -1000
    1 990 EUR 990
    9 10 EUR 10
    """
    amounts: Counter[str] = Counter()
    bases: Counter[str] = Counter()
    account_id = 0
    for leg in sides:
        account_id = leg.account_id
        amounts[leg.currency] += leg.amount_minor
        bases[leg.currency] += mirrored(leg)
    legs = [
        Leg(account_id, -amounts[currency], currency, -bases[currency])
        for currency in amounts
        if amounts[currency] or bases[currency]
    ]
    rest = sum(bases.values())
    return (*legs, Leg(difference_account_id, rest, base, rest)) if rest else tuple(legs)


def is_nil(legs: Sequence[Leg]) -> bool:
    """Return whether legs of one account add up to zero in each currency and in the base currency."""
    return not clearing(legs, "", 0)


def _amounts(legs: Iterable[Leg]) -> dict[str, int]:
    amounts: Counter[str] = Counter()
    for leg in legs:
        amounts[leg.currency] += leg.amount_minor
    return {currency: amount for currency, amount in amounts.items() if amount}
