"""The lines of one bank account as a bookkeeper works through them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.chart import UNCATEGORISED
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.dimensions import DimensionSelection
from webapp.ledger.journal.shown_lines import ShownLine, ShownPart
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    FeedAccount,
    JournalEntry,
    Merchant,
    Posting,
    Project,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.paging import Page, page
from webapp.queries.common.search import matches_text_or_amount
from webapp.queries.matching import line_joins
from webapp.queries.matching.line_joins import BankChangeRecord, LineOrigins
from webapp.queries.rules import runs
from webapp.queries.suggestions import likely_accounts
from webapp.queries.suggestions.likely_accounts import LikelyAccount
from webapp.queries.transactions import (
    line_entries,
    other_sides,
    pending_corrections,
    shown_lines,
    transactions,
)
from webapp.queries.transactions.other_sides import OtherSide, ProposedSide
from webapp.queries.transactions.pending_corrections import PendingFieldChange
from webapp.queries.transactions.transactions import NEWEST, SplitRecord, TransactionRecord

RECORD_FIELDS = [each.name for each in fields(TransactionRecord) if each.name != "splits"]


@dataclass(frozen=True, slots=True)
class WorkspaceFilters:
    """The tab and the filters of the list of lines."""

    show: str = "all"
    q: str | None = None
    from_date: date | None = None
    to_date: date | None = None
    cursor: str | None = None
    project_id: int | None = None
    project_group_id: int | None = None
    org_merchant_id: int | None = None

    @property
    def narrows(self) -> bool:
        """Whether any filter leaves lines out, the tab apart."""
        dimensions = (self.project_id, self.project_group_id, self.org_merchant_id)
        return any((self.q, self.from_date, self.to_date, *dimensions))


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """The open reconciliation draft of an account."""

    id: int
    statement_date: date


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSplit(SplitRecord):
    """A part of a line with the names of its account, merchant and project."""

    account_name: str | None
    merchant_name: str | None
    project_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLine(TransactionRecord):
    """A line of the workspace: its record with names, whether it is cleared, and what a person may decide about it.

    `clearable` lines may be cleared in the open draft. `by_rules` are the fields that a rule set. `pending` is what
    its open correction would change, `bank_change` the bank's last change while it matters. `shown` is what confirming
    it as it is would post.
    """

    splits: Sequence[NamedSplit] | None
    account_name: str | None
    merchant_name: str | None
    project_name: str | None
    is_uncategorised: bool
    cleared: bool
    clearable: bool
    transfer: OtherSide | None
    proposal: ProposedSide | None
    origins: LineOrigins
    by_rules: Collection[str]
    likely: LikelyAccount | None
    pending: Sequence[PendingFieldChange]
    bank_change: BankChangeRecord | None
    shown: ShownLine

    @property
    def offered(self) -> LikelyAccount | None:
        """The likely account of an unconfirmed line, which confirming takes over, unless it may be a transfer."""
        is_open = self.status == "BOOKED" and self.entry_status == "DRAFT" and self.proposal is None
        return self.likely if is_open and self.is_uncategorised else None

    @property
    def shown_with_offer(self) -> ShownLine:
        """What confirming the line with its likely account would post."""
        likely = self.offered
        if likely is None:
            return self.shown
        merchant_id = self.org_merchant_id or likely.org_merchant_id
        project_id = self.project_id or likely.project_id
        accepted = ShownPart(likely.account_id, merchant_id, project_id, self.amount.minor)
        return replace(self.shown, accepted=accepted)


@dataclass(frozen=True, slots=True)
class AccountOfLine:
    """What a line shows of its account."""

    fa_id: int
    currency: str
    draft: OpenDraft | None


def account_of_line(account: FeedAccount) -> AccountOfLine:
    """Give what the lines of an account show of it."""
    return AccountOfLine(account.id, account.currency, open_draft(account.organization_id, account.id))


def open_draft(organization_id: str, fa_id: int) -> OpenDraft | None:
    """Find the open draft of an account."""
    row = db.session.execute(
        sa.select(Reconciliation.id, Reconciliation.statement_date).where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.feed_account_id == fa_id,
            Reconciliation.status == "DRAFT",
        )
    ).one_or_none()
    return OpenDraft(*row) if row is not None else None


def lines(
    organization_id: str,
    fa_id: int,
    filters: WorkspaceFilters,
    *,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[WorkspaceLine]:
    """List an account's lines, newest first."""
    draft = open_draft(organization_id, fa_id)
    statement = sa.select(Transaction).where(
        *conditions(organization_id, fa_id, filters), shown(filters.show, draft)
    )
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(named(organization_id, transactions.records(organization_id, found.items), draft))


