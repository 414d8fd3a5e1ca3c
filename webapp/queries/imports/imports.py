"""Queries on imports: the record of each file, and the verdicts on its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import UNCATEGORISED
from webapp.ledger.codes import VERDICTS
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    FeedAccount,
    Import,
    ImportLine,
    Posting,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.records import record_of
from webapp.queries.imports import bank_files
from webapp.queries.imports.bank_files import FileRecord

MOST_IDS: Final = 1000
NEWEST = Order((Import.id,))  # type: ignore[arg-type]
IN_FILE = Order((ImportLine.position,), ascends=True)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ImportAccountRecord:
    """One account of a file; the sum and the days are of its booked lines.

    `compared` are sentences on gaps and overlaps with the other files of the account, and `question` is one that a
    person has yet to answer.
    """

    fa_id: int | None
    external_id: str | None
    name: str
    currency: str
    added: int
    already_there: int
    pending: int
    skipped: int
    sum: Money
    first_date: date | None
    last_date: date | None
    opening_balance: Money | None
    opening_date: date | None
    closing_balance: Money | None
    closing_date: date | None
    compared: Sequence[str] = ()
    question: str = ""

    @property
    def off_by(self) -> Money | None:
        """The closing balance less opening balance and lines; None where a balance is missing."""
        if self.opening_balance is None or self.closing_balance is None:
            return None
        return self.closing_balance - (self.opening_balance + self.sum)

    @property
    def as_equation(self) -> str:
        """The beginning of the sentence by which a reader of files (importers/__init__.py) warns of a wrong sum."""
        whose = f"Account {self.external_id}" if self.external_id else "An account without a number"
        return f"{whose}: the opening balance {self.opening_balance} and the lines {self.sum} make"

    @property
    def adds_up(self) -> bool | None:
        """Return whether opening balance and lines give the closing balance; None where the file states too little."""
        return None if self.off_by is None else not self.off_by

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> ImportAccountRecord:
        """Read the stored JSON of an import about an account."""
        currency = stored["currency"]
        amounts = {
            name: None if stored[name] is None else Money.of(Decimal(stored[name]), currency)
            for name in ("sum", "opening_balance", "closing_balance")
        }
        days = {
            name: None if stored[name] is None else date.fromisoformat(stored[name])
            for name in ("first_date", "last_date", "opening_date", "closing_date")
        }
        counts = ("added", "already_there", "pending", "skipped")
        plain = {name: stored[name] for name in ("fa_id", "external_id", "name", "currency", *counts)}
        asked = {"compared": stored.get("compared", ()), "question": stored.get("question", "")}
        return cls(**plain, **amounts, **days, **asked)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """One bank file: previewed, imported or refused; `refused` is the place or the question that it was refused for.

    `transaction_ids` are the lines of its first rows and `file` what is kept of it, where `detailed` has read them.
    """

    id: int
    file_name: str
    format: str | None
    status: str
    error: str | None
    warnings: Sequence[str]
    accounts: Sequence[ImportAccountRecord]
    created_at: datetime
    refused: Mapping[str, Any] = field(default_factory=dict)
    chosen: Sequence[Mapping[str, Any]] = ()
    is_kept: bool = False
    transaction_ids: Sequence[int | None] = ()
    file: FileRecord | None = None

    @property
    def asks(self) -> str | None:
        """The key of the mapping that the file needs to be read, None where it needs none."""
        return self.refused.get("key")

    @property
    def general_warnings(self) -> list[str]:
        """The warnings that are not shown beside one account, as those on its sum and its other files are."""
        compared = {f"{account.name}: {each}" for account in self.accounts for each in account.compared}
        sums = tuple(account.as_equation for account in self.accounts if account.off_by)
        return [each for each in self.warnings if each not in compared and not each.startswith(sums)]

    @property
    def is_plain(self) -> bool:
        """Return whether this is a preview without a question: it adds up, and nothing in it is doubtful."""
        adds_up = all(account.adds_up is not False and not account.question for account in self.accounts)
        return self.status == "PREVIEWED" and self.is_kept and adds_up and not self.general_warnings

    @property
    def first_date(self) -> date:
        """The day of the oldest line; the last day that there is for a file without lines."""
        return min((account.first_date for account in self.accounts if account.first_date), default=date.max)

    @property
    def added(self) -> int:
        """The number of lines that were added to the books, or would be."""
        return sum(account.added for account in self.accounts)

    @property
    def already_there(self) -> int:
        """The number of booked lines that were in the books before."""
        return sum(account.already_there for account in self.accounts)


@dataclass(frozen=True, slots=True)
class ImportLineRecord:
    """A row of a file with its verdict; a skipped one has its text for a description.

    `possible_transaction_ids` are the lines that a doubtful one may be, in a preview of the file.
    """

    row: int
    position: int
    verdict: str
    reason: str
    fa_id: int | None
    account_name: str | None
    transaction_id: int | None
    booked_on: date | None
    amount: Money | None
    currency: str | None
    description: str
    counterparty: str | None
    provider_transaction_id: str | None
    possible_transaction_ids: tuple[int, ...] = ()


def get(organization_id: str, import_id: int) -> Import:
    """Find an import, or raise NotFoundError."""
    return lookups.get(Import, organization_id, import_id)


def record(imported: Import) -> ImportRecord:
    """Give the record of an import."""
    return record_of(
        ImportRecord,
        imported,
        error=imported.error or None,
        accounts=[ImportAccountRecord.of(stored) for stored in imported.accounts],
        refused=imported.reading.get("refused", {}),
        chosen=imported.reading.get("chosen", ()),
        is_kept=imported.kept_file is not None,
    )


def of_layout(organization_id: str, layout: str) -> set[int]:
    """Give the feed accounts that took a table of this layout before."""
    rows = db.session.scalars(
        sa.select(Import.accounts).where(
            Import.organization_id == organization_id,
            Import.status == "IMPORTED",
            Import.reading["layout"].as_string() == layout,
        )
    )
    return {stored["fa_id"] for accounts in rows for stored in accounts if stored["fa_id"] is not None}


def with_account(imported: Import) -> int:
    """Count the lines of an import that have an account by now, or are split or paired."""
    uncategorised = (
        sa.select(Posting.id)
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            of_same_organization(Posting, Transaction),
            Posting.journal_entry_id == Transaction.journal_entry_id,
            Account.role.in_(UNCATEGORISED),
        )
    )
    statement = sa.select(sa.func.count(Transaction.id)).where(
        refers_to(Transaction.import_id, imported),
        Transaction.journal_entry_id.is_not(None),
        ~uncategorised.exists(),
    )
    return int(db.session.scalar(statement) or 0)


def detailed(organization_id: str, found: ImportRecord) -> ImportRecord:
    """Give the record of an import with its file and the lines of its first `MOST_IDS` rows; a preview has none."""
    statement = (
        sa.select(ImportLine.transaction_id)
        .where(ImportLine.organization_id == organization_id, ImportLine.import_id == found.id)
        .order_by(ImportLine.position)
        .limit(MOST_IDS)
    )
    file = bank_files.of_import(get(organization_id, found.id))
    return replace(found, transaction_ids=db.session.scalars(statement).all(), file=bank_files.record(file))


def listed(organization_id: str, *, after: tuple[Any, ...] | None, limit: int) -> Page[ImportRecord]:
    """List imports, newest first."""
    statement = sa.select(Import).where(Import.organization_id == organization_id)
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of([record(imported) for imported in found.items])


def lines(
    imported: Import, *, verdict: str | None = None, after: tuple[Any, ...] | None, limit: int
) -> Page[ImportLineRecord]:
    """List the rows of an imported file in its order."""
    statement = sa.select(ImportLine).where(refers_to(ImportLine.import_id, imported))
    if verdict is not None:
        statement = statement.where(ImportLine.verdict == verdict)
    found = page(statement, IN_FILE, after=after, limit=limit)
    return found.of(_line_records(imported.organization_id, found.items))


def counts(imported: Import) -> dict[str, int]:
    """Count the rows of an imported file by their verdict."""
    rows = db.session.execute(
        sa.select(ImportLine.verdict, sa.func.count())
        .where(refers_to(ImportLine.import_id, imported))
        .group_by(ImportLine.verdict)
    )
    return dict.fromkeys(VERDICTS, 0) | dict(rows.all())


def _line_records(organization_id: str, rows: Sequence[ImportLine]) -> list[ImportLineRecord]:
    ids = {row.transaction_id for row in rows if row.transaction_id is not None}
    found = db.session.execute(
        sa.select(Transaction, FeedAccount.name)
        .join(FeedAccount, refers_to(Transaction.feed_account_id, FeedAccount))
        .where(Transaction.organization_id == organization_id, Transaction.id.in_(ids))
    )
    transactions = {transaction.id: (transaction, name) for transaction, name in found}
    return [_line_record(row, *transactions.get(row.transaction_id or 0, (None, None))) for row in rows]


def _line_record(row: ImportLine, transaction: Transaction | None, account: str | None) -> ImportLineRecord:
    return record_of(
        ImportLineRecord,
        row,
        fa_id=transaction.feed_account_id if transaction else None,
        account_name=account,
        booked_on=transaction.booked_on if transaction else None,
        amount=transaction.amount if transaction else None,
        currency=transaction.currency if transaction else None,
        description=transaction.description if transaction else row.text or "",
        counterparty=transaction.counterparty if transaction else None,
        provider_transaction_id=transaction.provider_transaction_id if transaction else None,
    )
