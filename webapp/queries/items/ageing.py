"""What is owed, by party and age, as of any day, and how that ties to its accounts; and cash that is expected."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import leakproof_coalesce
from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import (
    ACCOUNT_TYPES,
    Age,
    AgedAmounts,
    Owed,
    OwedSide,
    aged,
    first_due_days,
)
from webapp.models import COUNTING, Account, JournalEntry, Merchant, Posting, of_same_organization, refers_to
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts, balances
from webapp.queries.common import lookups
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.currencies import revaluations
from webapp.queries.items import listings

Ages = Mapping[Age, Money]


@dataclass(frozen=True, slots=True)
class AgedRow:
    """One currency of a party: by age in that currency and at its carrying base; what is owed to us is above zero."""

    currency: str
    amounts: Ages
    amounts_base: Ages
    total: Money
    total_base: Money


@dataclass(frozen=True, slots=True)
class AgedParty:
    """A party with its currencies, and by age in the base; without an id and a name what has no party."""

    id: int | None
    name: str | None
    rows: tuple[AgedRow, ...]
    amounts_base: Ages
    total_base: Money


@dataclass(frozen=True, slots=True)
class AgedReport:
    """What stands on the accounts of one side that keep items, at the close of a day.

    `amounts_base` and `total_base` are all parties together; with the `revaluation` they make the `balance` of the
    accounts, or the books are broken.
    """

    side: OwedSide
    day: date
    base_currency: str
    account_ids: tuple[int, ...]
    parties: tuple[AgedParty, ...]
    amounts_base: Ages
    total_base: Money
    revaluation: Money
    balance: Money

    @property
    def difference(self) -> Money:
        """What the balance has beyond the items and the revaluation."""
        return self.balance - self.total_base - self.revaluation


def report(organization_id: str, side: OwedSide, day: date) -> AgedReport:
    """Age what is owed on one side at the close of a day."""
    base = organizations.get(organization_id).base_currency
    account_ids = keeping(organization_id, side)
    groups = aged(_owed_by_age(organization_id, account_ids, day), day)
    closing = balances.of_accounts(organization_id, account_ids, through=day).values()
    return AgedReport(
        side,
        day,
        base,
        tuple(account_ids),
        _parties(organization_id, groups, base),
        _added((each.amounts_base for each in groups), base),
        Money(sum(each.total_base for each in groups), base),
        Money(_revalued(organization_id, account_ids, day), base),
        Money(sum(each.amount_base_minor for each in closing), base),
    )


def keeping(organization_id: str, side: OwedSide | None = None) -> list[int]:
    """List the ids of the accounts that keep items, of one side or of both, in the order of the chart."""
    types = [type_.value for each, type_ in ACCOUNT_TYPES.items() if side in {None, each}]
    return list(db.session.scalars(*_keeping(organization_id, types)))


@made_once
def _keeping(organization_id: str, types: Collection[str]) -> sa.Select[Any]:
    return (
        sa.select(Account.id)
        .where(Account.organization_id == organization_id, Account.keeps_items, among(Account.type, types))
        .order_by(*accounts.BY_CODE.columns)
    )


def owed(organization_id: str, account_ids: Collection[int], day: date) -> list[Owed]:
    """Add up what is left of items at the close of a day, by party, currency and due day."""
    return _read(*_owed(organization_id, account_ids, day))


def _owed_by_age(organization_id: str, account_ids: Collection[int], day: date) -> list[Owed]:
    """Add up what is left of items at the close of a day, by party, currency and age; each with its last due day."""
    statement, values = _by_age(organization_id, account_ids, day)
    return _read(statement, values | {f"due_{place}": due for place, due in enumerate(first_due_days(day))})


def _read(statement: sa.Select[Any], values: Mapping[str, Any]) -> list[Owed]:
    rows = db.session.execute(statement, values).all()
    return [Owed(party, currency, due, int(amount), int(base)) for party, currency, due, amount, base in rows]


@made_once
def _owed(organization_id: str, account_ids: Collection[int], day: date) -> sa.Select[Any]:
    items = listings.as_of(organization_id, day)
    keys = items.c.party, items.c.currency, items.c.due_on
    return (
        sa.select(*keys, sa.func.sum(items.c.open_minor), sa.func.sum(items.c.open_base_minor))
        .where(among(items.c.account_id, account_ids), listings.is_open(items))
        .group_by(*keys)
    )


@made_once
def _by_age(organization_id: str, account_ids: Collection[int], day: date) -> sa.Select[Any]:
    items = listings.as_of(organization_id, day)
    due_on: Any = items.c.due_on
    ages = ((due_on >= sa.bindparam(f"due_{place}"), place) for place in range(len(Age) - 1))
    keys = items.c.party, items.c.currency
    return (
        sa.select(
            *keys,
            sa.func.max(due_on),
            sa.func.sum(items.c.open_minor),
            sa.func.sum(items.c.open_base_minor),
        )
        .where(among(items.c.account_id, account_ids), listings.is_open(items))
        .group_by(*keys, sa.case((due_on.is_(None), 0), *ages, else_=len(Age)))
    )


def _parties(organization_id: str, groups: Sequence[AgedAmounts], base: str) -> tuple[AgedParty, ...]:
    found: dict[int | None, list[AgedAmounts]] = {}
    for each in groups:
        found.setdefault(each.party_id, []).append(each)
    merchants = lookups.by_id(Merchant, organization_id, found)
    parties = (
        AgedParty(
            party_id,
            merchants[party_id].name if party_id else None,
            tuple(_row(each, base) for each in sorted(some, key=lambda each: each.currency)),
            _added((each.amounts_base for each in some), base),
            Money(sum(each.total_base for each in some), base),
        )
        for party_id, some in found.items()
    )
    return tuple(sorted(parties, key=lambda each: (each.name is None, (each.name or "").casefold(), each.id)))


def _row(group: AgedAmounts, base: str) -> AgedRow:
    return AgedRow(
        group.currency,
        {age: Money(minor, group.currency) for age, minor in group.amounts.items()},
        {age: Money(minor, base) for age, minor in group.amounts_base.items()},
        Money(group.total, group.currency),
        Money(group.total_base, base),
    )


def _added(groups: Iterable[Mapping[Age, int]], base: str) -> Ages:
    some = list(groups)
    return {age: Money(sum(each[age] for each in some), base) for age in Age}


def _revalued(organization_id: str, account_ids: Collection[int], day: date) -> int:
    """Add up what revaluations and their reversals have on accounts at the close of a day."""
    return int(db.session.scalar(*_revaluation(organization_id, account_ids, day)) or 0)


@made_once
def _revaluation(organization_id: str, account_ids: Collection[int], day: date) -> sa.Select[Any]:
    first = orm.aliased(JournalEntry)
    original = leakproof_coalesce(JournalEntry.voids_id, JournalEntry.corrects_id, JournalEntry.id)
    # By the few entries that revalue: most of what is posted to the accounts does not.
    entries = sa.select(JournalEntry.id).where(JournalEntry.organization_id == organization_id)
    revaluing = entries.where(revaluations.IS_REVALUATION)
    family = revaluing.union_all(
        entries.where(JournalEntry.voids_id.in_(revaluing)),
        entries.where(JournalEntry.corrects_id.in_(revaluing)),
    )
    return (
        sa.select(sa.func.sum(Posting.amount_base_minor))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(first, sa.and_(of_same_organization(first, JournalEntry), first.id == original))
        .where(
            Posting.organization_id == organization_id,
            Posting.journal_entry_id.in_(family),
            among(Posting.account_id, account_ids),
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on <= day,
            first.source == revaluations.SOURCE,
        )
    )


@dataclass(frozen=True, slots=True)
class ExpectedDay:
    """What comes in and goes out on a day, at its carrying base, and what both come to up to it."""

    due_on: date
    incoming: Money
    outgoing: Money
    running: Money


@dataclass(frozen=True, slots=True)
class ExpectedCash:
    """Cash expected by due day, as known at the close of a day; `overdue` was due by then, `undated` has no due day."""

    day: date
    base_currency: str
    overdue: Money
    overdue_incoming: Money
    overdue_outgoing: Money
    undated: Money
    undated_incoming: Money
    undated_outgoing: Money
    days: tuple[ExpectedDay, ...]


def expected(organization_id: str, day: date) -> ExpectedCash:
    """Give the cash that open items bring by the day on which they are due."""
    base = organizations.get(organization_id).base_currency
    sums: dict[date | None, dict[OwedSide, int]] = defaultdict(lambda: dict.fromkeys(OwedSide, 0))
    for side in OwedSide:
        for each in owed(organization_id, keeping(organization_id, side), day):
            sums[each.due_on][side] += each.amount_base_minor
    late = {
        side: sum(both[side] for due, both in sums.items() if due is not None and due <= day)
        for side in OwedSide
    }
    undated = sums.pop(None, dict.fromkeys(OwedSide, 0))
    coming = sorted(due for due in sums if due is not None and due > day)
    running = accumulate((sum(sums[due].values()) for due in coming), initial=sum(late.values()))
    next(running)
    days = (
        ExpectedDay(
            due,
            Money(sums[due][OwedSide.RECEIVABLES], base),
            Money(sums[due][OwedSide.PAYABLES], base),
            Money(after, base),
        )
        for due, after in zip(coming, running, strict=True)
    )
    return ExpectedCash(
        day,
        base,
        overdue=Money(sum(late.values()), base),
        overdue_incoming=Money(late[OwedSide.RECEIVABLES], base),
        overdue_outgoing=Money(late[OwedSide.PAYABLES], base),
        undated=Money(sum(undated.values()), base),
        undated_incoming=Money(undated[OwedSide.RECEIVABLES], base),
        undated_outgoing=Money(undated[OwedSide.PAYABLES], base),
        days=tuple(days),
    )
