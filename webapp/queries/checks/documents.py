"""What every document keeps: its file, byte for byte as it was sent."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from webapp.db import db, instance_folder
from webapp.models import Document
from webapp.queries.checks.kept_files import wrong_with
from webapp.queries.checks.violations import Violation


def files() -> Iterator[Violation]:
    """Find documents whose file is gone, or is not what was sent."""
    folder = instance_folder("documents")
    kept = sa.select(Document.organization_id, Document.id, Document.kept_file, Document.sha256).where(
        Document.kept_file.is_not(None)
    )
    for row in db.session.execute(kept.order_by(Document.id)):
        wrong = wrong_with(folder / row.kept_file, row.sha256)
        if wrong and (wrong.code != "missing" or _is_still_filed(row.id)):
            about = {"documentId": row.id, "file": row.kept_file}
            sentence = f"The file of document {row.id} is {wrong.words}: {row.kept_file}."
            yield Violation(f"document_file_{wrong.code}", sentence, row.organization_id, about)


def _is_still_filed(document_id: int) -> bool:
    """Ask past this snapshot: a document may be deleted, and its file gone, while the books are looked through."""
    with db.engine.connect().execution_options(read_only=True) as connection:
        return connection.scalar(sa.select(Document.id).where(Document.id == document_id)) is not None


CHECKS = (files,)
