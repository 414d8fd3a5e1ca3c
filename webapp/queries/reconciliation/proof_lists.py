"""Lists of proofs: each with the days of its statement, and whether it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.proofs.covered_months import CoveringProof, last_of_month
from webapp.models import (
    FeedAccount,
    ProofBreak,
    Reconciliation,
    ReconciliationItem,
    refers_to,
)
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.records import record_of
from webapp.queries.reconciliation import computed_verdicts, proof_breaks, verdicts
from webapp.queries.reconciliation.break_causes import BrokenBy
from webapp.queries.reconciliation.computed_verdicts import Verdict

NEWEST = Order((Reconciliation.statement_date, Reconciliation.id))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ProofFilters:
    """The filters of a list of proofs; the days are of their statements, inclusive."""

    status: str = "COMPLETED"
    fa_id: int | None = None
    month: date | None = None
    holds: bool | None = None
    from_: date | None = None
    to: date | None = None


@dataclass(frozen=True, slots=True)
class ProofRecord:
    """A proof without its items; `holds` and what follows from it are none where it was reopened."""

    id: int
    fa_id: int
    account_name: str
    status: str
    currency: str
    first_date: date | None
    statement_date: date
    statement_balance: Money
    holds: bool | None
    cleared_now: Money | None
    off_by: Money | None
    broken_by: BrokenBy | None
    previous_id: int | None
    digest: str | None
    completed_at: datetime | None
    completed_by: Mapping[str, Any] | None
    reopened_at: datetime | None
    reopen_reason: str | None


def listed(
    organization_id: str, filters: ProofFilters, *, after: tuple[Any, ...] | None, limit: int
) -> Page[ProofRecord]:
    """List proofs, the one of the latest statement first."""
    statement = (
        sa.select(Reconciliation)
        .where(Reconciliation.organization_id == organization_id, *_conditions(organization_id, filters))
        .options(orm.defer(Reconciliation.frozen), orm.joinedload(Reconciliation.feed_account))
    )
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(_records(organization_id, found.items))


def covering(feed_account: FeedAccount) -> list[CoveringProof]:
    """List the standing proofs of a feed account with the days that they cover, the oldest first."""
    proofs = db.session.scalars(*_standing(feed_account.organization_id, feed_account.id)).all()
    found = verdicts.of_proofs(feed_account.organization_id, proofs)
    begun = [None, *(proof.statement_date for proof in proofs)]
    return [
        CoveringProof(proof.id, _first(proof, before), proof.statement_date, found[proof.id].holds)
        for proof, before in zip(proofs, begun, strict=False)
    ]


@made_once
def _standing(organization_id: str, fa_id: int) -> sa.Select[Reconciliation]:
    return (
        sa.select(Reconciliation)
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.feed_account_id == fa_id,
            Reconciliation.status == "COMPLETED",
        )
        .order_by(Reconciliation.statement_date)
        .options(orm.defer(Reconciliation.frozen))
    )


def _conditions(organization_id: str, filters: ProofFilters) -> list[sa.ColumnElement[bool]]:
    proof = Reconciliation
    filtered: list[tuple[object, Any]] = [
        (filters.fa_id, lambda: proof.feed_account_id == filters.fa_id),
        (filters.month, lambda: _covers(filters.month or date.min)),
        (filters.holds, lambda: _holds(organization_id, is_asked=bool(filters.holds))),
        (filters.from_, lambda: proof.statement_date >= filters.from_),
        (filters.to, lambda: proof.statement_date <= filters.to),
    ]
    return [proof.status == filters.status, *(each() for value, each in filtered if value is not None)]


def _covers(month: date) -> sa.ColumnElement[bool]:
    """Build the condition that a statement has a day of a month; the first one begins with its first item."""
    last = last_of_month(month)
    earlier = orm.aliased(Reconciliation)
    ends_later = sa.exists().where(
        refers_to(Reconciliation.previous_id, earlier), earlier.statement_date >= last
    )
    has_begun = sa.exists().where(
        refers_to(ReconciliationItem.reconciliation_id, Reconciliation), ReconciliationItem.frozen_on <= last
    )
    begins = sa.or_(Reconciliation.previous_id.is_not(None), Reconciliation.statement_date <= last, has_begun)
    return sa.and_(Reconciliation.statement_date >= month, ~ends_later, begins)


def _holds(organization_id: str, *, is_asked: bool) -> sa.ColumnElement[bool]:
    """Build the condition that a standing proof holds, or does not; the few that were touched since are computed."""
    touched = proof_breaks.touched(organization_id)
    proofs = db.session.scalars(
        sa.select(Reconciliation).where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.id.in_(touched),
            Reconciliation.status == "COMPLETED",
        )
    ).all()
    found = computed_verdicts.of_proofs(organization_id, proofs)
    broken_now = [proof_id for proof_id, verdict in found.items() if not verdict.holds]
    recorded = sa.exists().where(
        refers_to(ProofBreak.reconciliation_id, Reconciliation), ProofBreak.repaired_at.is_(None)
    )
    is_broken = sa.or_(
        Reconciliation.id.in_(broken_now), sa.and_(recorded, Reconciliation.id.not_in(touched))
    )
    return sa.and_(Reconciliation.status == "COMPLETED", ~is_broken if is_asked else is_broken)


def _records(organization_id: str, proofs: Sequence[Reconciliation]) -> list[ProofRecord]:
    standing = [proof for proof in proofs if proof.status == "COMPLETED"]
    found = verdicts.of_proofs(organization_id, standing)
    begun = dict(
        db.session.execute(
            sa.select(Reconciliation.id, Reconciliation.statement_date).where(
                Reconciliation.organization_id == organization_id,
                Reconciliation.id.in_([proof.previous_id for proof in proofs if proof.previous_id]),
            )
        ).all()
    )
    return [_record(proof, begun.get(proof.previous_id or 0), found.get(proof.id)) for proof in proofs]


def _record(proof: Reconciliation, before: date | None, verdict: Verdict | None) -> ProofRecord:
    return record_of(
        ProofRecord,
        proof,
        fa_id=proof.feed_account_id,
        account_name=proof.feed_account.name,
        first_date=_first(proof, before),
        holds=verdict.holds if verdict else None,
        cleared_now=Money(verdict.cleared_now_minor, proof.currency) if verdict else None,
        off_by=Money(verdict.off_by_minor, proof.currency) if verdict else None,
        broken_by=verdict.broken_by if verdict else None,
    )


def _first(proof: Reconciliation, before: date | None) -> date | None:
    """Give the first day of a statement: behind the one before it, or behind the opening; none where neither is."""
    end = before or proof.opening_date
    return None if end is None else end + timedelta(days=1)
