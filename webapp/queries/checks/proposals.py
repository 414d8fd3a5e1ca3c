"""What a waiting proposal keeps: the file that it was sent with, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.db import kept_beside
from webapp.queries import proposals
from webapp.queries.checks.kept_files import wrong_with
from webapp.queries.checks.violations import Violation


def files() -> Iterator[Violation]:
    """Find waiting proposals whose file is gone, or is not what was sent."""
    folder = kept_beside("proposals")
    for row in proposals.files():
        wrong = wrong_with(folder / row.name, row.sha256)
        if wrong:
            about = {"actionRequestId": row.request_id, "file": row.name}
            sentence = f"The file of proposal {row.request_id} is {wrong.words}: {row.name}."
            yield Violation(f"proposal_file_{wrong.code}", sentence, row.organization_id, about)


CHECKS = (files,)
