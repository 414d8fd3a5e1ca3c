"""The layout of a table that no mapping tells: found by the words of its header and proved by its rows."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from webapp.importers.bank_files import AskedError, FileRefusedError
from webapp.importers.tables import words
from webapp.importers.tables.amounts import exact, grouping, marks
from webapp.importers.tables.days import found_format
from webapp.importers.tables.doubts import is_split_beside, refuse_other_amounts, refuse_stated_balances
from webapp.importers.tables.layouts import Layout, by_mapping, index, roles
from webapp.importers.tables.mappings import Told
from webapp.importers.tables.rows import Row
from webapp.importers.tables.typed_cells import refuse_swapped
from webapp.importers.texts import quoted
from webapp.ledger.currencies import SUCCESSORS

_FIRST: Final = 60
ROLES: Final = {
    "date": words.BOOKED + words.DATED,
    "amount": words.AMOUNT,
    "debit": words.DEBIT,
    "credit": words.CREDIT,
    "balance": words.BALANCE,
    "currency_column": words.CURRENCY,
    "account_column": words.ACCOUNT,
    "description": words.DESCRIPTION,
    "counterparty": words.COUNTERPARTY,
    "reference": words.REFERENCE,
}
# Under these names a file may keep several accounts; under any other one it may be the other side's.
_OWN: Final = frozenset(
    {"account", "account name", "auftragskonto", "iban auftragskonto", "rekening", "rekeningnummer"}
)
# Of two columns of one day, one may have its time too.
_TIME: Final = re.compile(r"[T, ]+\d{1,2}:\d\d.*")
_LONGEST_STATE: Final = 20
_MOST_STATES: Final = 6
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_ASK: Final = "say it in a mapping"


def layout_of(table: Sequence[Row], told: Told) -> Layout:
    """Find a layout, of which `told` may say parts; raises FileRefusedError with what a mapping has to say."""
    layout = by_mapping(table, told) if told.names_the_money else _found(table, told)
    rows = _dated(table, layout)
    days = [row.cell(layout.columns["date"]) for row in rows]
    if told.date_format:
        layout.date_format = told.date_format
    elif rows:
        layout.date_format = found_format(days)
    refuse_swapped(days, layout.date_format)
    layout.decimal, layout.thousands = _marks(rows, layout, told)
    if not told.names_the_money:
        layout.is_signed = is_split_beside(rows, layout)
        _find_sign(rows, layout, told)
        _refuse_fees(rows, layout)
        refuse_stated_balances(rows, layout)
        if "amount" not in told.columns:
            refuse_other_amounts(rows, layout)
    return layout


def has_header(table: Sequence[Row]) -> bool:
    """Tell whether one of the first rows is a header whose words say where day and amount are."""
    return header_in(table) is not None


def header_in(table: Sequence[Row]) -> int | None:
    """Find the header among the first rows, None where no row has its words."""
    for number, row in enumerate(table[:_FIRST]):
        found = roles(row.cells, ROLES)
        if found["date"] and (found["amount"] or (found["debit"] and found["credit"])):
            return number
    return None


def _found(table: Sequence[Row], told: Told) -> Layout:
    header = told.header if told.header is not None else header_in(table)
    if header is None or header >= len(table) or told.has_header is False:
        raise AskedError(
            "No row says where the file keeps its days and amounts; name its columns: date and amount, or date,"
            " debit and credit.",
            "header",
        )
    names = table[header].cells
    body = table[header + 1 :]
    found = roles(names, ROLES)
    layout = Layout(header, {}, names=list(names), invert=bool(told.invert), currency=told.currency)
    layout.columns = {role: index(column, names, body, role) for role, column in told.columns.items()}
    _find_amount(layout, found, body)
    _find_date(layout, found, body)
    rows = _dated(table, layout)
    _find_currency(layout, found, rows, told)
    _find_account(layout, found, rows)
    for role in ("balance", "description", "counterparty", "reference"):
        if found[role] and role not in layout.columns:
            layout.columns[role] = found[role][0]
    layout.balance_is_before = told.choices.get("balanceIs") == "before"
    _find_flag_and_status(layout, table, told)
    return layout


def _find_amount(layout: Layout, found: dict[str, list[int]], body: Sequence[Row]) -> None:
    columns = layout.columns
    if columns.keys() & {"amount", "debit"}:
        return
    if found["amount"]:
        columns["amount"] = _only(layout, _booked_amounts(layout, found["amount"]), body, "amount")
    elif found["debit"] and found["credit"]:
        columns["debit"] = _only(layout, found["debit"], body, "debit")
        columns["credit"] = _only(layout, found["credit"], body, "credit")
    else:
        raise AskedError(f"The header names no column of amounts; {_ASK}, as amount.", "amount")


def _booked_amounts(layout: Layout, columns: Sequence[int]) -> Sequence[int]:
    """Of several amounts the one in the account's currency, else the one that is left after the fees."""
    plains = {column: words.plain(layout.names[column]) for column in columns}
    own = [column for column, name in plains.items() if name in words.OF_THE_ACCOUNT]
    net = [column for column, name in plains.items() if name.startswith("net")]
    return own or net or columns


