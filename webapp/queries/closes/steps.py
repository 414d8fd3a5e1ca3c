"""The steps of a month's close, each by the predicate of the list that its link leads to."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.closing.balances import BalanceState
from webapp.ledger.closing.closes import StepState
from webapp.ledger.closing.schedules import PartState
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.ledger.tax.forms import is_over_limit
from webapp.ledger.titles import counted
from webapp.models import (
    DaySum,
    FeedAccount,
    JournalEntry,
    Organization,
    Reconciliation,
    TaxPack,
    Transaction,
)
from webapp.queries.access import organizations
from webapp.queries.accounts import feed_accounts
from webapp.queries.closes import reviews
from webapp.queries.closes.balance_proofs import BalanceRecord
from webapp.queries.closes.reviews import AccountChange, UnprovedEntry
from webapp.queries.common.made_once import made_once
from webapp.queries.currencies import revaluation_verdicts
from webapp.queries.currencies.revaluation_verdicts import RevaluationState
from webapp.queries.items import ageing, listings
from webapp.queries.journal import schedules
from webapp.queries.journal.cut_offs import CutOff
from webapp.queries.reconciliation import verdicts
from webapp.queries.tax import packs, periods, returns
from webapp.queries.transfers import open_items

TO_MEND = (RevaluationState.NEVER, RevaluationState.STALE, RevaluationState.RATE_MISSING)


@dataclass(frozen=True, slots=True)
class CloseStep:
    """A step of a close: what is left of it, and the page that lists it, if there is one, with its arguments.

    One that a person ticked or accepted says who did, when and why.
    """

    code: str
    state: StepState
    count: int
    sentence: str
    page: str | None
    amount: Money | None = None
    named: Mapping[str, Any] = field(default_factory=dict)
    href: str | None = None
    owner: str | None = None
    due_on: date | None = None
    done_by: str | None = None
    done_at: datetime | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """What people look at in a close: entries without a document, changes, what they left late, and balances."""

    has_policy: bool
    unproved: Sequence[UnprovedEntry]
    changes: Sequence[AccountChange]
    left_late: Collection[int]
    balances: Sequence[BalanceRecord]

    @property
    def unproved_balances(self) -> Sequence[BalanceRecord]:
        """The accounts of the balance sheet that are open, or whose explanations somebody has to approve."""
        return [
            each for each in self.balances if each.state in (BalanceState.OPEN, BalanceState.NEEDS_APPROVER)
        ]


def of_period(organization_id: str, days: Period, cut_off: CutOff, looked: Looked) -> list[CloseStep]:
    """Judge every step of the close of a period."""
    organization = organizations.get(organization_id)
    to = days.last
    return [
        _lines(organization_id, to),
        _uncategorised(organization, to),
        *_banks(organization_id, to),
        _cut_off(cut_off, to, looked.left_late),
        _revaluation(organization, to),
        _schedules(organization_id, to),
        _parties(organization_id, to),
        _evidence(looked, to, organization.base_currency),
        *([] if (tax := _tax(organization, to)) is None else [tax]),
        _balances(looked, to, organization.base_currency),
        _flux(looked.changes, to),
    ]


def _state(count: int) -> StepState:
    return StepState.TO_DO if count else StepState.DONE


def _day(day: date) -> str:
    return f"{day:%-d %b %Y}"


def _lines(organization_id: str, to: date) -> CloseStep:
    count: int = db.session.scalars(
        sa.select(sa.func.count()).where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "DRAFT",
            JournalEntry.effective_on <= to,
        )
    ).one()
    sentence = f"{counted(count, 'draft')} up to {_day(to)} {'is' if count == 1 else 'are'} not posted."
    named = {"status": "DRAFT", "to": to.isoformat()}
    return CloseStep("lines", _state(count), count, sentence, "journal_entries.index", named=named)


def _uncategorised(organization: Organization, to: date) -> CloseStep:
    items = open_items.items_subquery(organization.id)
    count, amount = db.session.execute(
        sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(items.c.amount_base_minor), 0)).where(
            items.c.effective_on <= to
        )
    ).one()
    sentence = (
        f"{counted(count, 'amount')} up to {_day(to)} {'waits' if count == 1 else 'wait'} for an account."
    )
    whole = Money(int(amount), organization.base_currency)
    named = {"to": to.isoformat()}
    return CloseStep("uncategorised", _state(count), count, sentence, "transfers.index", whole, named)


def _banks(organization_id: str, to: date) -> Iterator[CloseStep]:
    """Judge the statements of bank accounts, and the proofs that were made of them."""
    feeds = {each.fa_id for each in feed_accounts.active_records(organization_id)}
    begun = _begun(organization_id, feeds, to)
    statements, verdict_of = verdicts.of_accounts(organization_id, list(feeds))
    proved_on = _proved_on(organization_id, to)
    left = begun - proved_on.keys()
    count = len(left)
    sentence = f"{counted(count, 'bank account')} {'is' if count == 1 else 'are'} not proved to {_day(to)}."
    state = _state(count) if begun else StepState.NOTHING
    # The workspace of the one that is left; of several, the list of balances leads to each.
    page, named = (
        ("feed_accounts.show", {"fa_id": str(min(left))})
        if count == 1
        else ("balance_proofs.show", {"period": f"{to:%Y-%m}"})
    )
    yield CloseStep("statements", state, count, sentence, page, named=named)
    # What proves the day is the first proof at it or after it; later ones are about later months.
    broken = [
        each.feed_account_id
        for each in statements
        if each.statement_date <= proved_on.get(each.feed_account_id, to)
        and each.id in verdict_of
        and not verdict_of[each.id].holds
    ]
    sentence = f"{counted(len(broken), 'proof')} {'holds' if len(broken) == 1 else 'hold'} no longer."
    state = _state(len(broken)) if verdict_of else StepState.NOTHING
    named = {"_anchor": "breach-" + str(broken[0])} if broken else {}
    yield CloseStep("proofs", state, len(broken), sentence, "hub.index", named=named)


def _proved_on(organization_id: str, to: date) -> dict[int, date]:
    """Give of each feed account the day of its first proof at a day or after it."""
    statement = sa.select(Reconciliation.feed_account_id, sa.func.min(Reconciliation.statement_date)).where(
        Reconciliation.organization_id == organization_id,
        Reconciliation.status == "COMPLETED",
        Reconciliation.statement_date >= to,
    )
    rows: Any = db.session.execute(statement.group_by(Reconciliation.feed_account_id)).all()
    return dict(rows)


def _begun(organization_id: str, fa_ids: Collection[int], to: date) -> set[int]:
    """Find the feed accounts that have a line or a posting up to a day."""
    has_line = sa.exists().where(
        Transaction.organization_id == organization_id,
        Transaction.feed_account_id == FeedAccount.id,
        Transaction.booked_on <= to,
        Transaction.status.in_(IN_BOOKS),
    )
    has_posting = sa.exists().where(
        DaySum.organization_id == organization_id,
        DaySum.account_id == FeedAccount.account_id,
        DaySum.day <= to,
    )
    statement = sa.select(FeedAccount.id).where(
        FeedAccount.organization_id == organization_id,
        FeedAccount.id.in_(fa_ids),
        sa.or_(has_line, has_posting),
    )
    return set(db.session.scalars(statement))


def _cut_off(found: CutOff, to: date, left: Collection[int]) -> CloseStep:
    """Count what is booked too late, is not accrued, and that nobody has left there."""
    rows = [each for each in found.rows if each.accrued_by is None and each.journal_entry_id not in left]
    entries = counted(len(rows), "entry", "entries")
    sentence = (
        f"{entries} {'is' if len(rows) == 1 else 'are'} about days up to {_day(to)}, and booked after it."
    )
    named = {"period": f"{to:%Y-%m}", "_anchor": "cut-off"}
    whole = Money(sum(each.amount.minor for each in rows), found.sum.currency)
    return CloseStep("cut_off", _state(len(rows)), len(rows), sentence, "closes.show", whole, named)


def _evidence(looked: Looked, to: date, base: str) -> CloseStep:
    count = len(looked.unproved)
    sentence = f"{counted(count, 'entry', 'entries')} {'needs' if count == 1 else 'need'} a document."
    state = _state(count) if looked.has_policy else StepState.NOTHING
    whole = Money(sum(each.amount.minor for each in looked.unproved), base)
    named = {"period": f"{to:%Y-%m}", "_anchor": "evidence"}
    return CloseStep("evidence", state, count, sentence, "closes.show", whole, named)


def _balances(looked: Looked, to: date, base: str) -> CloseStep:
    found = looked.unproved_balances
    count = len(found)
    waiting = sum(each.state is BalanceState.NEEDS_APPROVER for each in found)
    sentence = f"{counted(count, 'balance')} {'is' if count == 1 else 'are'} not proved to {_day(to)}."
    if waiting:
        sentence += f" An approver looks at the explanations of {counted(waiting, 'balance')}."
    whole = Money(sum(abs((each.difference or each.balance).minor) for each in found), base)
    state = _state(count) if looked.balances else StepState.NOTHING
    return CloseStep(
        "balances", state, count, sentence, "balance_proofs.show", whole, {"period": f"{to:%Y-%m}"}
    )


def _flux(changes: Sequence[AccountChange], to: date) -> CloseStep:
    count = len(reviews.left(changes))
    sentence = f"{counted(count, 'large change')} {'needs' if count == 1 else 'need'} a sentence."
    named = {"period": f"{to:%Y-%m}", "_anchor": "flux"}
    state = _state(count) if changes else StepState.NOTHING
    return CloseStep("flux", state, count, sentence, "closes.show", named=named)


def _revaluation(organization: Organization, to: date) -> CloseStep:
    verdict = revaluation_verdicts.of_day(organization, to)
    count = int(verdict.state in TO_MEND)
    if verdict.missing:
        sentence = f"A rate of {_day(to)} is missing for {', '.join(verdict.missing)}."
    elif verdict.warning is not None:
        sentence = verdict.warning.message
    else:
        sentence = f"Balances in other currencies are as {_day(to)} needs them."
    nothing = verdict.state is RevaluationState.NONE_NEEDED
    return CloseStep(
        "revaluation",
        StepState.NOTHING if nothing else _state(count),
        count,
        sentence,
        "exchange_rates.show",
        verdict.difference if count and not verdict.missing else None,
    )


def _schedules(organization_id: str, to: date) -> CloseStep:
    waiting = schedules.waiting(organization_id, to)
    refused = waiting.count(PartState.REFUSED)
    sentence = f"{counted(len(waiting), 'part')} of schedules {'is' if len(waiting) == 1 else 'are'} due by {_day(to)}."
    if refused:
        sentence += f" {counted(refused, 'part')} {'was' if refused == 1 else 'were'} refused."
    state = _state(len(waiting)) if schedules.has_any(organization_id) else StepState.NOTHING
    return CloseStep("schedules", state, len(waiting), sentence, "schedules.index")


def _parties(organization_id: str, to: date) -> CloseStep:
    keeping = ageing.keeping(organization_id)
    count, amount = db.session.execute(*_astray(organization_id, to, keeping)).one()
    are = "is" if count == 1 else "are"
    sentence = f"{counted(count, 'open item')} {are} without a party or on the wrong side on {_day(to)}."
    whole = Money(int(amount), organizations.base_currency(organization_id))
    named = {"asOf": to.isoformat()}
    state = _state(count) if keeping else StepState.NOTHING
    return CloseStep("parties", state, count, sentence, "owed.index", whole, named)


@made_once
def _astray(organization_id: str, day: date, account_ids: Collection[int]) -> sa.Select[Any]:
    """Count the open items of accounts without a party or on the wrong side, and add up what is open of them."""
    items = listings.as_of(organization_id, day, lambda row: row.account_id.in_(account_ids))
    return sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(items.c.open_base_minor), 0)).where(
        listings.is_open(items), listings.is_astray(items)
    )


def _tax(organization: Organization, to: date) -> CloseStep | None:
    """Count the returns that were due by a day and are not filed, and forms whose errors are too large for one."""
    installed = packs.all_installed(organization.id)
    if not installed:
        return None
    late = len(periods.due(organization.id, to))
    over = sum(_is_over_limit(organization, each) for each in installed)
    sentence = f"{counted(late, 'tax return')} due by {_day(to)} {'is' if late == 1 else 'are'} not filed."
    if over:
        sentence += f" The errors of {counted(over, 'form')} are above what a return may put right."
    return CloseStep(
        "tax", _state(late + over), late + over, sentence, "tax.index", named={"due": to.isoformat()}
    )


def _is_over_limit(organization: Organization, pack: TaxPack) -> bool:
    found: Any = returns.open_return(organization, pack.name)
    turnover = packs.content(pack.name).form.turnover
    if found.record.net_errors is None or turnover is None:
        return False
    base = organization.base_currency
    return is_over_limit(found.record.net_errors.minor, found.figures[turnover], base)
