"""Items: each kept row is what the postings and the settlements make it, and what is open is what its account has."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    COUNTING,
    Account,
    JournalEntry,
    OwedItem,
    Posting,
    Settlement,
    SettlementEntry,
    SettlementPart,
    refers_to,
)
from webapp.queries.checks.violations import Violation, checked_organizations, found
from webapp.queries.common import merchants
from webapp.queries.currencies import revaluations
from webapp.queries.items import derivations, listings, settlements


def kept_rows() -> Iterable[Violation]:
    """Find items that are not what the postings come to, that are missing, or that nothing was posted of."""
    whole = derivations.whole_items()
    is_same = sa.and_(OwedItem.organization_id == whole.c.organization_id, OwedItem.id == whole.c.item_id)
    differs = sa.or_(
        OwedItem.id.is_(None),
        sa.not_(derivations.is_of(whole)),
        OwedItem.amount_minor != whole.c.amount_minor,
        OwedItem.amount_base_minor != whole.c.amount_base_minor,
    )
    yield from found(
        "item_differs",
        sa.select(whole).outerjoin(OwedItem, is_same).where(differs),
        lambda row: f"Item {row.item_id} is not what its postings come to.",
        lambda row: {"itemId": row.item_id},
    )
    yield from found(
        "item_differs",
        # As sets, since PostgreSQL takes what it grouped for one row, and would compare each with each.
        sa.select(OwedItem.organization_id, OwedItem.id.label("item_id")).except_(
            sa.select(whole.c.organization_id, whole.c.item_id)
        ),
        lambda row: f"Nothing is posted of item {row.item_id}.",
        lambda row: {"itemId": row.item_id},
    )


def settled_of_items() -> Iterable[Violation]:
    """Find items whose settled amount is not what the standing settlements take."""
    taken = settlements.settled_amounts().subquery()
    amount = sa.func.coalesce(taken.c.amount_minor, 0)
    base = sa.func.coalesce(taken.c.amount_base_minor, 0)
    is_of_item = sa.and_(taken.c.organization_id == OwedItem.organization_id, taken.c.item_id == OwedItem.id)
    yield from found(
        "item_settled_differs",
        sa.select(OwedItem.organization_id, OwedItem.id.label("item_id"))
        .outerjoin(taken, is_of_item)
        .where(sa.or_(OwedItem.settled_minor != amount, OwedItem.settled_base_minor != base)),
        lambda row: f"What is settled of item {row.item_id} is not what its settlements take.",
        lambda row: {"itemId": row.item_id},
    )


def settled_anew() -> Any:
    """Build the statement that writes what is settled of items anew, where settlements take something else."""
    taken = settlements.settled_amounts().subquery()
    is_of_item = sa.and_(taken.c.organization_id == OwedItem.organization_id, taken.c.item_id == OwedItem.id)

    def settled(name: str) -> sa.ColumnElement[int]:
        summed = sa.select(taken.c[name]).where(is_of_item).correlate(OwedItem).scalar_subquery()
        return sa.func.coalesce(summed, 0)

    amount, base = settled("amount_minor"), settled("amount_base_minor")
    return (
        sa.update(OwedItem)
        .where(sa.or_(OwedItem.settled_minor != amount, OwedItem.settled_base_minor != base))
        .values(settled_minor=amount, settled_base_minor=base)
    )


def unsettled_differences() -> Iterable[Violation]:
    """Find settlements on accounts that keep items which did not realise what their parts differ by, or still do."""
    # Two questions about each settlement: a distributed database answers none within a HAVING.
    parts = (
        sa.select(sa.func.coalesce(sa.func.sum(SettlementPart.amount_base_minor), 0))
        .where(refers_to(SettlementPart.settlement_id, Settlement))
        .correlate(Settlement)
        .scalar_subquery()
    )
    realised = (
        sa.select(sa.func.coalesce(sa.func.sum(Posting.amount_base_minor), 0))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(
            SettlementEntry,
            sa.and_(
                SettlementEntry.organization_id == JournalEntry.organization_id,
                SettlementEntry.journal_entry_id == JournalEntry.id,
            ),
        )
        .where(
            SettlementEntry.organization_id == Settlement.organization_id,
            SettlementEntry.settlement_id == Settlement.id,
            SettlementEntry.purpose == "DIFFERENCE",
            JournalEntry.status == "POSTED",
            Posting.account_id == Settlement.account_id,
        )
        .correlate(Settlement)
        .scalar_subquery()
    )
    wanted = sa.case((Settlement.status == "STANDING", -parts), else_=0)
    yield from found(
        "settlement_difference",
        sa.select(Settlement.organization_id, Settlement.id.label("settlement_id"))
        .join(Account, refers_to(Settlement.account_id, Account))
        .where(Account.keeps_items, wanted != realised),
        lambda row: f"Settlement {row.settlement_id} realised another difference than its parts have.",
        lambda row: {"settlementId": row.settlement_id},
    )


def ties() -> Iterable[Violation]:
    """Find days at whose close the open items of an account, with its revaluation, are not what the account has.

    Looked at: as things are now, and the days on which settlements began and ended.
    """
    for organization_id in checked_organizations():
        for day in [None, *_days(organization_id)]:
            for account_id, currency in untied(organization_id, day):
                at = "" if day is None else f" at the close of {day:%-d %b %Y}"
                sentence = f"The open items of account {account_id} in {currency} are not its balance{at}."
                details = {"accountId": account_id, "currency": currency, "day": str(day or "")}
                yield Violation("items_untied", sentence, organization_id, details)


def party_ties() -> Iterable[Violation]:
    """Find parties whose statement closes with something else than their open items, on the same days."""
    for organization_id in checked_organizations():
        merged = merchants.merged(organization_id)
        for day in [None, *_days(organization_id)]:
            for party_id, currency in _untied_parties(organization_id, day, merged):
                at = "" if day is None else f" at the close of {day:%-d %b %Y}"
                sentence = (
                    f"The statement of party {party_id} in {currency} is not what is open of its items{at}."
                )
                details = {"orgMerchantId": party_id, "currency": currency, "day": str(day or "")}
                yield Violation("party_untied", sentence, organization_id, details)


def _untied_parties(
    organization_id: str, day: date | None, merged: Mapping[int, int]
) -> list[tuple[int | None, str]]:
    items = listings.as_of(organization_id, day)
    postings = (
        sa.select(Posting.org_merchant_id, Posting.currency, sa.func.sum(Posting.amount_minor))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Posting.organization_id == organization_id,
            Account.keeps_items,
            JournalEntry.status.in_(COUNTING),
            sa.true() if day is None else JournalEntry.effective_on <= day,
        )
        .group_by(Posting.org_merchant_id, Posting.currency)
    )
    owed = sa.select(items.c.party, items.c.currency, sa.func.sum(items.c.open_minor)).group_by(
        items.c.party, items.c.currency
    )
    sums: Counter[tuple[int | None, str]] = Counter()
    for party_id, currency, minor in db.session.execute(postings):
        counting = party_id if party_id is None else merged.get(party_id, party_id)
        sums[counting, currency] += int(minor)
    for party_id, currency, minor in db.session.execute(owed):
        sums[party_id, currency] -= int(minor)
    return sorted((key for key, minor in sums.items() if minor), key=lambda key: (key[0] or 0, key[1]))


def _days(organization_id: str, most: int = 12) -> list[date]:
    """Give the latest days on which settlements began or ended."""
    days = sa.union(
        *(
            sa.select(column.label("day")).where(
                Settlement.organization_id == organization_id, column.is_not(None)
            )
            for column in (Settlement.settled_on, Settlement.undone_on)
        )
    ).subquery()
    return list(db.session.scalars(sa.select(days.c.day).order_by(days.c.day.desc()).limit(most)))


def untied(organization_id: str, day: date | None) -> list[tuple[int, str]]:
    """List the accounts and currencies whose open items and revaluation are not the balance."""
    items = listings.as_of(organization_id, day)
    owed = _sums(sa.select(items.c.account_id, items.c.currency, items.c.open_minor, items.c.open_base_minor))
    postings = (
        sa.select(Posting.account_id, Posting.currency, Posting.amount_minor, Posting.amount_base_minor)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Posting.organization_id == organization_id,
            Account.keeps_items,
            JournalEntry.status.in_(COUNTING),
            sa.true() if day is None else JournalEntry.effective_on <= day,
            sa.not_(_is_revalued(organization_id)),
        )
    )
    balances = _sums(postings)
    return sorted(
        key for key in owed.keys() | balances.keys() if owed.get(key, (0, 0)) != balances.get(key, (0, 0))
    )


def _is_revalued(organization_id: str) -> sa.ColumnElement[bool]:
    """Build the condition that an entry is a revaluation, or the reversal of one."""
    revalued = sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id, JournalEntry.source == revaluations.SOURCE
    )
    return sa.or_(
        JournalEntry.source == revaluations.SOURCE,
        sa.func.coalesce(JournalEntry.voids_id, 0).in_(sa.select(revalued.subquery().c.id)),
    )


def _sums(statement: Any) -> dict[tuple[int, str], tuple[int, int]]:
    rows = statement.subquery()
    account_id, currency, amount, base = rows.c
    found_sums = db.session.execute(
        sa.select(account_id, currency, sa.func.sum(amount), sa.func.sum(base)).group_by(account_id, currency)
    )
    return {(row[0], row[1]): (int(row[2]), int(row[3])) for row in found_sums}


CHECKS = (kept_rows, settled_of_items, unsettled_differences, ties, party_ties)
