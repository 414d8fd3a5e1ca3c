"""Changes of schedules that are written: of the parts that are not posted, a stop, and parts that are left out."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, TypedDict

from webapp.database.sessions import db
from webapp.ledger.canonical import camel
from webapp.ledger.closing import schedules as rules
from webapp.ledger.closing.schedules import PartState, ScheduleKind
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.references import Kind, Ref
from webapp.models import Account, Document, Organization, Schedule, SchedulePart
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.journal import schedules as queried
from webapp.services.audit import field_changes
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, TouchedIds
from webapp.services.bookkeeping import schedules
from webapp.services.bookkeeping.posting_inputs import PostingInputs
from webapp.services.journal import entries as journal_entries


class FixedError(UnprocessableError):
    """Schedules of this kind keep this; stop it, and write another one."""

    code = "schedule_fixed"


class RestError(UnprocessableError):
    """The parts that are posted or skipped come to more than this; void some first."""

    code = "schedule_rest"


class ScheduleChanges(TypedDict, total=False):
    """The fields of a schedule that were sent; what is not sent stays."""

    name: str
    document_id: int | None
    account_id: int
    counter_account_id: int
    postings: PostingInputs
    amount: Decimal
    amount_base: Decimal | None
    posts_itself: bool


# What schedules of a kind alone can change: the others computed their parts from it.
_OF_KINDS = {
    "postings": (ScheduleKind.RECURRING,),
    "amount": (ScheduleKind.RELEASE, ScheduleKind.RECURRING),
    "amount_base": (ScheduleKind.RELEASE,),
    "account_id": (ScheduleKind.RECURRING,),
}


def change(schedule: Schedule, changes: ScheduleChanges, *, actor: Actor, now: datetime) -> Schedule:
    """Change what was sent of a schedule, for the parts that are not posted; posted ones stay as they are.

    Raises FixedError, RestError and what a new schedule raises.
    """
    target, payload = ("schedule", schedule.id), field_changes.jsonable(changes)
    title = f"Changed the schedule {schedule.name}"
    with act(actor, now, "change_schedule", target, title=title, payload=payload) as doing:
        if schedule.status == "STOPPED":
            raise schedules.StoppedError
        for name in changes:
            if schedule.kind not in _OF_KINDS.get(name, tuple(ScheduleKind)):
                raise _fixed(name)
        before, legs = _facts(schedule), schedule.legs
        _apply(schedule, changes, doing)
        db.session.flush()
        after = _facts(schedule)
        if (after, schedule.legs) == (before, legs):
            doing.nothing_to_do()
        differing = [name for name in after if after[name] != before[name]]
        doing.before, doing.after = ({name: facts[name] for name in differing} for facts in (before, after))
    return schedule


def _fixed(name: str) -> FixedError:
    return FixedError(fields={camel(name): [str(FixedError.__doc__)]})


def take_back_drafts(parts: Sequence[SchedulePart]) -> list[int]:
    """Delete the drafts of parts, which are then due again, and list their ids."""
    drafts = [entry for each in parts if (entry := schedules.drafted(each)) is not None]
    ids = [each.id for each in drafts]
    for each in drafts:
        journal_entries.delete_draft(each)
    return ids


def _facts(schedule: Schedule) -> dict[str, Any]:
    moves = queried.moves_of(schedule, organizations.base_currency(schedule.organization_id))
    return {
        "name": schedule.name,
        "documentId": Ref.optional(Kind.DOCUMENT, schedule.document_id),
        "accountId": Ref.optional(Kind.ACCOUNT, moves.account_id),
        "counterAccountId": Ref.optional(Kind.ACCOUNT, moves.counter_account_id),
        "amount": None if moves.amount is None else str(moves.amount),
        "amountBase": None if moves.amount_base is None else str(moves.amount_base),
        "postsItself": schedule.posts_itself,
    }


def _apply(schedule: Schedule, changes: ScheduleChanges, doing: Act) -> None:
    organization = organizations.get(schedule.organization_id)
    schedule.name = changes.get("name", schedule.name)
    if "document_id" in changes:
        document_id = changes["document_id"]
        if document_id is not None:
            lookups.refer(Document, organization.id, document_id, "documentId")
        schedule.document_id = document_id
    if "posts_itself" in changes:
        schedules.let_post(schedule, doing, posts_itself=changes["posts_itself"])
    today = organizations.today(organization.id, doing.now)
    parts = queried.parts_of(schedule)
    if changes.keys() & _OF_KINDS.keys():
        doing.result = TouchedIds(deleted_journal_entry_ids=take_back_drafts(parts)).as_json()
    done = (PartState.POSTED, PartState.SKIPPED)
    left = [each for each in parts if queried.state_of(each, today) not in done]
    if schedule.kind == ScheduleKind.RECURRING:
        _recur(organization, schedule, changes, left)
        return
    if "counter_account_id" in changes:
        found = lookups.refer(Account, organization.id, changes["counter_account_id"], "counterAccountId")
        schedule.counter_account_id = found.id
    if "amount" in changes:
        currency, base = schedule.currency or organization.base_currency, organization.base_currency
        whole, worth = schedules.released(changes["amount"], changes.get("amount_base"), currency, base)
        if (whole, worth) != (schedule.amount_minor, schedule.amount_base_minor):
            _share_rest(schedule, whole, worth, parts, left)
    elif "amount_base" in changes:
        raise schedules.ReleasedAmountError(fields={"amount": [str(schedules.ReleasedAmountError.__doc__)]})


def _recur(
    organization: Organization, schedule: Schedule, changes: ScheduleChanges, left: Sequence[SchedulePart]
) -> None:
    """Give the parts that are left the postings that were sent, or the amount or accounts of those that they have."""
    moved = [name for name in ("account_id", "counter_account_id", "amount") if name in changes]
    if moved:
        moves = queried.moves_of(schedule, organization.base_currency)
        if moves.amount is None or "postings" in changes:
            raise _fixed(moved[0])
        postings = schedules.moving(
            organization,
            changes.get("account_id", moves.account_id),
            changes.get("counter_account_id", moves.counter_account_id),
            changes.get("amount", moves.amount.decimal),
            moves.currency,
        )
    elif "postings" in changes:
        postings = changes["postings"]
    else:
        return
    minor, worth = schedules.recur(
        organization, schedule, postings, left[0].due_on if left else schedule.starts_on
    )
    for part in left:
        part.amount_minor, part.amount_base_minor = minor, worth


def _share_rest(
    schedule: Schedule,
    whole: int,
    worth: int,
    parts: Sequence[SchedulePart],
    left: Sequence[SchedulePart],
) -> None:
    """Split what is left of a new amount equally into the parts that are left."""
    kept = [each for each in parts if each not in left]
    rest = whole - sum(each.amount_minor or 0 for each in kept)
    rest_worth = worth - sum(each.amount_base_minor or 0 for each in kept)
    if not left or rest * whole < 0 or rest_worth * worth < 0:
        raise RestError(fields={"amount": [str(RestError.__doc__)]})
    shares = rules.equal_parts(rest, len(left))
    worths = rules.shares_of(rest_worth, shares) if rest else [0] * len(left)
    for part, share, share_worth in zip(left, shares, worths, strict=True):
        part.amount_minor, part.amount_base_minor = share, share_worth
    schedule.amount_minor, schedule.amount_base_minor = whole, worth


def stop(schedule: Schedule, *, release: bool, note: str, actor: Actor, now: datetime) -> ActionResult:
    """Stop a schedule: what is not posted is left as it is, or with `release` posted at once on the first open day."""
    target, payload = ("schedule", schedule.id), {"release": release}
    title = f"Stopped the schedule {schedule.name}"
    with act(actor, now, "stop_schedule", target, title=title, note=note, payload=payload) as doing:
        touched: list[int] = []
        if schedule.status == "STOPPED":
            doing.nothing_to_do()
            return ActionResult(action_request_id=doing.id, changed=False, result=TouchedIds([]))
        doing.before = {"status": schedule.status}
        deleted = [] if release else take_back_drafts(queried.parts_of(schedule))
        if release and schedule.kind in (ScheduleKind.RELEASE, ScheduleKind.DEPRECIATION):
            touched = _release_rest(schedule, doing)
        schedule.status = "STOPPED"
        db.session.flush()
        done = TouchedIds(touched, deleted_journal_entry_ids=deleted)
        doing.result, doing.after = done.as_json(), {"status": schedule.status}
    return ActionResult(action_request_id=doing.id, changed=True, result=done)


def _release_rest(schedule: Schedule, doing: Act) -> list[int]:
    organization = organizations.get(schedule.organization_id)
    today = organizations.today(organization.id, doing.now)
    touched = []
    for part in queried.parts_of(schedule):
        if queried.state_of(part, today) not in (PartState.POSTED, PartState.SKIPPED):
            touched += schedules.enter_part(schedule, part, min(part.due_on, today), doing)
    return touched


def skip(part: SchedulePart, *, note: str, actor: Actor, now: datetime) -> ActionResult:
    """Leave a part out for good, with the reason."""
    schedule = queried.get(part.organization_id, part.schedule_id)
    target, payload = ("schedule", schedule.id), {"number": part.number}
    title = f"Skipped part {part.number} of the schedule {schedule.name}"
    with act(actor, now, "skip_schedule_part", target, title=title, note=note, payload=payload) as doing:
        schedules.require_open(part)
        deleted = take_back_drafts([part])
        part.state = "SKIPPED"
        db.session.flush()
        done = TouchedIds(deleted_journal_entry_ids=deleted)
        doing.result, doing.after = done.as_json(), {"number": part.number, "state": part.state}
    return ActionResult(action_request_id=doing.id, changed=True, result=done)
