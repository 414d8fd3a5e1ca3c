"""Proof breaks: an act that breaks or repairs a proof is stored beside it, in the act's own transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.ledger.money import Money
from webapp.models import ProofBreak, Reconciliation, TouchedProof
from webapp.queries.reconciliation import proof_breaks, verdicts
from webapp.queries.reconciliation.break_causes import BrokenBy
from webapp.queries.reconciliation.verdicts import Verdict
from webapp.services.audit.act import Act


def check(doing: Act, touched_before: Collection[int]) -> None:
    """Check the proofs that an act touched, and record which it broke and which it repaired.

    A proof touched before the act was changed past the application: the books have what broke it.
    """
    organization_id = doing.actor.organization_id
    touched = proof_breaks.touched(organization_id)
    if not touched:
        return
    proofs = _in_force(organization_id, touched)
    verdict_of = verdicts.computed(organization_id, proofs)
    broken = proof_breaks.unrepaired(organization_id, touched)
    newly = [proof for proof in proofs if not verdict_of[proof.id].holds and proof.id not in broken]
    _break(doing, newly, verdict_of, touched_before)
    for proof in proofs:
        if proof.id in broken and verdict_of[proof.id].holds:
            _repair(broken[proof.id], doing, "UNDONE")
        elif proof.id in broken:
            broken[proof.id].cleared_now_minor = verdict_of[proof.id].cleared_now_minor
            broken[proof.id].off_by_minor = verdict_of[proof.id].off_by_minor
    db.session.flush()
    db.session.execute(sa.delete(TouchedProof).where(TouchedProof.organization_id == organization_id))


def take_back(proof: Reconciliation, doing: Act, repair: str) -> None:
    """End the break of a proof that is reopened or accepted."""
    broken = proof_breaks.unrepaired(proof.organization_id, [proof.id])
    for each in broken.values():
        _repair(each, doing, repair)


def _in_force(organization_id: str, ids: Collection[int]) -> Sequence[Reconciliation]:
    return db.session.scalars(
        sa.select(Reconciliation)
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.id.in_(ids),
            Reconciliation.status == "COMPLETED",
        )
        .options(orm.defer(Reconciliation.frozen))
    ).all()


def _break(
    doing: Act,
    proofs: Sequence[Reconciliation],
    verdict_of: dict[int, Verdict],
    touched_before: Collection[int],
) -> None:
    if not proofs:
        return
    posted = proof_breaks.posted_by(doing.actor.organization_id, doing.id, proofs)
    for proof in proofs:
        verdict = verdict_of[proof.id]
        found = verdict.broken_by or _unexplained(proof, verdict, doing)
        if proof.id not in touched_before:
            found = _by_act(found, doing, posted.get(proof.id))
        db.session.add(_row(proof, verdict, found))


def _unexplained(proof: Reconciliation, verdict: Verdict, doing: Act) -> BrokenBy:
    """Name the act where no item of the proof explains why its books differ: an entry dated after it moved them."""
    before, after = (str(Money(minor, proof.currency)) for minor in (0, -verdict.off_by_minor))
    return BrokenBy(None, None, doing.id, doing.actor.as_json(), "books", before, after, doing.now)


def _by_act(found: BrokenBy, doing: Act, entry_id: int | None) -> BrokenBy:
    """Name the act itself; where the books differ by what it posted, the entry that it posted."""
    named = replace(found, action_request_id=doing.id, actor=doing.actor.as_json(), at=doing.now)
    if found.field == "books" and entry_id is not None:
        return replace(named, journal_entry_id=entry_id)
    return named


def _row(proof: Reconciliation, verdict: Verdict, found: BrokenBy) -> ProofBreak:
    return ProofBreak(
        organization_id=proof.organization_id,
        reconciliation_id=proof.id,
        broken_at=found.at,
        broken_by=dict(found.actor),
        action_request_id=found.action_request_id,
        journal_entry_id=found.journal_entry_id,
        transaction_id=found.transaction_id,
        field=found.field,
        before=found.before,
        after=found.after,
        cleared_now_minor=verdict.cleared_now_minor,
        off_by_minor=verdict.off_by_minor,
    )


def _repair(broken: ProofBreak, doing: Act, repair: str) -> None:
    broken.repair = repair
    broken.repaired_at = doing.now
    broken.repaired_by = doing.actor.as_json()
    broken.repair_action_request_id = doing.id
