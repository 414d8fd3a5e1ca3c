"""Proofs from all rows of a table: the running balance, the sign of the amounts, and rows that state balances."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.balance_lines import (
    REASON,
    BalancesFound,
    Movement,
    balance_end,
    balances_among,
    unclear,
    unnamed,
)
from webapp.importers.bank_files import FileRefusedError, MappingNeededError, SkippedRow, StatedBalance
from webapp.importers.tables.amounts import has_own_sign
from webapp.importers.tables.bank_layouts import bank_layout
from webapp.importers.tables.layouts import Layout
from webapp.importers.tables.lines import TableEntry, TableReader
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.vocabulary import direction_of, plain
from webapp.importers.texts import account_label

Account = tuple[str | None, str | None]
Groups = Mapping[Account, list[TableEntry]]
Ends = Mapping[Account, tuple[StatedBalance | None, StatedBalance | None]]


# Where a file left out lines, most of its balances follow from the amounts, and none does by chance.
_FEWEST_BEFORE: Final = 2
_FEWEST_OF_MOST: Final = 4
_MOST: Final = Decimal("0.75")


@dataclass(frozen=True, slots=True)
class Chain:
    """Entries, oldest first, and how many of the balances that changed agree with the one before and the amounts."""

    entries: Sequence[TableEntry]
    steps: int
    agreeing: int
    broken: TableEntry | None


def chain(entries: Iterable[TableEntry], sign: int = 1, *, is_before: bool = False) -> Chain:
    """Check the balances of entries, oldest first; some may have none, and all may stand before their amounts."""
    running: Decimal | None = None
    steps, agreeing, broken = 0, 0, None
    listed = list(entries)
    for entry in listed:
        amount, stated = entry.line.amount, entry.balance
        if is_before and stated is not None:
            stated += amount
        if running is None:
            running = before = stated
            continue
        running += amount if sign > 0 else -amount
        if stated is None:
            continue
        if running != stated:
            steps += 1
            broken = broken or entry
        elif running != before:
            steps += 1
            agreeing += 1
        running = before = stated
    return Chain(listed, steps, agreeing, broken)


def ordered(entries: Sequence[TableEntry], sign: int = 1, *, is_before: bool = False) -> Chain | None:
    """Return the chain in date order; if all dates are equal, the chain that agrees, or None."""
    first, last = entries[0].line.booked_on, entries[-1].line.booked_on
    ways = (entries, reversed(entries)) if first <= last else (reversed(entries), entries)
    likely = chain(ways[0], sign, is_before=is_before)
    # Against the order of their days, turned amounts look like those of a file with the balance before each.
    is_strict = (sign < 0 or is_before) and first != last
    if not likely.broken or (is_strict and _are_sorted(entries)):
        return likely
    other = chain(ways[1], sign, is_before=is_before)
    if first != last:
        return max(likely, other, key=lambda each: (not each.broken, each.agreeing))
    return None if other.broken else other


def _are_sorted(entries: Sequence[TableEntry]) -> bool:
    days = [entry.line.booked_on for entry in entries]
    return days in (sorted(days), sorted(days, reverse=True))


def confirms_sign(groups: Sequence[Sequence[TableEntry]], sign: int, *, is_before: bool = False) -> bool:
    """Return whether the balances of the accounts agree with amounts of this sign: all, or most of many."""
    found = [ordered(entries, sign, is_before=is_before) for entries in groups]
    chains = [each for each in found if each is not None]
    agreeing, steps = sum(each.agreeing for each in chains), sum(each.steps for each in chains)
    if len(chains) == len(found) and agreeing == steps:
        return agreeing >= (_FEWEST_BEFORE if is_before else 1)
    return agreeing >= _FEWEST_OF_MOST and agreeing >= _MOST * steps


def contradicts_sign(entries: Sequence[TableEntry]) -> bool:
    """Return whether the balances of the file follow only from amounts of the other sign."""
    groups = _chained(entries)
    return not confirms_sign(groups, 1) and confirms_sign(groups, -1)


def balances_after(entries: list[TableEntry], layout: Layout) -> list[TableEntry]:
    """Return entries with the balance after each, where those of the file only follow as the balance before."""
    if "balance" not in layout.columns or layout.balance_is_before:
        return entries
    groups = _chained(entries)
    if confirms_sign(groups, 1) or not confirms_sign(groups, 1, is_before=True):
        return entries
    layout.balance_is_before = True
    layout.choose("balanceIs", "before", "Only this agrees with the balances of the file.")
    return [
        entry if entry.balance is None else replace(entry, balance=entry.balance + entry.line.amount)
        for entry in entries
    ]


def owed_below_zero(entries: list[TableEntry], layout: Layout) -> tuple[list[TableEntry], list[str]]:
    """Return the entries of a card with what is owed as a balance below zero, where balances follow only so.

    A table that may be of a card is one where most lines are money out.
    """
    groups = _chained(entries)
    if confirms_sign(groups, 1) or not confirms_sign(groups, -1):
        return entries, []
    if not (layout.is_of_card or _may_be_owed(groups, -1, layout)):
        return entries, []
    column = layout.named(layout.columns["balance"])
    return [
        entry if entry.balance is None else replace(entry, balance=-entry.balance) for entry in entries
    ], [f"There is what is owed on the card in {column}; it was read as a balance below zero."]


def with_charges(entries: list[TableEntry], layout: Layout) -> list[TableEntry]:
    """Return entries with the charges in their amounts; raises MappingNeededError where nothing says if they are.

    The balances prove it: those of the file follow from the amounts alone, or from what the charges leave of them.
    """
    charged = next((entry for entry in entries if entry.line.charges), None)
    if charged is None:
        layout.charges_are = ""
        return entries
    beside = [_charged(entry) for entry in entries]
    if not layout.charges_are:
        agreeing = [
            sum(found.agreeing for group in _chained(each) if (found := ordered(group)))
            if confirms_sign(_chained(each), 1)
            else 0
            for each in (entries, beside)
        ]
        if agreeing[0] == agreeing[1]:
            column = layout.columns["charges"]
            raise MappingNeededError(
                f"There are fees in {layout.named(column)}, and it is unknown whether the amounts include them; choose"
                ' in the mapping: {"chargesAre": "within"} where they do, {"chargesAre": "beside"} where they do not.',
                "chargesAre",
                example=str(charged.line.amount),
                charges=str(charged.line.charges),
            )
        layout.charges_are = "within" if agreeing[0] > agreeing[1] else "beside"
        why = "Only this agrees with the balances of the file."
        layout.choose("chargesAre", layout.charges_are, why)
    return beside if layout.charges_are == "beside" else entries


def _charged(entry: TableEntry) -> TableEntry:
    if not entry.line.charges:
        return entry
    return replace(entry, line=entry.line._replace(amount=entry.line.amount - entry.line.charges))


def _chained(entries: Sequence[TableEntry]) -> list[list[TableEntry]]:
    """Return the booked lines of each account, which its balances follow from."""
    groups = grouped([entry for entry in entries if not entry.line.pending and not entry.label])
    return list(groups.values())


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

    Banks write money out with a minus, many card issuers write purchases without one. The balances of an account prove
    the sign, but not what may be owed on a card; signs that amounts have do too; else most lines are money out.
    """
    lines = [entry for entry in entries if not entry.label]
    column = layout.columns["amount"]
    texts = {row.number: row.cell(column) for row in table}
    own, rest = list[TableEntry](), list[TableEntry]()
    for entry in lines:
        (own if has_own_sign(texts[entry.line.row]) else rest).append(entry)
    turns, why = (
        _proof(entries, stated, table, layout)
        or _by_own_signs(own, rest)
        or _by_header(layout, has_minus=any(entry.line.amount < 0 for entry in lines))
        or _by_words(lines, table, layout)
        or (None, "")
    )
    into = sum(entry.line.amount > 0 for entry in lines)
    out = sum(entry.line.amount < 0 for entry in lines)
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
    return replace(entry, line=entry.line._replace(amount=-entry.line.amount))


