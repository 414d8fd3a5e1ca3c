"""Every invariant of the books, over all organizations: each check is a query that finds violations of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from webapp.queries.checks import (
    accounts,
    audit,
    entries,
    feed_lines,
    items,
    lines,
    locks,
    openings,
    organizations,
    proofs,
    proposals,
    stored,
    stored_files,
    sums,
    transfers,
    voids,
)
from webapp.queries.checks.violations import Check, Violation

CHECKS: tuple[Check, ...] = (
    *stored.CHECKS,
    *organizations.CHECKS,
    *entries.CHECKS,
    *voids.CHECKS,
    *lines.CHECKS,
    *accounts.CHECKS,
    *feed_lines.CHECKS,
    *openings.CHECKS,
    *proofs.CHECKS,
    *sums.CHECKS,
    *transfers.CHECKS,
    *items.CHECKS,
    *stored_files.CHECKS,
    *proposals.CHECKS,
    *locks.CHECKS,
    *audit.CHECKS,
)


def _to_nobody(_text: str) -> None:
    """Take the progress where nobody looks."""


def violations(show: Callable[[str], None] = _to_nobody) -> Iterator[Violation]:
    """List everything that is wrong; nothing where the books are sound. `show` takes the progress as a text."""
    for place, check in enumerate(CHECKS, 1):
        area = check.__module__.rpartition(".")[2].replace("_", " ")
        show(f"check {place} of {len(CHECKS)}: {area}, {check.__name__.replace('_', ' ')}")
        yield from check()


__all__ = ["CHECKS", "Violation", "violations"]
