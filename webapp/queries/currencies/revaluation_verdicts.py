"""Verdicts on revaluations: what a day needs against what stands, judged anew whenever somebody asks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.journal.entries import Leg, mirrored
from webapp.ledger.journal.revaluations import revaluation
from webapp.ledger.money import Money
from webapp.ledger.warnings import ReportWarning
from webapp.models import (
    COUNTING,
    Account,
    ActionRequest,
    JournalEntry,
    Organization,
    Posting,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.currencies import exchange_rates, revaluations
from webapp.queries.currencies.revaluations import ForeignBalance

# Of older ones the first alone is judged: they are off by the same act, and each takes a statement of its own.
MOST_JUDGED: Final = 12
MOST_MOVES: Final = 20
RATE_ACTS: Final = ("put_exchange_rates", "take_reference_rates")


@dataclass(frozen=True, slots=True)
class RevaluedAmount:
    """What a revaluation adds on an account in a currency, in the base currency."""

    account_id: int
    account_name: str
    currency: str
    amount_base: Money


@dataclass(frozen=True, slots=True)
class RevaluationMove:
    """An act that moved what a day's revaluation needs, after the one that stands was made."""

    action_request_id: str
    title: str
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RevaluationRecord:
    """The verdict on a day's revaluation by account and currency, and what moved it since it was made."""

    as_of: date
    state: str
    due: Sequence[RevaluedAmount]
    standing: Sequence[RevaluedAmount]
    apart: Sequence[RevaluedAmount]
    result: Money
    missing_rates: Sequence[str]
    since: Sequence[RevaluationMove]


class RevaluationState(StrEnum):
    """The state of a day's revaluation."""

    NONE_NEEDED = "NONE_NEEDED"
    NEVER = "NEVER"
    STANDS = "STANDS"
    STALE = "STALE"
    RATE_MISSING = "RATE_MISSING"


@dataclass(frozen=True, slots=True)
class RevaluationVerdict:
    """What a revaluation as of a day would post, and what stands; `pair` are the standing entries."""

    as_of: date
    base: str
    balances: Sequence[ForeignBalance]
    due: tuple[Leg, ...]
    standing: tuple[Leg, ...]
    pair: Sequence[JournalEntry]
    missing: tuple[str, ...]

    @property
    def state(self) -> RevaluationState:
        """Whether one is needed, and whether the one that stands is what is needed."""
        if self.missing:
            return RevaluationState.RATE_MISSING
        if self.due == self.standing:
            return RevaluationState.STANDS if self.pair else RevaluationState.NONE_NEEDED
        return RevaluationState.STALE if self.pair else RevaluationState.NEVER

    @property
    def apart(self) -> Mapping[tuple[int, str], int]:
        """What is missing by account and currency, in the base currency."""
        added = _added(self.due)
        added.subtract(_added(self.standing))
        return {key: minor for key, minor in added.items() if minor}

    @property
    def difference(self) -> Money:
        """What the result would gain."""
        return Money(_gain(self.due) - _gain(self.standing), self.base)

    @property
    def warning(self) -> ReportWarning | None:
        """What a balance sheet of the day says about it."""
        day, size = f"{self.as_of:%-d %b %Y}", abs(self.difference)
        if self.state is RevaluationState.STALE:
            apart = f"by {size.formatted}" if size else "between two accounts"
            sentence = f"The revaluation of {day} is off {apart} now; revalue that day again."
            return ReportWarning("revaluation_stale", sentence, as_of=self.as_of, difference=self.difference)
        if self.state is RevaluationState.NEVER:
            sentence = (
                f"Balances in other currencies are not revalued as of {day}: {size.formatted} is missing."
            )
            return ReportWarning("not_revalued", sentence, as_of=self.as_of, difference=self.difference)
        return None


def _gain(legs: Sequence[Leg]) -> int:
    return sum(mirrored(leg) for leg in legs if leg.amount_minor == 0)


def _added(legs: Sequence[Leg]) -> Counter[tuple[int, str]]:
    """Add up what legs of nothing add in the base currency, by account and currency."""
    added: Counter[tuple[int, str]] = Counter()
    for leg in legs:
        if leg.amount_minor == 0:
            added[leg.account_id, leg.currency] += mirrored(leg)
    return added


