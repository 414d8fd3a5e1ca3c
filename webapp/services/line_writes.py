"""Bank lines written in bulk: each booked one with its draft, as one import or one push brings them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.db import allocate_ids, db
from webapp.ledger.chart import uncategorised
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.rates import mirror
from webapp.models import FeedAccount, JournalEntry, Organization, Posting, Transaction
from webapp.queries import accounts, openings, rate_tables
from webapp.queries.rate_tables import RateTable

Row = dict[str, Any]


class LineTooLargeError(UnprocessableError):
    """A line's amount in the base currency is larger than the books can hold; `index` is its place among the lines."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


@dataclass(frozen=True, slots=True)
class NewLine:
    """A bank line that the books do not know; `line_key` and `occurrence` are its identity among lines of files.

    One that `is_joined` is only another report of a line that is there: it is kept without a draft, as REMOVED.
    """

    provider_transaction_id: str | None
    booked_on: date
    value_on: date | None
    amount_minor: int
    description: str
    counterparty: str | None
    reference: str | None
    iban: str | None
    line_key: str | None
    occurrence: int
    is_pending: bool
    is_joined: bool = False

    @property
    def has_draft(self) -> bool:
        """Tell whether the line comes into the books."""
        return not self.is_pending and not self.is_joined


def write(
    organization: Organization,
    feed_account: FeedAccount,
    lines: Sequence[NewLine],
    *,
    now: datetime,
    import_id: int | None,
) -> Sequence[int]:
    """Write lines of an account, the booked ones each with its draft; answers their ids in the order given.

    A draft in a locked period is dated the first open day, a line before the account's opening is set aside.
    Raises LineTooLargeError.
    """
    line_ids = allocate_ids(_table(Transaction), len(lines))
    placed = list(zip(line_ids, lines, strict=True))
    booked = [(line_id, line) for line_id, line in placed if line.has_draft]
    entry_ids = allocate_ids(_table(JournalEntry), len(booked))
    entry_of = {line_id: entry_id for (line_id, _), entry_id in zip(booked, entry_ids, strict=True)}
    legs = list(_posting_rows(organization, feed_account, placed, entry_of))
    _insert(JournalEntry, list(_entry_rows(organization, booked, entry_of, now)))
    opening_day = openings.opening_day(organization.id, feed_account.id)
    _insert(
        Transaction,
        [
            {
                **_line_row(feed_account, line, now),
                "id": line_id,
                "status": _status(line, opening_day),
                "import_id": import_id,
                "journal_entry_id": entry_of.get(line_id),
            }
            for line_id, line in placed
        ],
    )
    _insert(Posting, legs)
    return line_ids


def _status(line: NewLine, opening_day: date | None) -> str:
    if line.is_joined:
        return "REMOVED"
    if line.is_pending:
        return "PENDING"
    return "SET_ASIDE" if opening_day is not None and line.booked_on <= opening_day else "BOOKED"


def _line_row(feed_account: FeedAccount, line: NewLine, now: datetime) -> Row:
    return {
        "organization_id": feed_account.organization_id,
        "feed_account_id": feed_account.id,
        "provider_transaction_id": line.provider_transaction_id,
        "booked_on": line.booked_on,
        "value_on": line.value_on,
        "amount_minor": line.amount_minor,
        "currency": feed_account.currency,
        "description": line.description,
        "counterparty": line.counterparty,
        "reference": line.reference,
        "iban": line.iban,
        "line_key": line.line_key,
        "occurrence": line.occurrence,
        "removed_by_import_id": None,
        "created_at": now,
        "updated_at": now,
    }


def _entry_rows(
    organization: Organization, booked: Iterable[tuple[int, NewLine]], entry_of: dict[int, int], now: datetime
) -> Iterator[Row]:
    """Give a draft for each line, on its own day or the first open one."""
    lock = organization.lock_date
    first_open = None if lock is None else lock + timedelta(days=1)
    for line_id, line in booked:
        yield {
            "organization_id": organization.id,
            "id": entry_of[line_id],
            "effective_on": max(line.booked_on, first_open) if first_open else line.booked_on,
            "description": line.description,
            "status": "DRAFT",
            "source": "bank_feed",
            "base_currency": organization.base_currency,
            "created_at": now,
        }


def _posting_rows(
    organization: Organization,
    feed_account: FeedAccount,
    placed: Sequence[tuple[int, NewLine]],
    entry_of: dict[int, int],
) -> Iterator[Row]:
    """Give the bank leg of each draft and the leg that waits for its account, mirrored at the booking day's rate."""
    currency, base = feed_account.currency, organization.base_currency
    booked = [line for _, line in placed if line.has_draft]
    rates = _rates(organization, currency, [line.booked_on for line in booked])
    waiting = {
        role: accounts.by_role(organization.id, role.value).id
        for role in {uncategorised(line.amount_minor) for line in booked}
    }
    for index, (line_id, line) in enumerate(placed):
        if not line.has_draft:
            continue
        amount, mirrored = line.amount_minor, _mirrored(line, index, currency, base, rates)
        leg = {
            "organization_id": organization.id,
            "journal_entry_id": entry_of[line_id],
            "currency": currency,
            "base_currency": base,
        }
        bank = {"position": 0, "account_id": feed_account.account_id, "is_bank_leg": True}
        yield leg | bank | {"amount_minor": amount, "amount_base_minor": mirrored, "transaction_id": line_id}
        counter = {"position": 1, "account_id": waiting[uncategorised(amount)], "is_bank_leg": False}
        opposite = None if mirrored is None else -mirrored
        yield leg | counter | {"amount_minor": -amount, "amount_base_minor": opposite, "transaction_id": None}


def _rates(organization: Organization, currency: str, days: Sequence[date]) -> RateTable:
    if not days:
        return RateTable()
    return rate_tables.between(organization.id, currency, organization.base_currency, min(days), max(days))


def _mirrored(line: NewLine, index: int, currency: str, base: str, rates: RateTable) -> int | None:
    if currency == base:
        return line.amount_minor
    rate = rates.on(line.booked_on)
    try:
        return None if rate is None else mirror(line.amount_minor, currency, base, rate)
    except UnprocessableError as error:
        raise LineTooLargeError(str(error), index) from None


def _table(model: Any) -> sa.Table:
    table: sa.Table = model.__table__
    return table


def _insert(model: Any, rows: Sequence[Row]) -> None:
    """Insert rows in bulk, around the session's own objects."""
    if rows:
        db.session.execute(sa.insert(_table(model)), rows)
