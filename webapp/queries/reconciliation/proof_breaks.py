"""Recorded breaks of proofs and their repairs, and the proofs that a write touched."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database import tenancy
from webapp.database.sessions import db, take_touched
from webapp.models import ProofBreak, Reconciliation, TouchedProof, refers_to
from webapp.queries.common.made_once import made_once
from webapp.queries.common.records import record_of
from webapp.queries.reconciliation.break_causes import BrokenBy


@dataclass(frozen=True, slots=True)
class BreakRecord:
    """A time for which a proof did not hold; while it lasts, the fields of its repair are none."""

    broken_by: BrokenBy
    repair: str | None
    repaired_at: datetime | None
    repaired_by: Mapping[str, Any] | None
    repair_action_request_id: str | None


def touched(organization_id: str) -> frozenset[int]:
    """Give the proofs that a write touched and that were not checked since."""
    return frozenset(db.session.scalars(*_touched(organization_id)))


def touched_before(organization_id: str) -> frozenset[int]:
    """Give the same at the beginning of an act: before the first of a transaction they were read with the lock."""
    found = take_touched(organization_id)
    return touched(organization_id) if found is None else found


@made_once
def _touched(organization_id: str) -> sa.Select[Any]:
    return sa.select(TouchedProof.reconciliation_id).where(TouchedProof.organization_id == organization_id)


def unrepaired(organization_id: str, proof_ids: Collection[int] | None = None) -> dict[int, ProofBreak]:
    """Find the breaks of these proofs, or of all, that are not repaired."""
    statement = sa.select(ProofBreak).where(
        ProofBreak.organization_id == organization_id, ProofBreak.repaired_at.is_(None)
    )
    if proof_ids is not None:
        statement = statement.where(ProofBreak.reconciliation_id.in_(proof_ids))
    return {each.reconciliation_id: each for each in db.session.scalars(statement)}


def count_in_all_books() -> int:
    """Count the broken proofs of all organizations."""
    broken = sa.select(sa.func.count()).select_from(ProofBreak).where(ProofBreak.repaired_at.is_(None))
    return tenancy.count_in_all_books(db.session(), "count_broken_proofs", broken)


def history(proof: Reconciliation) -> list[BreakRecord]:
    """List the breaks and repairs of a proof, the oldest first."""
    found = db.session.scalars(
        sa.select(ProofBreak).where(refers_to(ProofBreak.reconciliation_id, proof)).order_by(ProofBreak.id)
    )
    return [
        record_of(
            BreakRecord,
            each,
            broken_by=cause(each),
        )
        for each in found
    ]


def cause(found: ProofBreak) -> BrokenBy:
    """Give the recorded cause of a break."""
    return record_of(
        BrokenBy,
        found,
        actor=found.broken_by,
        at=found.broken_at,
    )
