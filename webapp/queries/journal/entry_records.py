"""Records of journal entries: postings with their accounts, the origin, the counterparty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm.attributes import set_committed_value

from webapp.database.functions import leakproof_coalesce
from webapp.database.sessions import db
from webapp.ledger.dimensions import DimensionSelection
from webapp.ledger.journal.boxes import OF_ITEM
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
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.among import among
from webapp.queries.common.changed_since import only_changed
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.records import record_of
from webapp.queries.common.search import entry_matches
from webapp.queries.common.selections import postings_of
from webapp.queries.journal import attachments, entries, voidable

NEWEST = Order((JournalEntry.effective_on, JournalEntry.id))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class PostedBox:
    """What a leg adds to a box of a tax form, in the base currency."""

    form: str
    box: str
    amount: Money


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
    tax_code_id: int | None
    tax_point: date | None
    boxes: list[PostedBox]


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
    booked_on: date | None
    is_adjusting: bool


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
    moved_by_lock: bool | None = None


def read(organization_id: str, entry_id: int) -> EntryRecord:
    """Give the record of one entry, or raise NotFoundError."""
    return records(organization_id, [entries.get(organization_id, entry_id)])[0]


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
        marks: dict[str, sa.ColumnElement[bool]] = {
            "closing": JournalEntry.is_closing.is_(True),
            "schedule": JournalEntry.schedule_id.is_not(None),
            "tax": JournalEntry.tax_reason.is_not(None),
            "appropriation": JournalEntry.appropriates_on.is_not(None),
        }
        is_manual = filters.source in ("manual", *marks)
        statement = statement.where(JournalEntry.source == ("manual" if is_manual else filters.source))
        if is_manual:
            of_source = (has if name == filters.source else sa.not_(has) for name, has in marks.items())
            statement = statement.where(*of_source)
    if filters.moved_by_lock is not None:
        # What was voided is not there any more, on either day.
        is_moved = sa.and_(JournalEntry.is_moved, JournalEntry.status == "POSTED")
        statement = statement.where(is_moved if filters.moved_by_lock else sa.not_(is_moved))
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
    return found.of(records(organization_id, found.items))


def _legs(organization_id: str, filters: EntryFilters) -> list[sa.ColumnElement[bool]]:
    selection = DimensionSelection(filters.project_id, filters.project_group_id, filters.org_merchant_id)
    legs = postings_of(organization_id, selection)
    return legs if filters.account_id is None else [Posting.account_id == filters.account_id, *legs]


def records(organization_id: str, found: Sequence[JournalEntry]) -> list[EntryRecord]:
    """Give the records of entries in their order; the number of statements does not grow with them."""
    if not found:
        return []
    # Corrections and reversals are shown with the origin of their originals.
    originals = lookups.by_id(
        JournalEntry, organization_id, {each.corrects_id or each.voids_id for each in found}
    )
    stored = _stored(organization_id, {each.id: each for each in (*found, *originals.values())})
    refused = voidable.refused(organization_id, found)
    return [_record(stored[entry.id], stored, can_void=entry.id not in refused) for entry in found]


@dataclass(frozen=True, slots=True)
class _Leg:
    """A posting with its account, that one's bank, the merchant that counts, and its bank line."""

    posting: Posting
    account: Account
    institution: Institution | None
    merchant: Merchant | None
    line: Transaction | None


@dataclass(frozen=True, slots=True)
class _Stored:
    """An entry with its legs and bank line, the document that it was made of, and the first of it or of its line."""

    entry: JournalEntry
    legs: Sequence[_Leg]
    line: Transaction | None
    made_of: Document | None
    document: Document | None


