"""Parties that stand on the other side of the accounts that keep their items: customers in credit, suppliers in debit.

A customer who paid too much is owed something, so the balance sheet has that among liabilities. Of a party all accounts
of one side count together, as in the aged report; a revaluation is of no party.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import leakproof_coalesce
from webapp.database.sessions import db
from webapp.ledger.dimensions import Dimension, DimensionSelection, counting
from webapp.ledger.open_items.ageing import OwedSide
from webapp.models import (
    JournalEntry,
    Merchant,
    OwedItem,
    Posting,
    RegisterLine,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import merchants
from webapp.queries.common.among import among
from webapp.queries.currencies import revaluations
from webapp.queries.reports import dimensions
from webapp.queries.reports.dimensions import Sums

# An account and a party; without an id, what has no party.
_Pair = tuple[int, int | None]
_Balances = Mapping[_Pair, int]


def by_part(
    organization_id: str,
    sides: Mapping[int, OwedSide],
    days: Collection[date],
    selection: DimensionSelection,
    by: Dimension | None,
) -> dict[int | None, Sums]:
    """Give what stands on the other side at the close of some days, by part and account, in minor units of the base.

    `sides` names the accounts. Whether a party is in credit is a matter of all that is posted for it; what of that is
    selected is what is given.
    """
    wanted = sorted(set(days))
    if not sides:
        return {}
    opposite = [_opposite(each, sides) for each in _balances(organization_id, list(sides), wanted)]
    if not any(opposite):
        return {}
    if selection or by not in {None, Dimension.MERCHANT}:
        return _selected(organization_id, wanted, opposite, selection, by)
    found: dict[int | None, Sums] = defaultdict(lambda: {day: Counter() for day in wanted})
    for day, balances in zip(wanted, opposite, strict=True):
        for (account_id, party), minor in balances.items():
            found[party if by else None][day][account_id] += minor
    return found


def _opposite(balances: _Balances, sides: Mapping[int, OwedSide]) -> dict[_Pair, int]:
    """Keep the balances of the parties that are in credit among receivables, or in debit among payables."""
    totals: Counter[tuple[OwedSide, int | None]] = Counter()
    for (account_id, party), minor in balances.items():
        totals[sides[account_id], party] += minor
    is_opposite = {
        key: minor < 0 if key[0] is OwedSide.RECEIVABLES else minor > 0 for key, minor in totals.items()
    }
    return {pair: minor for pair, minor in balances.items() if minor and is_opposite[sides[pair[0]], pair[1]]}


def _balances(organization_id: str, account_ids: list[int], days: Sequence[date]) -> Sequence[_Balances]:
    """Give what parties have on accounts at the close of each day, at the carrying base.

    That is what is open of items now, less what was posted after the day: what a settlement takes of items and the
    difference that it realises are nil together.
    """
    values: dict[str, Any] = {f"day_{number}": day for number, day in enumerate(days, 1)}
    values |= {"organization_id": organization_id, "ids": account_ids, "revaluation": revaluations.SOURCE}
    rows = db.session.execute(_since(len(days)), values)
    moved: dict[int, Counter[_Pair]] = defaultdict(Counter)
    for account_id, party, number, minor in rows:
        moved[number][account_id, party] += int(minor)
    running, found = moved[0], []
    for number in range(len(days), 0, -1):
        running.subtract(moved[number])
        found.append(dict(running))
    return found[::-1]


@lru_cache(maxsize=64)
def _since(count: int) -> sa.Select[Any]:
    """Make the statement for so many days: under 0 what is open now, else what was posted after so many of them.

    The register of an account has its postings that count by day. Only what voids or corrects another entry has to ask
    what that was.
    """
    organization_id: Any = sa.bindparam("organization_id")
    ids: Any = sa.bindparam("ids")
    sums = sa.union_all(
        _still_open(organization_id, ids), _posted_since(organization_id, ids, count)
    ).subquery()
    party = sa.func.coalesce(Merchant.merged_into_id, sums.c.org_merchant_id)
    return (
        sa.select(sums.c.account_id, party, sums.c.number, sa.func.sum(sums.c.minor))
        .outerjoin(
            Merchant,
            sa.and_(Merchant.organization_id == organization_id, Merchant.id == sums.c.org_merchant_id),
        )
        .group_by(sums.c.account_id, party, sums.c.number)
        .execution_options(is_made_once=True)
    )


def _still_open(organization_id: Any, ids: Any) -> Any:
    """Select what is open of items now, under the number 0."""
    is_open = sa.or_(
        OwedItem.settled_minor != OwedItem.amount_minor,
        OwedItem.settled_base_minor != OwedItem.amount_base_minor,
    )
    return sa.select(
        OwedItem.account_id,
        OwedItem.org_merchant_id,
        sa.literal(0).label("number"),
        (OwedItem.amount_base_minor - OwedItem.settled_base_minor).label("minor"),
    ).where(OwedItem.organization_id == organization_id, among(OwedItem.account_id, ids), is_open)


def _posted_since(organization_id: Any, ids: Any, count: int) -> sa.Select[Any]:
    """Select what was posted after the first day, under the number of the last of the days that it is after."""
    entry, first = orm.aliased(JournalEntry), orm.aliased(JournalEntry)
    is_first = entry.voids_id.is_(None) & entry.corrects_id.is_(None)
    source_of_first = (
        sa.select(first.source)
        .where(
            of_same_organization(first, entry),
            first.id == sa.case((entry.voids_id.is_(None), entry.corrects_id), else_=entry.voids_id),
        )
        .scalar_subquery()
    )
    number = sa.case(
        *((RegisterLine.day > sa.bindparam(f"day_{age}"), sa.literal(age)) for age in range(count, 0, -1))
    )
    return (
        sa.select(Posting.account_id, Posting.org_merchant_id, number, Posting.amount_base_minor)
        .join_from(RegisterLine, Posting, refers_to(RegisterLine.posting_id, Posting))
        .join(entry, refers_to(RegisterLine.journal_entry_id, entry))
        .where(
            RegisterLine.organization_id == organization_id,
            among(RegisterLine.account_id, ids),
            RegisterLine.day > sa.bindparam("day_1"),
            sa.case((is_first, entry.source), else_=source_of_first) != sa.bindparam("revaluation"),
        )
    )


def _selected(
    organization_id: str,
    days: Sequence[date],
    opposite: Sequence[_Balances],
    selection: DimensionSelection,
    by: Dimension | None,
) -> dict[int | None, Sums]:
    """Add up what of these balances is posted to a selection, by a dimension."""
    merged = merchants.merged(organization_id)
    moved: dict[int | None, list[Counter[_Pair]]] = defaultdict(lambda: [Counter() for _ in days])
    for key, account_id, merchant_id, until, minor in _moves(organization_id, days, opposite, selection, by):
        part = counting(key, merged) if by is Dimension.MERCHANT else key
        moved[part][until][account_id, counting(merchant_id, merged)] += int(minor)
    return {part: _at_close(each, days, opposite) for part, each in moved.items()}


def _moves(
    organization_id: str,
    days: Sequence[date],
    opposite: Sequence[_Balances],
    selection: DimensionSelection,
    by: Dimension | None,
) -> Iterable[Any]:
    """Add up what is posted to the accounts of these balances, by part, account, merchant and first day."""
    first = orm.aliased(JournalEntry)
    original = leakproof_coalesce(JournalEntry.voids_id, JournalEntry.corrects_id, JournalEntry.id)
    rows = (
        dimensions.postings_until(organization_id, days, selection, by)
        .join(first, sa.and_(of_same_organization(first, JournalEntry), first.id == original))
        .where(first.source != revaluations.SOURCE)
        .subquery()
    )
    columns = rows.c.key, rows.c.account_id, rows.c.merchant_id, rows.c.until
    account_ids = {account_id for balances in opposite for account_id, _ in balances}
    return db.session.execute(
        sa.select(*columns, sa.func.sum(rows.c.minor))
        .where(rows.c.account_id.in_(sorted(account_ids)))
        .group_by(*columns)
    )


def _at_close(moved: Sequence[Counter[_Pair]], days: Sequence[date], opposite: Sequence[_Balances]) -> Sums:
    """Add up from day to day, and keep what is opposite at the close of each."""
    running: Counter[_Pair] = Counter()
    found: Sums = {}
    for day, more, balances in zip(days, moved, opposite, strict=True):
        running.update(more)
        found[day] = Counter()
        for account_id, party in balances:
            found[day][account_id] += running[account_id, party]
    return found
