"""The detection of a table's layout, by the names in its header, and checked with its rows."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from webapp.importers.balance_lines import states_a_sum
from webapp.importers.bank_files import MappingNeededError
from webapp.importers.tables import vocabulary
from webapp.importers.tables.amounts import grouping, marks
from webapp.importers.tables.bank_layouts import amounts_by_currency, bank_layout
from webapp.importers.tables.days import are_days, are_never_later, chosen_by_others, formats_of
from webapp.importers.tables.guesses import may_be_statement, proven_mapping
from webapp.importers.tables.layouts import Layout, by_mapping, index, name_rows, roles
from webapp.importers.tables.mappings import COLUMNS, FlagWords, TableMapping, checked_mapping
from webapp.importers.tables.plausibility import is_confirmed_by_debit_and_credit, refuse_other_amounts
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.statuses import (
    KNOWN,
    MOST_STATUSES,
    PENDING,
    StatusWords,
    answers_of,
    folded_words,
    may_be_status,
)
from webapp.importers.tables.typed_cells import refuse_swapped_days
from webapp.ledger.currencies import DIGITS, SUCCESSORS

_FIRST: Final = 60
ROLES: Final = {
    "date": vocabulary.BOOKED + vocabulary.DATED,
    "amount": vocabulary.AMOUNT,
    "debit": vocabulary.DEBIT,
    "credit": vocabulary.CREDIT,
    "balance": vocabulary.BALANCE,
    "value_date": vocabulary.VALUE,
    "currency_column": vocabulary.CURRENCY,
    "account_column": vocabulary.ACCOUNT,
    "description": vocabulary.DESCRIPTION,
    "counterparty": vocabulary.COUNTERPARTY,
    "reference": vocabulary.REFERENCE,
}
_DETAILS: Final = {
    "charges": vocabulary.FEE,
    "original_amount": vocabulary.ORIGINAL_AMOUNT,
    "original_currency": vocabulary.ORIGINAL_CURRENCY,
    "exchange_rate": vocabulary.EXCHANGE_RATE,
}
# Names of a column of own accounts, which may be several; under other names it may be the counterparty's.
_OWN: Final = frozenset(
    {"account", "account name", "auftragskonto", "iban auftragskonto", "rekening", "rekeningnummer"}
)
# Of two columns with one date, one may also have the time.
_TIME: Final = re.compile(r"[T, ]+\d{1,2}:\d\d.*")
_DIGIT: Final = re.compile(r"\d")
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
# The letter of kreditas, which alone is no sign.
_LITHUANIAN: Final = frozenset({"k"})
_FLAGS: Final = vocabulary.OUT | vocabulary.IN | _LITHUANIAN


def layout_of(table: Sequence[TableRow], mapping: TableMapping) -> Layout:
    """Find the layout, starting from `mapping`; raises FileRefusedError with the missing key."""
    layout = by_mapping(table, mapping) if mapping.has_date_and_amount else _found(table, mapping)
    lines = _rows_with_amount(layout.body(table), layout)
    rows = _rows_with_date(lines, layout)
    if not mapping.has_date_and_amount:
        _find_others(layout, rows, table, mapping)
    days = [row.cell(layout.columns["date"]) for row in rows]
    if mapping.date_format:
        layout.date_format = mapping.date_format
    elif rows:
        layout.date_format = _date_format(table, rows, layout, days)
    refuse_swapped_days(days, layout.date_format)
    if layout.status is None:
        _find_status(layout, table, lines)
    else:
        column, words = layout.status
        words.refuse_unknown({row.cell(column) for row in lines}, layout.named(column), column)
    columns = [*layout.amounts, *([layout.columns["balance"]] if "balance" in layout.columns else [])]
    texts = (row.cell(column) for row in rows for column in columns)
    layout.decimal, layout.thousands = marks_of(texts, mapping, _digits(layout, rows))
    if not mapping.has_date_and_amount:
        layout.is_signed = is_confirmed_by_debit_and_credit(rows, layout)
        _find_sign(rows, layout, mapping)
        _find_charges(layout, rows, mapping)
        if "amount" not in mapping.columns:
            refuse_other_amounts(rows, layout)
    return layout


def _date_format(
    table: Sequence[TableRow], rows: Sequence[TableRow], layout: Layout, days: Sequence[str]
) -> str:
    """Find the format of the days, also by other days of the file; one that only their order shows is a choice."""
    known = bank_layout(layout.names)
    if known is not None and known.date_format in (formats := formats_of(days)):
        if len(formats) > 1:
            layout.choose("dateFormat", known.date_format, known.why)
        return known.date_format
    if len(formats := formats_of(days)) == 1:
        return formats[0]
    column = layout.columns["date"]
    others = (other for row in rows for place, other in enumerate(row.cells) if place != column)
    above = " ".join(cell for row in table[: layout.header or 0] for cell in row.cells)
    try:
        decimal, _ = marks(row.cell(each) for row in rows for each in layout.amounts)
    except MappingNeededError:
        decimal = ""
    found, why = chosen_by_others(days, others, above, has_comma=decimal == ",")
    if why:
        layout.choose("dateFormat", found, why)
    return found


def has_header(table: Sequence[TableRow]) -> bool:
    """Return whether one of the first rows is a header that names columns of dates and amounts."""
    return header_in(table) is not None


def header_in(table: Sequence[TableRow]) -> int | None:
    """Find the header among the first rows, None if no row has known column names."""
    for number, row in enumerate(table[:_FIRST]):
        found = roles(row.cells, ROLES)
        if found["date"] and (found["amount"] or (found["debit"] and found["credit"])):
            return number
        if (known := bank_layout(row.cells)) and "amount" in known.columns:
            return number
    return None


def _found(table: Sequence[TableRow], mapping: TableMapping) -> Layout:
    header = mapping.header if mapping.header is not None else header_in(table)
    if header is None or header >= len(table) or mapping.has_header is False:
        proven = proven_mapping(table, has_header=mapping.has_header)
        if proven is None or mapping.columns:
            doubt = "" if may_be_statement(table) else "This seems to be no statement: no column has days. "
            raise MappingNeededError(
                f"{doubt}We could not find column titles. Check which column is what: date and amount,"
                " or date, debit and credit.",
                "header",
            )
        return _proven(table, mapping, *proven)
    names = table[header].cells
    body = table[header + 1 :]
    found = roles(names, ROLES)
    layout = Layout(header, {}, names=list(names), invert=bool(mapping.invert), currency=mapping.currency)
    layout.columns = {role: index(column, names, body, role) for role, column in mapping.columns.items()}
    _find_by_bank(layout, body)
    _find_amount(layout, found, body)
    rows = _rows_with_amount(body, layout)
    _find_value_date(layout, found["value_date"], rows)
    _find_date(layout, found, rows)
    return layout


def _find_others(
    layout: Layout, rows: Sequence[TableRow], table: Sequence[TableRow], mapping: TableMapping
) -> None:
    """Find the columns beside days and amounts by their names, and take what the mapping says of rows."""
    found = roles(layout.names, ROLES)
    _find_currency(layout, found, rows, mapping)
    _find_account(layout, found, rows)
    for role in ("balance", "description", "counterparty", "reference"):
        if found[role] and role not in layout.columns:
            layout.columns[role] = found[role][0]
    layout.skips_without_amount = mapping.skips_without_amount
    known = bank_layout(layout.names)
    if known is not None and known.skips and "skipWithoutAmount" not in mapping.keys:
        layout.skips_without_amount = True
    layout.balance_is_before = mapping.choices.get("balanceIs", known.balance if known else "") == "before"
    name_rows(layout, layout.body(table), mapping)


def _proven(
    table: Sequence[TableRow], mapping: TableMapping, columns: Mapping[str, object], why: str
) -> Layout:
    """Return the layout of columns that the contents of all rows prove."""
    found = checked_mapping(columns)
    layout = by_mapping(table, replace(found, invert=mapping.invert, currency=mapping.currency))
    layout.is_mapped = False
    layout.names = layout.names or [""] * max(len(row.cells) for row in table)
    for key in ("date", "amount", "debit", "credit", "balance"):
        if key in columns:
            layout.choose(key, columns[key], why)
    return layout


def _find_by_bank(layout: Layout, body: Sequence[TableRow]) -> None:
    """Take the columns of the bank whose header it is."""
    known = bank_layout(layout.names)
    amounts = layout.columns.keys() & {"amount", "debit"}
    for key, name in (known.columns if known else {}).items():
        role = COLUMNS[key]
        if role not in layout.columns and not (role == "amount" and amounts):
            first = next(iter(name.values())) if isinstance(name, dict) else name
            layout.columns[role] = index(first, layout.names, body, key)
    layout.in_currencies = amounts_by_currency(layout.names, layout.columns.get("amount"))


def _find_amount(layout: Layout, found: dict[str, list[int]], body: Sequence[TableRow]) -> None:
    columns = layout.columns
    if columns.keys() & {"amount", "debit"}:
        return
    amounts = found["amount"]
    if len(amounts) > 1 or (found["debit"] and found["credit"]):
        # Valör is a day in Turkish, and valor is an amount in Portuguese.
        amounts = [column for column in amounts if not _has_days(body, column)]
    if amounts:
        columns["amount"] = only(layout, _booked_amounts(layout, amounts), body, "amount")
    elif found["debit"] and found["credit"]:
        columns["debit"] = only(layout, found["debit"], body, "debit")
        columns["credit"] = only(layout, found["credit"], body, "credit")
    else:
        raise MappingNeededError(
            "The header names no amount column; name it in a mapping, as amount.", "amount"
        )


def _booked_amounts(layout: Layout, columns: Sequence[int]) -> Sequence[int]:
    """Choose among amount columns: in the account's currency, else after fees."""
    plains = {column: vocabulary.plain(layout.names[column]) for column in columns}
    net = [column for column, name in plains.items() if name.startswith("net")]
    own = _in_currency_of_the_account(layout, columns)
    return own if own != columns else net or columns


