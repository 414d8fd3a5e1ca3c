"""The lines of a feed account that a file may bring once more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import NamedTuple

import sqlalchemy as sa

from webapp.db import db
from webapp.models import FeedAccount, Import, Transaction

FEW = 500


class KnownLine(NamedTuple):
    """A line that is there; `source` is the format of the file that brought it, None for a feed's push."""

    id: int
    line_key: str | None
    occurrence: int
    status: str
    booked_on: date
    amount_minor: int
    source: str | None


def between(feed_account: FeedAccount, first: date, last: date) -> list[KnownLine]:
    """List the lines of an account that were booked from a day to another, both inclusive."""
    rows = db.session.execute(
        sa.select(
            Transaction.id,
            Transaction.line_key,
            Transaction.occurrence,
            Transaction.status,
            Transaction.booked_on,
            Transaction.amount_minor,
            Import.format,
        )
        .outerjoin(
            Import,
            sa.and_(
                Import.organization_id == Transaction.organization_id, Import.id == Transaction.import_id
            ),
        )
        .where(
            Transaction.organization_id == feed_account.organization_id,
            Transaction.feed_account_id == feed_account.id,
            Transaction.booked_on.between(first, last),
        )
    )
    return [KnownLine(*row) for row in rows]


def amounts_of_references(feed_account: FeedAccount, references: Collection[str]) -> dict[str, set[int]]:
    """Give the amounts, in minor units, that booked lines of an account have under these references."""
    if not references:
        return {}
    statement = sa.select(Transaction.provider_transaction_id, Transaction.amount_minor).where(
        Transaction.organization_id == feed_account.organization_id,
        Transaction.feed_account_id == feed_account.id,
        Transaction.provider_transaction_id.is_not(None),
        Transaction.status != "PENDING",
        Transaction.removed_by_import_id.is_(None),
    )
    # Many references are sooner found by reading the account through than by asking for each of them.
    if len(references) <= FEW:
        statement = statement.where(Transaction.provider_transaction_id.in_(references))
    found: dict[str, set[int]] = {}
    for reference, amount_minor in db.session.execute(statement):
        if reference is not None and reference in references:
            found.setdefault(reference, set()).add(amount_minor)
    return found


def pending_ids(feed_account: FeedAccount) -> set[int]:
    """List the lines of an account that are pending."""
    return set(
        db.session.scalars(
            sa.select(Transaction.id).where(
                Transaction.organization_id == feed_account.organization_id,
                Transaction.feed_account_id == feed_account.id,
                Transaction.status == "PENDING",
            )
        )
    )


def candidates(organization_id: str, bank_format: str, currency: str | None) -> list[FeedAccount]:
    """List the accounts that files of this format made for statements without a number, in this currency or any."""
    statement = sa.select(FeedAccount).where(
        FeedAccount.organization_id == organization_id,
        FeedAccount.external_id.is_(None),
        FeedAccount.created_by_format == bank_format,
    )
    if currency is not None:
        statement = statement.where(FeedAccount.currency == currency)
    return list(db.session.scalars(statement.order_by(FeedAccount.id)))


def numbered(organization_id: str, external_id: str, currency: str | None) -> list[FeedAccount]:
    """List the accounts of this number, in this currency or any."""
    statement = sa.select(FeedAccount).where(
        FeedAccount.organization_id == organization_id, FeedAccount.external_id == external_id
    )
    if currency is not None:
        statement = statement.where(FeedAccount.currency == currency)
    return list(db.session.scalars(statement.order_by(FeedAccount.id)))
