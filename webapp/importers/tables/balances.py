"""The running balance of a table: it checks every line, the order of rows and the sign of amounts."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from webapp.importers.bank_files import StatedBalance
from webapp.importers.tables.lines import TableEntry


@dataclass(frozen=True, slots=True)
class Chain:
    """Entries, oldest first, and how many of their balances agree with the previous balance and the amount."""

    entries: Sequence[TableEntry]
    agreeing: int
    broken: TableEntry | None


def chain(entries: Sequence[TableEntry], sign: int = 1) -> Chain:
    """Check the balances of entries; some may have none."""
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


def ordered(entries: Sequence[TableEntry], sign: int = 1) -> Chain | None:
    """Return the chain in date order; if all dates are equal, the chain that agrees, or None."""
    forward, backward = chain(entries, sign), chain(entries[::-1], sign)
    first, last = entries[0].line.booked_on, entries[-1].line.booked_on
    if first != last:
        likely, other = (forward, backward) if first < last else (backward, forward)
        return other if likely.broken and not other.broken else likely
    holding = [each for each in (forward, backward) if not each.broken]
    return holding[0] if holding else None


def confirms_sign(groups: Sequence[Sequence[TableEntry]], sign: int) -> bool:
    """Return whether the balances of every account agree with amounts of this sign, and there are enough of them."""
    agreeing = 0
    for entries in groups:
        found = ordered(entries, sign)
        if found is None or found.broken:
            return False
        agreeing += found.agreeing
    return agreeing > 0


def opening_and_closing(found: Chain) -> tuple[StatedBalance | None, StatedBalance | None]:
    """Return the balance before the first entry and the one after the last, as the balance column states them."""
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
