"""Verdicts on proofs, computed: whether the current books, and the lines as they are, still make them hold."""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.proofs.equations import BOOKED, Breach, ItemToday, breaches
from webapp.ledger.proofs.proofs import Item
from webapp.models import (
    JournalEntry,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    refers_to,
)
from webapp.queries.accounts.feed_postings import outside_entries
from webapp.queries.common.made_once import made_once
from webapp.queries.reconciliation import book_balances, break_causes, uneven_lines
from webapp.queries.reconciliation.book_balances import StatementBooks
from webapp.queries.reconciliation.break_causes import BrokenBy


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a proof holds; if not, its first cause, and by how much its figures are off (minor units).

    `cleared_now_minor` is the current sum of its cleared items; the statement is off from it by `off_by_minor`.
    """

    holds: bool
    broken_by: BrokenBy | None
    cleared_now_minor: int
    off_by_minor: int


def of_proofs(
    organization_id: str,
    proofs: Sequence[Reconciliation],
    *,
    known: Container[int] = (),
    act_id: str | None = None,
) -> dict[int, Verdict]:
    """Compute the verdicts on standing proofs from the current books.

    The cause of a proof whose cause is `known` is not looked for. Where `act_id` names the act that is being done,
    nothing else touched them since they were checked.
    """
    if not proofs:
        return {}
    ids = [proof.id for proof in proofs]
    books = book_balances.of_statements(organization_id, ids)
    changed: dict[int, list[tuple[Item, ItemToday | None]]] = defaultdict(list)
    for proof_id, item, now in [
        *_changed_lines(organization_id, ids),
        *_changed_entries(organization_id, ids),
    ]:
        changed[proof_id].append((item, now))
    arrived = _arrived_lines(organization_id, proofs)
    found: dict[int, list[Breach]] = {}
    for proof in proofs:
        found[proof.id] = breaches(
            [item for item, _ in changed[proof.id]],
            {item.key: now for item, now in changed[proof.id] if now is not None},
            arrivals=[*arrived.get(proof.id, []), *_arrived_entries(proof, books[proof.id])],
            differ_minor=books[proof.id].differ_minor(proof.statement_balance_minor),
        )
    unknown = [proof for proof in proofs if found[proof.id] and proof.id not in known]
    causes = break_causes.of_breaches(
        organization_id, {proof.id: (proof, found[proof.id]) for proof in unknown}, act_id
    )
    return {proof.id: _verdict(proof, found[proof.id], causes.get(proof.id)) for proof in proofs}


def of_arrivals(
    organization_id: str, arrived: Mapping[int, tuple[Reconciliation, Item]]
) -> dict[int, Verdict]:
    """Give the verdicts on proofs that held, by their ids, and that an item which arrived has broken."""
    found = {
        proof_id: (proof, breaches([], {}, arrivals=[item], differ_minor=0))
        for proof_id, (proof, item) in arrived.items()
    }
    causes = break_causes.of_breaches(organization_id, found)
    return {
        proof_id: _verdict(proof, broken, causes.get(proof_id)) for proof_id, (proof, broken) in found.items()
    }


def _verdict(proof: Reconciliation, found: list[Breach], cause: BrokenBy | None) -> Verdict:
    lost = sum(
        item.amount_minor
        for item in {breach.item for breach in found if breach.field in ("entryStatus", "lineStatus")}
        if item is not None
    )
    moved = sum(_int(breach.after) - _int(breach.before) for breach in found if breach.field == "amount")
    differ = next((_int(breach.after) for breach in found if breach.field == "books"), 0)
    return Verdict(
        holds=not found,
        broken_by=cause,
        cleared_now_minor=proof.statement_balance_minor - lost + moved,
        off_by_minor=lost - moved or -differ,
    )


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _changed_lines(organization_id: str, ids: list[int]) -> list[tuple[int, Item, ItemToday | None]]:
    """Read the frozen lines that have changed: another day, amount or status, or not posted."""
    rows = db.session.execute(*_changed_line_rows(organization_id, ids))
    return [
        (
            proof,
            Item(line_id, entry_id, reference, day, minor),
            ItemToday(booked_on, amount, bool(posted), status),
        )
        for proof, line_id, entry_id, reference, day, minor, booked_on, amount, posted, status in rows
        if day is not None and minor is not None
    ]


@made_once
def _changed_line_rows(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    item, line, entry = ReconciliationItem, Transaction, JournalEntry
    is_posted = sa.func.coalesce(entry.status, "") == "POSTED"
    columns: list[Any] = [
        item.reconciliation_id,
        line.id,
        line.journal_entry_id,
        line.provider_transaction_id,
        item.frozen_on,
        item.frozen_minor,
        line.booked_on,
        line.amount_minor,
        is_posted,
        line.status,
    ]
    return (
        sa.select(*columns)
        .join(line, refers_to(item.transaction_id, line))
        .outerjoin(entry, refers_to(line.journal_entry_id, entry))
        .where(
            item.organization_id == organization_id,
            item.reconciliation_id.in_(ids),
            sa.or_(
                line.booked_on != item.frozen_on,
                line.amount_minor != item.frozen_minor,
                sa.not_(is_posted),
                line.status != BOOKED,
            ),
        )
        .order_by(item.frozen_on, line.id)
    )


def _changed_entries(organization_id: str, ids: list[int]) -> list[tuple[int, Item, ItemToday | None]]:
    """Read the frozen entries that are voided, or whose effective amount on the account has changed.

    An entry that its corrections brought to zero is no row of `outside_entries`: the outer join then reads it as 0.
    """
    rows = db.session.execute(*_changed_entry_rows(organization_id, ids))
    return [
        (proof, Item(None, entry_id, None, day, minor), ItemToday(effective_on, int(amount), bool(posted)))
        for proof, entry_id, day, minor, effective_on, amount, posted in rows
        if day is not None and minor is not None
    ]


@made_once
def _changed_entry_rows(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    item, entry = ReconciliationItem, JournalEntry
    outside = outside_entries(
        organization_id,
        among=sa.select(item.journal_entry_id).where(
            item.organization_id == organization_id,
            item.reconciliation_id.in_(ids),
            item.journal_entry_id.is_not(None),
        ),
    )
    now = sa.func.coalesce(outside.c.amount_minor, 0)
    columns: list[Any] = [
        item.reconciliation_id,
        entry.id,
        item.frozen_on,
        item.frozen_minor,
        entry.effective_on,
        now,
        entry.status == "POSTED",
    ]
    return (
        sa.select(*columns)
        .join(entry, refers_to(item.journal_entry_id, entry))
        .outerjoin(
            outside,
            sa.and_(
                outside.c.journal_entry_id == entry.id, outside.c.feed_account_id == item.feed_account_id
            ),
        )
        .where(
            item.organization_id == organization_id,
            item.reconciliation_id.in_(ids),
            sa.or_(entry.status != "POSTED", now != item.frozen_minor),
        )
        .order_by(item.frozen_on, entry.id)
    )


def _arrived_lines(organization_id: str, proofs: Sequence[Reconciliation]) -> dict[int, list[Item]]:
    """Read the booked lines dated by a statement that arrived after it: cleared neither in it nor in an earlier proof.

    A line that was open when the statement was completed (`left_open`) is no arrival.
    """
    left_open = {proof.id: set((proof.left_open or {}).get("transactionIds", [])) for proof in proofs}
    arrived: dict[int, list[Item]] = {}
    for proof_id, line_id, entry_id, reference, day, amount in uneven_lines.late(organization_id, proofs):
        if line_id not in left_open[proof_id]:
            arrived.setdefault(proof_id, []).append(Item(line_id, entry_id, reference, day, amount))
    return arrived


def _arrived_entries(proof: Reconciliation, books: StatementBooks) -> list[Item]:
    left_open = set((proof.left_open or {}).get("journalEntryIds", []))
    return [item for entry_id, item in books.outside_open.items() if entry_id not in left_open]