def _in_currency_of_the_account(layout: Layout, columns: Sequence[int]) -> Sequence[int]:
    """Return the columns that are named so, else all."""
    named = vocabulary.OF_THE_ACCOUNT
    return [column for column in columns if vocabulary.plain(layout.names[column]) in named] or columns


def _find_date(layout: Layout, found: dict[str, list[int]], rows: Sequence[TableRow]) -> None:
    if "date" in layout.columns:
        return
    lines = [row for row in rows if any(_has_digit(row.cell(column)) for column in found["date"])]
    days = [
        column
        for column in found["date"]
        if _any(lines, column, _has_digit) and not all(_CLOCK.fullmatch(row.cell(column)) for row in lines)
    ]
    found["date"] = days or found["date"]
    full = [column for column in found["date"] if all(row.cell(column) for row in lines)]
    # The booking date may be empty for pending lines, and is still the right column.
    booked = roles(layout.names, {"date": vocabulary.BOOKED})["date"]
    likely = [column for column in found["date"] if column in {*full, *booked}] or found["date"]
    if not likely:
        raise MappingNeededError("The header names no date column; name it in a mapping, as date.", "date")
    if not _choose_posting(layout, likely, lines):
        layout.columns["date"] = only(layout, likely, lines, "date")


def _choose_posting(layout: Layout, likely: Sequence[int], lines: Sequence[TableRow]) -> bool:
    """Choose the day of posting beside that of the transaction, where no line is posted before its transaction."""
    named = roles(layout.names, {"date": vocabulary.BOOKED})["date"]
    booked = [column for column in likely if column in named]
    others = [column for column in likely if column not in booked]
    if not (booked and others) or any(_are_unlike(lines, booked[0], other) for other in booked[1:]):
        return False
    posted, dated = booked[0], others[0]
    if any(not row.cell(posted) and folded_words(row.cells).isdisjoint(PENDING) for row in lines):
        return False
    pairs = [(row.cell(posted), row.cell(dated)) for row in lines if row.cell(posted) and row.cell(dated)]
    if any(_are_unlike(lines, dated, other) for other in others[1:]) or not are_never_later(pairs):
        return False
    layout.columns["date"] = posted
    if _are_unlike(lines, posted, dated):
        is_shown = layout.columns.setdefault("value_date", dated) == dated
        shown = f"{layout.named(dated)}{', which is shown as the value day' if is_shown else ''}"
        layout.choose("date", posted, f"It is named so, and never before {shown}.")
    return True