def _find_date(layout: Layout, found: dict[str, list[int]], body: Sequence[Row]) -> None:
    if "date" in layout.columns:
        return
    lines = [
        row
        for row in body
        if any(_has_digit(row.cell(column)) for column in layout.amounts)
        and any(_has_digit(row.cell(column)) for column in found["date"])
    ]
    days = [
        column for column in found["date"] if not all(_CLOCK.fullmatch(row.cell(column)) for row in lines)
    ]
    found["date"] = days or found["date"]
    full = [column for column in found["date"] if all(row.cell(column) for row in lines)]
    # The day of booking may be empty where a line is pending, and is the one that is meant all the same.
    booked = [column for column in found["date"] if words.plain(layout.names[column]) in words.BOOKED]
    likely = [column for column in found["date"] if column in {*full, *booked}] or found["date"]
    if not likely:
        raise AskedError(f"The header names no column of days; {_ASK}, as date.", "date")
    layout.columns["date"] = _only(layout, likely, lines, "date")


def _find_currency(layout: Layout, found: dict[str, list[int]], rows: Sequence[Row], told: Told) -> None:
    if told.currency or "currency_column" in layout.columns:
        return
    named = [column for column in found["currency_column"] if not _any(rows, column, _has_digit)]
    named = [column for column in named if _any(rows, column, bool)]
    if named:
        layout.columns["currency_column"] = _only(layout, named, rows, "currencyColumn")
        return
    code = (
        words.currency_of(layout.names[layout.amounts[0]]) if layout.amounts[0] < len(layout.names) else None
    )
    if code:
        layout.currency = SUCCESSORS.get(code, code)


def _find_account(layout: Layout, found: dict[str, list[int]], rows: Sequence[Row]) -> None:
    if "account_column" in layout.columns:
        return
    for column in found["account_column"]:
        values = {row.cell(column) for row in rows}
        is_own = words.plain(layout.names[column]) in _OWN
        if values and "" not in values and (is_own or (len(values) == 1 and not found["counterparty"])):
            layout.columns["account_column"] = column
            return


def _find_flag_and_status(layout: Layout, table: Sequence[Row], told: Told) -> None:
    names = layout.names
    rows = [
        row for row in layout.body(table) if any(_has_digit(row.cell(column)) for column in layout.amounts)
    ]
    if told.flag:
        layout.flag = (index(told.flag[0], names, rows, "flag"), *told.flag[1:])
    if told.pending:
        layout.pending = index(told.pending[0], names, rows, "pending"), frozenset({told.pending[1]})
        return
    named = roles(names, {"status": words.STATUS})["status"]
    for column in named:
        values = {row.cell(column).casefold() for row in rows}
        if undone := sorted(values & words.UNDONE):
            raise FileRefusedError(
                f"The file says in {layout.named(column)} {quoted(undone[0])} of a row; take such rows out of"
                " the file, for they moved no money."
            )
    others = [column for column in range(len(names)) if column not in layout.columns.values()]
    for column in dict.fromkeys([*named, *others]):
        said = {cell for row in rows if len(cell := row.cell(column)) <= _LONGEST_STATE}
        # A note may say such a word too; a column of states has few others.
        if (column in named or len(said) <= _MOST_STATES) and {
            cell.casefold() for cell in said
        } & words.PENDING:
            layout.pending = column, words.PENDING
            return


