"""What a bank file says, whatever its format: statements, balances and lines, as facts without our books."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Final, Literal

from webapp.ledger.errors import UnprocessableError

# Twice the largest file anyone is known to export; beyond it a file is an attack or a mistake.
MAX_LINES: Final = 200_000


class FileRefusedError(UnprocessableError):
    """The file cannot be read as a bank file; nothing of it was taken."""

    code = "file_refused"


class AskedError(FileRefusedError):
    """The file leaves something open that a mapping can tell; `key` is what the mapping calls it."""

    def __init__(self, message: str, key: str, **details: object) -> None:
        """Ask for `key`; `details` say what may be chosen."""
        super().__init__(message, details={"key": key, **details})
        self.key = key


class RowRefusedError(FileRefusedError):
    """A row of the file cannot be read; `column` counts from 0, and `value` is what stands there."""

    def __init__(self, message: str, *, row: int, column: int, named: str, value: str) -> None:
        """Refuse the row of this number; `named` is the column as a message names it."""
        super().__init__(message, details={"row": row, "column": column, "named": named, "value": value})


@dataclass(frozen=True, slots=True)
class StatedBalance:
    """A ledger balance the bank states for the close of a day; without a day it can be shown, not counted from.

    `stated_at` (UTC) orders several balances of one day, where the bank gives a time.
    """

    amount: Decimal
    day: date | None
    stated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a statement, as the bank wrote it; `row` counts the file's lines from 1.

    The amount is the account holder's view, money in positive. `provider_transaction_id` is the bank's
    reference exactly as sent, placeholders included; `description` is all of the bank's text.

    Of a batch, `payments` counts what was booked together, and `parts` are those as lines of their own, where
    the bank says what each amounts to.
    """

    row: int
    booked_on: date
    amount: Decimal
    description: str
    value_on: date | None = None
    pending: bool = False
    provider_transaction_id: str | None = None
    counterparty: str | None = None
    reference: str | None = None
    iban: str | None = None
    payments: int = 1
    parts: "tuple[Line, ...]" = ()


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row that is no line of a statement, and why."""

    row: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Statement:
    """What a file says about one account; `currency` is an ISO 4217 code, None where the file has none."""

    external_id: str | None
    currency: str | None
    lines: tuple[Line, ...]
    kind: Literal["BANK", "CARD"] = "BANK"
    name: str | None = None
    institution: str | None = None
    opening: StatedBalance | None = None
    closing: StatedBalance | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """How a table was read: `mapping` tells all of it (behaviour.md 2), `names` is its header, empty where it has none.

    `layout` is alike for tables of one layout: a SHA-256 in hex.
    """

    layout: str
    names: tuple[str, ...]
    mapping: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BankFile:
    """A whole file, read or refused as one; `columns` where it is a table."""

    format: str
    statements: tuple[Statement, ...]
    warnings: tuple[str, ...] = field(default=())
    skipped: tuple[SkippedRow, ...] = field(default=())
    columns: Columns | None = None
