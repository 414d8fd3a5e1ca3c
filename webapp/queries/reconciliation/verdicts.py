"""Verdicts whether proofs still hold: as the last act on the books recorded them, or computed where it did not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.proofs.proofs import Item
from webapp.models import ProofBreak, Reconciliation
from webapp.queries.reconciliation import computed_verdicts, proof_breaks
from webapp.queries.reconciliation.computed_verdicts import Verdict
from webapp.queries.reconciliation.proof_breaks import StoredBreak
from webapp.snapshots.statements import PlannedOnce, TextStatement
from webapp.snapshots.stored_values import day, document, instant


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
    rows = _FIRST_LATE.rows(
        organization_id=proof.organization_id,
        feed_account_id=proof.feed_account_id,
        until=proof.statement_date,
        most=len(left_open) + 1,
    )
    items = ((*row[:3], day(row[3]), row[4]) for row in rows if row[0] not in left_open)
    return next((Item(*values) for values in items), None)


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """A draft or a proof as it is stored, without its frozen document."""

    id: int
    feed_account_id: int
    status: str
    statement_date: date
    statement_balance_minor: int
    currency: str
    keep_as_new: bool
    opening_balance_minor: int | None
    opening_date: date | None
    version: int
    opened_at: datetime
    opened_by: Mapping[str, Any]
    digest: str | None
    completed_at: datetime | None
    completed_by: Mapping[str, Any] | None

    @property
    def statement_balance(self) -> Money:
        """The balance that the bank states."""
        return Money(self.statement_balance_minor, self.currency)


def of_accounts(
    organization_id: str, fa_ids: Sequence[int]
) -> tuple[list[StoredStatement], dict[int, Verdict]]:
    """Read the open drafts, the anchors and the broken proofs of feed accounts, with the verdicts on the proofs.

    A proof that is touched is among them, as it may be broken. They come by day.
    """
    rows = _STATEMENTS.rows(organization_id=organization_id, ids=list(fa_ids))
    statements = [_statement(*row[:_OF_STATEMENT]) for row in rows]
    standing = [
        (each, _break(*row[_OF_STATEMENT:-2]) if row[-2] is not None else None, row[-1] is not None)
        for each, row in zip(statements, rows, strict=True)
        if each.status == "COMPLETED"
    ]
    touched = [each.id for each, _, is_touched in standing if is_touched]
    recorded = {each.id: _recorded(each, broken) for each, broken, _ in standing if each.id not in touched}
    return statements, recorded | _computed(organization_id, touched)


def _computed(organization_id: str, proof_ids: list[int]) -> dict[int, Verdict]:
    """Compute the verdicts on proofs that a write past the application has touched."""
    if not proof_ids:
        return {}
    proofs = db.session.scalars(
        sa.select(Reconciliation).where(
            Reconciliation.organization_id == organization_id, Reconciliation.id.in_(proof_ids)
        )
    ).all()
    return computed_verdicts.of_proofs(organization_id, proofs)


def _statement(*row: Any) -> StoredStatement:
    proof_id, fa_id, status, stated_on, balance, currency, keep_as_new, opening, opened_on, version = row[:10]
    opened_at, opened_by, digest, completed_at, completed_by = row[10:]
    values: list[Any] = [
        *(
            proof_id,
            fa_id,
            status,
            day(stated_on),
            balance,
            currency,
            bool(keep_as_new),
            opening,
            day(opened_on),
        ),
        *(
            version,
            instant(opened_at),
            document(opened_by),
            digest,
            instant(completed_at),
            document(completed_by),
        ),
    ]
    return StoredStatement(*values)


def _break(*row: Any) -> StoredBreak:
    entry_id, line_id, request_id, broken_by, field, before, after, broken_at, cleared_now, off_by = row
    at: Any = instant(broken_at)
    causes = entry_id, line_id, request_id, document(broken_by), field, before, after, at
    return StoredBreak(*causes, cleared_now, off_by)


# The days with lines that no statement has are few, and so are the lines of a day.
_FIRST_LATE: Final = PlannedOnce("""
    SELECT t.id, t.journal_entry_id, t.provider_transaction_id, t.booked_on, t.amount_minor
    FROM line_day_sums d
    CROSS JOIN transactions t
    WHERE d.organization_id = :organization_id AND d.feed_account_id = :feed_account_id AND d.day <= :until
        AND d.unreconciled_count > 0
        AND NOT EXISTS (
            SELECT 1 FROM reconciliations k
            WHERE k.organization_id = :organization_id AND k.feed_account_id = :feed_account_id
                AND k.status IN ('DRAFT', 'COMPLETED') AND k.keep_as_new AND k.opening_date >= d.day)
        AND t.organization_id = :organization_id AND t.feed_account_id = :feed_account_id AND t.booked_on = d.day
        AND t.status = 'BOOKED'
        AND NOT EXISTS (
            SELECT 1 FROM reconciliation_items i
            JOIN reconciliations r ON r.organization_id = i.organization_id AND r.id = i.reconciliation_id
            WHERE i.organization_id = t.organization_id AND i.transaction_id = t.id AND i.is_standing
                AND r.status = 'COMPLETED')
    ORDER BY d.day, t.id DESC LIMIT :most""")
_OF_STATEMENT: Final = 15
# Of each account the newest proof is found by its index, however many there are.
_STATEMENTS: Final = TextStatement("""
    WITH wanted AS (
        SELECT (SELECT n.id FROM reconciliations n
            WHERE n.organization_id = :organization_id AND n.feed_account_id = f.id AND n.status = 'COMPLETED'
            ORDER BY n.statement_date DESC LIMIT 1) AS id
        FROM feed_accounts f WHERE f.organization_id = :organization_id AND f.id IN {ids}
        UNION SELECT d.id FROM reconciliations d
        WHERE d.organization_id = :organization_id AND d.feed_account_id IN {ids} AND d.status = 'DRAFT'
        UNION SELECT b.reconciliation_id FROM proof_breaks b
        WHERE b.organization_id = :organization_id AND b.repaired_at IS NULL
        UNION SELECT t.reconciliation_id FROM touched_proofs t WHERE t.organization_id = :organization_id
    )
    SELECT r.id, r.feed_account_id, r.status, r.statement_date, r.statement_balance_minor, r.currency, r.keep_as_new,
        r.opening_balance_minor, r.opening_date, r.version, r.opened_at, r.opened_by, r.digest, r.completed_at,
        r.completed_by, b.journal_entry_id, b.transaction_id, b.action_request_id, b.broken_by, b.field, b."before",
        b."after", b.broken_at, b.cleared_now_minor, b.off_by_minor, b.id, t.reconciliation_id
    FROM wanted w
    CROSS JOIN reconciliations r
    LEFT JOIN proof_breaks b ON b.organization_id = r.organization_id AND b.reconciliation_id = r.id
        AND b.repaired_at IS NULL
    LEFT JOIN touched_proofs t ON t.organization_id = r.organization_id AND t.reconciliation_id = r.id
    WHERE r.organization_id = :organization_id AND r.id = w.id AND r.feed_account_id IN {ids}
        AND r.status IN ('DRAFT', 'COMPLETED')
    ORDER BY r.statement_date, r.id""")


def _shown(
    organization_id: str, proofs: Iterable[tuple[Reconciliation, ProofBreak | None, bool]]
) -> dict[int, Verdict]:
    """Give the recorded verdict on each proof with its break, or compute it where the proof was touched since."""
    proofs = list(proofs)
    recorded = {proof.id: _recorded(proof, broken) for proof, broken, touched in proofs if not touched}
    touched_since = [proof for proof, _, touched in proofs if touched]
    return recorded | computed_verdicts.of_proofs(organization_id, touched_since)


def _recorded(proof: Reconciliation | StoredStatement, broken: ProofBreak | StoredBreak | None) -> Verdict:
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
