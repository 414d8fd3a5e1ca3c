"""Tables of invoices: read from what a request sends before its transaction begins, and what their rows become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import marshmallow as ma

from webapp import queries
from webapp.importers.bank_files import SkippedRow
from webapp.ledger.money import Money
from webapp.queries.suggestions.document_bookings import ChosenAccounts
from webapp.services.documents import table_filings, table_plans
from webapp.services.documents.table_filings import FiledTable, TableChoices
from webapp.services.documents.table_plans import RowVerdict, SentTable
from webapp.web.access import requests
from webapp.web.access.auth import acting, demand, organization_id
from webapp.web.document_files import RECEIVED_TABLE, received_bytes


@dataclass(frozen=True, slots=True)
class TableRowRecord:
    """A row of a table, with its verdict and what became of it."""

    row: int
    verdict: RowVerdict
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


def sent(body: Mapping[str, Any]) -> SentTable:
    """Read the table of a body that the schema of its form or of its JSON has read."""
    if body["document_type"] is None:
        raise ma.ValidationError(
            {"documentType": ["Say whether these are INVOICE of ours, or BILL of suppliers."]}
        )
    if "content" in body:
        name, data = body["file_name"], body["content"]
    else:
        name, data = received_bytes(RECEIVED_TABLE)
    return table_plans.read(name, data, body["document_type"], body["mapping"])


def choices(body: Mapping[str, Any]) -> TableChoices:
    """Give what is chosen for the rows of a table; to post their entries needs the scope confirm."""
    if body["entries"] == "POSTED":
        demand("confirm")
    accounts = ChosenAccounts(body["account_id"], body["tax_account_id"], body["counter_account_id"])
    return TableChoices(body["make_merchants"], body["entries"], accounts, body["force"], body["note"])


def tried(table: SentTable) -> TableRecord:
    """Compare a table with the books, of which nothing is changed."""
    organization = queries.access.organizations.get(organization_id())
    return record(table, FiledTable(table_plans.plan(table, organization, now=requests.now()), frozenset()))


def filed(table: SentTable, chosen: TableChoices) -> TableRecord:
    """File the invoices of a table."""
    return record(table, table_filings.file_table(table, chosen, **acting()))


def record(table: SentTable, done: FiledTable) -> TableRecord:
    """Give a table with what became of its rows."""
    rows = []
    for each in done.planned:
        stated, document = each.stated, each.document
        is_filed = stated.row in done.filed
        place = document if is_filed else each.there
        rows.append(
            TableRowRecord(
                row=stated.row,
                verdict=each.verdict,
                is_filed=is_filed,
                document_type=document.document_type,
                number=stated.number,
                issued_on=stated.issued_on,
                due_on=stated.due_on,
                party=stated.party,
                vat_id=stated.vat_id,
                currency=document.currency,
                net=document.net,
                tax=document.tax,
                total=document.total,
                document_id=None if place is None else place.id,
                journal_entry_id=done.entry_ids.get(stated.row),
                problem=done.problems.get(stated.row),
            )
        )
    counts = {each.name.lower(): sum(row.verdict is each for row in rows) for each in RowVerdict}
    itself = None if done.document is None else done.document.id
    return TableRecord(
        table.name, table.digest, itself, table.table.mapping, counts, rows, table.table.skipped
    )
