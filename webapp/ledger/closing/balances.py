"""Proofs of accounts of the balance sheet: what proves one, and what a difference needs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from webapp.ledger.texts.words import Words


class BalanceProof(StrEnum):
    """What an account is proved by: the first three are evidence, the others are computed."""

    STATEMENT = "STATEMENT"
    ATTESTED = "ATTESTED"
    SCHEDULE = "SCHEDULE"
    ITEMS = "ITEMS"
    RETURN = "RETURN"
    ZERO = "ZERO"
    ROLL_FORWARD = "ROLL_FORWARD"


class BalanceState(StrEnum):
    """The state of an account: proved, its difference explained, for an approver to decide, or open."""

    PROVED = "PROVED"
    EXPLAINED = "EXPLAINED"
    NEEDS_APPROVER = "NEEDS_APPROVER"
    OPEN = "OPEN"


# What people call what proves an account, and its state.
PROVED_BY: Final = {
    BalanceProof.STATEMENT: Words("Bank statement"),
    BalanceProof.ATTESTED: Words("A person's word"),
    BalanceProof.SCHEDULE: Words("Schedule with its document"),
    BalanceProof.ITEMS: Words("Open items"),
    BalanceProof.RETURN: Words("Tax returns"),
    BalanceProof.ZERO: Words("Nothing may be left"),
    BalanceProof.ROLL_FORWARD: Words("What moved it"),
}
STATES: Final = {
    BalanceState.PROVED: Words("Proved"),
    BalanceState.EXPLAINED: Words("Explained"),
    BalanceState.NEEDS_APPROVER: Words("For an approver"),
    BalanceState.OPEN: Words("Open"),
}
EXPLANATIONS = ("TIMING", "DISPUTE", "TO_CORRECT", "OTHER")
ATTESTED = "ATTESTED"


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """A part of a difference, and the day by which it is gone."""

    id: int
    amount_minor: int
    reverses_by: date


@dataclass(frozen=True, slots=True)
class BalanceVerdict:
    """What of a difference is explained and what is not, and the explanations whose day has passed."""

    explained: int
    unexplained: int
    state: BalanceState
    expired: tuple[int, ...]


def verdict_on(
    difference: int | None, explanations: Iterable[ExplainedPart], materiality: int, on: date
) -> BalanceVerdict:
    """Judge the difference of an account on a day; without a figure that proves it there is none, and it is open.

    >>> late, soon = (ExplainedPart(1, 6000, date(2026, 3, day)) for day in (15, 31))
    >>> [verdict_on(6000, [each], 10000, date(2026, 3, 31)).state.value for each in (late, soon)]
    ['OPEN', 'EXPLAINED']
    >>> verdict_on(6000, [soon], 0, date(2026, 3, 31)).state.value, verdict_on(0, [], 0, date(2026, 3, 31)).state.value
    ('NEEDS_APPROVER', 'PROVED')
    """
    found = list(explanations)
    standing = [each for each in found if each.reverses_by >= on]
    expired = tuple(each.id for each in found if each.reverses_by < on)
    explained = sum(each.amount_minor for each in standing)
    size = sum(abs(each.amount_minor) for each in standing)
    left = (difference or 0) - explained
    if difference == 0 and not standing:
        state = BalanceState.PROVED
    elif difference is None or left:
        state = BalanceState.OPEN
    else:
        state = BalanceState.EXPLAINED if size <= materiality else BalanceState.NEEDS_APPROVER
    return BalanceVerdict(explained, left, state, expired)
