"""Records of journal entries: postings with their accounts, the origin, the counterparty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.dimensions import DimensionSelection
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    Document,
    FeedAccount,
    Institution,
    JournalEntry,
    Merchant,
    Posting,
    Transaction,
    refers_to,
)
from webapp.queries.common import lookups, merchants
from webapp.queries.common.changed_since import only_changed
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.parts import with_parts
from webapp.queries.common.search import entry_matches
from webapp.queries.common.selections import postings_of
from webapp.queries.journal import attachments, voidable

NEWEST = Order((JournalEntry.effective_on, JournalEntry.id))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class PostingRecord:
    """A leg with the fields of its account and institution."""

    account_id: int
    account_name: str
    account_type: str
    account_emoji: str | None
    institution_logo: str | None
    institution_name: str | None
    institution_url: str | None
    amount: Money
    currency: str
    amount_base: Money | None
    is_bank_leg: bool
    org_merchant_id: int | None
    project_id: int | None
    in_scope: bool
    requires_counterparty: bool


@dataclass(frozen=True, slots=True)
class OriginRecord:
    """Where an entry comes from: `transaction document manual system`."""

    kind: str
    label: str
    provider_transaction_id: str | None = None
    document_id: int | None = None
    document_type: str | None = None


@dataclass(frozen=True, slots=True)
class CounterpartyRecord:
    """The counterparty: the merchant, else the bank's text."""

    org_merchant_id: int | None
    name: str
    website: str | None = None
    image_url: str | None = None
    logo: str | None = None


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """A journal entry as the interface document describes it, and its number, None for a draft."""

    id: int
    effective_at: date
    description: str
    status: str
    source: str
    base_currency: str
    corrects_journal_entry_id: int | None
    postings: list[PostingRecord]
    origin: OriginRecord
    counterparty: CounterpartyRecord | None
    can_void: bool
    number: int | None


@dataclass(frozen=True, slots=True)
class EntryFilters:
    """The filters of a list of entries; days are inclusive, and no ids leave all entries."""

    status: str | None = None
    source: str | None = None
    account_id: int | None = None
    project_id: int | None = None
    project_group_id: int | None = None
    org_merchant_id: int | None = None
    from_: date | None = None
    to: date | None = None
    q: str | None = None
    ids: Sequence[int] = ()


def record(entry: JournalEntry) -> EntryRecord:
    """Give the record of one entry."""
    return records(entry.organization_id, [entry])[0]


