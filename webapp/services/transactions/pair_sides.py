"""The two sides of a transfer: which part of each line it is, and the counter legs that this asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.ledger.chart import Role
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.sides import counter_legs
from webapp.ledger.journal.transfer_sides import paired_legs, part_of
from webapp.ledger.money import Money
from webapp.models import Transaction
from webapp.queries.accounts import accounts
from webapp.queries.journal import target_legs

DIFFERENCE_ROLES = {"FEE": Role.BANK_CHARGES, "EXCHANGE": Role.REALISED_EXCHANGE}


class AmountsDifferError(UnprocessableError):
    """The two lines are not opposite amounts; what one account sends, the other receives."""

    code = "amounts_differ"


@dataclass(frozen=True, slots=True)
class PairSide:
    """A line with its counter legs as one side of a transfer; `part_minor` is none where all of it is that."""

    line: Transaction
    legs: Sequence[Leg]
    part_minor: int | None
    is_mergeable: bool


def of(line: Transaction, other: Transaction, difference: str | None) -> tuple[PairSide, PairSide]:
    """Give both sides as their pair asks for, or raise AmountsDifferError where their parts are not opposite.

    A difference in one currency is a leg of the larger side, which becomes a split. Between two currencies it is
    realised once both are posted; a fee keeps the two apart, for one entry has no place for it.
    """
    transfers_id = accounts.by_role(line.organization_id, Role.TRANSFERS).id
    counters = {each.id: _counters(each) for each in (line, other)}
    parts = {each.id: part_of(counters[each.id], each.amount_minor, transfers_id) for each in (line, other)}
    if parts[line.id] * parts[other.id] >= 0:
        raise AmountsDifferError
    rest = parts[line.id] + parts[other.id] if line.currency == other.currency else 0
    larger = max((line, other), key=lambda each: abs(parts[each.id]))
    rest_leg = _rest_leg(larger, rest, difference) if rest else None
    sides = []
    for each in (line, other):
        own = rest_leg if each is larger else None
        part = parts[each.id] - (rest if own is not None else 0)
        legs = paired_legs(counters[each.id], each.amount_minor, part, transfers_id, own)
        is_whole = part == each.amount_minor
        is_mergeable = is_whole and rest_leg is None and difference != "FEE"
        sides.append(PairSide(each, legs, None if is_whole else part, is_mergeable))
    return sides[0], sides[1]


def _counters(line: Transaction) -> list[Leg]:
    """Give the counter legs of a line in its own currency; of another currency, or shared, it is one whole leg."""
    entry = line.journal_entry
    legs = [] if entry is None else counter_legs(target_legs.of(entry), line.id)
    if not legs or any(leg.currency != line.currency for leg in legs):
        return [Leg(0, -line.amount_minor, line.currency)]
    return legs


def _rest_leg(larger: Transaction, rest: int, difference: str | None) -> Leg:
    left = Money(rest, larger.currency)
    if difference is None:
        raise AmountsDifferError(
            f"The two lines add up to {left.formatted}, not to zero. Name the difference a fee or an exchange "
            "difference, or split it off."
        )
    if difference == "FEE" and rest > 0:
        raise AmountsDifferError(f"{left.formatted} more arrived than was sent, which is no fee.")
    account = accounts.by_role(larger.organization_id, DIFFERENCE_ROLES[difference])
    return Leg(account.id, -rest, larger.currency)
