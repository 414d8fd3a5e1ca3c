"""Locks: the period up to one is closed, no draft stays in it, and exceptions let single people in."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.references import Kind, refs
from webapp.models import JournalEntry, LockException, Organization, update_rows
from webapp.queries.access import organizations
from webapp.queries.journal import lock_dates
from webapp.services.audit import updates
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.bookkeeping import exchange_rates

DAY = timedelta(days=1)
# How long an exception may let somebody in.
LONGEST: Final = timedelta(days=30)


class DraftsInPeriodError(LedgerError):
    """There are drafts in this period; confirm or delete them, or move them to the first open day."""

    code = "drafts_in_period"


class LockAheadError(UnprocessableError):
    """The books are closed up to a day that is over, or today; choose an earlier day."""

    code = "lock_ahead"


class ReasonNeededError(UnprocessableError):
    """Moving the lock back opens a closed period; give a reason."""

    code = "reason_needed"


class ExceptionEndError(UnprocessableError):
    """An exception ends within 30 days from now; choose an earlier instant that is still to come."""

    code = "exception_end"


class ExceptionEndedError(LedgerError):
    """This exception has ended already."""

    code = "ended"


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
        _check_move(before, lock_date, doing, "lockDate")
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


def move_both(
    organization: Organization, locks: Mapping[str, Any], *, actor: Actor, now: datetime
) -> Organization:
    """Move the locks that were sent, under `lock_date` and `adjustments_lock_date`, with the note why."""
    if "lock_date" in locks:
        moves = {"reason": locks["note"], "move_drafts": locks["move_drafts"]}
        move(organization, locks["lock_date"], **moves, actor=actor, now=now)
    if "adjustments_lock_date" in locks:
        day = locks["adjustments_lock_date"]
        move_adjustments(organization, day, reason=locks["note"], actor=actor, now=now)
    return organization


def move_adjustments(
    organization: Organization,
    lock_date: date | None,
    *,
    reason: str | None = None,
    actor: Actor,
    now: datetime,
) -> Organization:
    """Close adjusting entries of years up to a day, or open them again."""
    before = organization.adjustments_lock_date
    payload = {"adjustmentsLockDate": _text(lock_date), "reason": reason}
    title = (
        "Opened adjusting entries"
        if lock_date is None
        else f"Closed adjusting entries up to {lock_date:%-d %b %Y}"
    )
    target = ("organization", organization.id)
    with act(actor, now, "move_adjustments_lock", target, title=title, payload=payload) as doing:
        doing.note = reason or ""
        if lock_date == before:
            doing.nothing_to_do()
            return organization
        _check_move(before, lock_date, doing, "ADJUSTMENTS")
        organization.adjustments_lock_date = lock_date
        db.session.flush()
        doing.before = {"adjustmentsLockDate": _text(before)}
        doing.after = {"adjustmentsLockDate": _text(lock_date)}
    return organization


def _check_move(before: date | None, lock_date: date | None, doing: Act, name: str) -> None:
    """Refuse a lock in the future, and one that moves back without a reason or by a key."""
    if lock_date is not None and lock_date > organizations.today(doing.actor.organization_id, doing.now):
        sentence = f"{lock_date:%-d %b %Y} is still to come; close the books up to today at most."
        raise LockAheadError(sentence, fields={name: [sentence]})
    if _is_back(before, lock_date) and not doing.note:
        raise ReasonNeededError(fields={"reason": [str(ReasonNeededError())]})
    if _is_back(before, lock_date):
        doing.actor.demand_person(or_decided=True)


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


def grant_exception(
    *, user_id: int, starts_on: date, until: datetime, note: str, actor: Actor, now: datetime
) -> LockException:
    """Let a person who signs in date entries by hand back to a locked day, until an instant."""
    member = organizations.membership(actor.organization_id, user_id).user
    title = f"Let {member.name} post from {starts_on:%-d %b %Y} on"
    payload = {"userId": user_id, "from": starts_on.isoformat(), "until": until.isoformat()}
    with act(
        actor, now, "grant_lock_exception", ("lock_exception", "new"), title=title, note=note, payload=payload
    ) as doing:
        actor.demand_person(or_decided=True)
        if not now < until <= now + LONGEST:
            raise ExceptionEndError(fields={"until": [str(ExceptionEndError.__doc__)]})
        made = LockException(
            organization_id=actor.organization_id,
            user_id=user_id,
            starts_on=starts_on,
            until=until,
            note=note,
            granted_by=actor.as_json(),
            created_at=now,
        )
        db.session.add(made)
        db.session.flush()
        doing.target_id = str(made.id)
        doing.after = payload
    return made


def end_exception(exception: LockException, *, actor: Actor, now: datetime) -> None:
    """End an exception before its instant; what it let in stays."""
    member = organizations.membership(actor.organization_id, exception.user_id).user
    title = f"Ended the exception from the lock of {member.name}"
    with act(actor, now, "end_lock_exception", ("lock_exception", exception.id), title=title) as doing:
        if exception.ended_at is not None or exception.until <= now:
            raise ExceptionEndedError
        exception.ended_at, exception.ended_by = now, actor.as_json()
        db.session.flush()
        doing.before, doing.after = {"endedAt": None}, {"endedAt": now.isoformat()}