def record(organization: Organization, as_of: date) -> RevaluationRecord:
    """Judge the revaluation as of a day by account and currency; without a rate nothing is due, and nothing apart."""
    verdict = of_day(organization, as_of)
    due, standing = _added(verdict.due), _added(verdict.standing)
    apart = {} if verdict.missing else verdict.apart
    rows = lookups.by_id(Account, organization.id, {key[0] for key in (*due, *standing)})

    def amounts(found: Mapping[tuple[int, str], int]) -> list[RevaluedAmount]:
        return [
            RevaluedAmount(account_id, rows[account_id].name, currency, Money(minor, verdict.base))
            for (account_id, currency), minor in sorted(found.items())
        ]

    return RevaluationRecord(
        as_of,
        verdict.state,
        amounts(due),
        amounts(standing),
        amounts(apart),
        Money(0, verdict.base) if verdict.missing else verdict.difference,
        verdict.missing,
        _since(organization.id, verdict) if verdict.state is RevaluationState.STALE else [],
    )


def _since(organization_id: str, verdict: RevaluationVerdict) -> list[RevaluationMove]:
    """List the acts after a standing revaluation that posted to what is apart, or wrote rates; the earliest first."""
    made = verdict.pair[0]
    accounts_apart = {account_id for account_id, _ in verdict.apart}
    posting = (
        sa.select(JournalEntry.action_request_id)
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on <= verdict.as_of,
            JournalEntry.posted_at > made.posted_at,
            Posting.account_id.in_(accounts_apart),
        )
    )
    found = db.session.scalars(
        sa.select(ActionRequest)
        .where(
            ActionRequest.organization_id == organization_id,
            ActionRequest.status == "EXECUTED",
            ActionRequest.id > (made.action_request_id or ""),
            sa.or_(ActionRequest.id.in_(posting), ActionRequest.kind.in_(RATE_ACTS)),
        )
        .order_by(ActionRequest.id)
        .limit(MOST_MOVES)
    )
    return [RevaluationMove(each.id, each.title, each.actor["name"], each.created_at) for each in found]


def of_day(organization: Organization, as_of: date) -> RevaluationVerdict:
    """Judge the revaluation as of a day."""
    pair = revaluations.standing(organization.id, as_of)
    standing = tuple(
        Leg(each.account_id, each.amount_minor, each.currency, each.amount_base_minor)
        for each in (pair[0].postings if pair else ())
    )
    balances = revaluations.foreign_balances(organization.id, as_of, without=standing)
    codes = sorted({each.currency for each in balances})
    base = organization.base_currency
    rates = {code: exchange_rates.rate_on(organization.id, code, base, as_of) for code in codes}
    missing = tuple(code for code, rate in rates.items() if rate is None)
    due: tuple[Leg, ...] = ()
    if balances and not missing:
        due = revaluation(
            [
                (each.account_id, each.currency, each.amount_minor, each.amount_base_minor)
                for each in balances
            ],
            base,
            {code: rate for code, rate in rates.items() if rate is not None},
            accounts.by_role(organization.id, Role.UNREALISED_EXCHANGE).id,
        )
    return RevaluationVerdict(as_of, base, balances, due, standing, pair, missing)


def standing_days(organization_id: str, first: date, most: int = MOST_JUDGED) -> list[date]:
    """List the days from the first on whose revaluation stands, the earliest first."""
    found = db.session.scalars(*_standing_days(organization_id, first.isoformat(), most))
    return [date.fromisoformat(each) for each in found]


@made_once
def _standing_days(organization_id: str, first: str, most: int) -> sa.Select[str]:
    return (
        sa.select(ActionRequest.target_id)
        .join(JournalEntry, refers_to(JournalEntry.action_request_id, ActionRequest))
        .where(
            ActionRequest.organization_id == organization_id,
            ActionRequest.kind == "revalue",
            ActionRequest.target_kind == "day",
            ActionRequest.target_id >= first,
            revaluations.IS_REVALUATION,
            JournalEntry.status == "POSTED",
        )
        .distinct()
        .order_by(ActionRequest.target_id)
        .limit(most)
    )


def stale_from(organization_id: str, first: date) -> list[RevaluationVerdict]:
    """List the stale revaluations as of days from the first on, the earliest first."""
    organization = organizations.get(organization_id)
    found = (of_day(organization, day) for day in standing_days(organization_id, first))
    return [each for each in found if each.state is RevaluationState.STALE]


def to_mend(organization_id: str, today: date) -> list[RevaluationVerdict]:
    """List what is to be revalued again, and the end of the last month where nobody revalued it."""
    stale = stale_from(organization_id, date.min)
    month_end = today.replace(day=1) - timedelta(days=1)
    last = of_day(organizations.get(organization_id), month_end)
    return [*stale, *([last] if last.state is RevaluationState.NEVER else [])]