def listed(
    organization_id: str,
    filters: EntryFilters,
    *,
    changed_since: datetime | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[EntryRecord]:
    """List entries, newest first."""
    statement = sa.select(JournalEntry).where(JournalEntry.organization_id == organization_id)
    if filters.status is not None:
        statement = statement.where(JournalEntry.status == filters.status)
    if filters.source is not None:
        statement = statement.where(JournalEntry.source == filters.source)
    if filters.ids:
        statement = statement.where(JournalEntry.id.in_(filters.ids))
    if legs := _legs(organization_id, filters):
        touching = sa.select(Posting.journal_entry_id).where(
            Posting.organization_id == organization_id, *legs
        )
        statement = statement.where(JournalEntry.id.in_(touching))
    if filters.from_ is not None:
        statement = statement.where(JournalEntry.effective_on >= filters.from_)
    if filters.to is not None:
        statement = statement.where(JournalEntry.effective_on <= filters.to)
    if filters.q is not None:
        statement = statement.where(entry_matches(organization_id, filters.q))
    statement = only_changed(statement, JournalEntry, organization_id, changed_since)
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(records(organization_id, with_parts(JournalEntry.postings, found.items)))


def _legs(organization_id: str, filters: EntryFilters) -> list[sa.ColumnElement[bool]]:
    selection = DimensionSelection(filters.project_id, filters.project_group_id, filters.org_merchant_id)
    legs = postings_of(organization_id, selection)
    return legs if filters.account_id is None else [Posting.account_id == filters.account_id, *legs]


def records(organization_id: str, entries: Sequence[JournalEntry]) -> list[EntryRecord]:
    """Give the records of entries, in a constant number of statements."""
    originals = _originals(organization_id, entries)
    postings = [posting for entry in (*entries, *originals.values()) for posting in entry.postings]
    of_lines, of_entries = attachments.documents_of(
        organization_id,
        {posting.transaction_id for posting in postings if posting.transaction_id is not None},
        {entry.id for entry in (*entries, *originals.values())},
    )
    facts = _EntryFacts(
        originals=originals,
        accounts=_accounts(organization_id, {posting.account_id for posting in postings}),
        lines=lookups.by_id(Transaction, organization_id, {p.transaction_id for p in postings}),
        merchants=merchants.counting(organization_id, {p.org_merchant_id for p in postings}),
        documents=lookups.by_id(
            Document, organization_id, {entry.document_id for entry in (*entries, *originals.values())}
        ),
        of_lines=of_lines,
        of_entries=of_entries,
        refused=voidable.refused(organization_id, entries),
    )
    return [_record(entry, facts) for entry in entries]


@dataclass(frozen=True, slots=True)
class _EntryFacts:
    originals: dict[int, JournalEntry]
    accounts: dict[int, tuple[Account, Institution | None]]
    lines: dict[int | None, Any]
    merchants: Mapping[int | None, Merchant]
    documents: dict[int | None, Any]
    of_lines: dict[int, Document]
    of_entries: dict[int, Document]
    refused: set[int]


def _originals(organization_id: str, entries: Sequence[JournalEntry]) -> dict[int, JournalEntry]:
    """Read the originals of corrections and reversals, whose origin is theirs too."""
    named = {entry.corrects_id or entry.voids_id for entry in entries} - {None}
    if not named:
        return {}
    rows = db.session.scalars(
        sa.select(JournalEntry).where(
            JournalEntry.organization_id == organization_id, JournalEntry.id.in_(named)
        )
    )
    return {entry.id: entry for entry in with_parts(JournalEntry.postings, rows)}


def _accounts(organization_id: str, ids: set[int]) -> dict[int, tuple[Account, Institution | None]]:
    rows = db.session.execute(
        sa.select(Account, Institution)
        .outerjoin(FeedAccount, refers_to(FeedAccount.account_id, Account))
        .outerjoin(Institution, refers_to(FeedAccount.institution_id, Institution))
        .where(Account.organization_id == organization_id, Account.id.in_(ids))
    )
    return {account.id: (account, institution) for account, institution in rows}


def _record(entry: JournalEntry, facts: _EntryFacts) -> EntryRecord:
    original = facts.originals.get(entry.corrects_id or entry.voids_id or 0, entry)
    line = next((facts.lines.get(p.transaction_id) for p in original.postings if p.transaction_id), None)
    return EntryRecord(
        id=entry.id,
        effective_at=entry.effective_on,
        description=entry.description,
        status=entry.status,
        source=entry.source,
        base_currency=entry.base_currency,
        corrects_journal_entry_id=entry.corrects_id,
        postings=[
            _posting(posting, *facts.accounts[posting.account_id], facts.merchants)
            for posting in entry.postings
        ],
        origin=_origin(original, line, facts),
        counterparty=_counterparty(entry, line, facts.merchants),
        can_void=entry.id not in facts.refused,
        number=entry.number,
    )


def _posting(
    posting: Posting,
    account: Account,
    institution: Institution | None,
    merchants_: Mapping[int | None, Merchant],
) -> PostingRecord:
    merchant = merchants_.get(posting.org_merchant_id)
    return PostingRecord(
        account_id=account.id,
        account_name=account.name,
        account_type=account.type,
        account_emoji=account.emoji,
        institution_logo=institution.logo if institution else None,
        institution_name=institution.name if institution else None,
        institution_url=institution.url if institution else None,
        amount=posting.amount,
        currency=posting.currency,
        amount_base=posting.amount_base,
        is_bank_leg=posting.is_bank_leg,
        org_merchant_id=merchant.id if merchant is not None else None,
        project_id=posting.project_id,
        in_scope=account.in_scope,
        requires_counterparty=account.requires_counterparty,
    )


def _origin(entry: JournalEntry, line: Transaction | None, facts: _EntryFacts) -> OriginRecord:
    """Give the origin of an entry, with the document it was made of, or else the first that belongs to it."""
    own = facts.documents.get(entry.document_id or 0)
    document = own or facts.of_entries.get(entry.id) or (line and facts.of_lines.get(line.id))
    of_document = (document.id, document.document_type) if document else (None, None)
    if line is not None:
        return OriginRecord("transaction", line.description, line.provider_transaction_id, *of_document)
    if own is not None:
        return OriginRecord("document", own.label, None, *of_document)
    kind = "manual" if entry.source == "manual" else "system"
    return OriginRecord(kind, entry.description, None, *of_document)


def _counterparty(
    entry: JournalEntry, line: Transaction | None, named_by: Mapping[int | None, Merchant]
) -> CounterpartyRecord | None:
    named = next((named_by[p.org_merchant_id] for p in entry.postings if p.org_merchant_id is not None), None)
    if named is not None:
        return CounterpartyRecord(named.id, named.name, named.website, named.image_url, named.logo)
    if line is not None and line.counterparty:
        return CounterpartyRecord(None, line.counterparty)
    return None
