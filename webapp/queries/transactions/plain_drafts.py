"""Lines whose draft is all that confirming them asks for, read in one statement with that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.journal.entries import Draft, Leg
from webapp.ledger.money import Money
from webapp.models import Account, FeedAccount, JournalEntry, Organization, Posting, Transaction, refers_to
from webapp.queries.common.made_once import made_once
from webapp.queries.common.read_ahead import OrganizationDays, ReadAhead
from webapp.queries.items import line_payments
from webapp.queries.journal import attachments
from webapp.queries.matching import booked_by_hand, transfer_pairs
from webapp.queries.reconciliation import openings
from webapp.queries.transactions.lines_ahead import taking_every_posting


@dataclass(frozen=True, slots=True)
class PlainDraft:
    """A booked line with its draft, that pays nothing, is in no transfer, and has no document and no entry by hand.

    `ahead` has what else posting the draft asks of the books.
    """

    line_id: int
    label: str
    draft: Draft
    account_names: Mapping[int, str]
    ahead: ReadAhead


class _DraftRow(NamedTuple):
    """What a posting of the draft is of: the line, the entry and the account."""

    booked_on: date
    amount_minor: int
    currency: str
    description: str
    counterparty: str | None
    entry_id: int
    source: str
    effective_on: date
    base_currency: str
    lock_date: date | None
    time_zone: str
    account_name: str
    is_archived: bool
    requires_counterparty: bool
    opened_on: date | None
    asks_more: bool


_FACTS = len(_DraftRow._fields)


def find(organization_id: str, line_id: int) -> PlainDraft | None:
    """Find the line of an id; None where there is none, or confirming it asks for more."""
    found = db.session.execute(*_of_line(organization_id, line_id)).all()
    rows, legs = [_DraftRow(*each[:_FACTS]) for each in found], [Leg(*each[_FACTS:]) for each in found]
    if not rows or any(row.asks_more for row in rows):
        return None
    first, accounts = rows[0], [(leg.account_id, row) for leg, row in zip(legs, rows, strict=True)]
    return PlainDraft(
        line_id=line_id,
        label=titles.of_line(
            first.counterparty or first.description,
            Money(first.amount_minor, first.currency),
            first.booked_on,
        ),
        draft=Draft(
            id=first.entry_id,
            organization_id=organization_id,
            source=first.source,
            effective_on=first.effective_on,
            base_currency=first.base_currency,
            legs=legs,
        ),
        account_names={account_id: row.account_name for account_id, row in accounts},
        ahead=ReadAhead(
            rows={(OrganizationDays, organization_id): OrganizationDays(first.lock_date, first.time_zone)},
            undocumented=frozenset({first.entry_id}),
            plain=taking_every_posting(accounts),
            # What no proof keeps as new takes a posting of any day.
            opened_on={account_id: row.opened_on or date.min for account_id, row in accounts},
        ),
    )


@made_once
def _of_line(organization_id: str, line_id: int) -> sa.Select[*tuple[Any, ...]]:
    """Select a booked line with its draft, a row for each posting, in the order of `_DraftRow` and `Leg`."""
    return (
        sa.select(
            *(Transaction.booked_on, Transaction.amount_minor, Transaction.currency),
            *(Transaction.description, Transaction.counterparty),
            *(JournalEntry.id, JournalEntry.source, JournalEntry.effective_on, JournalEntry.base_currency),
            *(Organization.lock_date, Organization.time_zone),
            *(Account.name, Account.is_archived, Account.requires_counterparty),
            openings.latest_of(Account),
            # Told of each row, and no condition: PostgreSQL would read all drafts, or all postings of the bank, first.
            sa.or_(
                Transaction.status != "BOOKED",
                JournalEntry.status != "DRAFT",
                line_payments.is_paying(Transaction),
                booked_by_hand.may_explain(Transaction, FeedAccount),
                transfer_pairs.is_paired(Transaction),
                attachments.is_documented(JournalEntry, Posting),
            ),
            *(Posting.account_id, Posting.amount_minor, Posting.currency, Posting.amount_base_minor),
            *(Posting.is_bank_leg, Posting.org_merchant_id, Posting.project_id, Posting.transaction_id),
            *(Posting.due_on, Posting.reference),
        )
        .join(FeedAccount, refers_to(Transaction.feed_account_id, FeedAccount))
        .join(Organization, Organization.id == Transaction.organization_id)
        .join(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Transaction.organization_id == organization_id,
            Transaction.id == line_id,
            Organization.id == organization_id,
        )
        .order_by(Posting.position)
    )