def _are_unlike(rows: Sequence[TableRow], one: int, other: int) -> bool:
    pairs = ((row.cell(one), row.cell(other)) for row in rows)
    return any(left != right and _TIME.sub("", left) != _TIME.sub("", right) for left, right in pairs)


def _find_value_date(layout: Layout, columns: Sequence[int], rows: Sequence[TableRow]) -> None:
    """Take the column of value days by its name, where it has days in one format and nothing else."""
    taken = set(layout.columns.values())
    for column in columns:
        cells = {row.cell(column) for row in rows} - {""}
        if column not in taken and cells and are_days(cells):
            layout.columns["value_date"] = column
            return


def _find_currency(
    layout: Layout, found: dict[str, list[int]], rows: Sequence[TableRow], mapping: TableMapping
) -> None:
    if mapping.currency or layout.in_currencies or "currency_column" in layout.columns:
        return
    columns = [column for column in found["currency_column"] if not _any(rows, column, _has_digit)]
    columns = [column for column in columns if _any(rows, column, lambda text: any(map(str.isalpha, text)))]
    if columns:
        likely = _in_currency_of_the_account(layout, columns)
        layout.columns["currency_column"] = only(layout, likely, rows, "currencyColumn")
        return
    code = (
        vocabulary.currency_of(layout.names[layout.amounts[0]])
        if layout.amounts[0] < len(layout.names)
        else None
    )
    if code:
        layout.currency = SUCCESSORS.get(code, code)


