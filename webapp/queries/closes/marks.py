"""What people say of closes: own steps, what they ticked, what they accepted, and what the organization asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.closing.closes import StepState, is_of
from webapp.ledger.money import Money
from webapp.models import Close, CloseMark, ClosePolicy, OwnStep, User
from webapp.queries.access import organizations
from webapp.queries.closes.steps import CloseStep
from webapp.queries.common import lookups

OWN = "own-"


def policy(organization_id: str) -> ClosePolicy:
    """Give what an organization asks of its closes; nothing where it never said so."""
    found = db.session.get(ClosePolicy, organization_id)
    return found or ClosePolicy(
        organization_id=organization_id,
        needs_two=False,
        lets_accountants=False,
        exempt_account_ids=[],
        exempt_merchant_ids=[],
    )


def lets_approve(organization_id: str, *, is_owner: bool) -> bool:
    """Return whether somebody who may close books approves a close: an owner, or an accountant where these may."""
    return is_owner or policy(organization_id).lets_accountants


@dataclass(frozen=True, slots=True)
class ClosePolicyRecord:
    """What an organization asks of its closes, in amounts of the base currency."""

    needs_two: bool
    lets_accountants: bool
    expenses_from: Money | None
    manual_from: Money | None
    exempt_account_ids: Sequence[int]
    exempt_merchant_ids: Sequence[int]
    flux_amount: Money | None
    flux_percent: int | None


def policy_record(organization_id: str) -> ClosePolicyRecord:
    """Give what an organization asks of its closes, as the interface shows it."""
    row, base = policy(organization_id), organizations.base_currency(organization_id)
    expenses, manual, flux = (
        None if minor is None else Money(minor, base)
        for minor in (row.expenses_from_minor, row.manual_from_minor, row.flux_amount_minor)
    )
    exempt = row.exempt_account_ids, row.exempt_merchant_ids
    return ClosePolicyRecord(
        row.needs_two, row.lets_accountants, expenses, manual, *exempt, flux, row.flux_percent
    )


def own_steps(organization_id: str, *, with_archived: bool = False) -> Sequence[OwnStep]:
    """List the steps that an organization added, the oldest first."""
    statement = sa.select(OwnStep).where(OwnStep.organization_id == organization_id).order_by(OwnStep.id)
    return db.session.scalars(statement if with_archived else statement.where(~OwnStep.is_archived)).all()


def own_step(organization_id: str, own_step_id: int) -> OwnStep:
    """Find a step that an organization added, or raise NotFoundError."""
    return lookups.get(OwnStep, organization_id, own_step_id)


def of_period(organization_id: str, period: str) -> dict[tuple[str, str], CloseMark]:
    """Give what was ticked in the close of a month, by its step and what it is about."""
    of = CloseMark.organization_id == organization_id, CloseMark.period == period
    return {(each.code, each.about): each for each in db.session.scalars(sa.select(CloseMark).where(*of))}


def own_of_month(
    organization_id: str, last: date, ticked: Mapping[tuple[str, str], CloseMark]
) -> list[CloseStep]:
    """Give the own steps of a month, each done once somebody ticked it."""
    years = organizations.financial_years(organization_id)
    chosen = [each for each in own_steps(organization_id) if is_of(each.every, last, years)]
    owners = {each.owner_id for each in chosen if each.owner_id}
    names = {each.id: each.name for each in db.session.scalars(sa.select(User).where(User.id.in_(owners)))}
    return [_own(each, last, names, ticked.get((f"{OWN}{each.id}", ""))) for each in chosen]


def _own(step: OwnStep, last: date, names: Mapping[int, str], mark: CloseMark | None) -> CloseStep:
    return CloseStep(
        f"{OWN}{step.id}",
        StepState.TO_DO if mark is None else StepState.DONE,
        int(mark is None),
        step.name,
        None,
        owner=names.get(step.owner_id or 0),
        due_on=None if step.due_after is None else last + timedelta(days=step.due_after),
        done_by=None if mark is None else str(mark.done_by.get("name")),
        done_at=None if mark is None else mark.done_at,
        note=None if mark is None else mark.note,
    )


def with_accepted(
    steps: Sequence[CloseStep], accepted: Sequence[Mapping[str, Any]], row: Close
) -> list[CloseStep]:
    """Give the steps with those accepted that a close was prepared with."""
    notes = {each["step"]: each["note"] for each in accepted}
    return [
        replace(
            each,
            state=StepState.ACCEPTED,
            note=notes[each.code],
            done_by=str(row.prepared_by.get("name")),
            done_at=row.prepared_at,
        )
        if each.state is StepState.TO_DO and each.code in notes
        else each
        for each in steps
    ]
