"""Target legs: a draft's own, a posted entry's those of its correction marker, else its effective legs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.corrections import effective
from webapp.ledger.journal.entries import Leg
from webapp.models import JournalEntry, Posting
from webapp.queries.journal import entries


@dataclass(slots=True)
class EntryTarget:
    """An entry's status and its target legs, each with the posting that holds it in a draft."""

    status: str
    legs: list[tuple[int | None, Leg]]


class StoredEntry(NamedTuple):
    """The fields of an entry beside its legs."""

    id: int
    status: str
    corrects_id: int | None
    effective_on: date
    description: str


@dataclass(frozen=True, slots=True)
class Family:
    """An entry with its posted corrections, each with its legs and their postings, and its marker."""

    entry: StoredEntry
    members: Sequence[Sequence[tuple[int, Leg]]]
    marker_id: int | None
    marker: Sequence[tuple[int, Leg]]

    @property
    def effective(self) -> tuple[Leg, ...]:
        """The effective legs of a posted entry: its own and those of all its corrections."""
        return effective(*([leg for _, leg in legs] for legs in self.members))

    @property
    def target(self) -> EntryTarget:
        """The target: a draft's own legs, else those of its marker, else the effective ones."""
        if self.entry.status == "DRAFT":
            return EntryTarget(self.entry.status, list(self.members[0]))
        legs = self.effective if self.marker_id is None else [leg for _, leg in self.marker]
        return EntryTarget(self.entry.status, [(None, leg) for leg in legs])


def of(entry: JournalEntry) -> list[Leg]:
    """Give the target legs of one entry."""
    if entry.status == "DRAFT":
        return entries.legs_of(entry)
    marker = entries.marker_of(entry)
    return entries.legs_of(marker) if marker is not None else list(entries.effective_legs(entry))


def bulk_of(organization_id: str, entry_ids: Collection[int]) -> dict[int, EntryTarget]:
    """Give the targets of many entries, in a number of statements that does not depend on how many there are."""
    return {entry_id: family.target for entry_id, family in families(organization_id, entry_ids).items()}


def families(organization_id: str, entry_ids: Collection[int]) -> dict[int, Family]:
    """Give entries with all their corrections, in a number of statements that does not depend on how many there are."""
    if not entry_ids:
        return {}
    entry = JournalEntry
    columns = sa.select(*(getattr(entry, name) for name in StoredEntry._fields))
    own = _stored(columns.where(entry.organization_id == organization_id, entry.id.in_(entry_ids)))
    more = _stored(
        columns.where(
            entry.organization_id == organization_id,
            entry.corrects_id.is_not(None),
            entry.corrects_id.in_([row.id for row in own if row.status != "DRAFT"]),
        )
    )
    legs = _legs(organization_id, [row.id for row in (*own, *more)])
    members: dict[int | None, list[int]] = {row.id: [row.id] for row in own}
    markers = {}
    for row in more:
        if row.status == "DRAFT":
            markers[row.corrects_id] = row.id
        else:
            members[row.corrects_id].append(row.id)
    return {
        row.id: Family(
            row,
            [legs.get(each, []) for each in members[row.id]],
            marker_id := markers.get(row.id),
            legs.get(marker_id or 0, []),
        )
        for row in own
    }


def _stored(statement: sa.Select[Any]) -> list[StoredEntry]:
    return [StoredEntry._make(row) for row in db.session.execute(statement.order_by(JournalEntry.id))]


def _legs(organization_id: str, entry_ids: Sequence[int]) -> dict[int, list[tuple[int, Leg]]]:
    posting = Posting
    rows = db.session.execute(
        sa.select(
            posting.id,
            posting.journal_entry_id,
            posting.account_id,
            posting.amount_minor,
            posting.currency,
            posting.amount_base_minor,
            posting.is_bank_leg,
            posting.org_merchant_id,
            posting.project_id,
            posting.transaction_id,
            posting.due_on,
            posting.reference,
            posting.has_own_base,
            posting.tax_code_id,
            posting.tax_point,
            posting.boxes,
        )
        .where(posting.organization_id == organization_id, posting.journal_entry_id.in_(entry_ids))
        .order_by(posting.journal_entry_id, posting.position)
    )
    found: dict[int, list[tuple[int, Leg]]] = {}
    for row in rows:
        found.setdefault(row.journal_entry_id, []).append((row.id, entries.leg_of(row)))
    return found
