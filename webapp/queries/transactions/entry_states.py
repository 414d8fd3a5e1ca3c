"""What the records of lines read of their entries: the status, the legs that count, and the open correction."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.merchants import with_counting_merchants
from webapp.models import JournalEntry, Posting
from webapp.models.base import table_of
from webapp.queries.common import merchants
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once


@dataclass(slots=True)
class LineEntryState:
    """The status of a line's entry, the legs of it and of its corrections, and its open correction marker."""

    status: str = "DRAFT"
    legs: list[list[Leg]] | None = None
    marker_id: int | None = None


def of_entries(organization_id: str, entry_ids: set[int]) -> dict[int, LineEntryState]:
    """Read the entries of lines together with their corrections and markers."""
    if not entry_ids:
        return {}
    family = db.session.execute(*_families(organization_id, list(entry_ids))).all()
    states: dict[int, LineEntryState] = {entry_id: LineEntryState(legs=[]) for entry_id in entry_ids}
    counted: dict[int, int] = {}
    for entry_id, status, corrects_id in family:
        if corrects_id is None or entry_id in entry_ids:
            states[entry_id].status = status
            counted[entry_id] = entry_id
        elif status == "DRAFT":
            states[corrects_id].marker_id = entry_id
        else:
            counted[entry_id] = corrects_id
    postings: dict[int, list[Leg]] = {}
    for entry_id, *leg in db.session.execute(*_postings(organization_id, list(counted))).all():
        postings.setdefault(entry_id, []).append(Leg(*leg))
    named = any(leg.merchant_id is not None for legs in postings.values() for leg in legs)
    merged = merchants.merged(organization_id) if named else {}
    for entry_id, belongs_to in counted.items():
        legs = states[belongs_to].legs
        if legs is not None:
            legs.append(with_counting_merchants(postings.get(entry_id, []), merged))
    return states


@made_once
def _families(organization_id: str, entry_ids: Collection[int]) -> sa.Select[Any]:
    entry = table_of(JournalEntry)
    of_family = sa.select(entry.c.id, entry.c.status, entry.c.corrects_id)
    return of_family.where(
        entry.c.organization_id == organization_id,
        sa.or_(among(entry.c.id, entry_ids), among(entry.c.corrects_id, entry_ids)),
    )


@made_once
def _postings(organization_id: str, entry_ids: Collection[int]) -> sa.Select[Any]:
    posting = table_of(Posting).c
    of_leg: list[Any] = [
        posting.account_id,
        posting.amount_minor,
        posting.currency,
        posting.amount_base_minor,
        posting.is_bank_leg,
        posting.org_merchant_id,
        posting.project_id,
        posting.transaction_id,
        # What the records do not show.
        *(sa.null(), sa.null(), sa.false()),
        posting.tax_code_id,
        posting.tax_point,
    ]
    return (
        sa.select(posting.journal_entry_id, *of_leg)
        .where(posting.organization_id == organization_id, among(posting.journal_entry_id, entry_ids))
        .order_by(posting.journal_entry_id, posting.position)
    )
