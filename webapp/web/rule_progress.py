"""How far the applying of a rule is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from webapp.services.rules.runs import RunProgress
from webapp.web import progress


@contextlib.contextmanager
def told(rule_id: int) -> Iterator[RunProgress]:
    """Write down how far a rule is while it is applied, and forget it at its end."""
    with progress.told(f"rule-{rule_id}") as say:

        def tell(done: int, total: int) -> None:
            say(f"{done:,} of {total:,} lines done")

        yield tell


def read(rule_id: int) -> str | None:
    """Tell in words how far a rule is, none where it is not applied just now."""
    return progress.read(f"rule-{rule_id}")
