"""How one bank line stands, and which rules set what of its entry."""

from __future__ import annotations

from dataclasses import replace

from webapp.models import Transaction
from webapp.queries.rules import runs
from webapp.queries.transactions import transactions
from webapp.queries.transactions.transactions import TransactionRecord


def story(transaction: Transaction) -> TransactionRecord:
    """Tell how one line stands, with the provenance of each field that a rule set and nobody since."""
    provenance = runs.provenance(transaction.organization_id, transaction.id)
    return replace(transactions.record(transaction), provenance=provenance)
