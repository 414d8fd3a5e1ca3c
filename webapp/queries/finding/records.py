"""Documents, and the entries that no bank line brought, by text, number and amount."""

from datetime import date
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.texts.finding import LEAST_PART
from webapp.models import Document, JournalEntry, Posting
from webapp.queries.common import lookups
from webapp.queries.common.search import contains, is_amount

# The newest of each kind are searched; the journal and the list of documents search them all.
NEWEST: Final = 10_000
LARGEST_NUMBER: Final = 2**63 - 1
# Written out, as the index has it.
_BANK_FEED: Final = sa.literal_column("'bank_feed'", sa.String())
_ENTRY: Final = (
    JournalEntry.id,
    JournalEntry.number,
    JournalEntry.effective_on,
    JournalEntry.description,
    JournalEntry.status,
)
_DOCUMENT: Final = (
    Document.id,
    Document.sender,
    Document.number,
    Document.file_name,
    Document.issued_on,
    Document.total_minor,
    Document.currency,
)


class FoundEntry(NamedTuple):
    """An entry as a search lists it."""

    id: int
    number: int | None
    effective_on: date
    description: str
    status: str


class FoundDocument(NamedTuple):
    """A document as a search lists it."""

    id: int
    label: str
    document_type: str
    issued_on: date | None
    total: Money | None


def numbered_entries(organization_id: str, typed: str) -> list[FoundEntry]:
    """Find the entry that has a typed number, as in "1187" or "#1187"."""
    digits = typed.strip().removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and int(digits) <= LARGEST_NUMBER):
        return []
    entry = sa.select(*_ENTRY).where(
        JournalEntry.organization_id == organization_id, JournalEntry.number == int(digits)
    )
    return [FoundEntry(*row) for row in db.session.execute(entry)]


def entries(organization_id: str, typed: str, *, limit: int) -> list[FoundEntry]:
    """Find entries that are not of a bank line, by a part of their description or the amount of a leg."""
    row = (
        sa.select(*_ENTRY, JournalEntry.organization_id)
        .where(JournalEntry.organization_id == organization_id, JournalEntry.source != _BANK_FEED)
        .order_by(JournalEntry.id.desc())
        .limit(NEWEST)
        .subquery("newest")
        .c
    )
    found = _has_text(typed, row.description)
    amounts = is_amount(typed, Posting.currency, Posting.amount_minor)
    if amounts:
        of_entry = (Posting.organization_id == row.organization_id, Posting.journal_entry_id == row.id)
        found.append(sa.select(1).where(*of_entry, sa.or_(*amounts)).exists())
    if not found:
        return []
    columns = (row.id, row.number, row.effective_on, row.description, row.status)
    listed = sa.select(*columns).where(sa.or_(*found)).order_by(row.effective_on.desc(), row.id.desc())
    return [FoundEntry(*each) for each in db.session.execute(listed.limit(limit))]


def documents(organization_id: str, typed: str, *, limit: int) -> list[FoundDocument]:
    """Find documents by a part of their sender, number or file name, or by their total."""
    newest = sa.select(*_DOCUMENT).where(Document.organization_id == organization_id)
    row = newest.order_by(Document.id.desc()).limit(NEWEST).subquery("newest").c
    found = _has_text(typed, row.sender, row.number, row.file_name)
    found += is_amount(typed, row.currency, row.total_minor)
    if not found:
        return []
    listed = sa.select(row.id).where(sa.or_(*found))
    ids = db.session.scalars(
        listed.order_by(row.issued_on.desc().nulls_last(), row.id.desc()).limit(limit)
    ).all()
    by_id = lookups.by_id(Document, organization_id, ids)
    return [
        FoundDocument(each.id, each.label, each.document_type, each.issued_on, each.total)
        for each in map(by_id.__getitem__, ids)
    ]


def _has_text(typed: str, *columns: Any) -> list[sa.ColumnElement[bool]]:
    """Build the conditions that one of some columns has what was typed, without case; none for one or two letters."""
    if len(typed) < LEAST_PART:
        return []
    return [contains(column, typed) for column in columns]