def _proof(
    entries: Sequence[TableEntry], stated: Sequence[Movement], table: Sequence[TableRow], layout: Layout
) -> tuple[bool, str] | None:
    """Return whether amounts are to be turned, by the balances of the file, and why; None if they prove nothing.

    Raises FileRefusedError where accounts of one file prove the opposite of each other.
    """
    groups = _chained(entries)
    _refuse_opposites(groups)
    found = _by_balances(groups, entries, stated) or _by_ends_of_rows(groups, table, layout)
    return None if found and _may_be_owed(groups, -1 if found[0] else 1, layout) else found


def _may_be_owed(groups: Sequence[Sequence[TableEntry]], sign: int, layout: Layout) -> bool:
    """Return whether balances that follow from amounts of this sign may be what is owed on a card.

    Then the money went the other way, and most of it out. A table with transfers or balances below zero is of an
    account.
    """
    lines = [entry for group in groups for entry in group if entry.line.amount]
    below = [entry.balance < 0 for entry in lines if entry.balance is not None]
    into = [(entry.line.amount > 0) == (sign > 0) for entry in lines]
    return layout.of_transfers is None and _are_most(into) and not _are_most(below)


def _are_most(found: Sequence[bool]) -> bool:
    return sum(found) * 2 > len(found)


def _by_balances(
    groups: Sequence[Sequence[TableEntry]], entries: Sequence[TableEntry], stated: Sequence[Movement]
) -> tuple[bool, str] | None:
    """Return whether amounts are to be turned, by the running balance, or by stated balances, and why."""
    holds = confirms_sign(groups, 1)
    holds_turned = not holds and confirms_sign(groups, -1)
    if holds or holds_turned or confirms_sign(groups, 1, is_before=True):
        return holds_turned, "Only this agrees with the balances of the file."
    if len(groups) == 1 and (stated or any(entry.label for entry in entries)):
        rows = [*movements(entries), *stated]
        shown = [_shows(rows, sign) for sign in (1, -1)]
        if shown[0] != shown[1]:
            return shown[1], "Only this agrees with the stated opening and closing balances."
    return None


