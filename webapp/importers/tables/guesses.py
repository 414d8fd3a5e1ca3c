"""The columns of a table without a known header, by their contents: certain ones, or likely ones to confirm."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

from webapp.importers.bank_files import MappingNeededError
from webapp.importers.tables.amounts import exact, marks
from webapp.importers.tables.days import found_format
from webapp.importers.tables.rows import TableRow
from webapp.ledger.currencies import DIGITS

_FEWEST: Final = 2
_CENTS: Final = (".", ",")
# More columns of numbers than an amount and its balance are too many to tell apart.
_MOST_NUMBERS: Final = 2
_MOST_COLUMNS: Final = 12
_WITH_BALANCE: Final = 3


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

    There is one column of days. The amounts, or debits and credits, make the balances of the next column; or they are
    the only amounts, some with a minus, beside a text.
    """
    filled = [row for row in table if any(row.cells)]
    for begins in (0, 1) if has_header is not False else (0,):
        found = _proven_columns(filled[begins:])
        if found is not None:
            columns, why = found
            place = table.index(filled[0]) if begins else None
            return {"header": place, **columns}, why
    return None


def _proven_columns(rows: Sequence[TableRow]) -> tuple[dict[str, object], str] | None:
    if len(rows) < _FEWEST or len({len(row.cells) for row in rows}) > 1:
        return None
    cells = {place: [row.cell(place) for row in rows] for place in range(len(rows[0].cells))}
    days = [place for place, texts in cells.items() if _are_days(texts)]
    if len(days) != 1:
        return None
    columns: dict[str, object] = {"date": days[0]}
    del cells[days[0]]
    numbers = {place: found for place, texts in cells.items() if (found := _numbers(texts))}
    texts = {
        place: each for place, each in cells.items() if place not in numbers and any(map(_letters, each))
    }
    if not texts:
        return None
    in_cents = {place: found for place, found in numbers.items() if _amounts(cells[place])}
    if proven := _balanced(numbers):
        columns |= proven
        why = "It is the only reading in which the amounts make the balances of the file."
    elif len(in_cents) == 1 and len(numbers) == 1 and any(each < 0 for each in next(iter(in_cents.values()))):
        columns["amount"] = next(iter(in_cents))
        why = "It is the only column of its kind."
    else:
        return None
    currency = next((place for place, each in texts.items() if set(each) <= DIGITS.keys()), None)
    if currency is not None:
        columns["currencyColumn"] = currency
        del texts[currency]
    if texts:
        columns["description"] = max(texts, key=lambda place: sum(map(_letters, texts[place])))
    return columns, why


def _numbers(texts: Sequence[str]) -> list[Decimal]:
    """Return the numbers of a column, an empty cell as zero; none if there is anything else."""
    try:
        decimal, thousands = marks(texts)
    except MappingNeededError:
        return []
    found = [exact(text, decimal, thousands) if text else Decimal(0) for text in texts]
    return [each for each in found if each is not None] if None not in found and any(texts) else []


def _balanced(numbers: Mapping[int, list[Decimal]]) -> dict[str, object]:
    """Return the one reading in which amounts, or debits and credits, make a column of balances; {} for several."""
    if len(numbers) > _MOST_COLUMNS:
        return {}
    found: list[dict[str, object]] = []
    for balance, stated in numbers.items():
        steps = [later - earlier for earlier, later in pairwise(stated)]
        if not any(steps):
            continue
        for one, amounts in numbers.items():
            if one != balance and steps in (amounts[1:], [-each for each in amounts[:-1]]):
                found.append({"amount": one, "balance": balance})
            for other, more in numbers.items():
                if len({one, other, balance}) == _WITH_BALANCE and any(amounts) and any(more):
                    net = [into - abs(out) for out, into in zip(amounts, more, strict=True)]
                    is_one_of_two = not any(out and into for out, into in zip(amounts, more, strict=True))
                    if is_one_of_two and steps in (net[1:], [-each for each in net[:-1]]):
                        found.append({"debit": one, "credit": other, "balance": balance})
    return found[0] if len(found) == 1 else {}


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