def _find_account(layout: Layout, found: dict[str, list[int]], rows: Sequence[TableRow]) -> None:
    if "account_column" in layout.columns:
        return
    for column in found["account_column"]:
        values = {row.cell(column) for row in rows}
        is_own = vocabulary.plain(layout.names[column]) in _OWN
        if values and "" not in values and (is_own or (len(values) == 1 and not found["counterparty"])):
            layout.columns["account_column"] = column
            return


def _find_status(layout: Layout, table: Sequence[TableRow], lines: Sequence[TableRow]) -> None:
    """Find the column that says whether money moved; raises MappingNeededError for an unknown word in it."""
    by_name = roles(layout.names, {"status": vocabulary.STATUS})["status"]
    used = {*layout.columns.values(), layout.flag[0] if layout.flag else None}
    others = [] if layout.is_mapped else [column for column in range(len(layout.names)) if column not in used]
    for column in dict.fromkeys([*by_name, *others]):
        is_named = column in by_name
        # Most columns are told from one of statuses by their first rows.
        if not is_named and len({row.cell(column) for row in layout.body(table)[:_FIRST]}) > MOST_STATUSES:
            continue
        cells = {row.cell(column) for row in lines}
        if (answers := answers_of(layout.names[column], cells)) is not None:
            layout.status = column, answers
            return
        if not may_be_status(cells, is_named=is_named):
            continue
        KNOWN.refuse_unknown(cells, layout.named(column), layout.names[column] or column)
        found = StatusWords(*(folded_words(cells) & (words or frozenset()) for words in KNOWN))
        if found.pending or found.unmoved:
            layout.status = column, found
            return


def _digits(layout: Layout, rows: Sequence[TableRow]) -> int | None:
    """Return the digits of the one currency that the table names, if it does."""
    column = layout.columns.get("currency_column")
    codes = {row.cell(column).upper() for row in rows} if column is not None else {layout.currency or ""}
    found = {DIGITS.get(code) for code in codes}
    return found.pop() if len(found) == 1 else None


def marks_of(texts: Iterable[str], mapping: TableMapping, digits: int | None = None) -> tuple[str, str]:
    """Return the decimal and thousands marks of the mapping, else those found from the amounts."""
    decimal, thousands = mapping.choices.get("decimal"), mapping.choices.get("thousands")
    if thousands is not None:
        return decimal or ("," if thousands == "." else "."), thousands
    return (decimal, grouping(texts, decimal)) if decimal else marks(texts, digits)


