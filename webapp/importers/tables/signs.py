"""Proofs from all rows of a table: the running balance, the sign of the amounts, and rows that state balances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from webapp.importers.balance_lines import REASON, BalancesFound, Movement, balances_among, unclear, unnamed
from webapp.importers.bank_files import MappingNeededError, SkippedRow, StatedBalance
from webapp.importers.tables.amounts import has_own_sign
from webapp.importers.tables.known_layouts import known_layout
from webapp.importers.tables.layouts import Layout
from webapp.importers.tables.lines import TableEntry, TableReader
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.vocabulary import plain

Account = tuple[str | None, str | None]
Groups = Mapping[Account, list[TableEntry]]
Ends = Mapping[Account, tuple[StatedBalance | None, StatedBalance | None]]


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


def grouped(entries: Sequence[TableEntry]) -> Groups:
    """Return the entries of each account and currency, in the order of the file."""
    groups: dict[Account, list[TableEntry]] = {}
    for entry in entries:
        groups.setdefault((entry.account, entry.currency), []).append(entry)
    return groups


def signed(
    entries: list[TableEntry], stated: Sequence[Movement], table: Sequence[TableRow], layout: Layout
) -> list[TableEntry]:
    """Return the amounts with the sign that the file proves; raises MappingNeededError if nothing does.

    Banks write money out with a minus, many card issuers write purchases without one. The running balance proves the
    sign, or a stated opening and closing balance, or signs that the amounts have; else most lines are money out.
    """
    lines = [entry for entry in entries if not entry.label]
    column = layout.columns["amount"]
    texts = {row.number: row.cell(column) for row in table}
    own, rest = list[TableEntry](), list[TableEntry]()
    for entry in lines:
        (own if has_own_sign(texts[entry.line.row]) else rest).append(entry)
    turns, why = _proof(entries, stated) or _by_own_signs(own, rest) or (None, "")
    into = sum(entry.line.amount > 0 for entry in lines)
    out = sum(entry.line.amount < 0 for entry in lines)
    if turns is None and (known := known_layout(layout.names)) and known.invert is not None:
        turns, why = known.invert, known.why
    # A net amount, after fees, is always from the account holder's view.
    if turns is None and plain(layout.names[column]).startswith("net"):
        turns = False
    if turns is None and out > into:
        turns, why = False, "Most amounts have a minus, and most lines of an account are money out."
    if turns is None and lines:
        example = next((texts[entry.line.row] for entry in lines if entry.line.amount >= 0), "")
        raise MappingNeededError(
            "It is unknown whether an amount without a minus is money in or money out; choose in the mapping:"
            ' {"invert": false} for money in, {"invert": true} for money out.',
            "invert",
            example=example,
        )
    if why:
        layout.choose("invert", bool(turns), why)
    if not turns:
        return entries
    layout.invert = True
    kept = {id(entry) for entry in own}
    return [entry if id(entry) in kept else _turned(entry) for entry in entries]


def _turned(entry: TableEntry) -> TableEntry:
    return replace(entry, line=replace(entry.line, amount=-entry.line.amount))


def _proof(entries: Sequence[TableEntry], stated: Sequence[Movement]) -> tuple[bool, str] | None:
    """Return whether amounts are to be turned, by the balances of the file, and why; None if they prove nothing."""
    groups = [
        [entry for entry in group if not entry.line.pending and not entry.label]
        for group in grouped(entries).values()
    ]
    groups = [group for group in groups if group]
    holds, holds_turned = confirms_sign(groups, 1), confirms_sign(groups, -1)
    if holds != holds_turned:
        return holds_turned, "The balances of the file follow from the amounts only so."
    if len(groups) == 1 and (stated or any(entry.label for entry in entries)):
        rows = [*movements(entries), *stated]
        shown = [_shows(rows, sign) for sign in (1, -1)]
        if shown[0] != shown[1]:
            return shown[1], "The stated opening and closing balances follow from the amounts only so."
    return None


def _shows(rows: Sequence[Movement], sign: int) -> bool:
    return balances_among(rows, sign=sign).opening is not None


def _by_own_signs(own: Sequence[TableEntry], rest: Sequence[TableEntry]) -> tuple[bool, str] | None:
    """Return whether amounts without a sign are money out, where others say by a plus, CR or DR what they are."""
    if any(entry.line.amount < 0 for entry in rest) and any(entry.line.amount > 0 for entry in rest):
        return None
    signs = {entry.line.amount > 0 for entry in own if entry.line.amount}
    others = [entry for entry in rest if entry.line.amount > 0]
    if not signs or (len(signs) > 1 and others):
        return None
    if not others:
        return False, ""
    turns = True in signs
    side = "in" if turns else "out"
    return turns, f"Only money {side} has a sign of its own in this file."


def movements(entries: Sequence[TableEntry]) -> list[Movement]:
    """Return entries as rows that may state balances; those keep their sign as written."""
    return [
        Movement(
            entry.written if entry.label else entry.line.amount,
            entry.label,
            entry.line.booked_on,
            entry.balance,
        )
        for entry in entries
    ]


def without_balances(groups: Groups, reader: TableReader) -> tuple[Groups, Ends, list[SkippedRow]]:
    """Return the lines of each account without those that state a balance, its balances, and these rows.

    Raises MappingNeededError for a row that may state one, unless the mapping says that none does.
    """
    kept: dict[Account, list[TableEntry]] = {}
    ends: dict[Account, tuple[StatedBalance | None, StatedBalance | None]] = {}
    gone: list[SkippedRow] = []
    for account, entries in groups.items():
        kept[account] = entries
        if reader.has_no_balances or not entries:
            continue
        footers = reader.stated if len(groups) == 1 else ()
        found = _balances(entries, footers)
        if found.doubtful is not None and found.doubtful < len(entries):
            entry = entries[found.doubtful]
            raise unclear(entry.line.row, *reader.labelled_cell(entry.line.row))
        kept[account] = [entry for place, entry in enumerate(entries) if place not in found.places]
        rows = [entries[place].line for place in sorted(found.places) if place < len(entries)]
        gone += [SkippedRow(line.row, line.description, REASON) for line in rows]
        days = [entry.line.booked_on for entry in entries]
        ends[account] = _end(found.opening, min(days)), _end(found.closing, max(days))
    return kept, ends, gone


def _balances(entries: Sequence[TableEntry], footers: Sequence[Movement]) -> BalancesFound:
    """Find the rows that state balances, also where the balance of a card is written without a minus."""
    if not footers and not any(entry.label for entry in entries):
        has_balances = any(entry.balance is not None for entry in entries)
        return BalancesFound(
            doubtful=None if has_balances else unnamed([entry.line.amount for entry in entries])
        )
    booked = [replace(entry, label="") if entry.line.pending else entry for entry in entries]
    rows = [*movements(booked), *footers]
    found = balances_among(rows)
    if found.opening is None and any(row.label for row in rows):
        turned = [row._replace(amount=-row.amount) if row.label else row for row in rows]
        other = balances_among(turned)
        found = other if other.opening is not None else found
    return found


def _end(amount: Decimal | None, day: date) -> StatedBalance | None:
    return None if amount is None else StatedBalance(amount, day)