def _refuse_opposites(groups: Sequence[Sequence[TableEntry]]) -> None:
    signs = [[sign for sign in (1, -1) if confirms_sign([group], sign)] for group in groups]
    one, other = (
        [group for group, found in zip(groups, signs, strict=True) if found == [sign]] for sign in (1, -1)
    )
    if one and other:
        account, opposite = (account_label(groups[0][0].account) for groups in (one, other))
        raise FileRefusedError(
            f"{account} and {opposite}: by their balances a minus is money out of the one and money into the other."
            " Export each account as a file of its own."
        )


def _shows(rows: Sequence[Movement], sign: int) -> bool:
    return balances_among(rows, sign=sign).opening is not None


def _by_ends_of_rows(
    groups: Sequence[Sequence[TableEntry]], table: Sequence[TableRow], layout: Layout
) -> tuple[bool, str] | None:
    """Return whether amounts are to be turned, by columns of opening and closing balances, and why.

    Each row may state the balances around itself, or all rows those of the whole statement.
    """
    ends = {place: balance_end(name) for place, name in enumerate(layout.names)}
    opening, closing = (
        [place for place, end in ends.items() if end == wanted] for wanted in ("OPENING", "CLOSING")
    )
    if len(opening) != 1 or len(closing) != 1:
        return None
    rows = {row.number: row for row in table}
    moves = [
        _moves_of([rows[entry.line.row] for entry in entries], opening[0], closing[0], layout)
        for entries in groups
    ]
    for sign in (1, -1):
        amounts = [[sign * entry.line.amount for entry in entries] for entries in groups]
        if groups and all(map(_add_up, amounts, moves)):
            return sign < 0, "Only this agrees with the opening and closing balances in the rows."
    return None


def _moves_of(rows: Sequence[TableRow], opening: int, closing: int, layout: Layout) -> list[Decimal]:
    """Return how much each row says that the balance moved; none if a row does not say it."""
    ends = [[layout.number(row, column) for column in (opening, closing)] for row in rows]
    return [after - before for before, after in ends if before is not None and after is not None]


def _add_up(amounts: Sequence[Decimal], moves: Sequence[Decimal]) -> bool:
    """Return whether each amount makes the move of its row, or all make the one that every row states."""
    if list(amounts) == list(moves):
        return any(amounts)
    return len(moves) == len(amounts) and len(set(moves)) == 1 and moves[0] != 0 and sum(amounts) == moves[0]


def _by_header(layout: Layout, *, has_minus: bool) -> tuple[bool, str] | None:
    """Return whether amounts are to be turned, by the names of the columns, and why."""
    known = bank_layout(layout.names)
    if known and known.invert is not None:
        return known.invert, known.why
    # A net amount, after fees, is always from the account holder's view.
    if plain(layout.names[layout.columns["amount"]]).startswith("net"):
        return False, ""
    # A list of a card has no such column, and every bank writes money out of an account with a minus.
    if layout.of_transfers is None or not has_minus:
        return None
    return False, f"By {layout.named(layout.of_transfers)} it is an account, of which a minus is money out."


def _by_words(
    entries: Sequence[TableEntry], table: Sequence[TableRow], layout: Layout
) -> tuple[bool, str] | None:
    """Return whether amounts are to be turned, by a column that says of each of them where the money went, and why."""
    amounts = {entry.line.row: entry.line.amount for entry in entries if entry.line.amount}
    if {each > 0 for each in amounts.values()} != {True, False}:
        return None
    rows = [row for row in table if row.number in amounts]
    for column in range(len(layout.names)):
        agreeing = set[bool]()
        for row in rows:
            way = direction_of(row.cell(column))
            if way is None:
                break
            agreeing.add(way == (amounts[row.number] > 0))
        else:
            if len(agreeing) == 1:
                return (
                    False in agreeing,
                    f"Only this agrees with the words of {layout.named(column)}.",
                )
    return None


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
    return turns, f"Only money {'in' if turns else 'out'} has a sign of its own in this file."


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
        gone += [SkippedRow(line.row, reader.labelled_cell(line.row)[0], REASON) for line in rows]
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
