"""The existing lines of a feed account, by which the lines of a file are recognised."""

from collections.abc import Collection
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    FeedAccount,
    Import,
    LineChange,
    LineJoin,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common.portions import ids_where, portions
from webapp.queries.matching.feed_lines import IS_JOINED

FEW = 500


def between(feed_account: FeedAccount, first: date, last: date) -> list[sa.Row[Any]]:
    """List the rows of an account that were booked from a day to another, both inclusive.

    `source` is the format of the file that a row came by, None for a feed's push. `kept_id` is the line that it is only
    another report of, if it is one; `line_id` and `line_status` are of the line in the books that it is.
    """
    return list(db.session.execute(_existing(feed_account, Transaction.booked_on.between(first, last))))


def add_moved(lines: list[sa.Row[Any]], feed_account: FeedAccount, line_keys: Collection[str]) -> None:
    """Add the lines of these keys that the bank's feed has moved to another day since."""
    ids = {line.id for line in lines}
    changed = Transaction.id.in_(
        sa.select(LineChange.transaction_id).where(of_same_organization(LineChange, feed_account))
    )
    rows = db.session.execute(_existing(feed_account, sa.and_(Transaction.line_key.is_not(None), changed)))
    lines += [line for line in rows if line.line_key in line_keys and line.id not in ids]


def counts_of_keys(feed_account: FeedAccount, line_keys: Collection[str]) -> dict[str, int]:
    """Count the lines of an account that have each of these keys; those that none has are left out."""
    found: dict[str, int] = {}
    for portion in portions(line_keys):
        statement = (
            sa.select(Transaction.line_key, sa.func.count())
            .where(
                refers_to(Transaction.feed_account_id, feed_account),
                Transaction.line_key.in_(portion),
            )
            .group_by(Transaction.line_key)
        )
        found |= {key: count for key, count in db.session.execute(statement) if key is not None}
    return found


def _existing(feed_account: FeedAccount, chosen: sa.ColumnElement[bool]) -> Any:
    kept = sa.orm.aliased(Transaction)
    return (
        sa.select(
            Transaction.id,
            Transaction.line_key,
            Transaction.occurrence,
            Transaction.status,
            Transaction.booked_on,
            Transaction.amount_minor,
            Import.format.label("source"),
            LineJoin.kept_id,
            sa.func.coalesce(LineJoin.kept_id, Transaction.id).label("line_id"),
            sa.func.coalesce(kept.status, Transaction.status).label("line_status"),
        )
        .outerjoin(Import, refers_to(Transaction.import_id, Import))
        .outerjoin(LineJoin, IS_JOINED)
        .outerjoin(kept, refers_to(LineJoin.kept_id, kept))
        .where(refers_to(Transaction.feed_account_id, feed_account), chosen)
        .order_by(Transaction.id)
    )


def amounts_of_references(feed_account: FeedAccount, references: Collection[str]) -> dict[str, set[int]]:
    """Give the amounts, in minor units, that booked lines of an account have under these references."""
    if not references:
        return {}
    statement = sa.select(Transaction.provider_transaction_id, Transaction.amount_minor).where(
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.provider_transaction_id.is_not(None),
        Transaction.status != "PENDING",
        Transaction.removed_by_import_id.is_(None),
    )
    # Reading the whole account is faster than looking up each of very many references.
    if len(references) <= FEW:
        statement = statement.where(Transaction.provider_transaction_id.in_(references))
    found: dict[str, set[int]] = {}
    for reference, amount_minor in db.session.execute(statement):
        if reference is not None and reference in references:
            found.setdefault(reference, set()).add(amount_minor)
    return found


def pending_ids(feed_account: FeedAccount, *, but: int) -> set[int]:
    """List the lines of an account that are pending by another file than this import; a feed removes its own itself."""
    return set(
        db.session.scalars(
            sa.select(Transaction.id).where(
                refers_to(Transaction.feed_account_id, feed_account),
                Transaction.status == "PENDING",
                Transaction.import_id != but,
            )
        )
    )


def joined_among(organization_id: str, line_ids: Collection[int]) -> set[int]:
    """Give those of these rows that are only other reports of lines that they are joined to."""
    statement = sa.select(LineJoin.joined_id).where(
        LineJoin.organization_id == organization_id, LineJoin.status == "JOINED"
    )
    return ids_where(statement, LineJoin.joined_id, line_ids)


def without_number(organization_id: str, bank_format: str, currency: str | None) -> list[FeedAccount]:
    """List the accounts that files of this format made for statements without a number, in this currency or any."""
    statement = sa.select(FeedAccount).where(
        FeedAccount.organization_id == organization_id,
        FeedAccount.external_id.is_(None),
        FeedAccount.created_by_format == bank_format,
    )
    if currency is not None:
        statement = statement.where(FeedAccount.currency == currency)
    return list(db.session.scalars(statement.order_by(FeedAccount.id)))


def by_number(organization_id: str, external_id: str, currency: str | None) -> list[FeedAccount]:
    """List the accounts of this number, in this currency or any."""
    statement = sa.select(FeedAccount).where(
        FeedAccount.organization_id == organization_id, FeedAccount.external_id == external_id
    )
    if currency is not None:
        statement = statement.where(FeedAccount.currency == currency)
    return list(db.session.scalars(statement.order_by(FeedAccount.id)))
