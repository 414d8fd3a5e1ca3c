"""The proof of each account of the balance sheet at the close of a day: by what, of which figure, and what is left."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType, Role
from webapp.ledger.closing.balances import ATTESTED, BalanceProof, BalanceState, ExplainedPart, verdict_on
from webapp.ledger.closing.schedules import ScheduleKind, annuity
from webapp.ledger.money import Money
from webapp.models import (
    COUNTING,
    Account,
    BalanceNote,
    FeedAccount,
    JournalEntry,
    Organization,
    Posting,
    Schedule,
    TaxReturn,
    TaxStamp,
    of_same_organization,
    refers_to,
)
from webapp.queries.accounts import accounts, balances
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.items import listings
from webapp.queries.journal import schedules
from webapp.queries.reconciliation import verdicts
from webapp.queries.tax import packs

SHEET = (AccountType.ASSET, AccountType.LIABILITY, AccountType.EQUITY)


@dataclass(frozen=True, slots=True)
class BalanceRecord:
    """An account with its balance, the figure that proves it, and what explains their difference."""

    account_id: int
    account_code: str | None
    account_name: str
    proof: BalanceProof
    balance: Money
    figure: Money | None
    difference: Money | None
    explained: Money
    unexplained: Money
    state: BalanceState
    notes: Sequence[NoteRecord]
    fa_id: int | None


@dataclass(frozen=True, slots=True)
class NoteRecord:
    """What somebody attested, or explained of a difference; an expired explanation explains nothing."""

    id: int
    kind: str
    amount: Money
    text: str
    owner: str | None
    reverses_by: date | None
    document_id: int | None
    is_expired: bool


def of_day(organization: Organization, day: date) -> list[BalanceRecord]:
    """Judge each account of the balance sheet that has a balance or a proof of its own at the close of a day."""
    here = organization.id
    rows = db.session.scalars(
        sa.select(Account)
        .where(Account.organization_id == here, Account.type.in_(SHEET))
        .order_by(*accounts.BY_CODE.columns)
    ).all()
    closing = balances.of_accounts(here, [each.id for each in rows], through=day)
    notes: dict[int, list[BalanceNote]] = defaultdict(list)
    for each in db.session.scalars(
        sa.select(BalanceNote)
        .where(
            BalanceNote.organization_id == here, BalanceNote.as_of == day, BalanceNote.withdrawn_at.is_(None)
        )
        .order_by(BalanceNote.id)
    ):
        notes[each.account_id].append(each)
    figures = _Figures(organization, day, {key: each.amount_base_minor for key, each in closing.items()})
    found = []
    for account in rows:
        record = _record(organization, account, figures, notes[account.id], day)
        if record.balance or record.figure or record.notes:
            found.append(record)
    return found


def note(organization_id: str, note_id: int) -> BalanceNote:
    """Find what was attested or explained, or raise NotFoundError."""
    return lookups.get(BalanceNote, organization_id, note_id)


def _record(
    organization: Organization, account: Account, figures: _Figures, notes: Sequence[BalanceNote], day: date
) -> BalanceRecord:
    minor, (proof, figure) = figures.balances.get(account.id, 0), figures.of(account, notes)

    def money(amount: int) -> Money:
        return Money(amount, organization.base_currency)

    explanations = [
        ExplainedPart(each.id, each.amount_minor, each.reverses_by)
        for each in notes
        if each.reverses_by is not None
    ]
    difference = None if figure is None else minor - figure
    verdict = verdict_on(difference, explanations, organization.materiality_minor, day)
    return BalanceRecord(
        account.id,
        account.code,
        account.name,
        proof,
        money(minor),
        None if figure is None else money(figure),
        None if difference is None else money(difference),
        money(verdict.explained),
        money(verdict.unexplained),
        verdict.state,
        [
            NoteRecord(
                each.id,
                each.kind,
                money(each.amount_minor),
                each.text,
                each.owner,
                each.reverses_by,
                each.document_id,
                each.id in verdict.expired,
            )
            for each in notes
        ],
        figures.fa_ids.get(account.id),
    )


class _Figures:
    """The figures that prove accounts at the close of a day, in minor units of the base currency."""

    def __init__(self, organization: Organization, day: date, by_account: Mapping[int, int]) -> None:
        self._here, self._day, self.balances = organization.id, day, by_account
        self.fa_ids: dict[int, int] = dict(
            db.session.execute(
                sa.select(FeedAccount.account_id, FeedAccount.id).where(
                    FeedAccount.organization_id == self._here
                )
            ).all()
        )
        self._proved = self._proved_banks()
        self._items = self._open_items()
        self._taxes = {
            each.id for role, each in packs.accounts(self._here).items() if role in ("output", "input")
        }
        self._returns = self._unsettled_taxes() if self._taxes else Counter[int]()
        self._schedules = self._scheduled()

    def of(self, account: Account, notes: Sequence[BalanceNote]) -> tuple[BalanceProof, int | None]:
        """Give what proves an account, and its figure, if there is one."""
        balance = self.balances.get(account.id, 0)
        attested = [each.amount_minor for each in notes if each.kind == ATTESTED]
        is_proved = self._proved.get(account.id)
        ways = (
            (bool(attested), BalanceProof.ATTESTED, attested[-1] if attested else None),
            (is_proved is not None, BalanceProof.STATEMENT, balance if is_proved else None),
            (account.keeps_items, BalanceProof.ITEMS, self._items[account.id]),
            (account.id in self._taxes, BalanceProof.RETURN, self._returns[account.id]),
            (account.role == Role.TRANSFERS, BalanceProof.ZERO, 0),
            (account.type == AccountType.EQUITY, BalanceProof.ROLL_FORWARD, balance),
            (account.id in self._schedules, BalanceProof.SCHEDULE, self._schedules[account.id]),
        )
        found = ((proof, figure) for applies, proof, figure in ways if applies)
        return next(found, (BalanceProof.ATTESTED, None))

    def _proved_banks(self) -> dict[int, bool]:
        """Tell of each account of a bank whether a proof that holds reaches the day."""
        statements, verdict_of = verdicts.of_accounts(self._here, list(self.fa_ids.values()))
        proved = {
            each.feed_account_id
            for each in statements
            if each.status == "COMPLETED" and each.statement_date >= self._day and verdict_of[each.id].holds
        }
        return {account_id: fa_id in proved for account_id, fa_id in self.fa_ids.items()}

    def _open_items(self) -> Counter[int]:
        """Add up what is open of the items of each account, at the rates that revaluations gave it."""
        rows = db.session.execute(*_open_sums(self._here, self._day))
        found: Counter[int] = Counter({account_id: int(minor or 0) for account_id, minor in rows})
        revalued = db.session.execute(
            sa.select(Posting.account_id, sa.func.sum(Posting.amount_base_minor))
            .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
            .where(
                Posting.organization_id == self._here,
                JournalEntry.status.in_(COUNTING),
                JournalEntry.effective_on <= self._day,
                JournalEntry.source == "revaluation",
            )
            .group_by(Posting.account_id)
        )
        found.update({account_id: int(minor or 0) for account_id, minor in revalued})
        return found

    def _unsettled_taxes(self) -> Counter[int]:
        """Add up the taxes of entries dated by the day that no settlement entry dated by then clears."""
        settling = sa.orm.aliased(JournalEntry)
        is_settled = sa.exists().where(
            of_same_organization(TaxStamp, Posting),
            TaxStamp.posting_id == Posting.id,
            TaxStamp.ended_at.is_(None),
            refers_to(TaxStamp.return_id, TaxReturn),
            refers_to(TaxReturn.journal_entry_id, settling),
            settling.status == "POSTED",
            settling.effective_on <= self._day,
        )
        rows = db.session.execute(
            sa.select(Posting.account_id, sa.func.sum(Posting.amount_base_minor))
            .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
            .where(
                Posting.organization_id == self._here,
                Posting.account_id.in_(self._taxes),
                Posting.boxes.is_not(None),
                JournalEntry.status.in_(COUNTING),
                JournalEntry.effective_on <= self._day,
                sa.not_(is_settled),
            )
            .group_by(Posting.account_id)
        )
        return Counter({account_id: int(minor or 0) for account_id, minor in rows})

    def _scheduled(self) -> Counter[int]:
        """Give what schedules leave on their accounts, where each of these has its document."""
        found: Counter[int] = Counter()
        without: set[int] = set()
        for each in db.session.scalars(
            sa.select(Schedule).where(
                Schedule.organization_id == self._here,
                Schedule.kind.in_((ScheduleKind.RELEASE, ScheduleKind.DEPRECIATION, ScheduleKind.LOAN)),
            )
        ):
            of = _left_of(each, self._day)
            found.update(of)
            if each.document_id is None:
                without |= set(of)
        return Counter(
            {account_id: minor for account_id, minor in found.items() if account_id not in without}
        )


def _left_of(schedule: Schedule, day: date) -> dict[int, int]:
    """Give what a schedule leaves on its accounts at the close of a day, by its plan."""
    parts, account_id = schedules.parts_of(schedule), schedule.account_id or 0
    if schedule.starts_on > day:
        return {}
    due = sum(1 for each in parts if each.due_on <= day)
    if schedule.kind == ScheduleKind.LOAN:
        rate, payment = schedule.rate or Decimal(0), schedule.payment_minor or 0
        plan = annuity(schedule.amount_minor or 0, rate, payment, len(parts), schedule.every)
        return {account_id: -(plan[due - 1].owed if due else schedule.amount_minor or 0)}
    is_gone = schedule.disposed_on is not None and schedule.disposed_on <= day
    cost = 0 if is_gone else schedule.amount_base_minor or 0
    taken = 0 if is_gone else sum(each.amount_base_minor or 0 for each in parts[:due])
    if schedule.asset_account_id is not None:
        return {schedule.asset_account_id: cost, account_id: -taken}
    return {account_id: cost - taken}


@made_once
def _open_sums(organization_id: str, day: date) -> sa.Select[Any]:
    """Add up what is open of the items of each account at the close of a day."""
    items = listings.as_of(organization_id, day)
    return sa.select(items.c.account_id, sa.func.sum(items.c.open_base_minor)).group_by(items.c.account_id)
