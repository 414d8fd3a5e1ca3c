"""The columns of a table without a known header, by their contents: certain ones, or likely ones to confirm."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise, permutations
from typing import Final

from webapp.importers.bank_files import MappingNeededError
from webapp.importers.tables.amounts import exact, marks
from webapp.importers.tables.days import DayParser, are_days, formats_of, found_format
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.vocabulary import IN, OUT
from webapp.importers.texts import iban
from webapp.ledger.currencies import DIGITS

_FEWEST: Final = 2
_CENTS: Final = (".", ",")
# More columns of numbers than an amount and its balance are too many to tell apart.
_MOST_NUMBERS: Final = 2
_MOST_COLUMNS: Final = 12
# Some files have a note among their rows, and some leave out lines.
_MOST_ROWS: Final = Decimal("0.9")
_MOST_STEPS: Final = Decimal("0.7")
_FEWEST_OF_MOST: Final = 4
_SAMPLE: Final = 200
_BEFORE: Final = (("balanceIs", "before"),)
# The columns of a reading, by the mapping's keys.
_Reading = tuple[tuple[str, int | str], ...]


def guessed_mapping(rows: Sequence[TableRow]) -> dict[str, object]:
    """Guess the columns of a table's first rows by the mapping's keys; empty if the date is unclear.

    The amount stays open if it looks like a balance that does not follow from it.

    >>> lines = [["05.03.2026", "Rewe", "-23,06", "76,94"], ["07.03.2026", "Rent in March", "-50,00", "26,94"]]
    >>> guessed_mapping([TableRow(number, cells) for number, cells in enumerate(lines)])
    {'date': 0, 'amount': 2, 'balance': 3, 'description': 1}
    >>> guessed_mapping([TableRow(number, cells) for number, cells in enumerate([["When", "What", "", ""], *lines])])
    {'header': 0, 'date': 0, 'amount': 2, 'balance': 3, 'description': 1}
    >>> guessed_mapping([TableRow(1, ["Rewe", "23"]), TableRow(2, ["Rent", "50"])])
    {}
    >>> unclear = [["05.03.2026", "Rewe", "-23,06", "99,00"], ["07.03.2026", "Rent in March", "-50,00", "98,00"]]
    >>> guessed_mapping([TableRow(number, cells) for number, cells in enumerate(unclear)])
    {'date': 0, 'description': 1}
    """
    return _columns(rows) or ({"header": 0, **found} if (found := _columns(rows[1:])) else {})


def proven_mapping(
    table: Sequence[TableRow], *, has_header: bool | None
) -> tuple[Mapping[str, object], str] | None:
    """Return the columns that all rows prove, and why; None where more than one reading is left.

    One column of days is that of booking. The amounts, or debits and credits, make the balances of another column; or
    they are the only amounts, with a minus or beside a column of words for debit and credit, and there is a text.
    """
    filled = [row for row in table if sum(map(bool, row.cells)) > 1]
    widths = Counter(len(row.cells) for row in filled)
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    if count < _MOST_ROWS * len(filled):
        return None
    # A note among the rows has other cells; whether it may be skipped is decided when all rows are read.
    whole = [row for row in filled if len(row.cells) == width]
    for begins in (0, 1) if has_header is not False else (0,):
        found = _proven_columns(whole[begins:])
        if found is not None and not (
            begins and any(map(str.isdigit, whole[0].cell(int(str(found[0]["date"])))))
        ):
            columns, why = found
            place = table.index(whole[0]) if begins else None
            return {"header": place, **columns}, why
    return None


def may_be_statement(table: Sequence[TableRow]) -> bool:
    """Return whether a column of the first rows has a day in most of those that have several cells."""
    rows = [row for row in table[:_SAMPLE] if sum(map(bool, row.cells)) > 1]
    width = max((len(row.cells) for row in rows), default=0)
    for place in range(width):
        days = [row for row in rows if are_days([row.cell(place)]) and row.cell(place)]
        if days and len(days) * 2 >= len(rows):
            return True
    return False


def _proven_columns(rows: Sequence[TableRow]) -> tuple[dict[str, object], str] | None:
    if len(rows) < _FEWEST:
        return None
    cells = {place: [row.cell(place) for row in rows] for place in range(len(rows[0].cells))}
    days = [place for place, texts in cells.items() if _are_days(texts)]
    columns = _days(days, cells)
    numbers = {
        place: found for place, texts in cells.items() if place not in days and (found := _numbers(texts))
    }
    texts = {
        place: each for place, each in cells.items() if place not in numbers and any(map(_letters, each))
    }
    texts = {place: each for place, each in texts.items() if place not in days}
    if not columns or not texts:
        return None
    changing = {place for place, found in numbers.items() if len(set(found)) > 1}
    in_cents = {place: found for place, found in numbers.items() if _amounts(cells[place])}
    if proven := _balanced(numbers, cells, days[0]):
        columns |= proven
        why = "It is the only reading in which the amounts make the balances of the file."
    elif (
        len(in_cents) == 1
        and in_cents.keys() == changing
        and (sign := _signs_of(next(iter(in_cents.values())), texts)) is not None
    ):
        columns |= {"amount": next(iter(in_cents)), **sign}
        why = "It is the only column of its kind."
    else:
        return None
    return columns | _text_columns(texts), why


def _days(days: Sequence[int], cells: Mapping[int, list[str]]) -> dict[str, object]:
    """Return the column of booking days, and one of value days; {} where nothing tells which of several it is.

    Banks list lines in the order of booking, which is never before the day of the transaction.
    """
    unlike = [place for place in days[1:] if cells[place] != cells[days[0]]]
    if not unlike:
        return {"date": days[0]} if days else {}
    in_order = [place for place in days if all(map(_are_in_order, _readings(cells[place])))]
    others = [place for place in days if in_order and cells[place] != cells[in_order[0]]]
    if not in_order or not set(in_order).isdisjoint(others):
        return {}
    booked = in_order[0]
    return {"date": booked, "valueDate": others[0]} if _are_before(cells, others, booked) else {}


def _are_before(cells: Mapping[int, list[str]], others: Sequence[int], booked: int) -> bool:
    """Return whether the other days are more often before than after those of booking, however they are read."""
    for place in others:
        for days in _readings([*cells[place], *cells[booked]]):
            pairs = list(zip(days[: len(cells[place])], days[len(cells[place]) :], strict=True))
            if sum(day < booking for day, booking in pairs) <= sum(day > booking for day, booking in pairs):
                return False
    return True


def _readings(texts: Sequence[str]) -> list[list[date]]:
    """Return texts of days as they can be read."""
    parsers = [DayParser(each) for each in formats_of(texts)]
    return [[day for text in texts if (day := parser.day(text))] for parser in parsers]


def _are_in_order(days: Sequence[date]) -> bool:
    return list(days) in (sorted(days), sorted(days, reverse=True))


def _signs_of(amounts: Sequence[Decimal], texts: Mapping[int, list[str]]) -> dict[str, object] | None:
    """Return the mapping's keys for the signs of the only amounts: none where some have a minus, else a flag."""
    if any(each < 0 for each in amounts):
        return {}
    for place, each in texts.items():
        words = {text.casefold() for text in each}
        if words <= OUT | IN and len(words) > 1 and not words.isdisjoint(OUT):
            return {"flag": [place, sorted(words & OUT), sorted(words & IN)]} if words & IN else None
    return None


