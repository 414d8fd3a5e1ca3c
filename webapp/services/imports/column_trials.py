"""A kept file under a mapping that is tried out: its first rows, and its lines as they would come in."""

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
    """How a file stands: `mapping` is how it was read in full, `refusal` why it was not; one of them is none.

    `glimpse` is none for a file that is no table. `opens` says that the file would open an account which it does not
    name.
    """

    glimpse: TableSample | None
    mapping: Mapping[str, object] | None = None
    records: Sequence[ImportLineRecord] = ()
    added: int = 0
    refusal: FileRefusedError | None = None
    opens: bool = False


def tried(imported: Import, data: bytes, mapping: dict[str, object] | None) -> ColumnReading:
    """Read a file with a mapping, and judge it against the books; nothing is written."""
    glimpse = _glimpse(data, mapping)
    try:
        reading = imports.read(data, mapping)
        plan = preview_lines.planned(imported, reading)
    except FileRefusedError as error:
        return ColumnReading(glimpse, refusal=error)
    columns = reading.file.columns
    return ColumnReading(
        glimpse,
        columns.mapping if columns else {},
        preview_lines.records(plan),
        added=plan.added,
        opens=any(each.fa_id is None and not each.external_id for each in preview_lines.open_accounts(plan)),
    )


def _glimpse(data: bytes, mapping: dict[str, object] | None) -> TableSample | None:
    """Look at the rows, as the file itself has them where the mapping finds none."""
    for each in (mapping, None):
        try:
            return importers.sample(data, each)
        except FileRefusedError:
            continue
    return None
