"""Records of tables of invoices: how each was read, and what became of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from webapp.importers.bank_files import SkippedRow
from webapp.ledger.codes import ROW_VERDICTS
from webapp.ledger.money import Money
from webapp.queries.common.records import record_of
from webapp.services.bookkeeping.document_tables import FiledTable
from webapp.services.documents.table_plans import SentTable


@dataclass(frozen=True, slots=True)
class TableRowRecord:
    """A row of a table, with its verdict and what became of it."""

    row: int
    verdict: str
    is_filed: bool
    document_type: str
    number: str
    issued_on: date
    due_on: date | None
    party: str
    vat_id: str | None
    currency: str | None
    net: Money | None
    tax: Money | None
    total: Money | None
    document_id: int | None
    journal_entry_id: int | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A table of invoices as it was read, and its rows."""

    file_name: str
    sha256: str
    document_id: int | None
    mapping: Mapping[str, object]
    counts: Mapping[str, int]
    rows: Sequence[TableRowRecord]
    skipped: Sequence[SkippedRow]


def record(table: SentTable, done: FiledTable) -> TableRecord:
    """Give a table with what became of its rows."""
    rows = []
    for each in done.planned:
        stated, document = each.stated, each.document
        is_filed = stated.row in done.filed
        place = document if is_filed else each.there
        rows.append(
            record_of(
                TableRowRecord,
                stated,
                verdict=each.verdict,
                is_filed=is_filed,
                document_type=document.document_type,
                currency=document.currency,
                net=document.net,
                tax=document.tax,
                total=document.total,
                document_id=None if place is None else place.id,
                journal_entry_id=done.entry_ids.get(stated.row),
                problem=done.problems.get(stated.row),
            )
        )
    counts = {each.lower(): sum(row.verdict == each for row in rows) for each in ROW_VERDICTS}
    itself = None if done.document is None else done.document.id
    return TableRecord(
        table.name, table.digest, itself, table.table.mapping, counts, rows, table.table.skipped
    )
