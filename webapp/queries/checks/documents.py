"""Documents: each file is in the instance folder, byte for byte as it was sent."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from webapp.db import db, instance_folder
from webapp.models import Document
from webapp.queries.checks.kept_files import problem_with
from webapp.queries.checks.violations import Violation


def files() -> Iterator[Violation]:
    """Find documents whose file is gone, or is not what was sent."""
    folder = instance_folder("documents")
    kept = sa.select(Document.organization_id, Document.id, Document.kept_file, Document.sha256).where(
        Document.kept_file.is_not(None)
    )
    for row in db.session.execute(kept.order_by(Document.id)):
        problem = problem_with(folder / row.kept_file, row.sha256)
        if problem and (problem.code != "missing" or _is_still_filed(row.id)):
            about = {"documentId": row.id, "file": row.kept_file}
            sentence = f"The file of document {row.id} is {problem.text}: {row.kept_file}."
            yield Violation(f"document_file_{problem.code}", sentence, row.organization_id, about)


def _is_still_filed(document_id: int) -> bool:
    """Read past this snapshot: a document may be deleted, with its file, while the books are checked."""
    with db.engine.connect().execution_options(read_only=True) as connection:
        return connection.scalar(sa.select(Document.id).where(Document.id == document_id)) is not None


CHECKS = (files,)
