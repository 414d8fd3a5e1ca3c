"""The rows of a CSV file as lines, each exact; a row that has a day or an amount and not both refuses the file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileRefusedError, Line, RowRefusedError, SkippedRow
from webapp.importers.tables.amounts import currency_in, exact
from webapp.importers.tables.days import Days
from webapp.importers.tables.layouts import Layout
from webapp.importers.tables.rows import Row
from webapp.importers.tables.typed_cells import Flaw
from webapp.importers.tables.words import PENDING, states_a_balance, states_a_sum
from webapp.importers.texts import joined, quoted
from webapp.ledger.currencies import UnknownCurrencyError, canonical

_MAX_ID: Final = 255
_MAX_SKIPPED_TEXT: Final = 500
_NAMES: Final = {"人民币": "CNY", "rmb": "CNY", "€": "EUR", "£": "GBP"}
_NOTHING: Final = frozenset({"", "-", "--", "\u2212", "\u2013"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A line with the account and the currency that its row names, and the running balance after it."""

    line: Line
    account: str | None
    currency: str | None
    balance: Decimal | None


class Reader:
    """Reads the rows of one table in its layout."""

    def __init__(self, table: Sequence[Row], layout: Layout, *, may_shift: bool = True) -> None:
        """Look through the rows; `may_shift` says that a mark too many in one would move its cells."""
        self._layout = layout
        self._table = table
        self._days = Days(layout.date_format)
        self._codes: dict[str, str] = {}
        self._longest = max(
            len(layout.names), _commonest([row for row in layout.body(table) if any(row.cells)])
        )
        self._debits_are_signed = self._has_signed_debits()
        worded = self._worded_columns()
        # A mark inside a text without quotes moves every cell behind it, so that 5 may stand where 50 was.
        self._may_shift = may_shift and any(
            column < max([layout.columns["date"], *layout.amounts]) for column in worded
        )
        told = [layout.columns[role] for role in ("counterparty", "description") if role in layout.columns]
        self._texts = told if "description" in layout.columns else worded

    def entries(self) -> tuple[list[Entry], list[SkippedRow]]:
        """Read every row; raises FileRefusedError with row, column and value."""
        header = self._layout.header
        skipped = [_skipped(row, "It stands before the header.") for row in self._table[: header or 0]]
        entries = []
        self._refuse_flaws()
        for row in self._layout.body(self._table):
            if not any(row.cells):
                continue
            day = self._day(row)
            if day is None and (why := self._why_no_line(row)):
                skipped.append(_skipped(row, why))
                continue
            amount = self._amount(row)
            if day is None or amount is None:
                self._refuse_half(row, day, amount)
                skipped.append(_skipped(row, "It has neither a day nor an amount."))
            else:
                entries.append(self._entry(row, day, amount))
        return entries, [each for each in skipped if each.text]

    def _entry(self, row: Row, day: date, amount: Decimal) -> Entry:
        if self._may_shift and any(row.cells[self._longest :]):
            raise self._refused(
                row, self._longest, "the row has more cells than the others; one may be split"
            )
        columns = self._layout.columns
        reference = self._cell(row, "reference")
        counterparty = self._cell(row, "counterparty")
        line = Line(
            row=row.number,
            booked_on=day,
            amount=amount,
            description=joined(_one_line(row.cell(column)) for column in self._texts),
            pending=self._is_pending(row),
            provider_transaction_id=reference and reference[:_MAX_ID],
            counterparty=counterparty and counterparty[:_MAX_ID],
            reference=reference and reference[:_MAX_ID],
        )
        account = row.cell(columns["account_column"]) if "account_column" in columns else ""
        return Entry(
            # A quote that lost its other half is no part of an account's number.
            line,
            _one_line(account).strip('"')[:_MAX_ID] or None,
            self._currency(row),
            self._balance(row, amount),
        )

    def _why_no_line(self, row: Row) -> str | None:
        """Say why a row without a day is no line, though it may hold an amount; None where nothing says so."""
        dated = row.cell(self._layout.columns["date"])
        if any(map(str.isdigit, dated)) and not states_a_sum(dated):
            return None
        first = next(filter(None, row.cells), "")
        amounts = [row.cell(column) for column in self._layout.amounts]
        # Total is also a payee; but no payment has both a debit and a credit.
        may_be_payee = first != dated and (len(amounts) == 1 or not _NOTHING.isdisjoint(amounts))
        if states_a_balance(first) if may_be_payee else states_a_sum(first):
            return "It states a sum or a balance."
        return "It is pending, and has no day yet." if self._is_pending(row, dated) else None

    def _is_pending(self, row: Row, dated: str = "") -> bool:
        """Tell whether the bank has yet to book the row, which its day may say instead of a day."""
        pending = self._layout.pending
        said = pending and row.cell(pending[0]).casefold() in pending[1]
        return bool(said) or dated.casefold() in PENDING

    def _day(self, row: Row) -> date | None:
        return self._days.day(row.cell(self._layout.columns["date"]))

    def _amount(self, row: Row) -> Decimal | None:
        """The signed amount of a row, None where it has none; raises FileRefusedError for an unreadable one."""
        values = [self._number(row, column) for column in self._layout.amounts]
        if len(values) == 1:
            value = self._flagged(row, values[0])
            return -value if self._layout.invert and value else value
        debit, credit = values
        if debit and credit:
            raise self._refused(row, self._layout.amounts[0], "the row has a debit and also a credit")
        if debit is None and credit is None:
            return None
        if not debit:
            value = credit if credit or debit is None else debit
        else:
            value = debit if self._debits_are_signed else -debit
        return -value if self._layout.invert and value else value

    def _flagged(self, row: Row, value: Decimal | None) -> Decimal | None:
        """Give an amount the sign of its row's flag."""
        if value is None or not self._layout.flag:
            return value
        column, out, into = self._layout.flag
        word = row.cell(column).casefold()
        if word not in out | into:
            raise self._refused(row, column, "it says neither in nor out")
        return -abs(value) if word in out and value else abs(value)

    def _number(self, row: Row, column: int) -> Decimal | None:
        text = row.cell(column)
        if text in _NOTHING:
            return None
        value = exact(text, self._layout.decimal, self._layout.thousands)
        if value is None and (any(map(str.isnumeric, text)) or self._day(row)):
            raise self._refused(row, column, "it is no amount as the others are written")
        return value

    def _balance(self, row: Row, amount: Decimal) -> Decimal | None:
        if "balance" not in self._layout.columns:
            return None
        value = self._number(row, self._layout.columns["balance"])
        return value + amount if value is not None and self._layout.balance_is_before else value

    def _currency(self, row: Row) -> str | None:
        """The currency of a row, which the code beside its amount may not contradict."""
        layout = self._layout
        code = layout.currency
        if "currency_column" in layout.columns:
            column = layout.columns["currency_column"]
            code = self._code(row, column)
        for column in layout.amounts:
            stated = currency_in(row.cell(column))
            if stated and code and canonical(stated) != code:
                raise self._refused(row, column, f"its currency is not {code}")
            code = code or (stated and canonical(stated))
        return code

    def _code(self, row: Row, column: int) -> str:
        text = row.cell(column)
        if text not in self._codes:
            try:
                self._codes[text] = canonical(_NAMES.get(text.casefold(), text))
            except UnknownCurrencyError:
                raise self._refused(row, column, "it is no currency of ISO 4217") from None
        return self._codes[text]

    def _refuse_flaws(self) -> None:
        """Refuse a cell without a value where a day, a figure or a word that decides on one is needed."""
        layout = self._layout
        texts = ("description", "counterparty", "reference")
        needed = [column for role, column in layout.columns.items() if role not in texts]
        needed += [each[0] for each in (layout.flag, layout.pending) if each]
        for row in layout.body(self._table):
            if Flaw in map(type, row.cells):
                for column in needed:
                    if isinstance(row.cell(column), Flaw):
                        raise self._refused(row, column, "the cell has no value that can be read")

    def _refuse_half(self, row: Row, day: date | None, amount: Decimal | None) -> None:
        """Refuse a row that has a day and no amount, or an amount and no day."""
        if day is not None:
            raise self._refused(row, self._layout.amounts[0], "the row has a day and no amount")
        if amount is not None:
            raise self._refused(row, self._layout.columns["date"], "the row has an amount and no day")

    def _refused(self, row: Row, column: int, why: str) -> FileRefusedError:
        named, value = self._layout.named(column), _one_line(row.cell(column))
        return RowRefusedError(
            f"Row {row.number:,}, {named}: {why}: {quoted(value)}.",
            row=row.number,
            column=column,
            named=named,
            value=value,
        )

    def _cell(self, row: Row, role: str) -> str | None:
        column = self._layout.columns.get(role)
        return None if column is None else _one_line(row.cell(column)) or None

    def _has_signed_debits(self) -> bool:
        """Tell whether debits carry a minus of their own; where some do and others not, it marks a reversal."""
        column = self._layout.columns.get("debit")
        if column is None:
            return False
        texts = {row.cell(column) for row in self._layout.body(self._table)}
        values = [exact(text, self._layout.decimal, self._layout.thousands) for text in texts]
        return any(value and value < 0 for value in values) and not any(
            value and value > 0 for value in values
        )

    def _worded_columns(self) -> list[int]:
        """The columns that hold the bank's words, the other side's name among them."""
        free = ("counterparty", "description")
        used = {column for role, column in self._layout.columns.items() if role not in free}
        used |= {each[0] for each in (self._layout.flag, self._layout.pending) if each}
        body = self._layout.body(self._table)
        return [
            column
            for column in range(self._longest)
            if column not in used and any(any(map(str.isalpha, row.cell(column))) for row in body)
        ]


def _commonest(rows: Sequence[Row]) -> int:
    lengths = Counter(len(row.cells) for row in rows)
    return max(lengths, key=lambda length: (lengths[length], length), default=0)


def _one_line(text: str) -> str:
    return text if text.isalnum() else " ".join(text.split())


def _skipped(row: Row, reason: str) -> SkippedRow:
    text = _one_line(" ".join(cell for cell in row.cells if cell))
    return SkippedRow(row.number, text[:_MAX_SKIPPED_TEXT], reason)