def _text_columns(texts: dict[int, list[str]]) -> dict[str, object]:
    columns: dict[str, object] = {}
    currency = next((place for place, each in texts.items() if set(each) <= DIGITS.keys()), None)
    if currency is not None:
        columns["currencyColumn"] = currency
    free = {place: each for place, each in texts.items() if not set(each) <= DIGITS.keys()}
    numbers = {place for place, each in free.items() if all(map(iban, filter(None, each)))}
    changing = {place for place, each in free.items() if len(set(each)) > 1}
    # The one number of all rows is the account's own where those of others stand in another column.
    if len(own := numbers - changing) == 1 and numbers & changing:
        columns["accountColumn"] = min(own)
    if free:
        likely = changing - numbers or free
        columns["description"] = max(likely, key=lambda place: sum(map(_letters, free[place])))
    return columns


def _numbers(texts: Sequence[str]) -> list[Decimal]:
    """Return the numbers of a column, an empty cell as zero; none if there is anything else."""
    try:
        decimal, thousands = marks(texts)
    except MappingNeededError:
        return []
    found = [exact(text, decimal, thousands) if text else Decimal(0) for text in texts]
    return [each for each in found if each is not None] if None not in found and any(texts) else []


def _balanced(
    numbers: Mapping[int, list[Decimal]], cells: Mapping[int, list[str]], day: int
) -> dict[str, object]:
    """Return the one reading in which amounts, or debits and credits, make a column of balances; {} for several."""
    if len(numbers) > _MOST_COLUMNS:
        return {}
    first = {place: found[:_SAMPLE] for place, found in numbers.items()}
    ways = _ways(cells[day])
    shown = [
        columns for columns in _candidates(first, cells) if _agreement(columns, first, ways) > _MOST_STEPS
    ]
    found = {each: agreeing for each in shown if (agreeing := _agreement(each, numbers, ways)) > _MOST_STEPS}
    best = [each for each, agreeing in found.items() if agreeing == max(found.values())]
    return dict(best[0]) if len(best) == 1 else {}


