"""Verdicts whether proofs still hold: as the last act on the books recorded them, or computed where it did not."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.proofs.proofs import Item
from webapp.models import (
    FeedAccount,
    LineDaySum,
    ProofBreak,
    Reconciliation,
    ReconciliationItem,
    TouchedProof,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.among import among
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


def after_late_lines(
    organization_id: str, proofs: Sequence[Reconciliation], broken: Mapping[int, ProofBreak]
) -> dict[int, Verdict]:
    """Give the verdicts on proofs that only late lines touched since an act last checked them.

    Late lines change none of a proof's figures: one that has any is broken, and its figures are as they were. Left out
    are the proofs that are recorded as broken and have none: what else may still break them is to be computed.
    """
    late = {proof.id: _first_late(proof) for proof in proofs}
    arrived = [(proof, item) for proof in proofs if (item := late[proof.id]) is not None]
    newly = {proof.id: (proof, item) for proof, item in arrived if proof.id not in broken}
    standing = [proof for proof in proofs if (late[proof.id] is None) == (proof.id not in broken)]
    return {
        **{proof.id: _recorded(proof, broken.get(proof.id)) for proof in standing},
        **computed_verdicts.of_arrivals(organization_id, newly),
    }


def _first_late(proof: Reconciliation) -> Item | None:
    """Find a booked line of the first day with one that is dated by a statement and that no standing one has.

    A line that was open when the statement was completed (`left_open`) is not late. Of a day's lines the newest come
    first: a late one is hardly ever the oldest.
    """
    left_open = set((proof.left_open or {}).get("transactionIds", ()))
    rows = db.session.execute(
        *_first_late_lines(
            proof.organization_id, proof.feed_account_id, proof.statement_date, len(left_open) + 1
        )
    ).all()
    return next((Item(*row) for row in rows if row.id not in left_open), None)


def of_accounts(
    organization_id: str, fa_ids: Sequence[int]
) -> tuple[list[Reconciliation], dict[int, Verdict]]:
    """Read the open drafts, the anchors and the broken proofs of feed accounts, with the verdicts on the proofs.

    A proof that is touched is among them, as it may be broken. They come by day, without their frozen documents.
    """
    rows = db.session.execute(*_statements(organization_id, fa_ids)).all()
    standing = [row for row in rows if row.Reconciliation.status == "COMPLETED"]
    recorded = {
        proof.id: _recorded(proof, broken) for proof, broken, touched_id in standing if touched_id is None
    }
    touched = [proof.id for proof, _, touched_id in standing if touched_id is not None]
    return [row.Reconciliation for row in rows], recorded | _computed(organization_id, touched)


@made_once
def _statements(organization_id: str, ids: Sequence[int]) -> Any:
    """Select the statements of `of_accounts`; each account's newest proof is found by its index."""
    newest = orm.aliased(Reconciliation)
    anchor = (
        sa.select(newest.id)
        .where(
            newest.organization_id == organization_id,
            newest.feed_account_id == FeedAccount.id,
            newest.status == sa.literal_column("'COMPLETED'"),
        )
        .order_by(newest.statement_date.desc())
        .limit(1)
    )
    of_feeds = newest.organization_id == organization_id, among(newest.feed_account_id, ids)
    wanted = sa.union(
        sa.select(anchor.scalar_subquery().label("id")).where(
            FeedAccount.organization_id == organization_id, among(FeedAccount.id, ids)
        ),
        sa.select(newest.id).where(*of_feeds, newest.status == sa.literal_column("'DRAFT'")),
        sa.select(ProofBreak.reconciliation_id).where(
            ProofBreak.organization_id == organization_id, ProofBreak.repaired_at.is_(None)
        ),
        sa.select(TouchedProof.reconciliation_id).where(TouchedProof.organization_id == organization_id),
    ).cte("wanted")
    unrepaired = sa.and_(
        refers_to(ProofBreak.reconciliation_id, Reconciliation), ProofBreak.repaired_at.is_(None)
    )
    return (
        sa.select(Reconciliation, ProofBreak, TouchedProof.reconciliation_id)
        .join(wanted, wanted.c.id == Reconciliation.id)
        .outerjoin(ProofBreak, unrepaired)
        .outerjoin(TouchedProof, refers_to(TouchedProof.reconciliation_id, Reconciliation))
        .where(
            Reconciliation.organization_id == organization_id,
            among(Reconciliation.feed_account_id, ids),
            Reconciliation.status.in_(("DRAFT", "COMPLETED")),
        )
        .order_by(Reconciliation.statement_date, Reconciliation.id)
        .options(orm.defer(Reconciliation.frozen), orm.defer(Reconciliation.left_open))
    )


def _computed(organization_id: str, proof_ids: list[int]) -> dict[int, Verdict]:
    """Compute the verdicts on proofs that a write past the application has touched."""
    if not proof_ids:
        return {}
    proofs = lookups.by_id(Reconciliation, organization_id, proof_ids)
    return computed_verdicts.of_proofs(organization_id, list(proofs.values()))


@made_once
def _first_late_lines(organization_id: str, feed_account_id: int, until: date, most: int) -> Any:
    """Select lines that may be late; the days with lines that no statement has are few, and so are a day's lines."""
    return (
        sa.select(
            Transaction.id,
            Transaction.journal_entry_id,
            Transaction.provider_transaction_id,
            Transaction.booked_on,
            Transaction.amount_minor,
        )
        .join_from(
            LineDaySum,
            Transaction,
            sa.and_(
                of_same_organization(LineDaySum, Transaction),
                Transaction.feed_account_id == LineDaySum.feed_account_id,
                Transaction.booked_on == LineDaySum.day,
            ),
        )
        .where(
            LineDaySum.organization_id == organization_id,
            LineDaySum.feed_account_id == feed_account_id,
            LineDaySum.day <= until,
            LineDaySum.unreconciled_count > 0,
            ~_was_opened(organization_id, feed_account_id),
            Transaction.status == "BOOKED",
            ~_is_proved(),
        )
        .order_by(LineDaySum.day, Transaction.id.desc())
        .limit(most)
    )


def _was_opened(organization_id: Any, feed_account_id: Any) -> sa.Exists:
    """Select the statement that sets aside the lines of a day's sum, because the books of the account begin later."""
    return sa.exists().where(
        Reconciliation.organization_id == organization_id,
        Reconciliation.feed_account_id == feed_account_id,
        Reconciliation.status.in_(("DRAFT", "COMPLETED")),
        Reconciliation.keep_as_new,
        Reconciliation.opening_date >= LineDaySum.day,
    )


def _is_proved() -> sa.Exists:
    """Select the standing proof that has a line."""
    proof = orm.aliased(Reconciliation)
    return (
        sa.exists()
        .where(
            refers_to(ReconciliationItem.transaction_id, Transaction),
            ReconciliationItem.is_standing,
            refers_to(ReconciliationItem.reconciliation_id, proof),
            proof.status == "COMPLETED",
        )
        .correlate(Transaction)
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
