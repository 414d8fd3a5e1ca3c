"""Exports of the whole book: accounts, entries in the order of days, and balance assertions of standing proofs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import attrgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp import exporters
from webapp.database.sessions import db
from webapp.exporters.books import BookAccount, BookAssertion, BookEntry, BookLeg, ExportedBook
from webapp.ledger.money import Money
from webapp.models import (
    COUNTING,
    Account,
    FeedAccount,
    JournalEntry,
    Merchant,
    MonthSum,
    Posting,
    Project,
    Reconciliation,
    Transaction,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common.records import record_of
from webapp.queries.items import settlements
from webapp.queries.reconciliation import book_balances, verdicts

ROWS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Export:
    """A book in one format, piece by piece, with the name and the media type of its file."""

    file_name: str
    media_type: str
    pieces: Iterator[str]


def of(organization_id: str, format_: str) -> Export:
    """Write the whole book in a format of `exporters.FORMATS`; DRAFT entries are no part of it."""
    write, ending, media_type = exporters.FORMATS[format_]
    return Export(f"{organization_id}.{ending}", media_type, write(book(organization_id)))


def book(organization_id: str) -> ExportedBook:
    """Read the book for exporters; its entries are read while they are written."""
    organization = organizations.get(organization_id)
    ledger_accounts = db.session.scalars(
        sa.select(Account)
        .where(Account.organization_id == organization_id)
        .order_by(*accounts.BY_CODE.columns)
    )
    counted = (JournalEntry.organization_id == organization_id, JournalEntry.status.in_(COUNTING))
    first_day = db.session.scalar(sa.select(sa.func.min(JournalEntry.effective_on)).where(*counted))
    return ExportedBook(
        name=organization.name,
        base_currency=organization.base_currency,
        currencies=tuple(sorted({organization.base_currency, *_currencies(organization_id)})),
        accounts=tuple(
            BookAccount(each.id, each.code, each.name, each.type, each.currency) for each in ledger_accounts
        ),
        entries=_entries(organization_id),
        assertions=tuple(_assertions(organization_id)),
        first_day=first_day or organizations.today(organization_id, organization.created_at),
    )


def _currencies(organization_id: str) -> Sequence[str]:
    return db.session.scalars(
        sa.select(MonthSum.currency).distinct().where(MonthSum.organization_id == organization_id)
    ).all()


def _entries(organization_id: str) -> Iterator[BookEntry]:
    rows = db.session.execute(_postings(organization_id), execution_options={"yield_per": ROWS_AT_ONCE})
    joined = settlements.by_entry(organization_id)
    for entry_id, legs in groupby(rows, key=attrgetter("id")):
        yield _entry(list(legs), tuple(joined.get(entry_id, ())))


def _postings(organization_id: str) -> sa.Executable:
    counting = orm.aliased(Merchant)
    return (
        sa.select(
            JournalEntry.id,
            JournalEntry.number,
            JournalEntry.effective_on,
            JournalEntry.description,
            JournalEntry.status,
            JournalEntry.source,
            JournalEntry.voids_id,
            JournalEntry.corrects_id,
            Posting.account_id,
            Posting.amount_minor,
            Posting.currency,
            Posting.amount_base_minor,
            Posting.base_currency,
            sa.func.coalesce(counting.name, Merchant.name).label("merchant"),
            Project.name.label("project"),
            Transaction.reference,
            Transaction.details,
        )
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .outerjoin(Merchant, refers_to(Posting.org_merchant_id, Merchant))
        .outerjoin(counting, refers_to(Merchant.merged_into_id, counting))
        .outerjoin(Project, refers_to(Posting.project_id, Project))
        .outerjoin(Transaction, sa.and_(refers_to(Posting.transaction_id, Transaction), Posting.is_bank_leg))
        .where(JournalEntry.organization_id == organization_id, JournalEntry.status.in_(COUNTING))
        .order_by(JournalEntry.effective_on, JournalEntry.id, Posting.position)
    )


def _entry(rows: list[Any], settlement_ids: tuple[int, ...]) -> BookEntry:
    first = rows[0]
    return record_of(
        BookEntry,
        first,
        day=first.effective_on,
        legs=tuple(
            BookLeg(
                row.account_id,
                Money(row.amount_minor, row.currency),
                Money(row.amount_base_minor, row.base_currency),
                row.merchant,
                row.project,
                {"reference": row.reference, **(row.details or {})},
            )
            for row in rows
        ),
        settlement_ids=settlement_ids,
    )


def _assertions(organization_id: str) -> Iterator[BookAssertion]:
    """Give the ledger balance at the close of the day of each standing proof that holds.

    It is the statement's balance with outstanding items and without those in transit, not a sum of postings.
    """
    proofs = list(
        db.session.scalars(
            sa.select(Reconciliation)
            .where(Reconciliation.organization_id == organization_id, Reconciliation.status == "COMPLETED")
            .order_by(Reconciliation.statement_date, Reconciliation.id)
        )
    )
    verdict_of = verdicts.of_proofs(organization_id, proofs)
    books = book_balances.of_statements(organization_id, [proof.id for proof in proofs])
    backed = _backing(organization_id)
    for proof in proofs:
        if verdict_of[proof.id].holds:
            found = books[proof.id]
            balance = (
                proof.statement_balance_minor
                + sum(item.amount_minor for item in found.outstanding)
                - sum(item.amount_minor for item in found.in_transit)
            )
            yield _assertion(proof, backed[proof.feed_account_id], proof.statement_date, balance)


def _assertion(proof: Reconciliation, account_id: int, day: date, balance_minor: int) -> BookAssertion:
    return BookAssertion(day, account_id, Money(balance_minor, proof.currency), proof.id, proof.digest or "")


def _backing(organization_id: str) -> dict[int, int]:
    rows = db.session.execute(
        sa.select(FeedAccount.id, FeedAccount.account_id).where(
            FeedAccount.organization_id == organization_id
        )
    )
    return {row.id: row.account_id for row in rows}
