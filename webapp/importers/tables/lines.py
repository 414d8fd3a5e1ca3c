"""The rows of a table as lines; a row with a date and no amount, or an amount and no date, refuses the file."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from webapp.importers.balance_lines import (
    LEFT_OUT,
    REASON,
    Label,
    Movement,
    end_of,
    label_of,
    states_a_sum,
    totals_of,
    unclear,
)
from webapp.importers.bank_files import FileLine, FileRefusedError, MappingNeededError, SkippedRow
from webapp.importers.tables.amounts import DASHES, currency_code, currency_in, exact, has_own_sign
from webapp.importers.tables.days import AS_OF, DayParser
from webapp.importers.tables.layouts import Layout
from webapp.importers.tables.rows import DELIMITERS, TableRow
from webapp.importers.tables.statuses import PENDING, folded_words
from webapp.importers.tables.vocabulary import CREDIT_OR_DEBIT, OUT
from webapp.importers.texts import joined, quoted
from webapp.ledger.currencies import DIGITS, UnknownCurrencyError, canonical

_MAX_ID: Final = 255
_MAX_SKIPPED_TEXT: Final = 500
_STRENGTHS: Final[Sequence[Label]] = ("", "HINT", "SUM", "BALANCE")
_NEITHER: Final = "It has neither a date nor an amount."
_MOST_CELLS: Final = 8
_DETAILS: Final = ("charges", "original_amount", "exchange_rate")
_LETTER: Final = re.compile(r"[^\W\d_]")
_ODD_SPACE: Final = re.compile(r"\s\s|[^\S ]|^\s|\s$")
_NOTHING: Final = frozenset({"", "-", "--", "\u2212", "\u2013"})


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A line with the account and the currency of its row, and the running balance after it.

    `label` is what the text of the row says of a balance; `written` is the amount without the mapping's `invert`.
    """

    line: FileLine
    account: str | None
    currency: str | None
    balance: Decimal | None
    label: Label
    written: Decimal