def _stored(organization_id: str, wanted: Mapping[int, JournalEntry]) -> dict[int, _Stored]:
    legs: dict[int, list[_Leg]] = {entry_id: [] for entry_id in wanted}
    for row in db.session.execute(*_postings(organization_id, list(wanted))):
        leg = _Leg(*row)
        legs[leg.posting.journal_entry_id].append(leg)
    for entry_id, entry in wanted.items():
        set_committed_value(entry, "postings", [leg.posting for leg in legs[entry_id]])
    lines = {leg.line.id for its_legs in legs.values() for leg in its_legs if leg.line is not None}
    of_lines, of_entries = attachments.documents_of(organization_id, lines, wanted)
    made_of = lookups.by_id(Document, organization_id, {each.document_id for each in wanted.values()})
    stored = {}
    for entry_id, entry in wanted.items():
        line = next((leg.line for leg in legs[entry_id] if leg.line is not None), None)
        document = of_entries.get(entry_id) or of_lines.get(line.id if line else 0)
        stored[entry_id] = _Stored(entry, legs[entry_id], line, made_of.get(entry.document_id), document)
    return stored


@made_once
def _postings(organization_id: str, entry_ids: Sequence[int]) -> sa.Select[Any]:
    named, counting = orm.aliased(Merchant), orm.aliased(Merchant)
    counting_id = leakproof_coalesce(named.merged_into_id, named.id)
    columns: list[Any] = [Posting, Account, Institution, counting, Transaction]
    return (
        sa.select(*columns)
        .select_from(Posting)
        .outerjoin(Account, refers_to(Posting.account_id, Account))
        .outerjoin(
            FeedAccount,
            sa.and_(of_same_organization(FeedAccount, Posting), FeedAccount.account_id == Posting.account_id),
        )
        .outerjoin(Institution, refers_to(FeedAccount.institution_id, Institution))
        .outerjoin(named, refers_to(Posting.org_merchant_id, named))
        .outerjoin(counting, sa.and_(of_same_organization(counting, Posting), counting.id == counting_id))
        .outerjoin(Transaction, refers_to(Posting.transaction_id, Transaction))
        .where(Posting.organization_id == organization_id, among(Posting.journal_entry_id, entry_ids))
        .order_by(Posting.journal_entry_id, Posting.position)
    )


def _record(stored: _Stored, others: Mapping[int, _Stored], *, can_void: bool) -> EntryRecord:
    entry = stored.entry
    original = others.get(entry.corrects_id or entry.voids_id or 0, stored)
    return record_of(
        EntryRecord,
        entry,
        effective_at=entry.effective_on,
        corrects_journal_entry_id=entry.corrects_id,
        postings=[_posting(leg) for leg in stored.legs],
        origin=_origin(original),
        counterparty=_counterparty(stored, original.line),
        can_void=can_void,
        booked_on=entry.fact_on,
        source=entry.shown_source,
    )


def _posting(leg: _Leg) -> PostingRecord:
    posting, account, institution = leg.posting, leg.account, leg.institution
    return record_of(
        PostingRecord,
        posting,
        account_id=account.id,
        account_name=account.name,
        account_type=account.type,
        account_emoji=account.emoji,
        institution_logo=institution.logo if institution else None,
        institution_name=institution.name if institution else None,
        institution_url=institution.url if institution else None,
        org_merchant_id=leg.merchant.id if leg.merchant else None,
        in_scope=account.in_scope,
        requires_counterparty=account.requires_counterparty,
        boxes=[
            PostedBox(form, box, Money(minor, posting.base_currency))
            for form, box, minor in posting.boxes or ()
            if form != OF_ITEM
        ],
    )


def _origin(stored: _Stored) -> OriginRecord:
    """Give the origin of an entry, with the document it was made of, or else the first that belongs to it."""
    line, document = stored.line, stored.made_of or stored.document
    of_document = (None, None) if document is None else (document.id, document.document_type)
    if line is not None:
        return OriginRecord("transaction", line.description, line.provider_transaction_id, *of_document)
    if stored.made_of is not None:
        return OriginRecord("document", stored.made_of.label, None, *of_document)
    kind = "manual" if stored.entry.source == "manual" else "system"
    return OriginRecord(kind, stored.entry.description, None, *of_document)


def _counterparty(stored: _Stored, line: Transaction | None) -> CounterpartyRecord | None:
    named = next((leg.merchant for leg in stored.legs if leg.merchant is not None), None)
    if named is not None:
        return CounterpartyRecord(named.id, named.name, named.website, named.image_url, named.logo)
    if line is not None and line.counterparty:
        return CounterpartyRecord(None, line.counterparty)
    return None
