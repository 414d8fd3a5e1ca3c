"""Queries on bank lines: finding one, and the records of many with the state in the books."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.base_shares import by_worth, in_currency
from webapp.ledger.journal.corrections import effective
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.sides import opposite
from webapp.ledger.money import Money
from webapp.models import (
    Reconciliation,
    ReconciliationItem,
    Transaction,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order
from webapp.queries.common.records import record_of
from webapp.queries.items import line_payments
from webapp.queries.items.line_payments import PaidPart
from webapp.queries.rules.runs import Provenance
from webapp.queries.transactions import entry_states
from webapp.queries.transactions.entry_states import LineEntryState

NEWEST = Order((Transaction.booked_on, Transaction.id))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class SplitRecord:
    """A part of a line's amount, with the line's sign."""

    account_id: int
    amount: Money
    project_id: int | None
    org_merchant_id: int | None
    tax_code_id: int | None = None
    tax_point: date | None = None


@dataclass(frozen=True, slots=True)
class PendingChange:
    """What confirming a posted line would give it: the fields after its open correction, and a sentence on them."""

    account_id: int | None
    org_merchant_id: int | None
    project_id: int | None
    splits: Sequence[SplitRecord] | None
    message: str


@dataclass(frozen=True, slots=True)
class TransactionRecord:
    """A bank line with the bank's data and its state in the books."""

    id: int
    fa_id: int
    provider_transaction_id: str | None
    status: str
    booked_on: date
    value_on: date | None
    amount: Money
    currency: str
    description: str
    counterparty: str | None
    reference: str | None
    iban: str | None
    journal_entry_id: int | None
    entry_status: str | None
    account_id: int | None
    org_merchant_id: int | None
    project_id: int | None
    splits: Sequence[SplitRecord] | None
    correction_marker_id: int | None
    reconciliation_id: int | None
    import_id: int | None
    created_at: datetime
    updated_at: datetime
    details: Mapping[str, str] | None
    pending_change: PendingChange | None = None
    provenance: list[Provenance] | None = None
    settles: Sequence[PaidPart] = ()
    short: Mapping[str, Any] | None = None


class StandingItem(NamedTuple):
    """The reconciliation that a line is cleared in, and whether it is a proof."""

    reconciliation_id: int
    is_proved: bool


def get(organization_id: str, transaction_id: int) -> Transaction:
    """Find a line, or raise NotFoundError."""
    return lookups.get(Transaction, organization_id, transaction_id)


def refer(organization_id: str, transaction_id: int) -> Transaction:
    """Find a line that a body names, or raise UnknownReferenceError (422)."""
    return lookups.refer(Transaction, organization_id, transaction_id, "transactionId")


def record(transaction: Transaction) -> TransactionRecord:
    """Give the record of one line."""
    return records(transaction.organization_id, [transaction])[0]


def is_reconciled() -> sa.ColumnElement[bool]:
    """Build the condition that a line is cleared in a standing proof."""
    return (
        sa.select(1)
        .select_from(ReconciliationItem)
        .join(Reconciliation, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .where(
            refers_to(ReconciliationItem.transaction_id, Transaction),
            ReconciliationItem.is_standing,
            Reconciliation.status == "COMPLETED",
        )
        .exists()
    )


def records(
    organization_id: str,
    transactions: Sequence[Transaction],
    items: Mapping[int, StandingItem] | None = None,
) -> list[TransactionRecord]:
    """Give the record of each line, in a constant number of statements.

    `items` are the standing items of the lines, where they are read already.
    """
    entry_ids = {line.journal_entry_id for line in transactions if line.journal_entry_id is not None}
    entries = entry_states.of_entries(organization_id, entry_ids)
    if items is None:
        items = standing_items(organization_id, [line.id for line in transactions])
    proofs = {line_id: item.reconciliation_id for line_id, item in items.items() if item.is_proved}
    legs = {line.id: _legs(line, entries.get(line.journal_entry_id or 0)) for line in transactions}
    known = parts_by_line(organization_id, {line.id: line.amount for line in transactions}, legs)
    return [
        _record(line, entries.get(line.journal_entry_id or 0), legs[line.id], proofs.get(line.id), known)
        for line in transactions
    ]


def parts_by_line(
    organization_id: str, amounts: Mapping[int, Money], legs_of: Mapping[int, Sequence[Leg]]
) -> dict[int, dict[int, int]]:
    """Give how much of a line its counter legs in other currencies are, where it is stored: by line and place."""
    abroad = {
        line_id: legs
        for line_id, legs in legs_of.items()
        if len(legs) > 1 and any(leg.currency != amounts[line_id].currency for leg in legs)
    }
    paid = line_payments.of_lines(organization_id, list(abroad)) if abroad else {}
    return {
        line_id: line_payments.in_line(organization_id, record, abroad[line_id])
        for line_id, record in paid.items()
    }


def standing_items(organization_id: str, transaction_ids: Sequence[int]) -> dict[int, StandingItem]:
    """Give the reconciliation, a draft or a proof, that each line is cleared in."""
    rows = db.session.execute(*_standing_items(organization_id, transaction_ids)) if transaction_ids else ()
    return {
        row.transaction_id: StandingItem(row.reconciliation_id, row.status == "COMPLETED") for row in rows
    }


@made_once
def _standing_items(organization_id: str, transaction_ids: Sequence[int]) -> sa.Select[int | None, int, str]:
    return (
        sa.select(
            ReconciliationItem.transaction_id, ReconciliationItem.reconciliation_id, Reconciliation.status
        )
        .join(Reconciliation, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .where(
            ReconciliationItem.organization_id == organization_id,
            among(ReconciliationItem.transaction_id, transaction_ids),
            ReconciliationItem.is_standing,
        )
    )


def _legs(line: Transaction, state: LineEntryState | None) -> list[Leg]:
    if state is None or not state.legs:
        return []
    return opposite(state.legs[0] if len(state.legs) == 1 else effective(*state.legs), line.id)


def _record(
    line: Transaction,
    state: LineEntryState | None,
    legs: Sequence[Leg],
    proof_id: int | None,
    known: Mapping[int, Mapping[int, int]],
) -> TransactionRecord:
    single = legs[0] if len(legs) == 1 else None
    return record_of(
        TransactionRecord,
        line,
        fa_id=line.feed_account_id,
        entry_status=state.status if state else None,
        account_id=single.account_id if single else None,
        org_merchant_id=single.merchant_id if single else None,
        project_id=single.project_id if single else None,
        splits=splits_of(line.amount, legs, known.get(line.id, {})) if len(legs) > 1 else None,
        correction_marker_id=state.marker_id if state else None,
        reconciliation_id=proof_id,
    )


def splits_of(line: Money, legs: Sequence[Leg], known: Mapping[int, int]) -> list[SplitRecord]:
    """Give counter legs as the parts of the line that they are opposite to; `known` are some of these, by place.

    One in the base currency, of which an account has the share, is its part of the line too.
    """
    bank, others = Leg(0, line.minor, line.currency), {leg.currency for leg in legs} - {line.currency}
    if len(others) > 1 or known:
        own = by_worth(bank, legs, known)
        legs = [leg for leg, was in zip(own, legs, strict=True) if leg.amount_minor or not was.amount_minor]
    elif others and any(leg.currency == line.currency for leg in legs):
        legs = in_currency(bank, legs, *others)
    return [
        SplitRecord(
            leg.account_id,
            Money(-leg.amount_minor, leg.currency),
            leg.project_id,
            leg.merchant_id,
            leg.tax_code_id,
            leg.tax_point,
        )
        for leg in legs
    ]
