"""Every invariant of the books, over all organizations: each check is a query that finds violations of one."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.queries.checks import (
    audit,
    documents,
    entries,
    feed_accounts,
    feed_lines,
    lines,
    locks,
    openings,
    organizations,
    proofs,
    proposals,
    rules,
    stored,
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
    *feed_accounts.CHECKS,
    *feed_lines.CHECKS,
    *openings.CHECKS,
    *proofs.CHECKS,
    *sums.CHECKS,
    *transfers.CHECKS,
    *documents.CHECKS,
    *proposals.CHECKS,
    *locks.CHECKS,
    *rules.CHECKS,
    *audit.CHECKS,
)


def violations() -> Iterator[Violation]:
    """List everything that is wrong; nothing where the books are sound."""
    for check in CHECKS:
        yield from check()


__all__ = ["CHECKS", "Violation", "violations"]
