"""What people look at in a close: entries without a document, and accounts that changed much since the last period."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import (
    Account,
    CloseMark,
    ClosePolicy,
    DocumentRelation,
    JournalEntry,
    Posting,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.reports.books import RESULT_TYPES, ReportBooks

# Where no amount is set, so many of the largest changes need a sentence.
LARGEST: Final = 5
FLUX: Final = "flux"
MOST_ENTRIES: Final = 200


@dataclass(frozen=True, slots=True)
class UnprovedEntry:
    """An entry that needs a document, and has none."""

    journal_entry_id: int
    effective_on: date
    description: str
    amount: Money


@dataclass(frozen=True, slots=True)
class AccountChange:
    """What an account of the result moved in a period and in the one before, and what somebody says of it."""

    account_id: int
    name: str
    before: Money
    now: Money
    note: str | None

    @property
    def change(self) -> Money:
        """By how much it moved more, or less."""
        return self.now - self.before

    @property
    def shown(self) -> tuple[Money, Money, Money]:
        """Give what it moved before, what now, and the change, as in the profit and loss: costs are below zero."""
        return -self.before, -self.now, -self.change


def without_document(organization_id: str, days: Period, asked: ClosePolicy) -> list[UnprovedEntry]:
    """List the entries of a period that need a document by what the organization asks for, and have none."""
    if asked.expenses_from_minor is None and asked.manual_from_minor is None:
        return []
    base = organizations.base_currency(organization_id)
    # Neither the accounts nor the parties that are exempt count.
    counts = sa.and_(
        Posting.account_id.not_in(asked.exempt_account_ids),
        sa.or_(
            Posting.org_merchant_id.is_(None),
            Posting.org_merchant_id.not_in(asked.exempt_merchant_ids),
        ),
    )
    spent = _sum(sa.and_(counts, Account.type == AccountType.EXPENSE, Posting.amount_base_minor > 0))
    moved = _sum(sa.and_(counts, Posting.amount_base_minor > 0))
    wanted = []
    if asked.expenses_from_minor is not None:
        wanted.append(sa.and_(spent > 0, spent >= asked.expenses_from_minor))
    if asked.manual_from_minor is not None:
        by_hand = sa.and_(JournalEntry.source == "manual", JournalEntry.schedule_id.is_(None))
        wanted.append(sa.and_(by_hand, moved > 0, moved >= asked.manual_from_minor))
    keys = JournalEntry.id, JournalEntry.effective_on, JournalEntry.description
    rows = db.session.execute(
        sa.select(*keys, moved)
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "POSTED",
            JournalEntry.effective_on.between(days.first, days.last),
            JournalEntry.source.in_(("bank_feed", "manual", "correction")),
            JournalEntry.document_id.is_(None),
            ~_has_document(),
        )
        .group_by(*keys, JournalEntry.source, JournalEntry.schedule_id)
        .having(sa.or_(*wanted))
        .order_by(JournalEntry.effective_on, JournalEntry.id)
    )
    return [UnprovedEntry(*row[:-1], Money(int(row[-1]), base)) for row in rows]


def _sum(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(sa.case((condition, Posting.amount_base_minor), else_=0)), 0)


def _has_document() -> sa.ColumnElement[bool]:
    """Choose the entries to which a document belongs, or to whose bank line."""
    own = sa.exists().where(refers_to(DocumentRelation.journal_entry_id, JournalEntry))
    leg = Posting.__table__.alias("leg")
    of_line = sa.exists().where(
        leg.c.organization_id == JournalEntry.organization_id,
        leg.c.journal_entry_id == JournalEntry.id,
        DocumentRelation.organization_id == leg.c.organization_id,
        DocumentRelation.transaction_id == leg.c.transaction_id,
    )
    return sa.or_(own, of_line)


def changes(
    organization_id: str, days: Period, asked: ClosePolicy, ticked: Mapping[tuple[str, str], CloseMark]
) -> Sequence[AccountChange]:
    """List the accounts of the result that changed much against the period before; none without one before."""
    before = days.before
    books = ReportBooks(organization_id, [days.eve, days.last, before.eve, before.last])
    now, was = books.change(days), books.change(before)
    results = {
        each.account_id: each for each in books.accounts if each.account_id and each.type in RESULT_TYPES
    }
    if not any(was[each] for each in results):
        return []
    moved = {each: now[each] - was[each] for each in results if now[each] != was[each]}
    largest = sorted(moved, key=lambda each: (-abs(moved[each]), each))
    if asked.flux_amount_minor is None and asked.flux_percent is None:
        largest = largest[:LARGEST]
    else:
        largest = [each for each in largest if _is_above(moved[each], was[each], asked)]
    marks = ((each, ticked.get((FLUX, str(each)))) for each in largest)
    return [
        AccountChange(
            each,
            results[each].name,
            Money(was[each], books.base),
            Money(now[each], books.base),
            mark.note if mark else None,
        )
        for each, mark in marks
    ]


def _is_above(moved: int, before: int, asked: ClosePolicy) -> bool:
    is_large = abs(moved) >= (asked.flux_amount_minor or 0)
    return is_large and abs(moved) * 100 >= abs(before) * (asked.flux_percent or 0)


def left(rows: Sequence[Any]) -> list[Any]:
    """Give the changes that nobody has explained."""
    return [each for each in rows if not each.note]