class TableReader:
    """Reads the rows of one table in its layout."""

    def __init__(self, table: Sequence[TableRow], layout: Layout, *, may_shift: bool = True) -> None:
        """Scan the rows; with `may_shift` an unquoted delimiter in a text moves the cells behind it, as in CSV."""
        self._layout = layout
        self._amounts = layout.amounts
        self._table = table
        self._days = DayParser(layout.date_format)
        valued = layout.columns.get("value_date")
        self._value_days = self._days.beside(set() if valued is None else self._distinct(valued))
        self._codes: dict[str, str] = {}
        self._longest = max(len(layout.names), _commonest(layout.body(table)))
        self._debits_are_signed = layout.has_signed_debits(table)
        text_columns = self._text_columns()
        # A delimiter in an unquoted text moves the cells behind it, so that another number is read as the amount.
        self._is_typed = not may_shift
        self._may_shift = may_shift and any(
            column < max([layout.columns["date"], *layout.amounts]) for column in text_columns
        )
        named = [layout.columns[role] for role in ("counterparty", "description") if role in layout.columns]
        self._texts = named if "description" in layout.columns else text_columns
        self._labels = named or text_columns
        self._others = [column for column in text_columns if column not in self._labels]
        self._has_two_days = any(AS_OF in day for day in self._distinct(layout.columns["date"]))
        self._marks = self._mark_column() if layout.invert else None
        self._has_details = not layout.columns.keys().isdisjoint(_DETAILS)
        self._costs_are_negative = "charges" in layout.columns and any(
            (layout.number(row, layout.columns["charges"]) or 0) < 0 for row in layout.body(table)
        )
        # Rows without a day that state a balance.
        self.stated: list[Movement] = []

    def entries(self) -> tuple[list[TableEntry], list[SkippedRow]]:
        """Read every row; raises FileRefusedError with row, column and value."""
        header = self._layout.header
        skipped = [_skipped(row, "Above the table, ignored.") for row in self._table[: header or 0]]
        entries: list[TableEntry] = []
        totals: list[tuple[TableRow, Decimal]] = []
        unread: TableRow | None = None
        if self._is_typed:
            self._layout.refuse_error_cells(self._table)
        for row in self._layout.body(self._table):
            if not any(row.cells):
                continue
            if reason := self._moves_no_money(row):
                skipped.append(_skipped(row, reason))
                continue
            day = self._day(row)
            if day is None and (reason := self._skip_reason(row)):
                skipped.append(_skipped(row, reason))
                self._note_stated(row)
                continue
            amount = self._amount(row)
            if amount is None and day is not None and (reason := self._reason_without_amount(row)):
                skipped.append(_skipped(row, reason))
            elif day is None and amount is not None and _naming_cell(row):
                totals.append((row, amount))
            elif day is None or amount is None:
                self._refuse_incomplete(row, day, amount)
                skipped.append(_skipped(row, _NEITHER))
                unread = unread or row
            else:
                entries.append(self._entry(row, day, amount))
        skipped += self._added_up(totals, entries)
        if unread and not entries:
            cells = ", ".join(quoted(cell) for cell in unread.cells[:_MOST_CELLS])
            raise FileRefusedError(
                f"No row of the table can be read as a line; the first is row {unread.number:,} ({cells}), which has"
                f" neither a date in {self._layout.named(self._layout.columns['date'])} nor an amount in"
                f" {self._layout.named(self._layout.amounts[0])}."
            )
        return entries, [each for each in skipped if each.text]

    def _added_up(
        self, totals: Sequence[tuple[TableRow, Decimal]], entries: Sequence[TableEntry]
    ) -> Iterator[SkippedRow]:
        """Skip rows without a date that name a sum; raises FileRefusedError for an amount that is none of the lines."""
        sums = totals_of(entry.written for entry in entries) if totals else set()
        for row, amount in totals:
            if abs(amount) not in sums:
                self._refuse_incomplete(row, None, amount)
            yield _skipped(row, REASON)

    def _entry(self, row: TableRow, day: date, amount: Decimal) -> TableEntry:
        if self._may_shift and any(row.cells[self._longest :]):
            raise self._row_error(
                row, self._longest, "the row has more cells than the others; one cell may have been split"
            )
        columns = self._layout.columns
        reference = self._cell(row, "reference")
        counterparty = self._cell(row, "counterparty")
        written, amount = amount, self._turned(row, amount)
        line = FileLine(
            row=row.number,
            booked_on=day,
            value_on=self._value_day(row, day),
            amount=amount,
            description=joined(_one_line(row.cell(column)) for column in self._texts),
            pending=self._is_pending(row),
            provider_transaction_id=reference and reference[:_MAX_ID],
            counterparty=counterparty and counterparty[:_MAX_ID],
            reference=reference and reference[:_MAX_ID],
            **(self._details(row) if self._has_details else {}),
        )
        account = row.cell(columns["account_column"]) if "account_column" in columns else ""
        return TableEntry(
            # A single quotation mark is not part of an account's number.
            line,
            _one_line(account).strip('"')[:_MAX_ID] or None,
            self._currency(row),
            self._balance(row, amount),
            self._label(row),
            written,
        )

    def _details(self, row: TableRow) -> dict[str, Any]:
        """Return what the row states beside its amount, as far as it can be read."""
        layout = self._layout
        charges, original, rate = (
            layout.number(row, layout.columns[role]) if role in layout.columns else None for role in _DETAILS
        )
        column = layout.columns.get("original_currency")
        code = "" if column is None else row.cell(column).upper()
        is_foreign = bool(original) and code in DIGITS and code != self._currency(row)
        # A fee that came back is no charge of this line.
        is_cost = charges is not None and (charges < 0) == self._costs_are_negative
        return {
            "charges": abs(charges) if charges and is_cost else None,
            "original_amount": abs(original) if original and is_foreign else None,
            "original_currency": code if is_foreign else None,
            "exchange_rate": rate if rate and rate > 0 and is_foreign else None,
        }

    def _label(self, row: TableRow) -> Label:
        """Return what the texts of a row say of a balance; a row of which one is a payee's name gives a hint."""
        if len(self._labels) == 1 and (text := row.cell(self._labels[0])):
            return label_of(text)
        labels = {label_of(text) for column in self._labels if (text := row.cell(column))}
        labels = labels or {label_of(text) for column in self._others if (text := row.cell(column))}
        if len(labels) > 1 and "" in labels:
            return "HINT"
        return max(labels, key=_STRENGTHS.index, default="")

    def labelled_cell(self, number: int) -> tuple[str, object]:
        """Return the first text of a row that may state a balance, and its column as a mapping names it."""
        row = next(row for row in self._table if row.number == number)
        columns = [*self._labels, *self._others]
        column = max(columns, key=lambda column: _STRENGTHS.index(label_of(row.cell(column))))
        names = self._layout.names
        return row.cell(column), (names[column] if column < len(names) else "") or column

    @property
    def has_no_balances(self) -> bool:
        """Return whether the mapping says that every row is a line."""
        return self._layout.leave_out is not None and not self._layout.leave_out[1]

    def _value_day(self, row: TableRow, booked_on: date) -> date | None:
        """Return the value day in its column, or behind the day of booking (03/17/2026 as of 03/15/2026)."""
        columns = self._layout.columns
        found = self._value_days.day(row.cell(columns["value_date"])) if "value_date" in columns else None
        if self._has_two_days:
            found = found or self._days.value_day(row.cell(columns["date"]))
        return None if found == booked_on and "value_date" not in columns else found

    def _note_stated(self, row: TableRow) -> None:
        """Keep the balance that a row without a day states, where its amount can be read."""
        label = _naming_cell(row)
        with suppress(FileRefusedError):
            if label_of(label) == "BALANCE" and (amount := self._amount(row)) is not None:
                self.stated.append(Movement(amount, "BALANCE", end=end_of(label)))

    def _reason_without_amount(self, row: TableRow) -> str | None:
        """Return why a row with a day and no amount is skipped: it only has a balance, or the mapping says so."""
        column = self._layout.columns.get("balance")
        if column is not None and self._label(row) == "BALANCE" and self._number(row, column) is not None:
            return REASON
        return "It has no amount." if self._layout.skips_without_amount else None

    def _skip_reason(self, row: TableRow) -> str | None:
        """Return why a row without a date is skipped, though it may have an amount, or None."""
        dated = row.cell(self._layout.columns["date"])
        if any(map(str.isdigit, dated)) and not states_a_sum(dated):
            return None
        label = _naming_cell(row)
        amounts = [row.cell(column) for column in self._layout.amounts]
        # Total is also the name of a payee; but no payment has both a debit and a credit.
        may_be_payee = label != dated and (len(amounts) == 1 or not _NOTHING.isdisjoint(amounts))
        if label_of(label) == "BALANCE" if may_be_payee else label:
            return REASON
        return "It is pending and has no date yet." if self._is_pending(row, dated) else None

    def _moves_no_money(self, row: TableRow) -> str | None:
        """Return why a row is left out by its status, by its flag or by the mapping, or None."""
        layout = self._layout
        if layout.leave_out and row.cell(layout.leave_out[0]).casefold() in layout.leave_out[1]:
            return LEFT_OUT
        if layout.status and layout.status[1].is_unmoved(text := row.cell(layout.status[0])):
            return f"{quoted(text)} in {layout.named(layout.status[0])} says that it moved no money."
        if not layout.flag:
            return None
        column, words = layout.flag
        if row.cell(column).casefold() not in words.neither:
            return None
        named = layout.named(column)
        return f"{quoted(row.cell(column))} in {named} is neither money in nor money out, by the mapping."

    def _is_pending(self, row: TableRow, dated: str = "") -> bool:
        """Return whether the row is pending, by its status column or by a word in its date column."""
        status = self._layout.status
        has_status = status and status[1].is_pending(row.cell(status[0]))
        return bool(has_status) or (bool(dated) and folded_words([dated]) <= PENDING)

    def _day(self, row: TableRow) -> date | None:
        return self._days.day(row.cell(self._layout.columns["date"]))

    def _amount(self, row: TableRow) -> Decimal | None:
        """Return the amount of a row as written, or None; raises FileRefusedError for an unreadable amount."""
        if self._layout.in_currencies:
            return self._flagged(row, self._number(row, self._layout.amount_of(row)))
        values = [self._number(row, column) for column in self._amounts]
        if len(values) == 1:
            return self._flagged(row, values[0])
        debit, credit = values
        if debit and credit:
            raise self._row_error(row, self._layout.amounts[0], "the row has a debit and also a credit")
        if debit is None and credit is None:
            return None
        if not debit:
            return credit if credit or debit is None else debit
        return debit if self._debits_are_signed else -debit

    def _turned(self, row: TableRow, value: Decimal) -> Decimal:
        """Return an amount in the direction of the mapping; one that has its own sign keeps it."""
        if not self._layout.invert:
            return value
        if self._marks is not None and (word := row.cell(self._marks).casefold()):
            return -abs(value) if word in OUT else abs(value)
        if len(self._layout.amounts) == 1 and has_own_sign(row.cell(self._layout.amounts[0])):
            return value
        return -value or abs(value)

    def _mark_column(self) -> int | None:
        """Find the column of CR and DR that gives some amounts their own sign, under `invert`.

        Raises MappingNeededError where amounts have both signs, so that nothing is left to turn.
        """
        layout, body = self._layout, self._layout.body(self._table)
        if layout.flag or "amount" not in layout.columns:
            return None
        column = layout.columns["amount"]
        plus = next((row for row in body if "+" in row.cell(column) and has_own_sign(row.cell(column))), None)
        if plus and any(row.cell(column).translate(DASHES).startswith("-") for row in body):
            raise MappingNeededError(
                f"Row {plus.number:,}: {quoted(plus.cell(column))} has a sign of its own, as the other amounts have;"
                ' there is nothing that {"invert": true} of the mapping could turn.',
                "invert",
                example=plus.cell(column),
            )
        used = {*layout.columns.values()}
        for other in range(self._longest):
            words = {row.cell(other).casefold() for row in body} - {""}
            if other not in used and words and words <= CREDIT_OR_DEBIT:
                return other
        return None

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
        value = self._layout.number(row, column)
        if value is None and (any(map(str.isnumeric, text)) or self._needs_amount(row)):
            return self._stated(row, column)
        return value

    def _needs_amount(self, row: TableRow) -> bool:
        return not self._layout.skips_without_amount and self._day(row) is not None

    def _stated(self, row: TableRow, column: int) -> Decimal:
        """Return the amount of a row that states a balance, which some banks write with a delimiter too many.

        Raises FileRefusedError for other rows, and MappingNeededError where a balance cannot be read.
        """
        if self._label(row) != "BALANCE" or self.has_no_balances:
            raise self._row_error(row, column, "it is not an amount in the format of the others")
        value = exact(
            row.cell(column).strip("".join(DELIMITERS)), self._layout.decimal, self._layout.thousands
        )
        if value is None:
            raise unclear(row.number, *self.labelled_cell(row.number))
        return value

    def _balance(self, row: TableRow, amount: Decimal) -> Decimal | None:
        if "balance" not in self._layout.columns:
            return None
        value = self._number(row, self._layout.columns["balance"])
        return value + amount if value is not None and self._layout.balance_is_before else value

    def _currency(self, row: TableRow) -> str | None:
        """Return the currency of a row; raises FileRefusedError if its amount has another code."""
        layout = self._layout
        if layout.in_currencies:
            return layout.in_currencies[layout.amount_of(row)]
        code = layout.currency
        if "currency_column" in layout.columns:
            column = layout.columns["currency_column"]
            code = self._code(row, column)
        for column in self._amounts:
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

    def _refuse_incomplete(self, row: TableRow, day: date | None, amount: Decimal | None) -> None:
        """Refuse a row with a date and no amount, or an amount and no date."""
        if day is not None:
            refusal = self._layout.refusal(row, self._layout.amounts[0], "the row has a date and no amount")
            if self._layout.is_mapped:
                raise refusal
            raise MappingNeededError(
                f"{refusal} Choose in the mapping whether such rows are left out, as skipWithoutAmount.",
                "skipWithoutAmount",
                **refusal.details,
            )
        if amount is not None:
            raise self._row_error(row, self._layout.columns["date"], "the row has an amount and no date")

    def _row_error(self, row: TableRow, column: int, why: str) -> FileRefusedError:
        return self._layout.refusal(row, column, why)

    def _cell(self, row: TableRow, role: str) -> str | None:
        column = self._layout.columns.get(role)
        return None if column is None else _one_line(row.cell(column)) or None

    def _text_columns(self) -> list[int]:
        """Return the columns with the bank's texts, including the counterparty's name."""
        free = ("counterparty", "description", "value_date", "original_currency", *_DETAILS)
        # These columns stay: in earlier versions they were texts like others, by which lines are recognised.
        used = {column for role, column in self._layout.columns.items() if role not in free}
        used |= {each[0] for each in (self._layout.flag, self._layout.status) if each}
        return [
            column
            for column in range(self._longest)
            if column not in used and any(map(_LETTER.search, self._distinct(column)))
        ]

    def _distinct(self, column: int) -> set[str]:
        """Return the different values of a column, of which a long table repeats most."""
        return {row.cell(column) for row in self._layout.body(self._table)}


def _commonest(rows: Sequence[TableRow]) -> int:
    lengths = Counter(len(row.cells) for row in rows if any(row.cells))
    return max(lengths, key=lambda length: (lengths[length], length), default=0)


def _naming_cell(row: TableRow) -> str:
    """Return the cell of a row that only names a sum or a balance, or nothing."""
    return next((cell for cell in row.cells if states_a_sum(cell)), "")


def _one_line(text: str) -> str:
    # A text that is on one line stays the same object, of which a long file has a hundred thousand.
    return " ".join(text.split()) if _ODD_SPACE.search(text) else text


def _skipped(row: TableRow, reason: str) -> SkippedRow:
    text = _one_line(" ".join(cell for cell in row.cells if cell))
    return SkippedRow(row.number, text[:_MAX_SKIPPED_TEXT], reason)
