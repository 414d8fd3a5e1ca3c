"""Tables that move books in: read from what a request sends before its transaction begins."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.services.documents.sent_files import unpacked
from webapp.services.moving import book_tables
from webapp.services.moving.book_tables import SentBookTable
from webapp.web.document_files import received_bytes

RECEIVED: Final = "Choose the table: a CSV or XLSX file."


def sent(body: Mapping[str, Any]) -> SentBookTable:
    """Read the table of a body that the schema of its form or of its JSON has read."""
    if body["kind"] is None:
        raise ma.ValidationError({"kind": ["Say what it is: ACCOUNTS, OPENING, ITEMS or JOURNAL."]})
    named = unpacked(body["file_name"], body["content"]) if "content" in body else received_bytes(RECEIVED)
    return of_file(*named, body["mapping"], body)


def of_file(
    name: str, data: bytes, mapping: Mapping[str, object] | None, chosen: Mapping[str, Any]
) -> SentBookTable:
    """Read a table with what was chosen for it."""
    facts = {name: chosen[name] for name in ("on", "document_type", "force")}
    return book_tables.read(name, data, chosen["kind"], mapping, **facts)