def _candidates(numbers: Mapping[int, list[Decimal]], cells: Mapping[int, list[str]]) -> Iterator[_Reading]:
    """Yield the readings of columns of numbers that have a balance which changes."""
    for balance, stated in numbers.items():
        if len(set(stated)) == 1:
            continue
        rest = {place: found for place, found in numbers.items() if place != balance and any(found)}
        whole = [place for place in rest if all(cells[place])]
        yield from (
            (("amount", one), ("balance", balance), *after) for one in whole for after in ((), _BEFORE)
        )
        for one, other in permutations(rest, 2):
            if not any(out and into for out, into in zip(rest[one], rest[other], strict=True)):
                yield (("debit", one), ("credit", other), ("balance", balance))


def _agreement(reading: _Reading, numbers: Mapping[int, list[Decimal]], ways: Collection[int]) -> Decimal:
    """Return the share of the balances that follow from the amounts, 0 for too few; of amounts also turned ones."""
    columns = dict(reading)
    stated = numbers[int(columns["balance"])]
    steps = [later - earlier for earlier, later in pairwise(stated)]
    if "amount" in columns:
        amounts = numbers[int(columns["amount"])]
    else:
        pairs = zip(numbers[int(columns["debit"])], numbers[int(columns["credit"])], strict=True)
        amounts = [into - abs(out) for out, into in pairs]
    # The step to the next row is the next amount, or back to it, or this one where the balance stands before it.
    is_before = "balanceIs" in columns
    shares = [Decimal(0)]
    for way in ways:
        moves = amounts[1:] if (way > 0) != is_before else amounts[:-1]
        for sign in (1, -1) if "amount" in columns and not is_before else (1,):
            pairs_of_steps = [
                (step, way * sign * move) for step, move in zip(steps, moves, strict=True) if step or move
            ]
            agreeing = sum(step == move for step, move in pairs_of_steps)
            if agreeing == len(pairs_of_steps) or agreeing >= _FEWEST_OF_MOST:
                shares.append(Decimal(agreeing) / max(len(pairs_of_steps), 1))
    return max(shares)


def _ways(texts: Sequence[str]) -> set[int]:
    """Return 1 for days that go up and -1 for days that go down, both where nothing tells it."""
    found = {
        0 if days[0] == days[-1] else 1 if days == sorted(days) else -1 if days == sorted(days)[::-1] else 0
        for days in _readings(texts)
    }
    return found if len(found) == 1 and 0 not in found else {1, -1}


def _columns(rows: Sequence[TableRow]) -> dict[str, object]:
    if len(rows) < _FEWEST:
        return {}
    width = max(len(row.cells) for row in rows)
    cells = {place: [row.cell(place).strip() for row in rows] for place in range(width)}
    date = next((place for place, texts in cells.items() if _are_days(texts)), None)
    if date is None:
        return {}
    del cells[date]
    numbers = {place: found for place, texts in cells.items() if (found := _amounts(texts))}
    others = {place: texts for place, texts in cells.items() if place not in numbers}
    columns: dict[str, object] = {"date": date, **_amount_and_balance(numbers)}
    currency = next((place for place, texts in others.items() if set(texts) <= DIGITS.keys()), None)
    if currency is not None:
        columns["currencyColumn"] = currency
        del others[currency]
    if others:
        columns["description"] = max(others, key=lambda place: sum(map(_letters, others[place])))
    return columns


def _are_days(texts: Sequence[str]) -> bool:
    if not all(texts):
        return False
    try:
        found_format(texts)
    except MappingNeededError as error:
        return "dateFormats" in (error.details or {})
    return True


def _amounts(texts: Sequence[str]) -> list[Decimal]:
    """Return the amounts of a column with cents in every row, or none."""
    if not all(texts) or not any(text[-3:-2] in _CENTS for text in texts):
        return []
    try:
        decimal, thousands = marks(texts)
    except MappingNeededError:
        return []
    found = [exact(text, decimal, thousands) for text in texts]
    return [each for each in found if each is not None] if None not in found else []


def _amount_and_balance(numbers: dict[int, list[Decimal]]) -> dict[str, object]:
    """Return the columns of amounts and of the balances that follow from them, in either order of rows."""
    if len(numbers) == 1:
        return {"amount": next(iter(numbers))}
    if len(numbers) != _MOST_NUMBERS:
        return {}
    for amount, balance in (tuple(numbers), tuple(reversed(numbers))):
        steps = [later - earlier for earlier, later in pairwise(numbers[balance])]
        if steps in (numbers[amount][1:], [-each for each in numbers[amount][:-1]]):
            return {"amount": amount, "balance": balance}
    return {}


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))
