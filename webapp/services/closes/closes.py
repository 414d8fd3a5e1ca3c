"""The close of a month: prepared with what it froze, approved by a person, and reopened."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import canonical_json, instant_text
from webapp.ledger.chain import NO_EVENT
from webapp.ledger.closing.closes import StepState, month_named
from webapp.ledger.closing.documents import digest as digest_of
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.periods import Period
from webapp.models import Close, JournalEntry, Organization
from webapp.queries.access import organizations
from webapp.queries.audit import events
from webapp.queries.closes import closes, documents, marks, packs
from webapp.queries.closes.closes import CloseRecord
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.bookkeeping import lock_dates

Accepted = Sequence[Mapping[str, str]]
# The drafts of a period move behind it where this step was accepted.
LINES: Final = "lines"
# The name under which the close of a year freezes how far adjusting entries were locked before it locked its own.
ADJUSTED_UNTIL: Final = "adjustmentsLockBefore"


class StepsLeftError(LedgerError):
    """Steps of this close are still to do; do them, or accept each with a note."""

    code = "steps_left"


class ClosedAlreadyError(LedgerError):
    """This month is closed, or one after it; reopen that first."""

    code = "closed"


class NotPreparedError(LedgerError):
    """Nobody has prepared this close; prepare it first."""

    code = "not_prepared"


class CloseMovedError(LedgerError):
    """The books have moved since this close was prepared; prepare it again."""

    code = "moved"


class SecondPersonError(LedgerError):
    """Two persons close these books: somebody else approves what you prepared."""

    code = "second_person"


class OwnersCloseError(LedgerError):
    """Only owners approve closes of these books; an owner can let accountants do so, in the settings of month end."""

    status = 403
    code = "forbidden"


class NotNewestCloseError(LedgerError):
    """Only the newest close can be reopened."""

    code = "not_newest"


class UnknownStepError(UnprocessableError):
    """This close has no such step."""

    code = "validation"


def prepare(period: str, *, accept: Accepted, actor: Actor, now: datetime, note: str = "") -> Close:
    """Write down what a close will freeze, with the steps that somebody leaves and why."""
    title = f"Prepared the close of {month_named(period):%B %Y}"
    payload = {"accept": list(accept)}
    with act(
        actor, now, "prepare_close", ("close", period), title=title, note=note, payload=payload
    ) as doing:
        return _prepare(_record(period, accept, actor, now), accept, note, doing)


def approve(period: str, *, digest: str, actor: Actor, now: datetime) -> Close:
    """Freeze a close as it was prepared, and lock its days; raises CloseMovedError where the books moved since."""
    title = f"Closed {month_named(period):%B %Y}"
    with act(
        actor, now, "approve_close", ("close", period), title=title, payload={"digest": digest}
    ) as doing:
        _demand_approver(actor)
        row = closes.newest_of(actor.organization_id, month_named(period))
        if row is not None and row.status == "CLOSED":
            raise ClosedAlreadyError
        if row is None or row.status != "PREPARED":
            raise NotPreparedError
        if row.digest != digest:
            raise CloseMovedError(
                "Somebody prepared this close again since; look at it anew, then approve it."
            )
        if row.needs_two and actor.user_id == row.preparer_id:
            raise SecondPersonError
        prepared = json.loads(row.document)
        record = _record(period, prepared["accepted"], actor, now)
        if any(prepared[name] != value for name, value in _as_kept(_facts(record, actor)).items()):
            raise CloseMovedError
        _close(row, record, prepared, doing)
    return row


def complete(period: str, *, accept: Accepted, actor: Actor, now: datetime, note: str = "") -> Close:
    """Prepare and approve a close in one act, unless two persons are asked for."""
    title = f"Closed {month_named(period):%B %Y}"
    payload = {"accept": list(accept)}
    with act(
        actor, now, "complete_close", ("close", period), title=title, note=note, payload=payload
    ) as doing:
        _demand_approver(actor)
        record = _record(period, accept, actor, now)
        row = _prepare(record, accept, note, doing)
        if row.needs_two:
            raise SecondPersonError
        _close(row, record, json.loads(row.document), doing)
    return row


def reopen(period: str, *, note: str, actor: Actor, now: datetime) -> Close:
    """Open the days of the newest close again; what it froze stays, and the next close follows on it."""
    title = f"Reopened {month_named(period):%B %Y}"
    with act(actor, now, "reopen_close", ("close", period), title=title, note=note) as doing:
        actor.demand_person()
        row = closes.newest_of(actor.organization_id, month_named(period))
        if row is None or row.status != "CLOSED":
            raise NotNewestCloseError("This month is not closed.")
        if row is not closes.closed_before(actor.organization_id):
            raise NotNewestCloseError
        organization = organizations.get(actor.organization_id)
        earlier = closes.closed_before(actor.organization_id, row.ends_on)
        row.status = "REOPENED"
        row.reopened_by, row.reopened_at, row.reopen_note = actor.as_json(), now, note
        doing.before = _locks(organization)
        organization.lock_date = row.lock_before if earlier is None else earlier.ends_on
        frozen = json.loads(row.document)
        if ADJUSTED_UNTIL in frozen:
            until = frozen[ADJUSTED_UNTIL]
            organization.adjustments_lock_date = until and date.fromisoformat(until)
        db.session.flush()
        doing.target_id = str(row.id)
        doing.after = {**_locks(organization), "digest": row.digest}
    return row


def _demand_approver(actor: Actor) -> None:
    """Let owners approve, and accountants where the policy lets them."""
    actor.demand_person()
    if not marks.lets_approve(actor.organization_id, is_owner=actor.is_admin):
        raise OwnersCloseError


def _prepare(record: CloseRecord, accept: Accepted, note: str, doing: Act) -> Close:
    actor, now = doing.actor, doing.now
    if left := record.left:
        named = [each.code for each in left]
        raise StepsLeftError(
            f"{' '.join(each.sentence for each in left)} Do it, or accept each step with a note.",
            details={"steps": named},
        )
    document = _facts(record, actor) | {
        "accepted": [dict(each) for each in accept],
        "note": note,
        "preparedBy": actor.as_json(),
        "preparedAt": instant_text(now),
    }
    row = record.row if record.row is not None and record.row.status == "PREPARED" else None
    needs_two = marks.policy(actor.organization_id).needs_two
    if row is None:
        row = Close(organization_id=actor.organization_id, period=record.period, ends_on=record.to)
        db.session.add(row)
    row.status, row.note, row.starts_on, row.needs_two = "PREPARED", note, record.from_, needs_two
    row.document, row.digest = canonical_json(document), digest_of(document)
    row.preparer_id, row.prepared_by, row.prepared_at = actor.user_id, actor.as_json(), now
    db.session.flush()
    doing.target_id = str(row.id)
    doing.after = {"digest": row.digest, "accepted": [each["step"] for each in accept]}
    return row


def _record(period: str, accept: Accepted, actor: Actor, now: datetime) -> CloseRecord:
    """Read the close of a month with the accepted steps, or raise ClosedAlreadyError or UnknownStepError."""
    last = month_named(period)
    newest = closes.closed_before(actor.organization_id)
    if newest is not None and newest.ends_on >= last:
        raise ClosedAlreadyError
    record = closes.read(actor.organization_id, period, now)
    unknown = {each["step"] for each in accept} - {each.code for each in record.steps}
    if unknown:
        raise UnknownStepError(fields={"accept": [str(UnknownStepError.__doc__)]})
    notes = {each["step"]: each["note"] for each in accept}
    steps = [_accepted(each, notes) for each in record.steps]
    return replace(record, steps=steps)


def _accepted(step: Any, notes: Mapping[str, str]) -> Any:
    """Give a step as a new preparation leaves it, whatever an earlier one accepted."""
    if step.state is StepState.ACCEPTED:
        step = replace(step, state=StepState.TO_DO, note=None)
    if step.state is StepState.TO_DO and step.code in notes:
        return replace(step, state=StepState.ACCEPTED, note=notes[step.code])
    return step


def _facts(record: CloseRecord, actor: Actor) -> dict[str, Any]:
    days = Period(record.from_, record.to)
    return documents.facts(actor.organization_id, days, record.steps, record.cut_off, record.looked)


def _as_kept(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Give facts as they are once they were written and read again."""
    found: dict[str, Any] = json.loads(canonical_json(dict(facts)))
    return found


