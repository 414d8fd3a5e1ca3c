"""Matching bank lines of two own accounts as likely transfers, with the evidence for each match."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from webapp.ledger.journal import transfer_fits
from webapp.ledger.journal.transfer_sides import (
    OwnAccount,
    TransferSide,
    contradicted,
    named_number,
    named_text,
)
from webapp.ledger.money import Money


@dataclass(frozen=True, slots=True)
class TransferMatch:
    """Two lines that may be one transfer: money out of one account, into another.

    `is_only` says that neither line fits any other one. `off_permille` is by how much the two differ at their
    days' rates, None in one currency; `fee` is what arrived less than was sent, None where nothing did.
    """

    out_id: int
    in_id: int
    days_apart: int
    off_permille: int | None
    fee: Money | None
    named_number: str | None
    named_text: str | None
    is_only: bool = False
    rivals: int = 0

    @property
    def rank(self) -> tuple[object, ...]:
        """Order matches by evidence: the amount, an account's number, its name, the days between, the difference."""
        return (
            self.fee is not None,
            self.named_number is None,
            self.named_text is None,
            self.days_apart,
            self.off_permille or 0,
            self.fee.minor if self.fee else 0,
            self.out_id,
            self.in_id,
        )

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


def transfer_matches(
    sides: Iterable[TransferSide],
    own: Mapping[int, OwnAccount],
    refused: Collection[tuple[int, int]] = (),
) -> list[TransferMatch]:
    """Find the pairs that fit, the best evidence first; `refused` are pairs that somebody refused.

    In one currency the amounts are opposite, across currencies within 3 % at their days' rates, where one of the two
    names the other's account or neither fits another line; at most five days lie between. Lines that fit nothing so may
    be a transfer less a fee of up to 5 %, where one of the two names the other's account. A line whose IBAN is another
    account's is no side of this one. The work grows with the number of lines, not with its square, however many are
    alike.
    """
    ordered = sorted((side for side in sides if side.amount_minor), key=lambda side: (side.day, side.id))

    def may_pair(out: TransferSide, into: TransferSide) -> bool:
        return (out.id, into.id) not in refused and not contradicted(out, into, own)

    def matches(pairs: Iterable[tuple[TransferSide, TransferSide]]) -> dict[tuple[int, int], TransferMatch]:
        return {(out.id, into.id): _match(out, into, own) for out, into in pairs if may_pair(out, into)}

    found = matches(transfer_fits.equal_or_rated(ordered, own, may_pair))
    fitted = {line_id for pair in found for line_id in pair}
    found |= matches(transfer_fits.less_a_fee([side for side in ordered if side.id not in fitted], own))
    fits = Counter(line_id for pair in found for line_id in pair)
    rivals = {pair: max(fits[line_id] for line_id in pair) for pair in found}
    ranked = [replace(each, is_only=rivals[pair] == 1, rivals=rivals[pair]) for pair, each in found.items()]
    return sorted(ranked, key=lambda each: each.rank)


def _match(out: TransferSide, into: TransferSide, own: Mapping[int, OwnAccount]) -> TransferMatch:
    off, fee = None, None
    if out.currency != into.currency:
        sizes = sorted((abs(out.base_minor or 0), abs(into.base_minor or 0)))
        off = -((sizes[0] - sizes[1]) * 1000 // sizes[1])
    elif out.amount_minor + into.amount_minor:
        fee = Money(-out.amount_minor - into.amount_minor, out.currency)
    return TransferMatch(
        out.id,
        into.id,
        abs((out.day - into.day).days),
        off,
        fee,
        named_number(out, into.fa_id, own) or named_number(into, out.fa_id, own),
        named_text(out, into.fa_id, own) or named_text(into, out.fa_id, own),
    )
