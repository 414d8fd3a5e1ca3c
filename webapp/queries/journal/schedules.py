"""Schedules with their parts, and the parts that are due."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.closing.schedules import DISPOSAL, LoanPart, PartState, ScheduleKind, annuity, split_of
from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.ledger.tax.forms import months_after
from webapp.models import Account, JournalEntry, Posting, Schedule, SchedulePart, refers_to
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.records import record_of

MOST_SALES = 50
NEWEST = Order((Schedule.id,))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class PartRecord:
    """A part of a schedule, with its state on a day; of a loan with what the payment pays back, and the rest."""

    number: int
    due_on: date
    amount: Money | None
    amount_base: Money | None
    state: str
    journal_entry_id: int | None
    effective_at: date | None
    refusal: str | None
    refusal_code: str | None
    principal: Money | None
    owed: Money | None


@dataclass(frozen=True, slots=True)
class DisposalRecord:
    """How an asset was disposed of: what it was worth in the books, what it brought, and what is left of both."""

    on: date
    journal_entry_id: int | None
    sale_entry_id: int | None
    depreciated: Money
    book_value: Money
    proceeds: Money
    gain: Money
    taken_back: Money


@dataclass(frozen=True, slots=True)
class Moves:
    """What parts move from an account to another: in all, or each where it recurs; nothing where postings say more."""

    account_id: int | None = None
    counter_account_id: int | None = None
    currency: str | None = None
    amount: Money | None = None
    amount_base: Money | None = None


@dataclass(frozen=True, slots=True)
class ScheduleRecord:
    """A schedule with its parts."""

    id: int
    name: str
    kind: str
    status: str
    account_id: int | None
    counter_account_id: int | None
    currency: str | None
    amount: Money | None
    amount_base: Money | None
    split: str | None
    residual: Money | None
    method: str | None
    rate: str | None
    payment: Money | None
    first_month: str | None
    starts_on: date
    every: str
    day_rule: str
    document_id: int | None
    origin_entry_id: int | None
    asset_account_id: int | None
    disposal: DisposalRecord | None
    posts_itself: bool
    parts: Sequence[PartRecord]


def get(organization_id: str, schedule_id: int) -> Schedule:
    """Find a schedule, or raise NotFoundError."""
    return lookups.get(Schedule, organization_id, schedule_id)


def part(organization_id: str, schedule_id: int, number: int) -> SchedulePart:
    """Find a part by its number, or raise NotFoundError."""
    found = [each for each in parts_of(get(organization_id, schedule_id)) if each.number == number]
    if not found:
        raise NotFoundError
    return found[0]


def parts_of(schedule: Schedule) -> Sequence[SchedulePart]:
    """List the parts of a schedule in their order."""
    return db.session.scalars(
        sa.select(SchedulePart)
        .where(refers_to(SchedulePart.schedule_id, schedule))
        .order_by(SchedulePart.number)
    ).all()


def due(organization_id: str, until: date, *, by_itself: bool = False) -> Sequence[SchedulePart]:
    """List the parts that fall due up to a day and have no entry, in the order of their days.

    With `by_itself` those of schedules that post themselves.
    """
    chosen = Schedule.posts_itself if by_itself else sa.true()
    return db.session.scalars(
        sa.select(SchedulePart)
        .join(Schedule, refers_to(SchedulePart.schedule_id, Schedule))
        .where(
            SchedulePart.organization_id == organization_id,
            SchedulePart.due_on <= until,
            SchedulePart.state.in_(("PLANNED", "REFUSED")),
            Schedule.status == "ACTIVE",
            chosen,
        )
        .order_by(SchedulePart.due_on, SchedulePart.id)
    ).all()


def due_of_loans(organization_id: str, days: Sequence[date]) -> dict[int, list[int]]:
    """Give for each account of a loan what is to be paid back within a year of each of some days."""
    found: dict[int, list[int]] = {}
    for loan in db.session.scalars(*_loans(organization_id)):
        dues = [each.due_on for each in parts_of(loan)]
        plan = _plan(loan, len(dues))
        of_loan = found.setdefault(loan.account_id or 0, [0] * len(days))
        for place, day in enumerate(days):
            end = months_after(day, 12)
            of_loan[place] += sum(
                part.principal for part, due_on in zip(plan, dues, strict=True) if day < due_on <= end
            )
    return found


@made_once
def _loans(organization_id: str) -> sa.Select[Any]:
    return sa.select(Schedule).where(
        Schedule.organization_id == organization_id,
        Schedule.kind == ScheduleKind.LOAN,
        Schedule.status == "ACTIVE",
    )


def _plan(loan: Schedule, periods: int) -> list[LoanPart]:
    amount, rate, payment = loan.amount_minor or 0, loan.rate or Decimal(0), loan.payment_minor or 0
    return annuity(amount, rate, payment, periods, loan.every)


def has_any(organization_id: str) -> bool:
    """Return whether there are schedules that go on."""
    return bool(
        db.session.scalar(
            sa.select(
                sa.exists().where(
                    Schedule.organization_id == organization_id,
                    Schedule.status == "ACTIVE",
                    Schedule.kind != "REVERSING",
                )
            )
        )
    )


def waiting(organization_id: str, until: date) -> list[PartState]:
    """Give the states of the parts that are due up to a day, voided ones among them; refused ones first."""
    rows = db.session.scalars(
        sa.select(SchedulePart.state)
        .join(Schedule, refers_to(SchedulePart.schedule_id, Schedule))
        .outerjoin(JournalEntry, refers_to(SchedulePart.journal_entry_id, JournalEntry))
        .where(
            SchedulePart.organization_id == organization_id,
            SchedulePart.due_on <= until,
            SchedulePart.state != "SKIPPED",
            sa.or_(SchedulePart.state != "POSTED", JournalEntry.status == "VOIDED"),
            Schedule.status == "ACTIVE",
            Schedule.kind != "REVERSING",
        )
    )
    return sorted(
        (PartState.REFUSED if each == "REFUSED" else PartState.DUE for each in rows),
        key=lambda state: state is not PartState.REFUSED,
    )


def state_of(found: SchedulePart, today: date) -> PartState:
    """Give the state of a part on a day; one whose entry was voided is due again."""
    entry = found.journal_entry_id and lookups.get(
        JournalEntry, found.organization_id, found.journal_entry_id
    )
    return _state(found, entry.status if entry else None, today)


def _state(found: SchedulePart, entry_status: str | None, today: date) -> PartState:
    if found.state == "POSTED" and entry_status != "POSTED":
        return PartState.DRAFT if entry_status == "DRAFT" else PartState.DUE
    if found.state == "PLANNED" and found.due_on <= today:
        return PartState.DUE
    return PartState(found.state)


def reversed_with(entry: JournalEntry) -> Sequence[JournalEntry]:
    """List the other posted entry of a pair of which one reverses the other; none of other entries."""
    schedule = entry.schedule_id and get(entry.organization_id, entry.schedule_id)
    if not schedule or schedule.kind != "REVERSING":
        return ()
    (only,) = parts_of(schedule)
    ids = {schedule.origin_entry_id, only.journal_entry_id} - {entry.id}
    found = lookups.by_id(JournalEntry, entry.organization_id, ids).values()
    return [each for each in found if each.status == "POSTED"]


def disposed_by(entry: JournalEntry) -> Sequence[Schedule]:
    """List the assets that an entry disposed of, or sold."""
    return db.session.scalars(
        sa.select(Schedule).where(
            Schedule.organization_id == entry.organization_id,
            Schedule.disposed_on.is_not(None),
            sa.or_(Schedule.disposal_entry_id == entry.id, Schedule.sale_entry_id == entry.id),
        )
    ).all()


def sales(organization_id: str) -> Sequence[JournalEntry]:
    """List the newest entries that may be the sale of an asset, and are that of none."""
    sold = sa.select(Schedule.sale_entry_id).where(
        Schedule.organization_id == organization_id, Schedule.sale_entry_id.is_not(None)
    )
    is_on_role = sa.exists().where(
        Posting.organization_id == organization_id,
        refers_to(Posting.journal_entry_id, JournalEntry),
        refers_to(Posting.account_id, Account),
        Account.role == DISPOSAL,
    )
    chosen = JournalEntry.status == "POSTED", JournalEntry.schedule_id.is_(None), is_on_role
    return db.session.scalars(
        sa.select(JournalEntry)
        .where(JournalEntry.organization_id == organization_id, *chosen, JournalEntry.id.not_in(sold))
        .order_by(JournalEntry.id.desc())
        .limit(MOST_SALES)
    ).all()


def postings_of(schedule: Schedule) -> list[Any]:
    """Give the legs of a recurring schedule as somebody wrote them."""
    days = {"tax_point", "due_on"}
    amounts = {"amount", "amount_base"}

    def read(name: str, value: Any) -> Any:
        if value is not None and name in amounts:
            return Decimal(value)
        return date.fromisoformat(value) if value is not None and name in days else value

    return [{name: read(name, value) for name, value in leg.items()} for leg in schedule.legs or ()]


def moves_of(schedule: Schedule, base: str) -> Moves:
    """Give what the parts of a schedule move; for what recurs, read from its postings where they are two plain ones."""
    if schedule.kind != ScheduleKind.RECURRING:
        amounts = _money(schedule.amount_minor, schedule.currency), _money(schedule.amount_base_minor, base)
        return Moves(schedule.account_id, schedule.counter_account_id, schedule.currency, *amounts)
    plain = {"account_id", "amount", "currency"}
    legs = [
        {name: value for name, value in each.items() if value is not None} for each in postings_of(schedule)
    ]
    currencies = {each.get("currency", base) for each in legs}
    if len(legs) != 2 or len(currencies) != 1 or any(each.keys() - plain for each in legs):  # noqa: PLR2004
        return Moves()
    away, to = sorted(legs, key=lambda each: each["amount"])
    (currency,) = currencies
    amount = Money.of(str(to["amount"]), currency)
    # In another currency, each part has the rate of its day.
    worth = amount if currency == base else None
    return Moves(away["account_id"], to["account_id"], currency, amount, worth)


def record(schedule: Schedule, today: date) -> ScheduleRecord:
    """Give a schedule with its parts as they are on a day."""
    return records([schedule], today)[0]


def listed(
    organization_id: str, *, today: date, after: tuple[Any, ...] | None, limit: int
) -> Page[ScheduleRecord]:
    """List schedules, the newest first."""
    statement = sa.select(Schedule).where(Schedule.organization_id == organization_id)
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(records(found.items, today))


def records(found: Sequence[Schedule], today: date) -> list[ScheduleRecord]:
    """Give schedules with their parts as they are on a day, in a constant number of statements."""
    if not found:
        return []
    organization_id = found[0].organization_id
    base = organizations.base_currency(organization_id)
    rows = db.session.scalars(
        sa.select(SchedulePart)
        .where(
            SchedulePart.organization_id == organization_id,
            SchedulePart.schedule_id.in_([each.id for each in found]),
        )
        .order_by(SchedulePart.schedule_id, SchedulePart.number)
    ).all()
    entries = lookups.by_id(JournalEntry, organization_id, {each.journal_entry_id for each in rows})
    parts: dict[int, list[PartRecord]] = {each.id: [] for each in found}
    moves = {each.id: moves_of(each, base) for each in found}
    plans = {
        each.id: _plan(each, sum(part.schedule_id == each.id for part in rows))
        for each in found
        if each.kind == ScheduleKind.LOAN
    }
    for each in rows:
        planned = plans[each.schedule_id][each.number - 1] if each.schedule_id in plans else None
        entry = entries.get(each.journal_entry_id or 0)
        parts[each.schedule_id].append(
            PartRecord(
                each.number,
                each.due_on,
                _money(each.amount_minor, moves[each.schedule_id].currency),
                _money(each.amount_base_minor, base),
                _state(each, entry.status if entry else None, today),
                each.journal_entry_id,
                entry.effective_on if entry else None,
                each.refusal,
                each.refusal_code,
                Money(planned.principal, base) if planned else None,
                Money(planned.owed, base) if planned else None,
            )
        )
    return [_record(each, moves[each.id], parts[each.id], base) for each in found]


def _disposal(schedule: Schedule, parts: Sequence[PartRecord], base: str) -> DisposalRecord | None:
    if schedule.disposed_on is None:
        return None
    depreciated = _sum_of(parts, PartState.POSTED)
    # Parts that were taken back are left out, and keep the entry that was voided.
    taken_back = _sum_of([each for each in parts if each.journal_entry_id], PartState.SKIPPED)
    book_value, proceeds = (schedule.amount_minor or 0) - depreciated, _proceeds(schedule)
    amounts = (depreciated, book_value, proceeds, proceeds - book_value, taken_back)
    return DisposalRecord(
        schedule.disposed_on,
        schedule.disposal_entry_id,
        schedule.sale_entry_id,
        *(Money(each, base) for each in amounts),
    )


def _sum_of(parts: Sequence[PartRecord], state: PartState) -> int:
    return sum(each.amount_base.minor for each in parts if each.state == state and each.amount_base)


def _proceeds(schedule: Schedule) -> int:
    """Add up what the sale of an asset credits to the account of gains and losses, with its corrections."""
    if schedule.sale_entry_id is None:
        return 0
    found = db.session.scalar(
        sa.select(sa.func.sum(Posting.amount_base_minor))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Posting.organization_id == schedule.organization_id,
            Account.role == DISPOSAL,
            JournalEntry.status == "POSTED",
            sa.or_(
                JournalEntry.id == schedule.sale_entry_id, JournalEntry.corrects_id == schedule.sale_entry_id
            ),
        )
    )
    return -int(found or 0)


def _record(schedule: Schedule, moves: Moves, parts: Sequence[PartRecord], base: str) -> ScheduleRecord:
    rate = schedule.rate
    return record_of(
        ScheduleRecord,
        schedule,
        account_id=moves.account_id,
        counter_account_id=moves.counter_account_id,
        currency=moves.currency,
        amount=moves.amount,
        amount_base=moves.amount_base,
        split=split_of(schedule.kind, schedule.method),
        residual=_money(schedule.residual_minor, base),
        payment=_money(schedule.payment_minor, base),
        rate=None if rate is None else f"{rate.normalize():f}",
        disposal=_disposal(schedule, parts, base),
        parts=parts,
    )


def _money(minor: int | None, currency: str | None) -> Money | None:
    return None if minor is None or currency is None else Money(minor, currency)
