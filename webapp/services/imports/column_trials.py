"""A kept file read with a mapping on trial: its first rows, and its lines or invoices as they would be imported."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from webapp import importers
from webapp.importers import TableSample, book_tables, invoice_tables
from webapp.importers.bank_files import FileRefusedError
from webapp.importers.records import record_layouts
from webapp.importers.records.record_layouts import TableKind
from webapp.ledger.errors import LedgerError
from webapp.models import Import
from webapp.queries.imports.imports import ImportLineRecord
from webapp.services.audit.limits import ActTooLargeError
from webapp.services.documents import table_plans
from webapp.services.documents.table_plans import SentTable
from webapp.services.imports import preview_lines
from webapp.services.imports.planning import plans


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """A file read with a mapping: `mapping` is the whole one that was used, or `refusal` why it could not be read.

    `sample` is None for a file that is not a table. With `opens` the file would open an account that it does not name.
    `guess` is the mapping that was used where no header names the columns, guessed by what they hold.
    """

    sample: TableSample | None
    mapping: Mapping[str, object] | None = None
    records: Sequence[ImportLineRecord] = ()
    added: int = 0
    refusal: LedgerError | None = None
    opens: bool = False
    guess: Mapping[str, object] | None = None


def try_mapping(imported: Import, data: bytes, mapping: dict[str, object] | None) -> ColumnReading:
    """Read a file with a mapping, and compare it with the books; nothing is written."""
    sample = _sample(data, mapping)
    try:
        reading = plans.read(data, mapping)
        plan = preview_lines.plan_of(imported, reading)
    except FileRefusedError as error:
        # A table without known names may be certain of its columns, and still ask about its days.
        if mapping is None and sample and not sample.columns:
            guess = importers.guessed_mapping(sample.rows)
            if guess:
                return replace(try_mapping(imported, data, guess), guess=guess)
        return ColumnReading(sample, refusal=error)
    columns = reading.file.columns
    return ColumnReading(
        sample,
        columns.mapping if columns else {},
        preview_lines.records(plan),
        added=plan.added,
        opens=any(
            each.question or (each.fa_id is None and not each.external_id)
            for each in preview_lines.open_accounts(plan)
        ),
    )


def _sample(data: bytes, mapping: dict[str, object] | None) -> TableSample | None:
    """Read the first rows, without the mapping where that finds none."""
    for each in (mapping, None):
        try:
            return importers.sample(data, each)
        except FileRefusedError:
            continue
    return None


def try_invoice_mapping(
    name: str, data: bytes, document_type: str, mapping: Mapping[str, object] | None
) -> tuple[ColumnReading, SentTable | None]:
    """Read a table with a mapping; nothing is written. Answers the table, too, where it could be read."""
    sample = sample_of(data, invoice_tables.INVOICES, mapping)
    try:
        table = table_plans.read(name, data, document_type, mapping)
    except (FileRefusedError, ActTooLargeError) as error:
        return ColumnReading(sample, refusal=error), None
    return ColumnReading(sample, table.table.mapping), table


def sample_of(data: bytes, kind: TableKind, mapping: Mapping[str, object] | None) -> TableSample | None:
    """Read the first rows of a table, without the mapping where that finds none."""
    for each in (mapping, None):
        with suppress(FileRefusedError):
            return record_layouts.sample(data, kind, each)
    return None


def sample_of_books(data: bytes, kind: str, mapping: Mapping[str, object] | None) -> TableSample | None:
    """Read the first rows of a table that moves books in, without the mapping where that finds none."""
    return sample_of(data, book_tables.KINDS[kind], mapping)
