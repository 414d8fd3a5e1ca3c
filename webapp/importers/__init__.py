"""Readers of bank files, one module per format, all answering to the same two functions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from webapp.importers import foreign_files
from webapp.importers.balances import contradictions
from webapp.importers.bank_files import BankFile, FileRefusedError
from webapp.importers.camt import reader as camt
from webapp.importers.mt940 import reader as mt940
from webapp.importers.ofx import reader as ofx
from webapp.importers.qif import reader as qif
from webapp.importers.tables import reader as csv_files
from webapp.importers.tables.glimpses import Glimpse
from webapp.importers.xlsx import reader as xlsx

__all__ = ["BankFile", "FileRefusedError", "Glimpse", "glimpse", "layouts", "read", "takes_mapping"]


class Reader(Protocol):
    """A module that knows one format by its bytes and reads it."""

    def recognises(self, data: bytes) -> bool:
        """Tell whether the bytes look like this format."""

    def read(self, data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
        """Read a whole file, or raise FileRefusedError."""


# What is binary may hold a text of any other format within, so that it is asked first; any text in columns may be
# CSV, so that it is asked last.
_READERS: Final[tuple[Reader, ...]] = (xlsx, foreign_files, ofx, camt, mt940, qif, csv_files)
_TABLES: Final = (xlsx, csv_files)
_TAKE_A_MAPPING: Final = (xlsx, qif, csv_files)


def layouts(data: bytes) -> Sequence[str]:
    """Give the layouts that a table may have (bank_files.Columns), one for each row that may be its header.

    A file that is no table has none.
    """
    reader = _reader(data)
    return next((each.layouts(data) for each in _TABLES if each is reader), ())


def glimpse(data: bytes, mapping: Mapping[str, object] | None = None) -> Glimpse | None:
    """Look at the first rows of a table as a mapping would have them, None for a file that is no table.

    Raises FileRefusedError where not even rows are found.
    """
    reader = _reader(data)
    return next((each.glimpse(data, mapping) for each in _TABLES if each is reader), None)


def takes_mapping(data: bytes) -> bool:
    """Tell whether the bytes look like a format that a mapping helps to read."""
    return _reader(data) in _TAKE_A_MAPPING


def _reader(data: bytes) -> Reader | None:
    return next((each for each in _READERS if each.recognises(data)), None)


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
    """Read a bank file of any known format, recognised by its bytes and never by its name.

    `mapping` says where a CSV or XLSX file keeps its columns, and what a QIF file leaves open. Where the file's own
    balances contradict its lines, that is among its warnings. Raises FileRefusedError with a sentence for the user.
    """
    if not data.strip(b"\0 \t\r\n"):
        raise FileRefusedError("The file is empty; download it from the bank again.")
    reader = _reader(data)
    if reader is None:
        raise FileRefusedError(
            "The file is in no format that is known here; export it from the bank as CAMT, MT940, OFX, QFX, QIF, CSV"
            " or XLSX."
        )
    bank_file = reader.read(data, mapping=mapping)
    return replace(bank_file, warnings=(*bank_file.warnings, *contradictions(bank_file.statements)))