def _marks(rows: Sequence[Row], layout: Layout, told: Told) -> tuple[str, str]:
    """The marks as told; what is not told, as the amounts tell."""
    decimal, thousands = told.choices.get("decimal"), told.choices.get("thousands")
    if thousands is not None:
        return decimal or ("," if thousands == "." else "."), thousands
    columns = [*layout.amounts, *([layout.columns["balance"]] if "balance" in layout.columns else [])]
    texts = (row.cell(column) for row in rows for column in columns)
    return (decimal, grouping(texts, decimal)) if decimal else marks(texts)


def _find_sign(rows: Sequence[Row], layout: Layout, told: Told) -> None:
    """Find which amounts are money out, by a flag beside them; what else may prove it is looked at later."""
    if layout.flag or "amount" not in layout.columns or told.invert is not None:
        return
    column = layout.columns["amount"]
    values = [exact(row.cell(column), layout.decimal, layout.thousands) for row in rows]
    is_signed = any(value is not None and value < 0 for value in values)
    for flag in range(len(layout.names)):
        said = [row.cell(flag).casefold() for row in rows]
        if not rows or not set(said) <= words.OUT | words.IN:
            continue
        agrees = [
            (word in words.OUT) == (value < 0) for word, value in zip(said, values, strict=True) if value
        ]
        if not is_signed or all(agrees) or not any(agrees):
            layout.flag = flag, words.OUT, words.IN
            return
        raise AskedError(f"The words of {layout.named(flag)} contradict the signs; {_ASK}, as flag.", "flag")


def _refuse_fees(rows: Sequence[Row], layout: Layout) -> None:
    """Refuse amounts beside which fees stand, unless the amount is named as what is left of both."""
    amount = words.plain(layout.names[layout.amounts[0]]) if "amount" in layout.columns else ""
    if amount.startswith("net") or amount == "amount total":
        return
    for column in roles(layout.names, {"fee": words.FEE})["fee"]:
        values = [
            exact(row.cell(column), layout.decimal, layout.thousands) for row in rows if row.cell(column)
        ]
        if any(value != 0 for value in values):
            raise AskedError(
                f"There are fees in {layout.named(column)}, and nothing tells whether the amounts include"
                f" them; {_ASK} which column is the amount.",
                "amount",
            )


def _only(layout: Layout, columns: Sequence[int], rows: Sequence[Row], key: str) -> int:
    """The one column of a role; several are one only where they hold the same."""
    for other in columns[1:]:
        if any(_TIME.sub("", row.cell(columns[0])) != _TIME.sub("", row.cell(other)) for row in rows):
            both = f"{layout.named(columns[0])} and {layout.named(other)}"
            raise AskedError(f"Both {both} may be meant; {_ASK} which one, as {key}.", key)
    return columns[0]


def _dated(table: Sequence[Row], layout: Layout) -> list[Row]:
    """The rows with digits where the day and an amount are, but for sums as of a day."""
    date = layout.columns["date"]
    amounts = layout.amounts
    return [
        row
        for row in layout.body(table)
        if _has_digit(row.cell(date)) and any(_has_digit(row.cell(column)) for column in amounts)
        if not words.states_a_sum(row.cell(date))
    ]


def _any(rows: Sequence[Row], column: int, holds: Callable[[str], bool]) -> bool:
    return any(holds(row.cell(column)) for row in rows)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
