"""Verdicts whether proofs still hold: as the last act on the books recorded them, or computed where it did not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.models import ProofBreak, Reconciliation, TouchedProof, of_same_organization, refers_to
from webapp.queries.common.made_once import made_once
from webapp.queries.reconciliation import computed_verdicts, proof_breaks
from webapp.queries.reconciliation.computed_verdicts import Verdict


def of_proofs(organization_id: str, proofs: Sequence[Reconciliation]) -> dict[int, Verdict]:
    """Give the verdicts on standing proofs, in a constant number of statements.

    A proof that nothing has touched since an act last checked it is as that act recorded it; any other is computed.
    """
    if not proofs:
        return {}
    broken = proof_breaks.unrepaired(organization_id, [proof.id for proof in proofs])
    touched = proof_breaks.touched(organization_id)
    return _shown(organization_id, [(proof, broken.get(proof.id), proof.id in touched) for proof in proofs])


def of_accounts(
    organization_id: str, fa_ids: Sequence[int]
) -> tuple[list[Reconciliation], dict[int, Verdict]]:
    """Read the open drafts, the anchors and the broken proofs of feed accounts, with the verdicts on the proofs.

    A proof that is touched is among them, as it may be broken. They come without their frozen documents, by day.
    """
    rows = db.session.execute(*_statements(organization_id, fa_ids)).all()
    standing = [
        (proof, broken, touched is not None) for proof, broken, touched in rows if proof.status == "COMPLETED"
    ]
    return [each for each, _, _ in rows], _shown(organization_id, standing)


@made_once
def _statements(organization_id: str, fa_ids: Sequence[int]) -> sa.Select[Any]:
    columns: list[Any] = [Reconciliation, ProofBreak, TouchedProof.reconciliation_id]
    return (
        sa.select(*columns)
        .outerjoin(
            ProofBreak,
            sa.and_(
                refers_to(ProofBreak.reconciliation_id, Reconciliation), ProofBreak.repaired_at.is_(None)
            ),
        )
        .outerjoin(TouchedProof, refers_to(TouchedProof.reconciliation_id, Reconciliation))
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.feed_account_id.in_(fa_ids),
            sa.or_(
                Reconciliation.status == "DRAFT",
                sa.and_(
                    Reconciliation.status == "COMPLETED",
                    sa.or_(
                        _is_newest(),
                        ProofBreak.id.is_not(None),
                        TouchedProof.reconciliation_id.is_not(None),
                    ),
                ),
            ),
        )
        .order_by(Reconciliation.statement_date, Reconciliation.id)
        .options(orm.defer(Reconciliation.frozen))
    )


def _shown(
    organization_id: str, proofs: Iterable[tuple[Reconciliation, ProofBreak | None, bool]]
) -> dict[int, Verdict]:
    """Give the recorded verdict on each proof with its break, or compute it where the proof was touched since."""
    proofs = list(proofs)
    recorded = {proof.id: _recorded(proof, broken) for proof, broken, touched in proofs if not touched}
    touched_since = [proof for proof, _, touched in proofs if touched]
    return recorded | computed_verdicts.of_proofs(organization_id, touched_since)


def _recorded(proof: Reconciliation, broken: ProofBreak | None) -> Verdict:
    if broken is None:
        return Verdict(
            holds=True, broken_by=None, cleared_now_minor=proof.statement_balance_minor, off_by_minor=0
        )
    return Verdict(
        holds=False,
        broken_by=proof_breaks.cause(broken),
        cleared_now_minor=broken.cleared_now_minor,
        off_by_minor=broken.off_by_minor,
    )


def _is_newest() -> sa.ColumnElement[bool]:
    later = orm.aliased(Reconciliation)
    return ~(
        sa.select(1)
        .where(
            of_same_organization(later, Reconciliation),
            later.feed_account_id == Reconciliation.feed_account_id,
            later.status == "COMPLETED",
            later.statement_date > Reconciliation.statement_date,
        )
        .exists()
    )