def _find_sign(rows: Sequence[TableRow], layout: Layout, mapping: TableMapping) -> None:
    """Find a column that flags money in and out; other evidence of the sign is checked later."""
    if layout.flag or "amount" not in layout.columns or mapping.invert is not None:
        return
    column = layout.columns["amount"]
    values = [layout.number(row, column) for row in rows]
    is_signed = any(value is not None and value < 0 for value in values)
    for flag in range(len(layout.names)):
        # Most columns are told from one of flags by their first rows.
        if not {row.cell(flag).casefold() for row in rows[:_FIRST]} <= _FLAGS:
            continue
        words = [row.cell(flag).casefold() for row in rows]
        known = vocabulary.OUT | vocabulary.IN | (_LITHUANIAN if "d" in words else frozenset())
        if not rows or not set(words) <= known:
            continue
        agrees = [
            (word in vocabulary.OUT) == (value < 0)
            for word, value in zip(words, values, strict=True)
            if value
        ]
        if not is_signed or all(agrees) or not any(agrees):
            layout.flag = flag, FlagWords(vocabulary.OUT, known - vocabulary.OUT)
            return
        raise MappingNeededError(
            f"The words of {layout.named(flag)} contradict the signs; name it in a mapping, as flag.", "flag"
        )


def _find_charges(layout: Layout, rows: Sequence[TableRow], mapping: TableMapping) -> None:
    """Find the column of fees, and what an amount was in another currency; whether it has the fees may be known."""
    layout.charges_are = mapping.choices.get("chargesAre", "")
    found = roles(layout.names, _DETAILS)
    paid = [column for column in found.pop("charges") if any(layout.number(row, column) for row in rows)]
    if paid and "charges" not in layout.columns:
        layout.columns["charges"] = only(layout, paid, rows, "charges")
    used = set(layout.columns.values())
    for role, columns in found.items():
        free = [column for column in columns if column not in used]
        if free and role not in layout.columns:
            layout.columns[role] = free[0]
    if "charges" not in layout.columns or layout.charges_are:
        return
    known = bank_layout(layout.names)
    amount = vocabulary.plain(layout.names[layout.amounts[0]]) if "amount" in layout.columns else ""
    if amount.startswith("net") or amount == "amount total":
        layout.charges_are = "within"
    elif known is not None and known.charges:
        layout.charges_are = known.charges
        layout.choose("chargesAre", known.charges, known.why)


def only(layout: Layout, columns: Sequence[int], rows: Sequence[TableRow], key: str) -> int:
    """Return the one column of a role; of several with the same values, the first."""
    for other in columns[1:]:
        if _are_unlike(rows, columns[0], other):
            both = f"{layout.named(columns[0])} and {layout.named(other)}"
            raise MappingNeededError(
                f"Both {both} may be meant; name it in a mapping which one, as {key}.", key
            )
    return columns[0]


def _rows_with_amount(body: Sequence[TableRow], layout: Layout) -> list[TableRow]:
    """Return the rows with digits in an amount column."""
    amounts = layout.amounts
    return [row for row in body if any(_has_digit(row.cell(column)) for column in amounts)]


def _rows_with_date(rows: Sequence[TableRow], layout: Layout) -> list[TableRow]:
    """Return those rows with an amount that have digits in the date column, without sums and balances."""
    date = layout.columns["date"]
    days = {text for text in {row.cell(date) for row in rows} if _has_digit(text) and not states_a_sum(text)}
    return [row for row in rows if row.cell(date) in days]


def _has_days(rows: Sequence[TableRow], column: int) -> bool:
    cells = {row.cell(column) for row in rows[:_FIRST]} - {""}
    return bool(cells) and are_days(cells)


def _any(rows: Sequence[TableRow], column: int, holds: Callable[[str], bool]) -> bool:
    return any(holds(row.cell(column)) for row in rows)


def _has_digit(text: str) -> bool:
    return bool(_DIGIT.search(text))
