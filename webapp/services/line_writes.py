"""Bank lines written in bulk: each booked one with its draft, as one import or one push brings them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.db import db, next_ids
from webapp.ledger.chart import Role
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.rates import mirror
from webapp.models import FeedAccount, JournalEntry, Organization, Posting, Transaction
from webapp.queries import accounts, openings, rate_tables
from webapp.queries.rate_tables import RateTable
from webapp.services import staged_lines
from webapp.services.staged_lines import LINES, StagedLine


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
    def state(self) -> str:
        """Tell how the line comes into the books; only a BOOKED one has a draft."""
        if self.is_joined:
            return "REMOVED"
        return "PENDING" if self.is_pending else "BOOKED"


@dataclass(frozen=True, slots=True)
class Mirrors:
    """How lines of an account's currency are mirrored in the base currency, each at its booking day's rate."""

    currency: str
    base: str
    rates: RateTable

    def of(self, line: NewLine, index: int) -> int | None:
        """Mirror a line's amount, none where a rate is missing; raises LineTooLargeError."""
        if self.currency == self.base:
            return line.amount_minor
        rate = self.rates.on(line.booked_on)
        try:
            return None if rate is None else mirror(line.amount_minor, self.currency, self.base, rate)
        except UnprocessableError as error:
            raise LineTooLargeError(str(error), index) from None


def mirrors(organization: Organization, currency: str, days: Sequence[date]) -> Mirrors:
    """Read the rates of the days between the first and the last of these."""
    base = organization.base_currency
    rates = (
        rate_tables.between(organization.id, currency, base, min(days), max(days)) if days else RateTable()
    )
    return Mirrors(currency, base, rates)


def staged(
    lines: Iterable[NewLine], mirrored: Mirrors, *, batch: int = 0, first: int = 0
) -> Iterator[StagedLine]:
    """Give lines as they wait to be written, numbered from `first`; raises LineTooLargeError."""
    for index, line in enumerate(lines):
        yield StagedLine(
            first + index,
            batch,
            line.provider_transaction_id,
            line.booked_on,
            line.value_on,
            line.amount_minor,
            mirrored.of(line, index) if line.state == "BOOKED" else None,
            line.description,
            line.counterparty,
            line.reference,
            line.iban,
            line.line_key,
            line.occurrence,
            line.state,
        )


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
    if not lines:
        return ()
    mirrored = mirrors(organization, feed_account.currency, [line.booked_on for line in lines])
    connection = db.session.connection()
    staged_lines.stage(connection, staged(lines, mirrored))
    write_staged(organization, feed_account, batch=0, now=now, import_id=import_id)
    ids = connection.scalars(sa.select(LINES.c.transaction_id).order_by(LINES.c.number)).all()
    staged_lines.clear(connection)
    return [int(each) for each in ids]


def write_staged(
    organization: Organization,
    feed_account: FeedAccount,
    *,
    batch: int,
    now: datetime,
    import_id: int | None,
) -> None:
    """Write a batch of lines that were laid down before, as `write` does; each learns its ids there."""
    connection = db.session.connection()
    if not _number(connection, batch):
        return
    lock = organization.lock_date
    facts = {
        "batch": batch,
        "organization_id": organization.id,
        "base_currency": organization.base_currency,
        "first_open": date.min if lock is None else lock + timedelta(days=1),
        "feed_account_id": feed_account.id,
        "account_id": feed_account.account_id,
        "currency": feed_account.currency,
        "opening_day": openings.opening_day(organization.id, feed_account.id) or date.min,
        "income_id": accounts.by_role(organization.id, Role.UNCATEGORISED_INCOME.value).id,
        "expenses_id": accounts.by_role(organization.id, Role.UNCATEGORISED_EXPENSES.value).id,
        "import_id": import_id,
        "now": now,
    }
    for statement in (_ENTRIES, _TRANSACTIONS, _POSTINGS):
        connection.execute(statement, facts)


def _number(connection: sa.Connection, batch: int) -> bool:
    """Give each line of a batch its id, and each booked one that of its draft; answers whether there are lines."""
    of_batch = LINES.c.batch == batch
    first = connection.scalar(sa.select(sa.func.min(LINES.c.number)).where(of_batch))
    if first is None:
        return False
    place = LINES.c.number - first
    draft_ids = next_ids(connection, _table(JournalEntry), place)
    values = {
        "transaction_id": next_ids(connection, _table(Transaction), place),
        "journal_entry_id": sa.case((LINES.c.state == "BOOKED", draft_ids)),
    }
    connection.execute(sa.update(LINES).where(of_batch).values(values))
    return True


