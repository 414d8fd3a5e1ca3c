"""The lock date: the period up to it is closed, and no draft stays in it."""

from datetime import date, datetime, timedelta

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.references import Kind, refs
from webapp.models import JournalEntry, Organization, update_rows
from webapp.queries.access import organizations
from webapp.queries.journal import lock_dates
from webapp.services.audit import updates
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.bookkeeping import exchange_rates

DAY = timedelta(days=1)


class DraftsInPeriodError(LedgerError):
    """There are drafts in this period; confirm or delete them, or move them to the first open day."""

    code = "drafts_in_period"


class LockAheadError(UnprocessableError):
    """The books are closed up to a day that is over, or today; choose an earlier day."""

    code = "lock_ahead"


class ReasonNeededError(UnprocessableError):
    """Moving the lock back opens a closed period; give a reason."""

    code = "reason_needed"


def move(
    organization: Organization,
    lock_date: date | None,
    *,
    reason: str | None = None,
    move_drafts: bool = False,
    actor: Actor,
    now: datetime,
) -> Organization:
    """Close the books up to a day, or open them again; drafts in the way refuse it, or move to the first open day."""
    before = organization.lock_date
    payload = {"lockDate": _text(lock_date), "reason": reason, "moveDrafts": move_drafts}
    target = ("organization", organization.id)
    with act(actor, now, "move_lock_date", target, title=_title(before, lock_date), payload=payload) as doing:
        doing.note = reason or ""
        if lock_date == before:
            doing.nothing_to_do()
            return organization
        if lock_date is not None and lock_date > organizations.today(organization.id, now):
            sentence = f"{lock_date:%-d %b %Y} is still to come; close the books up to today at most."
            raise LockAheadError(sentence, fields={"lockDate": [sentence]})
        if _is_back(before, lock_date) and not reason:
            raise ReasonNeededError(fields={"reason": [str(ReasonNeededError())]})
        if _is_back(before, lock_date):
            actor.demand_person(or_decided=True)
        moved = close_until(organization, lock_date, move_drafts=move_drafts) if lock_date else []
        if moved and lock_date:
            doing.title += (
                f", with {titles.counted(len(moved), 'draft')} moved to {lock_date + DAY:%-d %b %Y}"
            )
        if lock_date is None:
            organization.lock_date = None
            db.session.flush()
        doing.before = {"lockDate": _text(before)}
        doing.after = {"lockDate": _text(lock_date), "movedDrafts": len(moved)}
        if moved:
            doing.after["movedJournalEntryIds"] = refs(Kind.JOURNAL_ENTRY, moved)
    return organization


def _is_back(before: date | None, lock_date: date | None) -> bool:
    return before is not None and (lock_date is None or lock_date < before)


def _text(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _title(before: date | None, lock_date: date | None) -> str:
    if lock_date is None:
        return (
            f"Opened the books, which were closed up to {before:%-d %b %Y}" if before else "Opened the books"
        )
    if before is not None and lock_date < before:
        return f"Opened the books from {lock_date + DAY:%-d %b %Y} to {before:%-d %b %Y}"
    return f"Closed the books up to {lock_date:%-d %b %Y}"


def close_until(organization: Organization, lock_date: date, *, move_drafts: bool) -> list[int]:
    """Lock days within an act; answers the drafts that moved, or raises DraftsInPeriodError."""
    moving = lock_dates.ids_until(organization.id, lock_date)
    count = len(moving)
    if count and not move_drafts:
        drafts = "1 draft is" if count == 1 else f"{count:,} drafts are"
        raise DraftsInPeriodError(
            f"{drafts} dated on or before {lock_date:%-d %b %Y}. Confirm or delete them,"
            f" or move them to {lock_date + DAY:%-d %b %Y}.",
            details={"count": count},
        )
    if count:
        open_drafts(organization, lock_date)
        updates.touch(Kind.JOURNAL_ENTRY, moving)
    organization.lock_date = lock_date
    db.session.flush()
    return moving


def open_drafts(organization: Organization, lock_date: date) -> None:
    """Date every draft of a closed period on the first open day; what no line dates is mirrored at that day's rate."""
    first_open = lock_date + DAY
    mirrored = lock_dates.mirrored_until(organization.id, lock_date)
    drafts = lock_dates.drafts_until(organization.id, lock_date)
    update_rows(JournalEntry, *drafts, effective_on=first_open)
    exchange_rates.mirror_anew(organization, ((entry, first_open) for entry in mirrored))
