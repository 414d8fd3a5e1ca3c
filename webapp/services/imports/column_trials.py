"""A kept file read with a mapping on trial: its first rows, and its lines as they would be imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp import importers
from webapp.importers import TableSample
from webapp.importers.bank_files import FileRefusedError
from webapp.models import Import
from webapp.queries.imports.imports import ImportLineRecord
from webapp.services.imports import imports, preview_lines


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """A file read with a mapping: `mapping` is the whole one that was used, or `refusal` why it could not be read.

    `sample` is None for a file that is not a table. With `opens` the file would open an account that it does not name.
    """

    sample: TableSample | None
    mapping: Mapping[str, object] | None = None
    records: Sequence[ImportLineRecord] = ()
    added: int = 0
    refusal: FileRefusedError | None = None
    opens: bool = False


def try_mapping(imported: Import, data: bytes, mapping: dict[str, object] | None) -> ColumnReading:
    """Read a file with a mapping, and compare it with the books; nothing is written."""
    sample = _sample(data, mapping)
    try:
        reading = imports.read(data, mapping)
        plan = preview_lines.plan_of(imported, reading)
    except FileRefusedError as error:
        return ColumnReading(sample, refusal=error)
    columns = reading.file.columns
    return ColumnReading(
        sample,
        columns.mapping if columns else {},
        preview_lines.records(plan),
        added=plan.added,
        opens=any(each.fa_id is None and not each.external_id for each in preview_lines.open_accounts(plan)),
    )


def _sample(data: bytes, mapping: dict[str, object] | None) -> TableSample | None:
    """Read the first rows, without the mapping where that finds none."""
    for each in (mapping, None):
        try:
            return importers.sample(data, each)
        except FileRefusedError:
            continue
    return None
