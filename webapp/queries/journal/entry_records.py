"""Records of journal entries: postings with their accounts, the origin, the counterparty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from typing import Any, Final

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
from webapp.queries.journal import voidable
from webapp.snapshots import ID, PlannedOnce, TextStatement, day

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
    if len(entry_ids) == 1:
        rows = _LEGS_OF_ONE.rows(organization_id=organization_id, id=entry_ids[0])
    else:
        rows = _LEGS.rows(organization_id=organization_id, ids=list(entry_ids))
    stored: dict[int, _StoredEntry] = {}
    for row in rows:
        entry = stored.get(row[0])
        if entry is None:
            entry = stored[row[0]] = _StoredEntry(*row[:_OF_ENTRY])
        if row[_OF_ENTRY] is not None:
            entry.postings.append(_StoredLeg(*row[_OF_ENTRY:]))
    found = [stored[entry_id] for entry_id in entry_ids if entry_id in stored]
    has_openings = any(entry.has_openings for entry in found)
    refused = voidable.refused(organization_id, found, has_openings=has_openings)
    return [_record(entry, stored, refused) for entry in found]


@dataclass(slots=True)
class _StoredEntry:
    """An entry as it is stored, with the document that it was made of and the first that belongs to it."""

    id: int
    effective_on: Any
    description: str
    status: str
    source: str
    base_currency: str
    corrects_id: int | None
    voids_id: int | None
    number: int | None
    made_of_id: int | None
    made_of_type: str | None
    made_of_sender: str | None
    made_of_number: str | None
    made_of_file: str | None
    document_id: int | None
    document_type: str | None
    has_openings: bool
    postings: list[_StoredLeg] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.effective_on = day(self.effective_on)


@dataclass(slots=True)
class _StoredLeg:
    """A leg as it is stored, with its account, the merchant that counts, and its bank line with its first document."""

    account_id: int
    amount_minor: int
    currency: str
    amount_base_minor: int | None
    base_currency: str
    is_bank_leg: bool
    project_id: int | None
    account_name: str
    account_type: str
    account_emoji: str | None
    in_scope: bool
    requires_counterparty: bool
    institution_logo: str | None
    institution_name: str | None
    institution_url: str | None
    merchant_id: int | None
    merchant_name: str
    merchant_website: str | None
    merchant_image_url: str | None
    merchant_logo: str | None
    transaction_id: int | None
    line_description: str
    provider_transaction_id: str | None
    line_counterparty: str | None
    document_id: int | None
    document_type: str | None


_OF_ENTRY: Final = len(fields(_StoredEntry)) - 1
# Corrections and reversals are read with their originals, whose origin is theirs too. SQLite keeps the order of a CROSS
# JOIN, and would begin with all entries otherwise; the + keeps it from looking through all documents by their ids.
_LEGS_TEXT: Final = """
    WITH asked AS (
        SELECT id, COALESCE(corrects_id, voids_id, id) AS original_id FROM journal_entries
        WHERE organization_id = :organization_id AND id IN {ids}
    ), wanted AS (SELECT id FROM asked UNION SELECT original_id FROM asked)
    SELECT e.id, e.effective_on, e.description, e.status, e.source, e.base_currency, e.corrects_id, e.voids_id,
        e.number, made_of.id, made_of.document_type, made_of.sender, made_of.number, made_of.file_name,
        belongs.id, belongs.document_type,
        EXISTS (SELECT 1 FROM reconciliations r WHERE r.organization_id = :organization_id
            AND r.status = 'COMPLETED' AND r.keep_as_new),
        p.account_id, p.amount_minor, p.currency, p.amount_base_minor, p.base_currency, p.is_bank_leg, p.project_id,
        a.name, a.type, a.emoji, a.in_scope, a.requires_counterparty, i.logo, i.name, i.url,
        m.id, m.name, m.website, m.image_url, m.logo,
        t.id, t.description, t.provider_transaction_id, t.counterparty, of_line.id, of_line.document_type
    FROM wanted w
    CROSS JOIN journal_entries e
    LEFT JOIN documents made_of ON made_of.organization_id = e.organization_id AND made_of.id = e.document_id
    LEFT JOIN document_relations re ON re.organization_id = e.organization_id AND re.id = (
        SELECT min(+o.id) FROM document_relations o
        WHERE o.organization_id = :organization_id AND o.journal_entry_id = e.id)
    LEFT JOIN documents belongs ON belongs.organization_id = e.organization_id AND belongs.id = re.document_id
    LEFT JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
    LEFT JOIN accounts a ON a.organization_id = e.organization_id AND a.id = p.account_id
    LEFT JOIN feed_accounts f ON f.organization_id = e.organization_id AND f.account_id = p.account_id
    LEFT JOIN institutions i ON i.organization_id = e.organization_id AND i.id = f.institution_id
    LEFT JOIN merchants named ON named.organization_id = e.organization_id AND named.id = p.org_merchant_id
    LEFT JOIN merchants m ON m.organization_id = e.organization_id
        AND m.id = COALESCE(named.merged_into_id, named.id)
    LEFT JOIN transactions t ON t.organization_id = e.organization_id AND t.id = p.transaction_id
    LEFT JOIN document_relations rt ON rt.organization_id = e.organization_id AND rt.id = (
        SELECT min(+o.id) FROM document_relations o
        WHERE o.organization_id = :organization_id AND o.transaction_id = p.transaction_id)
    LEFT JOIN documents of_line ON of_line.organization_id = e.organization_id AND of_line.id = rt.document_id
    WHERE e.organization_id = :organization_id AND e.id = w.id
    ORDER BY e.id, p.position"""
_LEGS: Final = TextStatement(_LEGS_TEXT)
_LEGS_OF_ONE: Final = PlannedOnce(_LEGS_TEXT, ids=ID)


def _record(entry: _StoredEntry, stored: Mapping[int, _StoredEntry], refused: set[int]) -> EntryRecord:
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


def _posting(leg: _StoredLeg) -> PostingRecord:
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


def _origin(entry: _StoredEntry, line: _StoredLeg | None) -> OriginRecord:
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


def _counterparty(entry: _StoredEntry, line: _StoredLeg | None) -> CounterpartyRecord | None:
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
