"""Queries on reconciliations: finding one, an account's draft and anchor, and what is missing to complete."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.proofs.proofs import Item, cleared_balance, difference, ordered
from webapp.models import FeedAccount, Reconciliation
from webapp.queries.accounts import feed_accounts
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Page
from webapp.queries.reconciliation import book_balances, draft_sums, openings
from webapp.queries.reconciliation.book_balances import StatementBooks
from webapp.queries.reconciliation.draft_sums import DraftSums
from webapp.queries.reconciliation.hub import opening_minor
from webapp.queries.reconciliation.statement_items import IS_LINE, StatementItem, listed, open_items


def get(organization_id: str, reconciliation_id: int) -> Reconciliation:
    """Find a draft or proof, or raise NotFoundError."""
    return lookups.get(Reconciliation, organization_id, reconciliation_id)


def draft_of(account: FeedAccount) -> Reconciliation | None:
    """Find the open draft of a feed account."""
    found: Reconciliation | None = db.session.scalar(*_draft_of(account.organization_id, account.id))
    return found


@made_once
def _draft_of(organization_id: str, feed_account_id: int) -> sa.Select[Reconciliation]:
    return sa.select(Reconciliation).where(
        Reconciliation.organization_id == organization_id,
        Reconciliation.feed_account_id == feed_account_id,
        Reconciliation.status == "DRAFT",
    )


def anchor_of(account: FeedAccount) -> Reconciliation | None:
    """Find the newest standing proof of a feed account."""
    found: Reconciliation | None = db.session.scalar(*_anchor_of(account.organization_id, account.id))
    return found


@made_once
def _anchor_of(organization_id: str, feed_account_id: int) -> sa.Select[Reconciliation]:
    return _standing_proofs(organization_id, feed_account_id).limit(1)


def standing_proofs(account: FeedAccount) -> list[Reconciliation]:
    """List the standing proofs of a feed account, the newest first."""
    return list(db.session.scalars(_standing_proofs(account.organization_id, account.id)))


def _standing_proofs(organization_id: str, feed_account_id: int) -> sa.Select[Reconciliation]:
    return (
        sa.select(Reconciliation)
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.feed_account_id == feed_account_id,
            Reconciliation.status == "COMPLETED",
        )
        .order_by(Reconciliation.statement_date.desc())
    )


def open_lines(
    account: FeedAccount,
    draft: Reconciliation,
    *,
    is_cleared: bool | None = None,
    is_confirmed: bool = False,
    until: date | None = None,
    transaction_ids: Sequence[int] | None = None,
    journal_entry_ids: Sequence[int] | None = None,
) -> Sequence[Any]:
    """Read items that no standing proof cleared, as rows of `open_items`.

    `is_cleared` limits them to those that the draft clears, or does not; `is_confirmed` to those of posted entries;
    `until` to those up to a day.
    """
    items = open_items(
        account.organization_id,
        account.id,
        draft=draft,
        transaction_ids=transaction_ids,
        journal_entry_ids=journal_entry_ids,
    )
    statement = sa.select(items).order_by(items.c.day, items.c.kind, items.c.id)
    if is_cleared is not None:
        statement = statement.where(items.c.is_cleared if is_cleared else sa.not_(items.c.is_cleared))
    if is_confirmed:
        statement = statement.where(items.c.entry_status == "POSTED")
    if until is not None:
        statement = statement.where(items.c.day <= until)
    return db.session.execute(statement).all()


def lines(
    organization_id: str, fa_id: int, *, after: tuple[Any, ...] | None, limit: int
) -> Page[StatementItem]:
    """List what an account's draft clears or could clear, else its last proof's lines, else its open items."""
    found = feed_accounts.get(organization_id, fa_id)
    return listed(found, draft=draft_of(found), anchor=anchor_of(found), after=after, limit=limit)


def as_items(rows: Sequence[Any]) -> tuple[Item, ...]:
    """Make the items of a proof of rows of `open_items`, in its order."""
    return ordered(
        Item(
            row.id if row.kind == IS_LINE else None,
            row.journal_entry_id,
            row.provider_transaction_id,
            row.day,
            int(row.amount_minor),
        )
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class Readiness:
    """What is missing to complete a draft, in minor units; nothing is where the first three are empty.

    `books_differ_minor` is by how much the books will differ once the cleared lines are confirmed, and
    `opening_entry_minor` what completing posts to keep the account as new.
    """

    difference_minor: int
    unconfirmed: list[int]
    books_differ_minor: int
    opening_entry_minor: int
    sums: DraftSums
    books: StatementBooks

    @property
    def is_ready(self) -> bool:
        """Return whether the draft can be completed."""
        return not (self.difference_minor or self.unconfirmed or self.books_differ_minor)


def readiness(account: FeedAccount, draft: Reconciliation, anchor: Reconciliation | None) -> Readiness:
    """Compute what is missing to complete a draft."""
    organization_id = account.organization_id
    sums = draft_sums.of_drafts(organization_id, [draft.id])[draft.id]
    books = book_balances.of_draft(draft)
    unconfirmed = draft_sums.unconfirmed(organization_id, draft.id)
    unposted = sum(amount for _, amount in unconfirmed)
    cleared = cleared_balance(opening_minor(draft, anchor), [sums.minor])
    opening = 0
    if draft.keep_as_new and draft.opening_date is not None:
        opening = (draft.opening_balance_minor or 0) - openings.absorbed_minor(account, draft.opening_date)
    will_differ = books.differ_minor(cleared) + opening + unposted
    return Readiness(
        difference_minor=difference(draft.statement_balance_minor, cleared),
        unconfirmed=[transaction_id for transaction_id, _ in unconfirmed],
        books_differ_minor=will_differ,
        opening_entry_minor=opening,
        sums=sums,
        books=books,
    )