def line(transaction: Transaction) -> WorkspaceLine:
    """Give one line of the workspace."""
    organization_id = transaction.organization_id
    draft = open_draft(organization_id, transaction.feed_account_id)
    return named(organization_id, [transactions.record(transaction)], draft)[0]


def unconfirmed(organization_id: str, transaction_ids: Sequence[int]) -> list[int]:
    """Give the unconfirmed ones of these lines, in their order."""
    statement = sa.select(Transaction.id).where(
        Transaction.organization_id == organization_id,
        Transaction.id.in_(transaction_ids),
        shown("unconfirmed", None),
    )
    unconfirmed_ids = set(db.session.scalars(statement))
    return [each for each in transaction_ids if each in unconfirmed_ids]


def total(organization_id: str, transaction_ids: Sequence[int], currency: str) -> Money:
    """Give the sum of lines of one account."""
    statement = sa.select(sa.func.coalesce(sa.func.sum(Transaction.amount_minor), 0)).where(
        Transaction.organization_id == organization_id, Transaction.id.in_(transaction_ids)
    )
    return Money(int(db.session.scalar(statement) or 0), currency)


def count_uncategorised(organization_id: str, transaction_ids: Sequence[int]) -> int:
    """Count the lines that confirming would post to an uncategorised account."""
    is_uncategorised = sa.exists().where(
        refers_to(Posting.journal_entry_id, JournalEntry),
        refers_to(Posting.account_id, Account),
        Account.role.in_(UNCATEGORISED),
    )
    statement = sa.select(sa.func.count(Transaction.id)).where(
        Transaction.organization_id == organization_id,
        Transaction.id.in_(transaction_ids),
        line_entries.is_unconfirmed(is_uncategorised),
    )
    return int(db.session.scalar(statement) or 0)


