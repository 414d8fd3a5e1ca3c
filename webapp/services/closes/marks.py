"""What people tick in closes, the steps that an organization adds to them, and what it asks of them."""

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.closing.closes import month_named
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.money import Money, money_at
from webapp.models import Account, CloseMark, ClosePolicy, JournalEntry, Membership, Merchant, OwnStep
from webapp.queries.access import organizations
from webapp.queries.closes import closes, marks
from webapp.queries.common import lookups
from webapp.services.audit import field_changes
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act

# The steps within which people tick single things: changes that they explain, and what stays where it is booked.
WITHIN: Final = ("flux", "cut_off")


class NotTickedError(UnprocessableError):
    """This step is done when its list is empty, so nobody ticks it."""

    code = "not_ticked"


class StepNameError(UnprocessableError):
    """Name the step."""

    code = "validation"


class TickedClosedError(LedgerError):
    """This month is closed; reopen it to change what was ticked."""

    code = "closed"


def done(
    period: str, code: str, *, actor: Actor, now: datetime, about: str = "", note: str = ""
) -> CloseMark:
    """Tick a step of one's own, or something within a step."""
    title = f"Ticked a step of {month_named(period):%B %Y}: {_named(actor, code, about)}"
    payload = {"code": code, "about": about}
    with act(
        actor, now, "tick_close_step", ("close", period), title=title, note=note, payload=payload
    ) as doing:
        _refuse_closed(period, actor)
        if code == "flux" and not note.strip():
            raise NotTickedError(
                "Say in a sentence why it changed.", fields={"note": ["Say why it changed."]}
            )
        found = _mark(period, code, about, actor)
        if found is not None and found.note == note:
            doing.nothing_to_do()
            return found
        doing.before = None if found is None else {"note": found.note}
        if found is None:
            found = CloseMark(organization_id=actor.organization_id, period=period, code=code, about=about)
            db.session.add(found)
        found.note, found.done_by, found.done_at = note, actor.as_json(), now
        db.session.flush()
        doing.after = {"period": period, "code": code, "about": about, "note": note}
    return found


def undone(period: str, code: str, *, actor: Actor, now: datetime, about: str = "") -> None:
    """Take a tick back."""
    title = f"Took back a tick of {month_named(period):%B %Y}: {_named(actor, code, about)}"
    payload = {"code": code, "about": about}
    with act(actor, now, "untick_close_step", ("close", period), title=title, payload=payload) as doing:
        _refuse_closed(period, actor)
        found = _mark(period, code, about, actor)
        if found is None:
            doing.nothing_to_do()
            return
        doing.before = {"period": period, "code": code, "about": about, "note": found.note}
        db.session.delete(found)
        db.session.flush()


def _mark(period: str, code: str, about: str, actor: Actor) -> CloseMark | None:
    return db.session.scalar(
        sa.select(CloseMark).where(
            CloseMark.organization_id == actor.organization_id,
            CloseMark.period == period,
            CloseMark.code == code,
            CloseMark.about == about,
        )
    )


def _refuse_closed(period: str, actor: Actor) -> None:
    row = closes.newest_of(actor.organization_id, month_named(period))
    if row is not None and row.status == "CLOSED":
        raise TickedClosedError


def _named(actor: Actor, code: str, about: str) -> str:
    """Name what is ticked, or raise NotTickedError."""
    own = next((each for each in marks.own_steps(actor.organization_id) if code == f"own-{each.id}"), None)
    if own is not None and not about:
        return own.name
    if code in WITHIN and about.isdecimal():
        if code == "flux":
            return f"a change of {lookups.refer(Account, actor.organization_id, int(about), 'about').name}"
        return f"the late entry {lookups.refer(JournalEntry, actor.organization_id, int(about), 'about').id}"
    raise NotTickedError(fields={"code": [str(NotTickedError.__doc__)]})


def create_step(
    *,
    name: str = "",
    owner_id: int | None = None,
    due_after: int | None = None,
    every: str = "MONTH",
    is_archived: bool = False,
    actor: Actor,
    now: datetime,
) -> OwnStep:
    """Add a step to the closes of every month, quarter or year."""
    payload = {"name": name, "ownerId": owner_id, "dueAfter": due_after, "every": every}
    title = f"Added the step {name} to closes"
    with act(actor, now, "create_close_step", ("own_step", "new"), title=title, payload=payload) as doing:
        if not name:
            raise StepNameError(fields={"name": [str(StepNameError.__doc__)]})
        _refer_to_member(actor.organization_id, owner_id)
        made = OwnStep(
            organization_id=actor.organization_id,
            name=name,
            owner_id=owner_id,
            due_after=due_after,
            every=every,
            is_archived=is_archived,
            created_at=now,
        )
        db.session.add(made)
        db.session.flush()
        doing.target_id, doing.after = str(made.id), dict(payload)
    return made


def update_step(step: OwnStep, changes: dict[str, Any], *, actor: Actor, now: datetime) -> OwnStep:
    """Change a step of one's own, or archive it; what was ticked stays."""
    title = f"Changed the step {step.name} of closes"
    with act(
        actor,
        now,
        "update_close_step",
        ("own_step", step.id),
        title=title,
        payload=field_changes.jsonable(changes),
    ) as doing:
        if "owner_id" in changes:
            _refer_to_member(actor.organization_id, changes["owner_id"])
        before = {name: getattr(step, name) for name in changes}
        if before == changes:
            doing.nothing_to_do()
            return step
        for name, value in changes.items():
            setattr(step, name, value)
        db.session.flush()
        doing.before, doing.after = field_changes.jsonable(before), field_changes.jsonable(changes)
    return step


def _refer_to_member(organization_id: str, user_id: int | None) -> None:
    if user_id is not None and db.session.get(Membership, (organization_id, user_id)) is None:
        raise lookups.UnknownReferenceError(fields={"ownerId": ["Nobody of these books has this id."]})


def change_policy(*, actor: Actor, now: datetime, **given: Any) -> ClosePolicy:
    """Say what closes ask for: who approves them, documents of entries above amounts, sentences about changes."""
    base = organizations.base_currency(actor.organization_id)
    payload = field_changes.jsonable(given)
    target = ("organization", actor.organization_id)
    title = "Changed what closes ask for"
    with act(actor, now, "change_close_policy", target, title=title, payload=payload) as doing:
        values = {
            "needs_two": given["needs_two"],
            "lets_accountants": given["lets_accountants"],
            "flux_percent": given["flux_percent"],
            "exempt_account_ids": given["exempt_account_ids"],
            "exempt_merchant_ids": given["exempt_merchant_ids"],
        }
        for name in ("expenses_from", "manual_from", "flux_amount"):
            found: Money | None = None if given[name] is None else money_at(given[name], base, name)
            values[f"{name}_minor"] = found and found.minor
        for each in given["exempt_account_ids"]:
            lookups.refer(Account, actor.organization_id, each, "exemptAccountIds")
        for each in given["exempt_merchant_ids"]:
            lookups.refer(Merchant, actor.organization_id, each, "exemptMerchantIds")
        row = marks.policy(actor.organization_id)
        before = {name: getattr(row, name) for name in values}
        if before == values:
            doing.nothing_to_do()
            return row
        for name, value in values.items():
            setattr(row, name, value)
        db.session.add(row)
        db.session.flush()
        doing.before, doing.after = before, dict(values)
    return row
