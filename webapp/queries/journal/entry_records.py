"""Records of journal entries: postings with their accounts, the origin, the counterparty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.ledger.dimensions import DimensionSelection
from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.models import JournalEntry, Posting
from webapp.models.documents import document_label
from webapp.queries.common.changed_since import only_changed
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.search import entry_matches
from webapp.queries.common.selections import postings_of
from webapp.queries.journal import entry_rows, voidable
from webapp.queries.journal.entry_rows import EntryRow, LegRow

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


def read(organization_id: str, entry_id: int) -> EntryRecord:
    """Give the record of one entry, or raise NotFoundError."""
    found = records(organization_id, [entry_id])
    if not found:
        raise NotFoundError
    return found[0]


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
    return found.of(records(organization_id, [entry.id for entry in found.items]))


def _legs(organization_id: str, filters: EntryFilters) -> list[sa.ColumnElement[bool]]:
    selection = DimensionSelection(filters.project_id, filters.project_group_id, filters.org_merchant_id)
    legs = postings_of(organization_id, selection)
    return legs if filters.account_id is None else [Posting.account_id == filters.account_id, *legs]


def records(organization_id: str, entry_ids: Sequence[int]) -> list[EntryRecord]:
    """Give the records of entries in the order of their ids' list, in at most three statements."""
    stored = entry_rows.read(organization_id, entry_ids)
    found = [stored[entry_id] for entry_id in entry_ids if entry_id in stored]
    has_openings = any(entry.has_openings for entry in found)
    refused = voidable.refused(organization_id, found, has_openings=has_openings)
    return [_record(entry, stored, refused) for entry in found]


def _record(entry: EntryRow, stored: Mapping[int, EntryRow], refused: set[int]) -> EntryRecord:
    original = stored.get(entry.corrects_id or entry.voids_id or 0, entry)
    line = next((leg for leg in original.postings if leg.transaction_id), None)
    return EntryRecord(
        id=entry.id,
        effective_at=entry.effective_on,
        description=entry.description,
        status=entry.status,
        source=entry.source,
        base_currency=entry.base_currency,
        corrects_journal_entry_id=entry.corrects_id,
        postings=[_posting(leg) for leg in entry.postings],
        origin=_origin(original, line),
        counterparty=_counterparty(entry, line),
        can_void=entry.id not in refused,
        number=entry.number,
    )


def _posting(leg: LegRow) -> PostingRecord:
    base = leg.amount_base_minor
    return PostingRecord(
        account_id=leg.account_id,
        account_name=leg.account_name,
        account_type=leg.account_type,
        account_emoji=leg.account_emoji,
        institution_logo=leg.institution_logo,
        institution_name=leg.institution_name,
        institution_url=leg.institution_url,
        amount=Money(leg.amount_minor, leg.currency),
        currency=leg.currency,
        amount_base=None if base is None else Money(base, leg.base_currency),
        is_bank_leg=bool(leg.is_bank_leg),
        org_merchant_id=leg.merchant_id,
        project_id=leg.project_id,
        in_scope=bool(leg.in_scope),
        requires_counterparty=bool(leg.requires_counterparty),
    )


def _origin(entry: EntryRow, line: LegRow | None) -> OriginRecord:
    """Give the origin of an entry, with the document it was made of, or else the first that belongs to it."""
    of_document: tuple[int | None, str | None] = (None, None)
    if entry.made_of_id is not None:
        of_document = (entry.made_of_id, entry.made_of_type)
    elif entry.document_id is not None:
        of_document = (entry.document_id, entry.document_type)
    elif line is not None:
        of_document = (line.document_id, line.document_type)
    if line is not None:
        return OriginRecord("transaction", line.line_description, line.provider_transaction_id, *of_document)
    if entry.made_of_id is not None:
        label = document_label(entry.made_of_sender, entry.made_of_number, entry.made_of_file)
        return OriginRecord("document", label, None, *of_document)
    kind = "manual" if entry.source == "manual" else "system"
    return OriginRecord(kind, entry.description, None, *of_document)


def _counterparty(entry: EntryRow, line: LegRow | None) -> CounterpartyRecord | None:
    named = next((leg for leg in entry.postings if leg.merchant_id is not None), None)
    if named is not None:
        return CounterpartyRecord(
            named.merchant_id,
            named.merchant_name,
            named.merchant_website,
            named.merchant_image_url,
            named.merchant_logo,
        )
    if line is not None and line.line_counterparty:
        return CounterpartyRecord(None, line.line_counterparty)
    return None
