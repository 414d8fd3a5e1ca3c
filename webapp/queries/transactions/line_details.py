"""The record of one bank line, with the rules that set its fields and the correction that waits."""

from __future__ import annotations

from dataclasses import replace

from webapp.models import Transaction
from webapp.queries.rules import runs
from webapp.queries.transactions import pending_corrections, transactions
from webapp.queries.transactions.transactions import TransactionRecord


def detailed(transaction: Transaction) -> TransactionRecord:
    """Give the record of one line, with the provenance of each field that a rule set and nobody since."""
    provenance = runs.provenance(transaction.organization_id, transaction.id)
    (record,) = pending_corrections.with_changes(
        transaction.organization_id, [transactions.record(transaction)]
    )
    return replace(record, provenance=provenance)
