"""The contents of a bank file of any format: statements, balances and lines, not yet compared with the books."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.lines import details_of

# The largest export that we know of has 100,000 lines; tables have headings and notes beside them. Each costs about
# 0.1 ms to read, and the last one may be wrong.
MAX_LINES: Final = 110_000
_FIRST_INSTANT: Final = datetime.min.replace(tzinfo=UTC)


class FileRefusedError(UnprocessableError):
    """The file cannot be read as a bank file; nothing was imported."""

    code = "file_refused"


class MappingNeededError(FileRefusedError):
    """The file is ambiguous, and a mapping has to settle it; `key` is the mapping's key for it."""

    def __init__(self, message: str, key: str, **details: object) -> None:
        """Ask for `key` of the mapping; `details` list the possible values."""
        super().__init__(message, details={"key": key, **details})
        self.key = key


class RowRefusedError(FileRefusedError):
    """A row of the file cannot be read; `column` counts from 0, and `value` is the content of the cell."""

    def __init__(self, message: str, *, row: int, column: int, named: str, value: str) -> None:
        """Refuse the row of this number; `named` is the column's name for messages."""
        super().__init__(message, details={"row": row, "column": column, "named": named, "value": value})


@dataclass(frozen=True, slots=True)
class StatedBalance:
    """A ledger balance that the bank states for the close of a day; without a day it is only shown.

    `stated_at` (UTC) orders several balances of one day, where the bank gives a time.
    """

    amount: Decimal
    day: date | None
    stated_at: datetime | None = None

    @property
    def sort_key(self) -> tuple[date, datetime]:
        """Return a key that sorts balances by time."""
        return self.day or date.min, self.stated_at or _FIRST_INSTANT


class FileLine(NamedTuple):
    """One line of a statement, as the bank wrote it; `row` counts the file's lines from 1.

    The amount is the account holder's view, money in positive. `provider_transaction_id` is the bank's
    reference exactly as sent, placeholders included; `description` is all of the bank's text. With
    `has_moved_value_day` the bank wrote a value date that does not exist, and `value_on` is the last of its month.

    `charges` are within the amount, without a sign. `original_amount` is what was paid in another currency, and
    `exchange_rate` turned it into the amount. A line that gives money back has the bank's `return_reason` as a code
    (AM04), and its `return_text`.

    For a batch, `payments` is the number of payments booked together, and `parts` are these payments as lines of
    their own, where the bank states the amount of each.
    """

    row: int
    booked_on: date
    amount: Decimal
    description: str
    value_on: date | None = None
    has_moved_value_day: bool = False
    pending: bool = False
    provider_transaction_id: str | None = None
    counterparty: str | None = None
    reference: str | None = None
    iban: str | None = None
    payments: int = 1
    parts: "tuple[FileLine, ...]" = ()
    charges: Decimal | None = None
    original_amount: Decimal | None = None
    original_currency: str | None = None
    exchange_rate: Decimal | None = None
    return_reason: str | None = None
    return_text: str | None = None

    @property
    def details(self) -> dict[str, str] | None:
        """What the bank states beside amount and text, as it is stored; None for nothing."""
        return details_of(self)


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row that is no statement line, and the reason."""

    row: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of one account in a file; `currency` is an ISO 4217 code, None where the file has none."""

    external_id: str | None
    currency: str | None
    lines: tuple[FileLine, ...]
    kind: Literal["BANK", "CARD"] = "BANK"
    name: str | None = None
    institution: str | None = None
    opening: StatedBalance | None = None
    closing: StatedBalance | None = None


@dataclass(frozen=True, slots=True)
class ChosenReading:
    """A choice among several readings of a table: the mapping's `key`, its value, and what decided it."""

    key: str
    value: object
    why: str


@dataclass(frozen=True, slots=True)
class Columns:
    """How a table was read: the full `mapping` (behaviour.md 2) and the `names` of its header, empty without one.

    `layout` is a SHA-256 in hex, the same for all tables of one layout. `chosen` lists what was chosen for the user.
    `contradicted` are the keys of the mapping of which the balances of the file prove another value.
    """

    layout: str
    names: tuple[str, ...]
    mapping: Mapping[str, object]
    chosen: tuple[ChosenReading, ...] = ()
    contradicted: tuple[str, ...] = ()

    @property
    def choices(self) -> dict[str, object]:
        """Return the part of the mapping that keeps what was chosen; formats that the file shows stay open."""
        keys = {each.key for each in self.chosen}
        if "date" in keys:
            keys.add("valueDate")
        if not self.names and keys:
            # Without a header only columns tell what the file is.
            keys |= self.mapping.keys() - {
                "decimal",
                "thousands",
                "dateFormat",
                "invert",
                "skipWithoutAmount",
            }
        return {key: value for key, value in self.mapping.items() if key in keys}


@dataclass(frozen=True, slots=True)
class BankFile:
    """A whole file, read or refused as one; `columns` is set for a table."""

    format: str
    statements: tuple[Statement, ...]
    warnings: tuple[str, ...] = field(default=())
    skipped: tuple[SkippedRow, ...] = field(default=())
    columns: Columns | None = None
