"""A table of invoices read with a mapping on trial: its first rows, or the question that it raises."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from webapp.importers import TableSample, invoice_tables
from webapp.importers.bank_files import FileRefusedError
from webapp.services.audit.limits import ActTooLargeError
from webapp.services.documents import table_plans
from webapp.services.documents.table_plans import SentTable
from webapp.services.imports.column_trials import ColumnReading


def try_mapping(
    name: str, data: bytes, document_type: str, mapping: Mapping[str, object] | None
) -> tuple[ColumnReading, SentTable | None]:
    """Read a table with a mapping; nothing is written. Answers the table, too, where it could be read."""
    sample = _sample(data, mapping)
    try:
        table = table_plans.read(name, data, document_type, mapping)
    except (FileRefusedError, ActTooLargeError) as error:
        return ColumnReading(sample, refusal=error), None
    return ColumnReading(sample, table.table.mapping), table


def _sample(data: bytes, mapping: Mapping[str, object] | None) -> TableSample | None:
    """Read the first rows, without the mapping where that finds none."""
    for each in (mapping, None):
        with suppress(FileRefusedError):
            return invoice_tables.sample(data, each)
    return None
