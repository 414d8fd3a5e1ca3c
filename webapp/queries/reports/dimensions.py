"""Postings by project, group and merchant, and balances added up from them, for kept sums know accounts only."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.dimensions import Dimension, DimensionSelection, MergedMerchants, counting
from webapp.ledger.money import Money
from webapp.models import (
    COUNTING,
    Account,
    JournalEntry,
    Merchant,
    Posting,
    Project,
    ProjectGroup,
    refers_to,
)
from webapp.queries.common import lookups, merchants
from webapp.queries.common.selections import postings_of

Sums = dict[date, Counter[int]]


@dataclass(frozen=True, slots=True)
class DimensionPosting:
    """A posting with its account and entry."""

    journal_entry_id: int
    effective_on: date
    description: str
    account_id: int
    account_name: str
    amount: Money


_NAMED: dict[Dimension, type[Project | ProjectGroup | Merchant]] = {
    Dimension.PROJECT: Project,
    Dimension.PROJECT_GROUP: ProjectGroup,
    Dimension.MERCHANT: Merchant,
}


_KEYS: dict[Dimension, Any] = {
    Dimension.PROJECT: Posting.project_id,
    Dimension.PROJECT_GROUP: Project.group_id,
    Dimension.MERCHANT: Posting.org_merchant_id,
}


def names(organization_id: str, selection: DimensionSelection) -> dict[Dimension, str]:
    """Name what a selection is about, or raise UnknownReferenceError."""
    wanted: list[tuple[Dimension, int | None, str]] = [
        (Dimension.PROJECT, selection.project_id, "projectId"),
        (Dimension.PROJECT_GROUP, selection.project_group_id, "projectGroupId"),
        (Dimension.MERCHANT, selection.org_merchant_id, "orgMerchantId"),
    ]
    found = {
        each: lookups.refer(_NAMED[each], organization_id, row_id, path)
        for each, row_id, path in wanted
        if row_id is not None
    }
    merchant = found.get(Dimension.MERCHANT)
    if merchant is not None:
        found[Dimension.MERCHANT] = merchants.counting(organization_id, [merchant.id])[merchant.id]
    return {each: row.name for each, row in found.items()}


def members(organization_id: str, dimension: Dimension) -> dict[int, str]:
    """Name all projects, groups or merchants by id, A to Z."""
    model = _NAMED[dimension]
    rows = db.session.execute(
        sa.select(model.id, model.name)
        .where(model.organization_id == organization_id)
        .order_by(fold(model.name), model.id)
    )
    return {row.id: row.name for row in rows}


def in_base_currency(
    organization_id: str, days: Collection[date], selection: DimensionSelection, by: Dimension | None
) -> dict[int | None, Sums]:
    """Give each account's balance in minor units at the close of some days, of selected postings, by a dimension.

    Without a dimension all stands under None, with one what has none; that is left out where nothing is selected.
    """
    wanted = sorted(set(days))
    rows = postings_until(organization_id, wanted, selection, by)
    if by is not None and not selection:
        rows = rows.where(_KEYS[by].is_not(None))
    merged = merchants.merged(organization_id) if by is Dimension.MERCHANT else {}
    return _accumulated(rows.subquery(), wanted, merged)


def postings_until(
    organization_id: str, days: Sequence[date], selection: DimensionSelection, by: Dimension | None
) -> sa.Select[Any]:
    """Select postings of a selection up to the last of some days, given in their order.

    `key` is their project, group or merchant, `until` the number of the first day at whose close they count.
    """
    until = sa.case(
        *((JournalEntry.effective_on <= day, number) for number, day in enumerate(days)), else_=len(days)
    )
    key = sa.null() if by is None else _KEYS[by]
    rows = (
        sa.select(
            sa.cast(key, sa.BigInteger).label("key"),
            Posting.account_id.label("account_id"),
            Posting.org_merchant_id.label("merchant_id"),
            until.label("until"),
            Posting.amount_base_minor.label("minor"),
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            JournalEntry.effective_on <= days[-1],
            JournalEntry.status.in_(COUNTING),
            *postings_of(organization_id, selection),
        )
    )
    if by is Dimension.PROJECT_GROUP:
        rows = rows.outerjoin(Project, refers_to(Posting.project_id, Project))
    return rows


def _accumulated(rows: sa.Subquery, days: list[date], merged: MergedMerchants) -> dict[int | None, Sums]:
    """Add up rows by key, account and the first day that they count for, and then from day to day."""
    columns = rows.c.key, rows.c.account_id, rows.c.until
    added = db.session.execute(sa.select(*columns, sa.func.sum(rows.c.minor)).group_by(*columns))
    moved: dict[int | None, list[Counter[int]]] = defaultdict(lambda: [Counter() for _ in days])
    for key, account_id, until, minor in added:
        moved[counting(key, merged)][until][account_id] += int(minor)
    return {key: _running(each, days) for key, each in moved.items()}


def _running(moved: Sequence[Counter[int]], days: Sequence[date]) -> Sums:
    """Add up from day to day, debits and credits alike."""
    running: Counter[int] = Counter()
    found: Sums = {}
    for day, more in zip(days, moved, strict=True):
        running.update(more)
        found[day] = running.copy()
    return found


def newest(
    organization_id: str,
    selection: DimensionSelection,
    *,
    limit: int,
    statuses: Collection[str] = COUNTING,
) -> list[DimensionPosting]:
    """List the newest postings of a selection, of entries that count or of other states."""
    columns: tuple[Any, ...] = (
        JournalEntry.id,
        JournalEntry.effective_on,
        JournalEntry.description,
        Posting.account_id,
        Account.name,
        Posting.amount_minor,
        Posting.currency,
    )
    rows = db.session.execute(
        sa.select(*columns)
        .select_from(Posting)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Posting.organization_id == organization_id,
            JournalEntry.status.in_(statuses),
            *postings_of(organization_id, selection),
        )
        .order_by(JournalEntry.effective_on.desc(), JournalEntry.id.desc(), Posting.position)
        .limit(limit)
    )
    return [
        DimensionPosting(
            row.id,
            row.effective_on,
            row.description,
            row.account_id,
            row.name,
            Money(row.amount_minor, row.currency),
        )
        for row in rows
    ]
