"""The page of a document: the lines and entries it belongs to or may belong to, and fields set by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.money import Money
from webapp.models import (
    Document,
    DocumentRelation,
    JournalEntry,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.journal import attachments
from webapp.queries.rules import names as rule_names
from webapp.queries.rules import runs
from webapp.queries.rules.runs import Provenance

AROUND = timedelta(days=60)
MOST_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class RelatedItem:
    """A line or an entry that a document belongs to, or may; `name` is the form's name of its id."""

    name: str
    id: int
    address: str
    day: date
    text: str
    amount: Money | None = None


@dataclass(frozen=True, slots=True)
class SetByRule:
    """A field of a document that a rule set, in words."""

    provenance: Provenance
    value: str


def related_items(document: Document) -> list[RelatedItem]:
    """List the lines and entries that a document belongs to, the oldest relation first."""
    organization_id = document.organization_id
    relations = attachments.of_documents(organization_id, [document.id])[document.id]
    lines = lookups.by_id(Transaction, organization_id, {each.transaction_id for each in relations})
    entries = lookups.by_id(JournalEntry, organization_id, {each.journal_entry_id for each in relations})
    return [
        _line(lines[each.transaction_id])
        if each.transaction_id is not None
        else _entry(entries[each.journal_entry_id])
        for each in relations
    ]


def candidates(document: Document) -> list[RelatedItem]:
    """List the booked lines of a document's total, around its day of issue where it has one, the nearest first."""
    if document.total_minor is None:
        return []
    related = sa.select(DocumentRelation.transaction_id).where(
        refers_to(DocumentRelation.document_id, document),
        DocumentRelation.transaction_id.is_not(None),
    )
    statement = sa.select(Transaction).where(
        of_same_organization(Transaction, document),
        Transaction.status == "BOOKED",
        Transaction.currency == document.currency,
        Transaction.amount_minor.in_((document.total_minor, -document.total_minor)),
        Transaction.id.not_in(related),
    )
    issued = document.issued_on
    if issued is not None:
        statement = statement.where(Transaction.booked_on.between(issued - AROUND, issued + AROUND))
    found: Sequence[Transaction] = db.session.scalars(
        statement.order_by(Transaction.booked_on.desc(), Transaction.id).limit(50)
    ).all()
    if issued is not None:
        found = sorted(found, key=lambda line: (abs(line.booked_on - issued), line.id))
    return [_line(line) for line in found[:MOST_CANDIDATES]]


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


def _line(line: Transaction) -> RelatedItem:
    address = f"/feeds/{line.feed_account_id}?show=all&line={line.id}#line-{line.id}"
    return RelatedItem("transactionId", line.id, address, line.booked_on, line.description, line.amount)


def _entry(entry: JournalEntry) -> RelatedItem:
    text = f"Entry {entry.id}" + (f": {entry.description}" if entry.description else "")
    return RelatedItem("journalEntryId", entry.id, f"/journal/{entry.id}", entry.effective_on, text)
