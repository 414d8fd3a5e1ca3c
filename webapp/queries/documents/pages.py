"""The page of a document: the lines and entries that it belongs to, and the fields that rules set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.database.sessions import db
from webapp.models import (
    DeclinedRelation,
    Document,
    DocumentRelation,
    JournalEntry,
    Transaction,
)
from webapp.queries.common import lookups
from webapp.queries.documents import candidates, evidence
from webapp.queries.documents.candidates import RelatedItem
from webapp.queries.journal import attachments
from webapp.queries.rules import names as rule_names
from webapp.queries.rules import runs
from webapp.queries.rules.runs import Provenance


@dataclass(frozen=True, slots=True)
class SetByRule:
    """A field of a document that a rule set, in words."""

    provenance: Provenance
    value: str


def related_items(document: Document) -> list[RelatedItem]:
    """List the lines and entries that a document belongs to, the oldest relation first.

    One that was attached by itself says why; the others have no reason.
    """
    organization_id = document.organization_id
    relations = attachments.of_documents(organization_id, [document.id])[document.id]
    items = _items(organization_id, relations)
    return [_with_reason(document, *each) for each in zip(relations, items, strict=True)]


def declined_items(document: Document) -> list[RelatedItem]:
    """List the lines and entries that a document was declined for, the oldest first."""
    return _items(document.organization_id, attachments.declined_of(document))


def _items(organization_id: str, pairs: Sequence[DocumentRelation | DeclinedRelation]) -> list[RelatedItem]:
    lines = lookups.by_id(Transaction, organization_id, {each.transaction_id for each in pairs})
    entries = lookups.by_id(JournalEntry, organization_id, {each.journal_entry_id for each in pairs})
    return [
        candidates.of_line(lines[each.transaction_id])
        if each.transaction_id is not None
        else candidates.of_entry(entries[each.journal_entry_id])
        for each in pairs
    ]


def _with_reason(document: Document, relation: DocumentRelation, item: RelatedItem) -> RelatedItem:
    """Say of a line that a document was attached to by its evidence what that evidence is."""
    line = db.session.get(Transaction, (document.organization_id, item.id)) if relation.is_automatic else None
    return item if line is None else replace(item, reason=evidence.evidence_of_line(document, line).reason)


def set_by_rules(document: Document) -> list[SetByRule]:
    """List what rules set of a document, and nobody since, with names instead of ids."""
    found = runs.provenance_of_document(document.organization_id, document.id)
    ids = [(each.field, int(each.value)) for each in found if each.field != "currency"]
    names = rule_names.of_ids(document.organization_id, ids)
    return [SetByRule(each, _named(each, names)) for each in found]


def _named(found: Provenance, names: Any) -> str:
    if found.field == "currency":
        return found.value
    return str(names.get((found.field, int(found.value)), found.value))
