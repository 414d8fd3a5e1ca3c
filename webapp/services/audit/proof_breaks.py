"""Proof breaks: an act that breaks or repairs a proof is stored beside it, in the act's own transaction."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.models import ProofBreak, Reconciliation, TouchedProof
from webapp.queries.reconciliation import computed_verdicts, proof_breaks, verdicts
from webapp.queries.reconciliation.break_causes import SYSTEM, BrokenBy
from webapp.queries.reconciliation.computed_verdicts import Verdict
from webapp.services.audit.act import Act


def check(doing: Act, touched: Mapping[int, bool], touched_before: Collection[int]) -> None:
    """Check the proofs that were touched once an act was done, and record which it broke and which it repaired.

    One that only late lines touched is true in `touched`, and judged without adding it up. A proof touched before the
    act was changed past the application: the books have what broke it.
    """
    organization_id = doing.actor.organization_id
    proofs = _in_force(organization_id, Reconciliation.id.in_(touched))
    broken = proof_breaks.unrepaired(organization_id, touched)
    by_late_lines = [proof for proof in proofs if touched[proof.id] and proof.id not in touched_before]
    verdict_of = verdicts.after_late_lines(organization_id, by_late_lines, broken)
    others = [proof for proof in proofs if proof.id not in verdict_of]
    for act_id in (doing.id, None):
        some = [proof for proof in others if (proof.id in touched_before) == (act_id is None)]
        verdict_of |= computed_verdicts.of_proofs(organization_id, some, known=broken, act_id=act_id)
    newly = [proof for proof in proofs if not verdict_of[proof.id].holds and proof.id not in broken]
    _break(doing, newly, verdict_of, touched_before)
    _renew(broken, verdict_of, doing.now, doing.actor.as_json(), doing.id)
    _forget_touched(organization_id)


def check_all(organization_id: str, now: datetime) -> None:
    """Check every standing proof without an act, and record what differs from its record; nobody is named for it.

    The break of a proof that was reopened ended then.
    """
    proofs = _in_force(organization_id)
    verdict_of = computed_verdicts.of_proofs(organization_id, proofs)
    broken = proof_breaks.unrepaired(organization_id)
    for proof in proofs:
        verdict = verdict_of[proof.id]
        if not verdict.holds and proof.id not in broken:
            db.session.add(_row(proof, verdict, verdict.broken_by or _unexplained(proof, verdict, now)))
    _renew(broken, verdict_of, now, SYSTEM, None)
    for proof_id, each in broken.items():
        if proof_id not in verdict_of:
            proof = db.session.get_one(Reconciliation, (organization_id, proof_id))
            _repair(each, "REOPENED", proof.reopened_at or now, proof.reopened_by or SYSTEM, None)
    _forget_touched(organization_id)


def _renew(
    broken: Mapping[int, ProofBreak],
    verdict_of: Mapping[int, Verdict],
    at: datetime,
    actor: Mapping[str, Any],
    act_id: str | None,
) -> None:
    """End the breaks of proofs that hold again, and write the current figures to those that go on."""
    for proof_id, each in broken.items():
        verdict = verdict_of.get(proof_id)
        if verdict is not None and verdict.holds:
            _repair(each, "UNDONE", at, actor, act_id)
        elif verdict is not None:
            each.cleared_now_minor, each.off_by_minor = verdict.cleared_now_minor, verdict.off_by_minor


def _forget_touched(organization_id: str) -> None:
    db.session.flush()
    db.session.execute(sa.delete(TouchedProof).where(TouchedProof.organization_id == organization_id))


def take_back(proof: Reconciliation, doing: Act, repair: str) -> None:
    """End the break of a proof that is reopened or accepted."""
    broken = proof_breaks.unrepaired(proof.organization_id, [proof.id])
    for each in broken.values():
        _repair(each, repair, doing.now, doing.actor.as_json(), doing.id)


def _in_force(organization_id: str, *chosen: sa.ColumnElement[bool]) -> Sequence[Reconciliation]:
    return db.session.scalars(
        sa.select(Reconciliation)
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.status == "COMPLETED",
            *chosen,
        )
        .options(orm.defer(Reconciliation.frozen))
    ).all()


def _break(
    doing: Act,
    proofs: Sequence[Reconciliation],
    verdict_of: dict[int, Verdict],
    touched_before: Collection[int],
) -> None:
    for proof in proofs:
        verdict = verdict_of[proof.id]
        found = verdict.broken_by or _unexplained(proof, verdict, doing.now)
        if proof.id not in touched_before:
            found = replace(found, action_request_id=doing.id, actor=doing.actor.as_json(), at=doing.now)
        db.session.add(_row(proof, verdict, found))


def _unexplained(proof: Reconciliation, verdict: Verdict, now: datetime) -> BrokenBy:
    """Give the difference alone where no item of the proof explains it: an entry was dated after the statement."""
    before, after = (str(Money(minor, proof.currency)) for minor in (0, -verdict.off_by_minor))
    return BrokenBy(None, None, None, SYSTEM, "books", before, after, now)


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


def _repair(
    broken: ProofBreak, repair: str, at: datetime, actor: Mapping[str, Any], act_id: str | None
) -> None:
    broken.repair = repair
    broken.repaired_at = at
    broken.repaired_by = dict(actor)
    broken.repair_action_request_id = act_id