def uncorrected_entries(organization_id: str, transaction_ids: Sequence[int]) -> list[int]:
    """Give the posted entries of lines that have no correction, by id."""
    correction = sa.orm.aliased(JournalEntry)
    statement = (
        sa.select(JournalEntry.id)
        .distinct()
        .join(Transaction, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(
            Transaction.organization_id == organization_id,
            Transaction.id.in_(transaction_ids),
            JournalEntry.status == "POSTED",
            ~sa.exists().where(
                correction.organization_id == JournalEntry.organization_id,
                correction.corrects_id == JournalEntry.id,
            ),
        )
    )
    return list(db.session.scalars(statement.order_by(JournalEntry.id)))


def conditions(organization_id: str, fa_id: int, filters: WorkspaceFilters) -> list[sa.ColumnElement[bool]]:
    """Build the conditions of an account's lines that the filters leave, whatever the tab."""
    found = [
        Transaction.organization_id == organization_id,
        Transaction.feed_account_id == fa_id,
    ]
    if filters.q:
        found.append(matches_text_or_amount(filters.q))
    if filters.from_date:
        found.append(Transaction.booked_on >= filters.from_date)
    if filters.to_date:
        found.append(Transaction.booked_on <= filters.to_date)
    selection = DimensionSelection(filters.project_id, filters.project_group_id, filters.org_merchant_id)
    return [*found, *line_entries.posts_to(organization_id, None, selection)]


def shown(show: str, draft: OpenDraft | None) -> sa.ColumnElement[bool]:
    """Build the condition of the lines of a tab; a removed line that was never posted is on none."""
    is_booked = Transaction.status == "BOOKED"
    if show == "pending":
        return Transaction.status == "PENDING"
    if show == "unconfirmed":
        return sa.and_(is_booked, line_entries.is_unconfirmed())
    if show in ("statement", "open") and draft is not None:
        of_statement = sa.and_(
            is_booked, Transaction.booked_on <= draft.statement_date, sa.not_(transactions.is_reconciled())
        )
        return of_statement if show == "statement" else sa.and_(of_statement, sa.not_(_is_cleared(draft)))
    return sa.or_(Transaction.status != "REMOVED", Transaction.journal_entry_id.is_not(None))


def _is_cleared(draft: OpenDraft) -> sa.ColumnElement[bool]:
    return (
        sa.select(1)
        .where(
            refers_to(ReconciliationItem.transaction_id, Transaction),
            ReconciliationItem.reconciliation_id == draft.id,
        )
        .exists()
    )


def named(
    organization_id: str, records: Sequence[TransactionRecord], draft: OpenDraft | None
) -> list[WorkspaceLine]:
    """Make the workspace lines of records, in a constant number of statements."""
    names = _Names(organization_id, records)
    ids = [record.id for record in records]
    cleared = _cleared(organization_id, ids)
    origins = line_joins.of_lines(organization_id, ids)
    sides = other_sides.of_records(organization_id, records)
    by_rules = runs.set_fields(organization_id, ids)
    likely = likely_accounts.of_lines(organization_id, records)
    pending = pending_corrections.of_records(organization_id, records)
    shown_now = shown_lines.of_records(organization_id, records)
    return [
        WorkspaceLine(
            **{name: getattr(record, name) for name in RECORD_FIELDS},
            splits=[names.split(split) for split in record.splits or ()] or None,
            account_name=names.account(record.account_id),
            merchant_name=names.merchant(record.org_merchant_id),
            project_name=names.project(record.project_id),
            is_uncategorised=names.is_uncategorised(record.account_id),
            cleared=record.id in cleared,
            clearable=_is_clearable(record, draft),
            transfer=sides[record.id].transfer,
            proposal=sides[record.id].proposal,
            origins=origins[record.id],
            by_rules=by_rules.get(record.id, set()),
            likely=likely.get(record.id),
            pending=pending.get(record.id, ()),
            bank_change=_bank_change(record, origins[record.id]),
            shown=shown_now[record.id],
        )
        for record in records
    ]


def _is_clearable(record: TransactionRecord, draft: OpenDraft | None) -> bool:
    return (
        draft is not None
        and record.status == "BOOKED"
        and record.booked_on <= draft.statement_date
        and record.reconciliation_id is None
    )


def _bank_change(record: TransactionRecord, origins: LineOrigins) -> BankChangeRecord | None:
    """Give the bank's last change while the line is unconfirmed, or where it moved the day of a posted line."""
    last = next((each for each in origins.changes if not each.is_return), None)
    is_confirmed = record.entry_status == "POSTED" and record.correction_marker_id is None
    if last is None or record.status not in IN_BOOKS or (is_confirmed and "bookedOn" not in last.after):
        return None
    return last


class _Names:
    def __init__(self, organization_id: str, records: Sequence[TransactionRecord]) -> None:
        parts: list[TransactionRecord | SplitRecord] = []
        for record in records:
            parts += [record, *(record.splits or ())]
        self._accounts = lookups.by_id(Account, organization_id, {part.account_id for part in parts})
        self._merchants = lookups.by_id(Merchant, organization_id, {part.org_merchant_id for part in parts})
        self._projects = lookups.by_id(Project, organization_id, {part.project_id for part in parts})

    def account(self, account_id: int | None) -> str | None:
        """Give the name of an account."""
        found = self._accounts.get(account_id)
        return None if found is None else found.name

    def is_uncategorised(self, account_id: int | None) -> bool:
        """Return whether an account is one of those for uncategorised lines."""
        found = self._accounts.get(account_id)
        return found is not None and found.role in UNCATEGORISED

    def merchant(self, merchant_id: int | None) -> str | None:
        """Give the name of a merchant."""
        found = self._merchants.get(merchant_id)
        return None if found is None else found.name

    def project(self, project_id: int | None) -> str | None:
        """Give the name of a project."""
        found = self._projects.get(project_id)
        return None if found is None else found.name

    def split(self, split: SplitRecord) -> NamedSplit:
        """Give a part of a line with its names."""
        return NamedSplit(
            split.account_id,
            split.amount,
            split.project_id,
            split.org_merchant_id,
            account_name=self.account(split.account_id),
            merchant_name=self.merchant(split.org_merchant_id),
            project_name=self.project(split.project_id),
        )


def _cleared(organization_id: str, transaction_ids: list[int]) -> set[int]:
    rows = db.session.scalars(
        sa.select(ReconciliationItem.transaction_id).where(
            ReconciliationItem.organization_id == organization_id,
            ReconciliationItem.transaction_id.in_(transaction_ids),
            ReconciliationItem.is_standing,
        )
    )
    return {line_id for line_id in rows if line_id is not None}
