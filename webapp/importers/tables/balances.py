"""The running balance of a CSV file: a check of every line, of the order of the rows, and of the sign."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from webapp.importers.bank_files import StatedBalance
from webapp.importers.tables.lines import Entry


@dataclass(frozen=True, slots=True)
class Chain:
    """How far the balances of some entries, oldest first, follow from one another."""

    entries: Sequence[Entry]
    agreeing: int
    broken: Entry | None


def chain(entries: Sequence[Entry], sign: int = 1) -> Chain:
    """Follow the balances through the entries; those without one stand between two that have it."""
    running: Decimal | None = None
    agreeing, broken = 0, None
    for entry in entries:
        if running is not None:
            running += sign * entry.line.amount
        if entry.balance is None:
            continue
        if running is not None:
            agreeing += running == entry.balance
            broken = broken or (entry if running != entry.balance else None)
        running = entry.balance
    return Chain(entries, agreeing, broken)


def ordered(entries: Sequence[Entry], sign: int = 1) -> Chain | None:
    """The chain in the order of the days; where they do not tell, the one that holds, None where neither does."""
    forward, backward = chain(entries, sign), chain(entries[::-1], sign)
    first, last = entries[0].line.booked_on, entries[-1].line.booked_on
    if first != last:
        likely, other = (forward, backward) if first < last else (backward, forward)
        return other if likely.broken and not other.broken else likely
    holding = [each for each in (forward, backward) if not each.broken]
    return holding[0] if holding else None


def proves(groups: Sequence[Sequence[Entry]], sign: int) -> bool:
    """Tell whether the balances of every account hold with the amounts' sign, and there are enough to say so."""
    agreeing = 0
    for entries in groups:
        found = ordered(entries, sign)
        if found is None or found.broken:
            return False
        agreeing += found.agreeing
    return agreeing > 0


def stated(found: Chain) -> tuple[StatedBalance | None, StatedBalance | None]:
    """The balance before the first entry and the one after the last, which no one but the bank's column states."""
    days = [entry.line.booked_on for entry in found.entries]
    before = Decimal(0)
    opening = None
    for entry in found.entries:
        before += entry.line.amount
        if entry.balance is not None:
            opening = StatedBalance(entry.balance - before, min(days))
            break
    last = found.entries[-1].balance
    return opening, None if last is None else StatedBalance(last, max(days))
