"""Proposals: the file of each waiting one is in the instance folder, byte for byte as it was sent."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from webapp.database.sessions import db, instance_folder
from webapp.models import ActionRequest
from webapp.queries.audit import proposals
from webapp.queries.audit.proposals import KeptFile
from webapp.queries.checks.stored_files import problem_with
from webapp.queries.checks.violations import Violation


def files() -> Iterator[Violation]:
    """Find waiting proposals whose file is gone, or is not what was sent."""
    folder = instance_folder("proposals")
    for row in proposals.files():
        problem = problem_with(folder / row.name, row.sha256)
        if problem and (problem.code != "missing" or _still_waits(row)):
            about = {"actionRequestId": row.request_id, "file": row.name}
            sentence = f"The file of proposal {row.request_id} is {problem.text}: {row.name}."
            yield Violation(f"proposal_file_{problem.code}", sentence, row.organization_id, about)


def _still_waits(file: KeptFile) -> bool:
    """Read past this snapshot: a proposal may be decided, with its file deleted, while the books are checked."""
    is_pending = sa.select(ActionRequest.id).where(
        ActionRequest.organization_id == file.organization_id,
        ActionRequest.id == file.request_id,
        ActionRequest.status == "PENDING",
    )
    with db.engine.connect().execution_options(read_only=True) as connection:
        return connection.scalar(is_pending) is not None


CHECKS = (files,)
