"""The record of one bank line, with the rules that set its fields and the correction that waits."""

from dataclasses import replace

from webapp.models import Transaction
from webapp.queries.items import line_payments
from webapp.queries.rules import runs
from webapp.queries.transactions import pending_corrections, transactions
from webapp.queries.transactions.transactions import TransactionRecord


def detailed(transaction: Transaction) -> TransactionRecord:
    """Give the record of one line, with what set its fields, and what its draft is to pay."""
    provenance = runs.provenance(transaction.organization_id, transaction.id)
    (record,) = pending_corrections.with_changes(
        transaction.organization_id, [transactions.record(transaction)]
    )
    payment = line_payments.of_line(transaction.organization_id, transaction.id)
    if payment is None or record.entry_status != "DRAFT":
        return replace(record, provenance=provenance)
    return replace(
        record, provenance=provenance, settles=payment.parts, short=line_payments.short_of(payment)
    )
