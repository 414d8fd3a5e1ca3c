"""Readers of bank files, one package per format, each with `recognises` and `read`; stated balances checked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final, Protocol

from webapp.importers import foreign_files
from webapp.importers.balance_lines import without_balances
from webapp.importers.bank_files import BankFile, FileRefusedError, StatedBalance, Statement
from webapp.importers.camt import reader as camt_reader
from webapp.importers.mt940 import reader as mt940_reader
from webapp.importers.ofx import reader as ofx_reader
from webapp.importers.qif import reader as qif_reader
from webapp.importers.tables import reader as csv_reader
from webapp.importers.tables.guesses import guessed_mapping
from webapp.importers.tables.mappings import left_out
from webapp.importers.tables.samples import TableSample
from webapp.importers.texts import account_label
from webapp.importers.value_days import moved_value_days
from webapp.importers.xlsx import reader as xlsx_reader

__all__ = [
    "BankFile",
    "FileRefusedError",
    "TableSample",
    "guessed_mapping",
    "is_bank_file",
    "is_marked",
    "layouts",
    "read",
    "sample",
    "takes_mapping",
]
_MAX_SENTENCES: Final = 20


class FormatReader(Protocol):
    """A module that recognises one format by its bytes and reads it."""

    def recognises(self, data: bytes) -> bool:
        """Return whether the bytes look like this format."""

    def read(self, data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
        """Read a whole file, or raise FileRefusedError."""


# Binary formats come first, because they may contain text of any other format. CSV comes last, because any text in
# columns may be CSV.
_READERS: Final[tuple[FormatReader, ...]] = (
    xlsx_reader,
    foreign_files,
    ofx_reader,
    camt_reader,
    mt940_reader,
    qif_reader,
    csv_reader,
)
_TABLES: Final = (xlsx_reader, csv_reader)
_MAPPABLE: Final = (xlsx_reader, ofx_reader, qif_reader, csv_reader)


def layouts(data: bytes) -> Sequence[str]:
    """List the possible layout digests of a table (bank_files.Columns), one for each row that may be its header.

    A file that is not a table has none.
    """
    reader = _reader(data)
    return next((each.layouts(data) for each in _TABLES if each is reader), ())


def sample(data: bytes, mapping: Mapping[str, object] | None = None) -> TableSample | None:
    """Return the first rows of a table, read with a mapping, or None for a file that is not a table.

    Raises FileRefusedError where no rows can be read.
    """
    reader = _reader(data)
    return next((each.sample(data, mapping) for each in _TABLES if each is reader), None)


def takes_mapping(data: bytes) -> bool:
    """Return whether the bytes look like a format that a mapping can help to read."""
    return _reader(data) in _MAPPABLE


def is_bank_file(data: bytes) -> bool:
    """Return whether the bytes look like a supported format; any text in columns does."""
    reader = _reader(data)
    return reader is not None and reader is not foreign_files


def is_marked(data: bytes) -> bool:
    """Return whether the bytes have the marks of a bank's format; any text in columns may be a table."""
    return is_bank_file(data) and _reader(data) is not csv_reader


def _reader(data: bytes) -> FormatReader | None:
    return next((each for each in _READERS if each.recognises(data)), None)


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
    """Read a bank file of any supported format, recognised by its bytes and never by its name.

    `mapping` names the columns of a CSV or XLSX file, and settles what an OFX or QIF file leaves ambiguous. Balances
    in the file that do not agree with its lines add a warning. Raises FileRefusedError with a sentence for the user.
    """
    if not data.strip(b"\0 \t\r\n"):
        raise FileRefusedError("The file is empty; download it from the bank again.")
    reader = _reader(data)
    if reader is None:
        raise FileRefusedError(
            "The file's format is not supported; export it from the bank as CAMT, MT940, OFX, QFX, QIF, CSV or XLSX."
        )
    bank_file = reader.read(data, mapping=mapping)
    if reader not in _TABLES:
        words = left_out(mapping["leaveOut"])[1] if mapping and "leaveOut" in mapping else None
        bank_file = without_balances(bank_file, words, may_ask=reader is ofx_reader)
    statements = bank_file.statements
    found = (*contradictions(statements), *moved_value_days(statements))
    return replace(bank_file, warnings=(*bank_file.warnings, *found))


def contradictions(statements: Iterable[Statement]) -> list[str]:
    """Warn where opening + booked lines is not closing, and where a statement does not continue the one before it.

    Statements of one account are compared in the order of the file; balances that the file does not state are not
    checked.
    """
    warnings: list[str] = []
    closings: dict[tuple[str | None, str | None], StatedBalance] = {}
    for statement in statements:
        key = statement.external_id, statement.currency
        warnings += _warnings_of(statement, closings.get(key))
        if statement.closing:
            closings[key] = statement.closing
    if len(warnings) > _MAX_SENTENCES:
        return [*warnings[:_MAX_SENTENCES], f"{len(warnings) - _MAX_SENTENCES:,} more balances do not agree."]
    return warnings


def _warnings_of(statement: Statement, before: StatedBalance | None) -> Iterator[str]:
    account = account_label(statement.external_id)
    opening, closing = statement.opening, statement.closing
    if opening and before and opening.amount != before.amount:
        yield (
            f"{account}: a statement opens with {opening.amount:f}, but the one before it closed with"
            f" {before.amount:f}; a statement between them may be missing."
        )
    booked = sum((line.amount for line in statement.lines if not line.pending), Decimal(0))
    if opening and closing and opening.amount + booked != closing.amount:
        yield (
            f"{account}: the opening balance {opening.amount:f} and the lines {booked:f} make"
            f" {opening.amount + booked:f}, but the closing balance is {closing.amount:f}; lines may be missing."
        )
