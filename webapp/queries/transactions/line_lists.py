"""Lists of bank lines by all that can be asked of them, a page at a time, and what the lines of all pages add up to.

What a line is booked on is asked apart of those whose entry has a correction: with both in one question, by OR, neither
database could begin at one end and stop at the last line that is wanted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.dimensions import DimensionSelection
from webapp.ledger.money import Money
from webapp.models import JournalEntry, Transaction, refers_to
from webapp.queries.common.changed_since import only_changed
from webapp.queries.common.paging import Page, joined, page
from webapp.queries.common.search import matches_text_or_amount
from webapp.queries.suggestions import likely_accounts
from webapp.queries.transactions import line_entries
from webapp.queries.transactions.line_entries import LegsWanted
from webapp.queries.transactions.transactions import NEWEST, TransactionRecord, is_reconciled, records


@dataclass(frozen=True, slots=True)
class TransactionFilters:
    """The filters of a list of lines; days are inclusive, and no ids leave all lines."""

    fa_id: int | None = None
    account_id: int | None = None
    project_id: int | None = None
    project_group_id: int | None = None
    org_merchant_id: int | None = None
    status: str | None = None
    entry_status: str | None = None
    uncategorised: bool | None = None
    reconciled: bool | None = None
    from_: date | None = None
    to: date | None = None
    q: str | None = None
    ids: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class LineSum:
    """How many lines of a currency there are, and what they add up to."""

    currency: str
    count: int
    sum: Money


def listed(
    organization_id: str,
    filters: TransactionFilters,
    *,
    changed_since: datetime | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[TransactionRecord]:
    """List lines, newest first."""
    pages = [
        page(statement, NEWEST, after=after, limit=limit)
        for statement in _selected(organization_id, filters, changed_since)
    ]
    found = joined(pages, lambda line: (line.booked_on, line.id), limit=limit)
    return found.of(records(organization_id, found.items))


def sums(
    organization_id: str, filters: TransactionFilters, *, changed_since: datetime | None = None
) -> list[LineSum]:
    """Add up the lines of all pages, by currency."""
    found: dict[str, tuple[int, int]] = {}
    for statement in _selected(organization_id, filters, changed_since):
        summed = statement.with_only_columns(
            Transaction.currency,
            sa.func.count(),
            sa.func.sum(Transaction.amount_minor),
            maintain_column_froms=True,
        ).group_by(Transaction.currency)
        for currency, count, minor in db.session.execute(summed):
            before = found.get(currency, (0, 0))
            found[currency] = before[0] + count, before[1] + int(minor)
    return [LineSum(each, count, Money(minor, each)) for each, (count, minor) in sorted(found.items())]


def _selected(
    organization_id: str, filters: TransactionFilters, changed_since: datetime | None
) -> Iterator[sa.Select[Any]]:
    """Yield the statements that select the lines, each line by one of them."""
    plain, wanted = _plain(organization_id, filters), _wanted(organization_id, filters)
    as_entered, *corrected = (
        [plain] if not wanted else line_entries.by_correction(plain, organization_id, wanted)
    )
    entry_ids = line_entries.few_entries(organization_id, filters.entry_status, wanted)
    if entry_ids is not None:
        as_entered = as_entered.where(Transaction.journal_entry_id.in_(entry_ids))
    for statement in (as_entered, *corrected):
        yield only_changed(statement, Transaction, organization_id, changed_since)


def _plain(organization_id: str, filters: TransactionFilters) -> sa.Select[Any]:
    """Select by all filters but those of what lines are booked on."""
    line = Transaction
    filtered: list[tuple[object, Any]] = [
        (filters.fa_id, lambda: line.feed_account_id == filters.fa_id),
        (filters.status, lambda: line.status == filters.status),
        (filters.entry_status, lambda: _entry_status(filters.entry_status)),
        (filters.reconciled, lambda: is_reconciled() if filters.reconciled else sa.not_(is_reconciled())),
        (filters.from_, lambda: line.booked_on >= filters.from_),
        (filters.to, lambda: line.booked_on <= filters.to),
        (filters.q, lambda: matches_text_or_amount(filters.q or "")),
        (filters.ids or None, lambda: line.id.in_(filters.ids)),
    ]
    chosen = [condition() for value, condition in filtered if value is not None]
    return sa.select(line).where(line.organization_id == organization_id, *chosen)


def _entry_status(status: str | None) -> sa.ColumnElement[bool]:
    return sa.exists().where(
        refers_to(Transaction.journal_entry_id, JournalEntry), JournalEntry.status == status
    )


def _wanted(organization_id: str, filters: TransactionFilters) -> list[LegsWanted]:
    """Give what lines have to be booked on, and on what not."""
    selection = DimensionSelection(filters.project_id, filters.project_group_id, filters.org_merchant_id)
    account_ids = None if filters.account_id is None else [filters.account_id]
    wanted = [LegsWanted(line_entries.legs_of(organization_id, account_ids, selection))]
    if filters.uncategorised is not None:
        of_them = likely_accounts.uncategorised_accounts(organization_id)
        legs = line_entries.legs_of(organization_id, of_them, DimensionSelection())
        wanted.append(LegsWanted(legs, has_them=filters.uncategorised))
    return [each for each in wanted if each.legs]
