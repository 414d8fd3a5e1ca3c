"""Schedules: written once, their parts posted as they fall due."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TypedDict

from webapp.database.sessions import db
from webapp.ledger.closing import schedules as rules
from webapp.ledger.closing.schedules import PartState, PartStateError, ScheduleKind, ScheduleLengthError
from webapp.ledger.codes import SCHEDULES
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.entries import Leg, check_balanced
from webapp.ledger.money import money_at
from webapp.ledger.periods import month_end
from webapp.ledger.references import Kind, Ref
from webapp.models import Account, Document, JournalEntry, Organization, Schedule, SchedulePart
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.journal import schedules
from webapp.services.accounts import accounts as ledger_accounts
from webapp.services.audit import field_changes
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, FailedItem, ItemResult, TouchedIds, attempt
from webapp.services.bookkeeping.posting_inputs import PostingInputs, legs_of
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import line_drafts

# What each part of a schedule is in its currency and in the base; nothing where it has postings.
PartAmounts = Sequence[tuple[int | None, int | None]]


class UntilAheadError(UnprocessableError):
    """Parts are posted up to today at most; choose an earlier day."""

    code = "until_ahead"


class ReleasedAmountError(UnprocessableError):
    """Send the amount to release; one in another currency with what it was worth in the base currency."""

    code = "amount_base"


class ScheduleShapeError(UnprocessableError):
    """An amount in parts has two accounts, and no postings or taxes; what recurs has them or postings."""

    code = "no_tax_here"


class StoppedError(LedgerError):
    """This schedule was stopped; write another one."""

    code = "stopped"


class AssetError(UnprocessableError):
    """An asset is depreciated each month, down to a residual below its cost and not below zero."""

    code = "asset"


class PaymentError(UnprocessableError):
    """The payment of a loan is above the interest of its first period."""

    code = "payment"


class RateError(UnprocessableError):
    """Send the rate in per cent a year, from 0 to 100."""

    code = "rate"


class ScheduleInput(TypedDict):
    """A schedule as somebody writes it: of an amount with two accounts, or of postings that recur."""

    kind: str
    name: str
    starts_on: date
    every: str
    day_rule: str | None
    periods: int | None
    ends_on: date | None
    account_id: int | None
    counter_account_id: int | None
    amount: Decimal | None
    amount_base: Decimal | None
    currency: str | None
    residual: Decimal | None
    method: str | None
    rate: Decimal | None
    payment: Decimal | None
    first_month: str | None
    postings: PostingInputs | None
    document_id: int | None
    origin_entry_id: int | None
    asset_account_id: int | None
    posts_itself: bool


def create(given: ScheduleInput, *, actor: Actor, now: datetime) -> Schedule:
    """Write a schedule of shares of an amount, or of the same entry again and again."""
    organization = organizations.get(actor.organization_id)
    title = f"Made the schedule {given['name']}"
    payload = field_changes.jsonable(given)
    with act(actor, now, "create_schedule", ("schedule", "new"), title=title, payload=payload) as doing:
        rule = given["day_rule"] or rules.preset_rule(given["kind"])
        days = _days(given, rule)
        if given["document_id"] is not None:
            lookups.refer(Document, organization.id, given["document_id"], "documentId")
        if given["origin_entry_id"] is not None:
            lookups.refer(JournalEntry, organization.id, given["origin_entry_id"], "originEntryId")
        made = Schedule(
            organization_id=organization.id,
            name=given["name"],
            kind=given["kind"],
            status="ACTIVE",
            starts_on=given["starts_on"],
            every=given["every"],
            day_rule=rule,
            document_id=given["document_id"],
            origin_entry_id=given["origin_entry_id"],
            created_at=now,
        )
        if given["kind"] == ScheduleKind.RECURRING:
            amounts = _recurring(organization, made, given, len(days))
        else:
            amounts = _shared(organization, made, given, days)
        if given["posts_itself"]:
            let_post(made, doing, posts_itself=True)
        add(made, days, amounts)
        doing.target_id = str(made.id)
        doing.after = {"name": made.name, "kind": made.kind, "parts": len(days)}
    return made


def _days(given: ScheduleInput, rule: str) -> list[date]:
    periods, ends_on, every = given["periods"], given["ends_on"], given["every"]
    if (periods is None) == (ends_on is None):
        raise ScheduleLengthError(fields={"periods": [str(ScheduleLengthError.__doc__)]})
    first = given["starts_on"]
    if given["kind"] == ScheduleKind.DEPRECIATION and given["first_month"] == "NEXT":
        first = month_end(first) + timedelta(days=1)
    count = periods or rules.periods_until(first, ends_on or date.max, every, rule)
    return rules.due_days(first, count, every, rule)


def _recurring(organization: Organization, made: Schedule, given: ScheduleInput, count: int) -> PartAmounts:
    """Give a recurring schedule its postings, or the two of an amount that moves between its accounts."""
    postings, amount = given["postings"] or (), given["amount"]
    if bool(postings) == (amount is not None):
        sentence = "Send the postings that recur, or an amount with two accounts."
        raise ScheduleShapeError(sentence, fields={"postings": [sentence]})
    if amount is not None:
        accounts = given["account_id"], given["counter_account_id"]
        postings = moving(organization, *accounts, amount, given["currency"])
    return [recur(organization, made, postings, given["starts_on"])] * count


def moving(
    organization: Organization,
    account_id: int | None,
    counter_account_id: int | None,
    amount: Decimal,
    currency: str | None,
) -> PostingInputs:
    """Write an amount that moves from an account to another one as two postings."""
    account, counter = _accounts(organization, account_id, counter_account_id)
    currency = currency or account.currency or organization.base_currency
    return [
        {"account_id": counter.id, "amount": amount, "currency": currency},
        {"account_id": account.id, "amount": -amount, "currency": currency},
    ]


def recur(
    organization: Organization, schedule: Schedule, postings: PostingInputs, day: date
) -> tuple[int | None, int | None]:
    """Give a schedule the postings that recur, if its part of a day may have them; return what each part is."""
    base = organization.base_currency
    legs = _mirrored(organization, postings, day)
    if all(leg.amount_base_minor is not None for leg in legs):
        check_balanced(legs, base)
    schedule.legs = field_changes.jsonable(postings)
    moves = schedules.moves_of(schedule, base)
    minor, worth = (None if each is None else each.minor for each in (moves.amount, moves.amount_base))
    return minor, worth


def _accounts(
    organization: Organization, account_id: int | None, counter_account_id: int | None
) -> tuple[Account, Account]:
    """Find the two accounts of a schedule, or raise UnknownReferenceError."""
    return (
        lookups.refer(Account, organization.id, account_id or 0, "accountId"),
        lookups.refer(Account, organization.id, counter_account_id or 0, "counterAccountId"),
    )


def _mirrored(organization: Organization, postings: PostingInputs, day: date) -> Sequence[Leg]:
    written = legs_of(organization, postings, day)
    return line_drafts.mirror_legs(organization, written, day, document_id=None, is_written=True)


def _shared(
    organization: Organization, made: Schedule, given: ScheduleInput, days: Sequence[date]
) -> PartAmounts:
    """Give a schedule of an amount its accounts and that amount, and split it into parts."""
    base = organization.base_currency
    if given["postings"]:
        raise ScheduleShapeError(fields={"postings": [str(ScheduleShapeError.__doc__)]})
    account, counter = _accounts(organization, given["account_id"], given["counter_account_id"])
    currency = given["currency"] or account.currency or base
    whole, worth = released(given["amount"], given["amount_base"], currency, base)
    made.account_id, made.counter_account_id = account.id, counter.id
    made.currency, made.amount_minor, made.amount_base_minor = currency, whole, worth
    if made.kind == ScheduleKind.RELEASE:
        parts = rules.equal_parts(whole, len(days))
        return list(zip(parts, rules.shares_of(worth, parts), strict=True))
    if currency != base or whole < 0:
        sentence = f"The amount of an asset or a loan is above zero and in {base}."
        raise ScheduleShapeError(sentence, fields={"amount": [sentence]})
    parts = (_depreciated if made.kind == ScheduleKind.DEPRECIATION else _interest)(
        organization, made, given, days
    )
    return [(each, each) for each in parts]


def released(
    amount: Decimal | None, amount_base: Decimal | None, currency: str, base: str
) -> tuple[int, int]:
    """Read the amount of a schedule, and what it was worth, in minor units; raises ReleasedAmountError."""
    whole = money_at(amount or Decimal(0), currency, "amount").minor
    worth = whole if currency == base else 0
    if currency != base and amount_base is not None:
        worth = money_at(amount_base, base, "amountBase").minor
    if whole * worth <= 0:
        name = "amountBase" if whole else "amount"
        raise ReleasedAmountError(fields={name: [str(ReleasedAmountError.__doc__)]})
    return whole, worth


def _depreciated(
    organization: Organization, made: Schedule, given: ScheduleInput, days: Sequence[date]
) -> list[int]:
    cost, base = made.amount_minor or 0, organization.base_currency
    # The sale of an asset is booked there, before it is disposed of.
    ledger_accounts.of_disposals(organization, made.created_at)
    made.method, made.first_month = given["method"] or "STRAIGHT_LINE", given["first_month"] or "FULL"
    if given["asset_account_id"] is not None:
        account = lookups.refer(Account, organization.id, given["asset_account_id"], "assetAccountId")
        made.asset_account_id = account.id
    made.residual_minor = money_at(given["residual"] or Decimal(0), base, "residual").minor
    if made.every != "MONTH" or not 0 <= made.residual_minor < cost:
        raise AssetError(fields={"every" if made.every != "MONTH" else "residual": [str(AssetError.__doc__)]})
    if made.method == "STRAIGHT_LINE":
        return rules.equal_parts(cost - made.residual_minor, len(days))
    made.rate = _rate(given)
    years = organizations.financial_years(organization.id)
    return rules.reducing_parts(cost, made.residual_minor, made.rate, days, years)


def _interest(
    organization: Organization, made: Schedule, given: ScheduleInput, days: Sequence[date]
) -> list[int]:
    principal = made.amount_minor or 0
    made.rate = _rate(given)
    made.payment_minor = money_at(given["payment"] or Decimal(0), organization.base_currency, "payment").minor
    plan = rules.annuity(principal, made.rate, made.payment_minor, len(days), made.every)
    if made.payment_minor <= plan[0].interest:
        raise PaymentError(fields={"payment": [str(PaymentError.__doc__)]})
    return [each.interest for each in plan]


def _rate(given: ScheduleInput) -> Decimal:
    rate = given["rate"]
    if rate is None or not 0 <= rate <= rules.HIGHEST_RATE:
        raise RateError(fields={"rate": [str(RateError.__doc__)]})
    return rate


def add(made: Schedule, days: Sequence[date], amounts: PartAmounts) -> None:
    """Add a schedule with its parts."""
    db.session.add(made)
    db.session.flush()
    parts = [
        SchedulePart(
            organization_id=made.organization_id,
            schedule_id=made.id,
            number=number,
            due_on=day,
            amount_minor=minor,
            amount_base_minor=worth,
            state="PLANNED",
        )
        for number, (day, (minor, worth)) in enumerate(zip(days, amounts, strict=True), 1)
    ]
    db.session.add_all(parts)
    db.session.flush()


def run(
    *, until: date | None = None, post: bool = True, by_itself: bool = False, actor: Actor, now: datetime
) -> list[ItemResult]:
    """Post each part that is due up to a day, or draft it; one that a rule refuses stays due, and stops no other.

    With `by_itself` only those of schedules that post themselves.
    """
    organization_id = actor.organization_id
    today = organizations.today(organization_id, now)
    if until is not None and until > today:
        raise UntilAheadError(fields={"until": [str(UntilAheadError.__doc__)]})
    results = []
    for part in schedules.due(organization_id, until or today, by_itself=by_itself):
        done = attempt(part.id, partial(enter, part, post=post, actor=actor, now=now))
        if isinstance(done, FailedItem):
            part.state, part.refusal_code, part.refusal = "REFUSED", done.code, done.error
            db.session.flush()
        results.append(done)
    return results


def enter(part: SchedulePart, *, post: bool = True, actor: Actor, now: datetime) -> ActionResult:
    """Post a part on its day, or on the first open one, or draft it; by hand also one that was voided."""
    schedule = schedules.get(part.organization_id, part.schedule_id)
    target, payload = ("schedule", schedule.id), {"number": part.number}
    if post:
        title = f"Posted part {part.number} of the schedule {schedule.name}"
        begun = act(actor, now, "post_schedule_part", target, title=title, payload=payload)
    else:
        title = f"Drafted part {part.number} of the schedule {schedule.name}"
        begun = act(actor, now, "draft_schedule_part", target, title=title, payload=payload)
    with begun as doing:
        require_open(part)
        if schedule.status == "STOPPED":
            raise StoppedError
        touched = enter_part(schedule, part, part.due_on, doing, post=post)
        doing.result = TouchedIds(touched).as_json()
        doing.after = {
            "number": part.number,
            "journalEntryId": Ref.optional(Kind.JOURNAL_ENTRY, part.journal_entry_id),
        }
    return ActionResult(action_request_id=doing.id, changed=True, result=TouchedIds(touched))


def enter_part(
    schedule: Schedule, part: SchedulePart, day: date, doing: Act, *, post: bool = True
) -> list[int]:
    """Give a part its entry of a day, the draft that it has or a new one, and list its id; one of 0.00 has none."""
    organization = organizations.get(schedule.organization_id)
    part.refusal_code = part.refusal = None
    entry = drafted(part)
    if entry is None:
        legs = legs_of_part(organization, schedule, part)
        entry = _draft(schedule, legs, day, doing) if legs else None
    part.state, part.journal_entry_id = ("POSTED", entry.id) if entry else ("SKIPPED", None)
    db.session.flush()
    if entry is not None and post:
        journal_entries.post(entry, doing, fact=journal_entries.fact_of(entry, day))
    return [entry.id] if entry else []


def drafted(part: SchedulePart) -> JournalEntry | None:
    """Return the draft of a part, if it has one."""
    if part.journal_entry_id is None:
        return None
    entry = lookups.get(JournalEntry, part.organization_id, part.journal_entry_id)
    return entry if entry.status == "DRAFT" else None


def let_post(schedule: Schedule, doing: Act, *, posts_itself: bool) -> None:
    """Let the worker post the parts of a schedule on their days, or no more; only a person lets it."""
    if posts_itself:
        doing.actor.demand_person(or_decided=True)
        organization = organizations.get(schedule.organization_id)
        organization.automatic = sorted({*organization.automatic, SCHEDULES})
    schedule.posts_itself = posts_itself


def require_open(part: SchedulePart) -> None:
    """Raise PartStateError for a part that is posted or skipped."""
    if schedules.state_of(part, part.due_on) in (PartState.POSTED, PartState.SKIPPED):
        raise PartStateError


def legs_of_part(organization: Organization, schedule: Schedule, part: SchedulePart) -> Sequence[Leg]:
    """Give the legs of a part; one of 0.00 has none."""
    if schedule.kind == ScheduleKind.RECURRING:
        return _mirrored(organization, schedules.postings_of(schedule), part.due_on)
    minor, worth = part.amount_minor or 0, part.amount_base_minor or 0
    if not minor and not worth:
        return ()
    currency, has_own = (
        schedule.currency or organization.base_currency,
        schedule.currency != organization.base_currency,
    )
    return [
        Leg(schedule.counter_account_id or 0, minor, currency, worth, has_own_base=has_own and bool(minor)),
        Leg(schedule.account_id or 0, -minor, currency, -worth, has_own_base=has_own and bool(minor)),
    ]


def post_legs(schedule: Schedule, legs: Sequence[Leg], due_on: date, doing: Act) -> JournalEntry:
    """Post an entry of a schedule on its day, or on the first open one."""
    entry = _draft(schedule, legs, due_on, doing)
    journal_entries.post(entry, doing, fact=journal_entries.fact_of(entry, due_on))
    return entry


def _draft(schedule: Schedule, legs: Sequence[Leg], due_on: date, doing: Act) -> JournalEntry:
    entry = journal_entries.add_draft(
        organizations.get(schedule.organization_id),
        organizations.first_open_day(schedule.organization_id, due_on),
        legs,
        source="manual",
        description=schedule.name,
        now=doing.now,
    )
    entry.schedule_id = schedule.id
    db.session.flush()
    return entry


def give_back(entry: JournalEntry, doing: Act) -> None:
    """Give back the asset whose disposal was voided; say it where the entry was the sale of one."""
    for schedule in schedules.disposed_by(entry):
        if schedule.sale_entry_id == entry.id:
            sentence = f"{schedule.name} was disposed of by this sale, and stays so. Void its disposal too."
            doing.warn("sale_voided", sentence)
            continue
        on = schedule.disposed_on or date.max
        for part in schedules.parts_of(schedule):
            if part.state == "SKIPPED" and not rules.bears_part(part.due_on, on, schedule.first_month):
                part.state = "POSTED" if part.journal_entry_id else "PLANNED"
        schedule.disposed_on = schedule.disposal_entry_id = schedule.sale_entry_id = None
        schedule.status = "ACTIVE"
    db.session.flush()
