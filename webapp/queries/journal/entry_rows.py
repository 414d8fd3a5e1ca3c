"""Entries as they are stored, with their legs and with what these name: all that a record shows, read at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from webapp.snapshots.statements import ID, PlannedOnce, TextStatement
from webapp.snapshots.stored_values import day


@dataclass(slots=True)
class EntryRow:
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
    postings: list[LegRow] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.effective_on = day(self.effective_on)


@dataclass(slots=True)
class LegRow:
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


_OF_ENTRY: Final = len(fields(EntryRow)) - 1
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


def read(organization_id: str, entry_ids: Sequence[int]) -> dict[int, EntryRow]:
    """Read entries by their ids, and with each correction or reversal its original, in one statement."""
    if len(entry_ids) == 1:
        rows = _LEGS_OF_ONE.rows(organization_id=organization_id, id=entry_ids[0])
    else:
        rows = _LEGS.rows(organization_id=organization_id, ids=list(entry_ids))
    stored: dict[int, EntryRow] = {}
    for row in rows:
        entry = stored.get(row[0])
        if entry is None:
            entry = stored[row[0]] = EntryRow(*row[:_OF_ENTRY])
        if row[_OF_ENTRY] is not None:
            entry.postings.append(LegRow(*row[_OF_ENTRY:]))
    return stored
