"""Tables of invoices: read from what a request sends before its transaction begins, and what their rows become."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import marshmallow as ma

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.models import InboxFile
from webapp.queries.access import organizations
from webapp.queries.documents import inbox_files
from webapp.queries.suggestions.document_bookings import ChosenAccounts
from webapp.services.bookkeeping import document_tables, table_records
from webapp.services.bookkeeping.document_tables import FiledTable, TableChoices
from webapp.services.bookkeeping.table_records import TableRecord
from webapp.services.documents import table_plans
from webapp.services.documents.sent_files import unpacked
from webapp.services.documents.table_plans import SentTable
from webapp.services.imports import column_trials
from webapp.services.imports.column_trials import ColumnReading
from webapp.web.access import requests
from webapp.web.access.auth import acting, demand, organization_id
from webapp.web.document_files import RECEIVED_TABLE, received_bytes


@dataclass(frozen=True, slots=True)
class TriedTable:
    """A file that waits, how its columns are read, and its rows, where they could be read."""

    waiting: InboxFile
    reading: ColumnReading
    table: TableRecord | None


def sent(body: Mapping[str, Any]) -> SentTable:
    """Read the table of a body that the schema of its form or of its JSON has read."""
    if body["document_type"] is None:
        sentence = "Say whether these are INVOICE of ours, or BILL of suppliers."
        raise ma.ValidationError({"documentType": [sentence]})
    if "content" in body:
        name, data = unpacked(body["file_name"], body["content"])
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
    """Compare a table with the books, without a change."""
    planned = table_plans.plan(table, organizations.get(organization_id()), now=requests.now())
    return table_records.record(table, FiledTable(planned, frozenset()))


def filed(table: SentTable, chosen: TableChoices) -> TableRecord:
    """File the invoices of a table."""
    return table_records.record(table, document_tables.file_table(table, chosen, **acting()))


def kept(inbox_file_id: int) -> InboxFile:
    """Find a table in the books of the request, also one that is filed already, so that its rows can be looked at."""
    return inbox_files.kept(organization_id(), inbox_file_id)


def tried_waiting(inbox_file_id: int, document_type: str, mapping: Mapping[str, object] | None) -> TriedTable:
    """Read a table that waits in the inbox, and compare it with the books; what was begun before is taken back."""
    db.session.rollback()
    requests.begin_reading(organization_id())
    found = kept(inbox_file_id)
    data = document_tables.data_of(found)
    reading, table = column_trials.try_invoice_mapping(found.file_name, data, document_type, mapping)
    try:
        return TriedTable(found, reading, None if table is None else tried(table))
    except LedgerError as error:
        return TriedTable(found, replace(reading, refusal=error), None)


def waiting(inbox_file_id: int, document_type: str, mapping: Mapping[str, object] | None) -> SentTable:
    """Read a table that waits in the inbox while the books are closed."""
    requests.begin_reading(organization_id())
    found = kept(inbox_file_id)
    name, data = found.file_name, document_tables.data_of(found)
    db.session.rollback()
    return table_plans.read(name, data, document_type, mapping)


def filed_waiting(found: InboxFile, table: SentTable, chosen: TableChoices) -> TableRecord:
    """File the invoices of a table that waits."""
    return table_records.record(table, document_tables.file_waiting(found, table, chosen, **acting()))