def _table(model: Any) -> sa.Table:
    table: sa.Table = model.__table__
    return table


def _fact(name: str, kind: Any) -> sa.BindParameter[Any]:
    return sa.bindparam(name, type_=kind)


def _insert(table: sa.Table, columns: dict[str, Any], *, booked: bool = False, legs: Any = None) -> sa.Insert:
    """Take every line of a batch, or every booked one, into a table, in the order of their numbers."""
    chosen = sa.select(*columns.values()).where(LINES.c.batch == sa.bindparam("batch"))
    chosen = chosen.select_from(LINES if legs is None else LINES.join(legs, sa.true()))
    if booked:
        chosen = chosen.where(LINES.c.state == "BOOKED")
    order = (LINES.c.number,) if legs is None else (LINES.c.number, legs.c.position)
    return sa.insert(table).from_select(list(columns), chosen.order_by(*order), include_defaults=False)


_LINE, _ENTRY, _POSTING = _table(Transaction), _table(JournalEntry), _table(Posting)
_ORGANIZATION = _fact("organization_id", sa.String)
_NOW = _fact("now", _LINE.c.created_at.type)
_FIRST_OPEN = _fact("first_open", sa.Date)
_COPIED = (
    "provider_transaction_id",
    "booked_on",
    "value_on",
    "amount_minor",
    "description",
    "counterparty",
    "reference",
    "iban",
    "line_key",
    "occurrence",
    "journal_entry_id",
)

_ENTRIES = _insert(
    _ENTRY,
    {
        "id": LINES.c.journal_entry_id,
        "organization_id": _ORGANIZATION,
        "effective_on": sa.case((LINES.c.booked_on < _FIRST_OPEN, _FIRST_OPEN), else_=LINES.c.booked_on),
        "description": LINES.c.description,
        "status": sa.literal("DRAFT"),
        "source": sa.literal("bank_feed"),
        "base_currency": _fact("base_currency", sa.String),
        "created_at": _NOW,
    },
    booked=True,
)
_TRANSACTIONS = _insert(
    _LINE,
    {
        "id": LINES.c.transaction_id,
        "organization_id": _ORGANIZATION,
        "feed_account_id": _fact("feed_account_id", sa.BigInteger),
        "status": sa.case(
            (LINES.c.state != "BOOKED", LINES.c.state),
            (LINES.c.booked_on <= _fact("opening_day", sa.Date), "SET_ASIDE"),
            else_="BOOKED",
        ),
        "currency": _fact("currency", sa.String),
        "import_id": _fact("import_id", sa.BigInteger),
        "created_at": _NOW,
        "updated_at": _NOW,
        **{name: LINES.c[name] for name in _COPIED},
    },
)
_LEGS = sa.union_all(
    sa.select(sa.literal_column("0").label("position")), sa.select(sa.literal_column("1").label("position"))
).subquery("legs")
_IS_BANK_LEG = _LEGS.c.position == 0
# The leg that waits for its account is the bank leg's opposite.
_SIGN = sa.literal(1) - 2 * _LEGS.c.position
_POSTINGS = _insert(
    _POSTING,
    {
        "organization_id": _ORGANIZATION,
        "journal_entry_id": LINES.c.journal_entry_id,
        "position": _LEGS.c.position,
        "account_id": sa.case(
            (_IS_BANK_LEG, _fact("account_id", sa.BigInteger)),
            # As ledger/chart.py says: nothing waits with the expenses.
            (LINES.c.amount_minor > 0, _fact("income_id", sa.BigInteger)),
            else_=_fact("expenses_id", sa.BigInteger),
        ),
        "amount_minor": _SIGN * LINES.c.amount_minor,
        "currency": _fact("currency", sa.String),
        "amount_base_minor": _SIGN * LINES.c.amount_base_minor,
        "base_currency": _fact("base_currency", sa.String),
        "is_bank_leg": _IS_BANK_LEG,
        "transaction_id": sa.case((_IS_BANK_LEG, LINES.c.transaction_id)),
    },
    booked=True,
    legs=_LEGS,
)
