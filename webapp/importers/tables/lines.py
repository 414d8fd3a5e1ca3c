"""The rows of a table as lines; a row with a date and no amount, or an amount and no date, refuses the file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileLine, FileRefusedError, SkippedRow
from webapp.importers.tables.amounts import currency_code, currency_in, exact
from webapp.importers.tables.days import DayParser
from webapp.importers.tables.layouts import Layout
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.typed_cells import ErrorCell
from webapp.importers.tables.vocabulary import PENDING, states_a_balance, states_a_sum
from webapp.importers.texts import joined, quoted
from webapp.ledger.currencies import UnknownCurrencyError, canonical

_MAX_ID: Final = 255
_MAX_SKIPPED_TEXT: Final = 500
_NOTHING: Final = frozenset({"", "-", "--", "\u2212", "\u2013"})


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A line with the account and the currency of its row, and the running balance after it."""

    line: FileLine
    account: str | None
    currency: str | None
    balance: Decimal | None


class TableReader:
    """Reads the rows of one table in its layout."""

    def __init__(self, table: Sequence[TableRow], layout: Layout, *, may_shift: bool = True) -> None:
        """Scan the rows; with `may_shift` an unquoted delimiter in a text moves the cells behind it, as in CSV."""
        self._layout = layout
        self._table = table
        self._days = DayParser(layout.date_format)
        self._codes: dict[str, str] = {}
        self._longest = max(
            len(layout.names), _commonest([row for row in layout.body(table) if any(row.cells)])
        )
        self._debits_are_signed = self._has_signed_debits()
        text_columns = self._text_columns()
        # A delimiter in an unquoted text moves the cells behind it, so that another number is read as the amount.
        self._may_shift = may_shift and any(
            column < max([layout.columns["date"], *layout.amounts]) for column in text_columns
        )
        named = [layout.columns[role] for role in ("counterparty", "description") if role in layout.columns]
        self._texts = named if "description" in layout.columns else text_columns

    def entries(self) -> tuple[list[TableEntry], list[SkippedRow]]:
        """Read every row; raises FileRefusedError with row, column and value."""
        header = self._layout.header
        skipped = [_skipped(row, "It is before the header.") for row in self._table[: header or 0]]
        entries = []
        self._refuse_error_cells()
        for row in self._layout.body(self._table):
            if not any(row.cells):
                continue
            day = self._day(row)
            if reason := self._moves_no_money(row) or (self._skip_reason(row) if day is None else None):
                skipped.append(_skipped(row, reason))
                continue
            amount = self._amount(row)
            if amount is None and day is not None and self._layout.skips_without_amount:
                skipped.append(_skipped(row, "It has no amount."))
            elif day is None or amount is None:
                self._refuse_incomplete(row, day, amount)
                skipped.append(_skipped(row, "It has neither a date nor an amount."))
            else:
                entries.append(self._entry(row, day, amount))
        return entries, [each for each in skipped if each.text]

    def _entry(self, row: TableRow, day: date, amount: Decimal) -> TableEntry:
        if self._may_shift and any(row.cells[self._longest :]):
            raise self._row_error(
                row, self._longest, "the row has more cells than the others; one cell may have been split"
            )
        columns = self._layout.columns
        reference = self._cell(row, "reference")
        counterparty = self._cell(row, "counterparty")
        line = FileLine(
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
        return TableEntry(
            # A single quotation mark is not part of an account's number.
            line,
            _one_line(account).strip('"')[:_MAX_ID] or None,
            self._currency(row),
            self._balance(row, amount),
        )

    def _skip_reason(self, row: TableRow) -> str | None:
        """Return why a row without a date is skipped, though it may have an amount, or None."""
        dated = row.cell(self._layout.columns["date"])
        if any(map(str.isdigit, dated)) and not states_a_sum(dated):
            return None
        first = next(filter(None, row.cells), "")
        amounts = [row.cell(column) for column in self._layout.amounts]
        # Total is also the name of a payee; but no payment has both a debit and a credit.
        may_be_payee = first != dated and (len(amounts) == 1 or not _NOTHING.isdisjoint(amounts))
        if states_a_balance(first) if may_be_payee else states_a_sum(first):
            return "It states a sum or a balance."
        return "It is pending and has no date yet." if self._is_pending(row, dated) else None

    def _moves_no_money(self, row: TableRow) -> str | None:
        """Return why the flag of a row leaves it out, or None."""
        if not self._layout.flag:
            return None
        column, words = self._layout.flag
        if row.cell(column).casefold() not in words.neither:
            return None
        named = self._layout.named(column)
        return f"{quoted(row.cell(column))} in {named} is neither money in nor money out, by the mapping."

    def _is_pending(self, row: TableRow, dated: str = "") -> bool:
        """Return whether the row is pending, by its status column or by a word in its date column."""
        pending = self._layout.pending
        has_status = pending and row.cell(pending[0]).casefold() in pending[1]
        return bool(has_status) or dated.casefold() in PENDING

    def _day(self, row: TableRow) -> date | None:
        return self._days.day(row.cell(self._layout.columns["date"]))

    def _amount(self, row: TableRow) -> Decimal | None:
        """Return the signed amount of a row, or None; raises FileRefusedError for an unreadable amount."""
        values = [self._number(row, column) for column in self._layout.amounts]
        if len(values) == 1:
            value = self._flagged(row, values[0])
            return -value if self._layout.invert and value else value
        debit, credit = values
        if debit and credit:
            raise self._row_error(row, self._layout.amounts[0], "the row has a debit and also a credit")
        if debit is None and credit is None:
            return None
        if not debit:
            value = credit if credit or debit is None else debit
        else:
            value = debit if self._debits_are_signed else -debit
        return -value if self._layout.invert and value else value

    def _flagged(self, row: TableRow, value: Decimal | None) -> Decimal | None:
        """Return an amount with the sign of its row's flag."""
        if value is None or not self._layout.flag:
            return value
        column, words = self._layout.flag
        word = row.cell(column).casefold()
        if word not in words.out | words.into:
            raise self._row_error(row, column, "it means neither money in nor money out")
        return -abs(value) if word in words.out and value else abs(value)

    def _number(self, row: TableRow, column: int) -> Decimal | None:
        text = row.cell(column)
        if text in _NOTHING:
            return None
        value = exact(text, self._layout.decimal, self._layout.thousands)
        is_needed = self._day(row) and not self._layout.skips_without_amount
        if value is None and (any(map(str.isnumeric, text)) or is_needed):
            raise self._row_error(row, column, "it is not an amount in the format of the others")
        return value

    def _balance(self, row: TableRow, amount: Decimal) -> Decimal | None:
        if "balance" not in self._layout.columns:
            return None
        value = self._number(row, self._layout.columns["balance"])
        return value + amount if value is not None and self._layout.balance_is_before else value

    def _currency(self, row: TableRow) -> str | None:
        """Return the currency of a row; raises FileRefusedError if its amount has another code."""
        layout = self._layout
        code = layout.currency
        if "currency_column" in layout.columns:
            column = layout.columns["currency_column"]
            code = self._code(row, column)
        for column in layout.amounts:
            stated = currency_in(row.cell(column))
            if stated and code and canonical(stated) != code:
                raise self._row_error(row, column, f"its currency is not {code}")
            code = code or (stated and canonical(stated))
        return code

    def _code(self, row: TableRow, column: int) -> str:
        text = row.cell(column)
        if text not in self._codes:
            try:
                self._codes[text] = currency_code(text)
            except UnknownCurrencyError:
                raise self._row_error(row, column, "it is not an ISO 4217 currency") from None
        return self._codes[text]

    def _refuse_error_cells(self) -> None:
        """Refuse an error cell, such as #REF!, in a column of dates, amounts or statuses."""
        layout = self._layout
        texts = ("description", "counterparty", "reference")
        needed = [column for role, column in layout.columns.items() if role not in texts]
        needed += [each[0] for each in (layout.flag, layout.pending) if each]
        for row in layout.body(self._table):
            if ErrorCell in map(type, row.cells):
                for column in needed:
                    if isinstance(row.cell(column), ErrorCell):
                        raise self._row_error(row, column, "the cell's value cannot be read")

    def _refuse_incomplete(self, row: TableRow, day: date | None, amount: Decimal | None) -> None:
        """Refuse a row with a date and no amount, or an amount and no date."""
        if day is not None:
            raise self._row_error(row, self._layout.amounts[0], "the row has a date and no amount")
        if amount is not None:
            raise self._row_error(row, self._layout.columns["date"], "the row has an amount and no date")

    def _row_error(self, row: TableRow, column: int, why: str) -> FileRefusedError:
        return self._layout.refusal(row, column, why)

    def _cell(self, row: TableRow, role: str) -> str | None:
        column = self._layout.columns.get(role)
        return None if column is None else _one_line(row.cell(column)) or None

    def _has_signed_debits(self) -> bool:
        """Return whether all debits are negative; if only some are, a minus marks a reversal."""
        column = self._layout.columns.get("debit")
        if column is None:
            return False
        texts = {row.cell(column) for row in self._layout.body(self._table)}
        values = [exact(text, self._layout.decimal, self._layout.thousands) for text in texts]
        return any(value and value < 0 for value in values) and not any(
            value and value > 0 for value in values
        )

    def _text_columns(self) -> list[int]:
        """Return the columns with the bank's texts, including the counterparty's name."""
        free = ("counterparty", "description")
        used = {column for role, column in self._layout.columns.items() if role not in free}
        used |= {each[0] for each in (self._layout.flag, self._layout.pending) if each}
        body = self._layout.body(self._table)
        return [
            column
            for column in range(self._longest)
            if column not in used and any(any(map(str.isalpha, row.cell(column))) for row in body)
        ]


def _commonest(rows: Sequence[TableRow]) -> int:
    lengths = Counter(len(row.cells) for row in rows)
    return max(lengths, key=lambda length: (lengths[length], length), default=0)


def _one_line(text: str) -> str:
    # A text that is on one line stays the same object, of which a long file has a hundred thousand.
    folded = " ".join(text.split())
    return text if folded == text else folded


def _skipped(row: TableRow, reason: str) -> SkippedRow:
    text = _one_line(" ".join(cell for cell in row.cells if cell))
    return SkippedRow(row.number, text[:_MAX_SKIPPED_TEXT], reason)
