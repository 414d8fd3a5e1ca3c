"""What entries shall say in the end: a draft its legs, a posted one those of its marker, else what is in force."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.corrections import effective
from webapp.ledger.entries import Leg
from webapp.models import JournalEntry, Posting


@dataclass(slots=True)
class PresentEntry:
    """An entry's status, and its legs as they shall be, each with the posting of a draft that says it."""

    status: str
    legs: list[tuple[int | None, Leg]]


def present(organization_id: str, entry_ids: Collection[int]) -> dict[int, PresentEntry]:
    """Tell of entries what they shall say, in a number of statements that does not depend on how many there are."""
    if not entry_ids:
        return {}
    entry = JournalEntry
    columns = sa.select(entry.id, entry.status, entry.corrects_id)
    own = db.session.execute(
        columns.where(entry.organization_id == organization_id, entry.id.in_(entry_ids))
    ).all()
    corrections = columns.where(
        entry.organization_id == organization_id,
        entry.corrects_id.is_not(None),
        entry.corrects_id.in_([row.id for row in own if row.status != "DRAFT"]),
    )
    more = sorted(db.session.execute(corrections).all(), key=lambda row: row.id)
    legs = _legs(organization_id, [row.id for row in (*own, *more)])
    family: dict[int, list[int]] = {row.id: [row.id] for row in own}
    markers = {}
    for row in more:
        if row.status == "DRAFT":
            markers[row.corrects_id] = row.id
        else:
            family[row.corrects_id].append(row.id)
    return {
        row.id: PresentEntry(row.status, _present(row, family[row.id], markers.get(row.id), legs))
        for row in own
    }


def _present(
    row: Any, family: Sequence[int], marker_id: int | None, legs: dict[int, list[tuple[int, Leg]]]
) -> list[tuple[int | None, Leg]]:
    """Give what an entry shall say: a draft what it says, else what its marker wants, else what is in force."""
    if row.status == "DRAFT":
        return list(legs.get(row.id, []))
    if marker_id is not None:
        return [(None, leg) for _, leg in legs.get(marker_id, [])]
    return [(None, leg) for leg in effective(*([leg for _, leg in legs.get(each, [])] for each in family))]


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
        )
        .where(posting.organization_id == organization_id, posting.journal_entry_id.in_(entry_ids))
        .order_by(posting.journal_entry_id, posting.position)
    )
    found: dict[int, list[tuple[int, Leg]]] = {}
    for row in rows:
        leg = Leg(
            account_id=row.account_id,
            amount_minor=row.amount_minor,
            currency=row.currency,
            amount_base_minor=row.amount_base_minor,
            is_bank_leg=row.is_bank_leg,
            merchant_id=row.org_merchant_id,
            project_id=row.project_id,
            transaction_id=row.transaction_id,
        )
        found.setdefault(row.journal_entry_id, []).append((row.id, leg))
    return found