def _close(row: Close, record: CloseRecord, prepared: Mapping[str, Any], doing: Act) -> None:
    """Freeze what was prepared with who approved it, and lock its days; of a year its adjusting entries too."""
    actor = doing.actor
    organization = organizations.get(actor.organization_id)
    doing.before = _locks(organization)
    before, adjusted = organization.lock_date, organization.adjustments_lock_date
    head = events.end(actor.organization_id).head or NO_EVENT
    previous = _last_approved(actor.organization_id)
    document = {
        **prepared,
        packs.PACK: packs.as_json(packs.tables(actor.organization_id, replace(record, row=row))),
        "approvedBy": actor.as_json(),
        "approvedAt": instant_text(doing.now),
        "head": head._asdict(),
        "lastNumber": _last_number(actor.organization_id),
        "previousDigest": None if previous is None else previous.digest,
    }
    if before is None or before < row.ends_on:
        accepted = {each["step"] for each in prepared["accepted"]}
        lock_dates.close_until(organization, row.ends_on, move_drafts=LINES in accepted)
    if prepared["isYearEnd"] and (adjusted is None or adjusted < row.ends_on):
        document[ADJUSTED_UNTIL] = _text(adjusted)
        organization.adjustments_lock_date = row.ends_on
    row.document, row.digest = canonical_json(document), digest_of(document)
    row.previous_id = None if previous is None else previous.id
    row.lock_before = before
    row.approved_by, row.approved_at, row.status = actor.as_json(), doing.now, "CLOSED"
    db.session.flush()
    doing.target_id = str(row.id)
    doing.after = {**_locks(organization), "digest": row.digest}


def _locks(organization: Organization) -> dict[str, object]:
    """Tell how far all entries are locked, and adjusting ones."""
    return {
        "lockDate": _text(organization.lock_date),
        "adjustmentsLockDate": _text(organization.adjustments_lock_date),
    }


def _last_approved(organization_id: str) -> Close | None:
    of = Close.organization_id == organization_id, Close.approved_at.is_not(None)
    return db.session.scalar(sa.select(Close).where(*of).order_by(Close.approved_at.desc()).limit(1))


def _last_number(organization_id: str) -> int:
    of = JournalEntry.organization_id == organization_id
    return db.session.scalar(sa.select(sa.func.max(JournalEntry.number)).where(of)) or 0


def _text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
