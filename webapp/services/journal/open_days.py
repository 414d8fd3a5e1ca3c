"""Days that an entry may have: none that is locked, but for adjusting entries and for people with an exception."""

from datetime import date

from webapp.ledger.errors import LedgerError
from webapp.models import JournalEntry, LockException
from webapp.queries.access import organizations
from webapp.queries.journal import lock_exceptions
from webapp.services.audit.act import Act

PERSON = "PERSON"
# The sources of entries whose days people write.
NAMED = frozenset({"manual", "document", "void"})


class PeriodLockedError(LedgerError):
    """The period is closed; date it on the first open day, or reopen the period."""

    code = "period_locked"


def check(organization_id: str, day: date) -> None:
    """Refuse a day in a locked period."""
    open_day = organizations.first_open_day(organization_id, day)
    if open_day != day:
        raise PeriodLockedError(
            f"{day:%-d %b %Y} is in a locked period. Date it {open_day:%-d %b %Y}, or open the period.",
            details={"firstOpenDay": open_day.isoformat()},
        )


def check_entry(entry: JournalEntry, doing: Act) -> LockException | None:
    """Refuse to post an entry on a locked day; give the exception by which a person dates it there."""
    if entry.is_adjusting or entry.source in NAMED:
        return check_named(entry.effective_on, doing, is_adjusting=entry.is_adjusting)
    check(entry.organization_id, entry.effective_on)
    return None


def check_named(day: date, doing: Act, *, is_adjusting: bool = False) -> LockException | None:
    """Refuse a locked day that somebody names by hand; give the exception that lets a person in, where one does.

    An adjusting entry is only refused where adjusting entries of its year are locked.
    """
    organization = organizations.get(doing.actor.organization_id)
    if is_adjusting:
        locked = organization.adjustments_lock_date
        if locked is not None and day <= locked:
            raise PeriodLockedError(
                f"Adjusting entries are locked up to {locked:%-d %b %Y}. Date it after that, or open the year."
            )
        return None
    is_open = organizations.first_open_day(organization.id, day) == day
    if not is_open and doing.actor.kind == PERSON and doing.actor.user_id is not None:
        found = lock_exceptions.letting(organization.id, doing.actor.user_id, day, doing.now)
        if found is not None:
            return found
    check(organization.id, day)
    return None


def adjusted(entry: JournalEntry) -> date | None:
    """Return the day on which an adjusting entry is changed: its own, unless adjusting entries of it are locked."""
    locked = organizations.get(entry.organization_id).adjustments_lock_date
    is_open = locked is None or entry.effective_on > locked
    return entry.effective_on if entry.is_adjusting and is_open else None
