"""The history of files: imports of bank files, documents with their further files, and files with a question."""

from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.models import Document, DocumentFile
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.documents import inbox_files
from webapp.queries.imports import imports

KINDS = ("import", "document", "further", "waiting")
LARGEST_ID = 2**63 - 1
NEWEST_DOCUMENT = Order((Document.id,))  # type: ignore[arg-type]
NEWEST_FURTHER = Order((DocumentFile.id,))  # type: ignore[arg-type]


class FileHistoryRow(NamedTuple):
    """A file by its kind, with the record that it has now."""

    kind: str
    record: Any


def listed(organization_id: str, *, after: tuple[Any, ...] | None, limit: int) -> Page[FileHistoryRow]:
    """List the files of all kinds, the newest first; the key of a page is the last id of each kind."""
    keys = after or (LARGEST_ID,) * len(KINDS)
    documents = sa.select(Document).where(
        Document.organization_id == organization_id, Document.file_name.is_not(None)
    )
    further = sa.select(DocumentFile).where(DocumentFile.organization_id == organization_id)
    pages: tuple[Page[Any], ...] = (
        imports.listed(organization_id, after=keys[:1], limit=limit),
        page(documents, NEWEST_DOCUMENT, after=keys[1:2], limit=limit),
        page(further, NEWEST_FURTHER, after=keys[2:3], limit=limit),
        inbox_files.listed(organization_id, after=keys[3:], limit=limit),
    )
    files = [
        [FileHistoryRow(kind, row) for row in of_kind.items]
        for kind, of_kind in zip(KINDS, pages, strict=True)
    ]
    shown = list(islice(merge(*files, key=lambda file: file.record.created_at, reverse=True), limit))
    last = dict(zip(KINDS, keys, strict=True)) | {file.kind: file.record.id for file in shown}
    is_last = len(shown) == sum(map(len, files)) and all(each.next_key is None for each in pages)
    return Page(shown, None if is_last else tuple(last.values()), lambda: sum(each.total() for each in pages))
