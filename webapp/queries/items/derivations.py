"""Items derived from the postings alone: what the kept rows have to be, and what is posted of them after a day."""

from collections.abc import Collection
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import days_after, leakproof_coalesce
from webapp.models import (
    COUNTING,
    Account,
    Document,
    JournalEntry,
    Merchant,
    OwedItem,
    Posting,
    RegisterLine,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.currencies import revaluations
from webapp.queries.items import settlements

# Written for no merchant, and for no entry, which is that of the opening item.
NONE: sa.ColumnClause[int] = sa.literal_column("0")


def whole_items(*chosen: sa.ColumnElement[bool]) -> sa.Subquery:
    """Select what postings of accounts that keep items come to for each item; `chosen` says which postings.

    `item_id` is the first of them, `latest` the last day on which one of them is. `merchant_key` and `root_key` are 0
    where there is none.
    """
    root, first = orm.aliased(JournalEntry, name="root"), orm.aliased(JournalEntry, name="first_entry")
    root_id = sa.case((first.effective_on < Account.items_from, sa.null()), else_=root.id)
    columns: list[Any] = [
        Posting.organization_id,
        Posting.account_id,
        Posting.currency,
        Posting.org_merchant_id.label("merchant_id"),
        root_id.label("root_id"),
        sa.func.coalesce(Posting.org_merchant_id, NONE).label("merchant_key"),
        sa.func.coalesce(root_id, NONE).label("root_key"),
        sa.func.min(Posting.id).label("item_id"),
        sa.func.sum(Posting.amount_minor).label("amount_minor"),
        sa.func.sum(Posting.amount_base_minor).label("amount_base_minor"),
        sa.func.max(JournalEntry.effective_on).label("latest"),
    ]
    original = leakproof_coalesce(JournalEntry.corrects_id, JournalEntry.id)
    return (
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .join(root, sa.and_(of_same_organization(root, JournalEntry), root.id == original))
        .join(
            first,
            sa.and_(
                of_same_organization(first, JournalEntry),
                first.id == leakproof_coalesce(JournalEntry.voids_id, original),
            ),
        )
        .where(
            *chosen,
            Account.keeps_items,
            JournalEntry.status.in_(COUNTING),
            first.source != revaluations.SOURCE,
            sa.or_(first.source != settlements.SOURCE, Posting.amount_minor != 0),
        )
        .group_by(
            Posting.organization_id, Posting.account_id, Posting.currency, Posting.org_merchant_id, root_id
        )
        .subquery()
    )


def posted_after(organization_id: str, day: date, *chosen: sa.ColumnElement[bool]) -> sa.Subquery:
    """Select what is posted of each item after a day; `chosen` says of which postings."""
    # By the registers of these accounts: most of what came later is in others.
    keeping = sa.select(Account.id).where(Account.organization_id == organization_id, Account.keeps_items)
    later = sa.select(RegisterLine.posting_id).where(
        RegisterLine.organization_id == organization_id,
        RegisterLine.account_id.in_(keeping),
        RegisterLine.day > day,
    )
    return whole_items(Posting.organization_id == organization_id, Posting.id.in_(later), *chosen)


def is_of(whole: sa.Subquery, item: type[OwedItem] = OwedItem) -> sa.ColumnElement[bool]:
    """Build the condition that a derived item is a kept one."""
    return sa.and_(
        whole.c.organization_id == item.organization_id,
        whole.c.account_id == item.account_id,
        whole.c.currency == item.currency,
        # By what is equal, as neither database looks for "the same or both none" by a key.
        whole.c.merchant_key == sa.func.coalesce(item.org_merchant_id, NONE),
        whole.c.root_key == sa.func.coalesce(item.journal_entry_id, NONE),
    )


def is_posted_for(
    organization_id: str, account_ids: Collection[int], root_ids: Collection[int | None]
) -> sa.ColumnElement[bool]:
    """Build the condition that a posting to these accounts is of these entries or their corrections.

    None among the entries asks for all there are, as an opening item is of no entry.
    """
    roots = [each for each in root_ids if each is not None]
    if len(roots) < len(root_ids):
        return sa.and_(Posting.organization_id == organization_id, Posting.account_id.in_(account_ids))
    entries = sa.select(JournalEntry.id).where(JournalEntry.organization_id == organization_id)
    family = entries.where(JournalEntry.id.in_(roots)).union_all(
        entries.where(JournalEntry.corrects_id.in_(roots))
    )
    return sa.and_(
        Posting.organization_id == organization_id,
        Posting.account_id.in_(account_ids),
        Posting.journal_entry_id.in_(family),
    )


def new_rows(account: Account) -> sa.Select[Any]:
    """Select the rows of an account's items as the database would have kept them, with nothing settled."""
    whole = whole_items(Posting.organization_id == account.organization_id, Posting.account_id == account.id)
    root, of_line = orm.aliased(JournalEntry, name="of_item"), orm.aliased(Posting, name="of_line")
    of_item = orm.aliased(Posting, name="of_item_leg")
    booked_on = (
        sa.select(sa.func.min(Transaction.booked_on))
        .join(of_line, refers_to(of_line.transaction_id, Transaction))
        .where(
            Transaction.organization_id == account.organization_id, refers_to(of_line.journal_entry_id, root)
        )
        .scalar_subquery()
    )
    issued_on = sa.select(Document.issued_on).where(refers_to(root.document_id, Document)).scalar_subquery()
    day = sa.func.coalesce(booked_on, issued_on, root.effective_on)
    is_owed = whole.c.amount_minor > 0 if account.type == "ASSET" else whole.c.amount_minor < 0
    terms = sa.case((is_owed, sa.func.coalesce(Merchant.terms_days, 0)), else_=0)
    of_key = (
        refers_to(of_item.journal_entry_id, root),
        of_item.account_id == whole.c.account_id,
        of_item.currency == whole.c.currency,
        of_item.org_merchant_id.is_not_distinct_from(whole.c.merchant_id),
    )
    columns: list[Any] = [
        whole.c.organization_id,
        whole.c.item_id.label("id"),
        whole.c.account_id,
        whole.c.currency,
        whole.c.merchant_id.label("org_merchant_id"),
        whole.c.root_id.label("journal_entry_id"),
        day.label("day"),
        sa.func.coalesce(
            sa.select(sa.func.min(of_item.due_on)).where(*of_key).scalar_subquery(), days_after(day, terms)
        ).label("due_on"),
        sa.select(sa.func.min(of_item.reference)).where(*of_key).scalar_subquery().label("reference"),
        whole.c.amount_minor,
        whole.c.amount_base_minor,
        sa.literal(0).label("settled_minor"),
        sa.literal(0).label("settled_base_minor"),
    ]
    is_root = sa.and_(root.organization_id == whole.c.organization_id, root.id == whole.c.root_id)
    is_merchant = sa.and_(
        Merchant.organization_id == whole.c.organization_id, Merchant.id == whole.c.merchant_id
    )
    return sa.select(*columns).outerjoin(root, is_root).outerjoin(Merchant, is_merchant)
