"""How long files stay: the years that an organization keeps them for, and the files that are older."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import InboxFile, Organization, StoredFile, of_same_organization
from webapp.queries.access import organizations
from webapp.queries.documents import inbox_files

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class OldFiles:
    """The `count` files that may be deleted, as they came before a day; `is_locked`: the lock date makes that earlier.

    `before` is none where nothing may be deleted: files stay for ever, or no period is locked.
    """

    before: date | None
    count: int
    is_locked: bool


def old_files(organization: Organization, *, now: datetime) -> OldFiles:
    """Count the files that may be deleted."""
    before, is_locked = _first_kept(organization, now)
    if before is None:
        return OldFiles(None, 0, is_locked)
    count = sa.select(sa.func.count()).where(*_is_older(organization.id, before))
    return OldFiles(before, db.session.scalar(count) or 0, is_locked)


def oldest(organization: Organization, *, limit: int, now: datetime) -> list[StoredFile]:
    """List files that may be deleted, the oldest first."""
    before, _ = _first_kept(organization, now)
    if before is None:
        return []
    found = sa.select(StoredFile).where(*_is_older(organization.id, before))
    return list(db.session.scalars(found.order_by(StoredFile.created_at, StoredFile.id).limit(limit)))


def deleted(organization_id: str, digests: Iterable[str | None]) -> dict[str, datetime]:
    """Give the instants at which files were deleted, by their SHA-256; those that are there are left out."""
    gone = sa.select(StoredFile.sha256, StoredFile.thrown_away_at).where(
        StoredFile.organization_id == organization_id,
        StoredFile.sha256.in_([each for each in digests if each is not None]),
        StoredFile.thrown_away_at.is_not(None),
    )
    return {row.sha256: row.thrown_away_at for row in db.session.execute(gone)}


def _first_kept(organization: Organization, now: datetime) -> tuple[date | None, bool]:
    """Give the first day whose files stay, and whether the lock date moves it.

    A file stays until the financial year in which it came is over and so many years more, and as long as the period in
    which it came is open. Section 147 of the German fiscal code counts in the same way, from the end of a year.
    """
    years, locked_until = organization.retention_years, organization.lock_date
    if years is None:
        return None, False
    today = organizations.today(organization.id, now)
    start = organizations.financial_years(organization.id).start_of(_years_before(today, years))
    if locked_until is None:
        return None, True
    return min(start, locked_until + DAY), locked_until + DAY < start


def _years_before(day: date, years: int) -> date:
    """Give the same day of an earlier year.

    >>> str(_years_before(date(2028, 2, 29), 1)), str(_years_before(date(2026, 7, 1), 10))
    ('2027-02-28', '2016-07-01')
    """
    earlier = day.year - years
    is_leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=earlier, day=28) if is_leap_day else day.replace(year=earlier)


def _is_older(organization_id: str, before: date) -> tuple[sa.ColumnElement[bool], ...]:
    """Build the conditions that a file came before a day, is still kept, and waits for nobody in the inbox."""
    waits = sa.exists().where(
        of_same_organization(InboxFile, StoredFile),
        InboxFile.sha256 == StoredFile.sha256,
        inbox_files.waits(),
    )
    return (
        StoredFile.organization_id == organization_id,
        StoredFile.thrown_away_at.is_(None),
        StoredFile.created_at < organizations.start_of_day(organization_id, before),
        ~waits,
    )
