"""Coverage warnings: gaps and overlaps between a file and the other files of its accounts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webapp.ledger.money import Money
from webapp.ledger.proofs.coverage import Covered, Days, findings
from webapp.queries.imports import coverage


def warnings(organization_id: str, stored: Mapping[str, Any], *, import_id: int | None = None) -> list[str]:
    """Warn of days of an account that no file covers, of balances that do not follow, and of overlaps.

    `stored` is what the import `import_id` stores about the account; a new account has nothing to compare.
    """
    new = coverage.covered(stored)
    if stored["fa_id"] is None or new is None:
        return []
    others = coverage.statements(organization_id, stored["fa_id"], but=import_id)
    return list(_sentences(new, others, stored["already_there"]))


def _sentences(new: Covered, others: Sequence[Covered], already_there: int) -> Iterator[str]:
    found = findings(new, others)
    if found.off_before and found.before and found.before.closing and new.opening:
        yield _off(
            f"this file opens with {new.opening.formatted}, and the one before it closed on"
            f" {found.before.last:%-d %b %Y} with {found.before.closing.formatted}",
            found.off_before,
            found.gap_before,
        )
    elif found.gap_before:
        yield _gap(found.gap_before, "before")
    if found.off_after and found.after and found.after.opening and new.closing:
        yield _off(
            f"this file closes with {new.closing.formatted}, and the one after it opens on"
            f" {found.after.first:%-d %b %Y} with {found.after.opening.formatted}",
            found.off_after,
            found.gap_after,
        )
    elif found.gap_after:
        yield _gap(found.gap_after, "after")
    if found.overlap:
        yield _overlap(found.overlap, already_there)


def _off(fact: str, off: Money, gap: Days | None) -> str:
    return (
        f"{fact}: {off.formatted} apart{f'; no file covers {_days(gap)}' if gap else ''}."
        " A statement between them may be missing."
    )


def _gap(days: Days, side: str) -> str:
    return f"no file covers {_days(days)}, {side} this one. If money moved then, import that statement too."


def _overlap(days: Days, already_there: int) -> str:
    if not already_there:
        return (
            f"other files cover {_days(days)} too, but none of this file's lines was there;"
            " check for duplicates before confirming."
        )
    return f"other files cover {_days(days)} too; lines already there, not added again: {already_there:,}."


def _days(days: Days) -> str:
    """Write a range of days.

    >>> from datetime import date
    >>> _days(Days(date(2026, 11, 2), date(2026, 11, 2))), _days(Days(date(2026, 10, 30), date(2026, 11, 2)))
    ('2 Nov 2026', '30 Oct to 2 Nov 2026 (4 days)')
    """
    if days.count == 1:
        return f"{days.last:%-d %b %Y}"
    begins = f"{days.first:%-d %b}" if days.first.year == days.last.year else f"{days.first:%-d %b %Y}"
    return f"{begins} to {days.last:%-d %b %Y} ({days.count:,} days)"
