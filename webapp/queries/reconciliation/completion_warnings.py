"""What is odd about the items that a statement leaves outstanding, while it is a draft and when it is completed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.proofs.completion_warnings import CompletionWarning, warnings
from webapp.ledger.proofs.proofs import Item
from webapp.models import Reconciliation, of_same_organization


def of_statement(statement: Reconciliation, outstanding: Sequence[Item]) -> list[CompletionWarning]:
    """Give the warnings about a draft or proof that leaves these items outstanding."""
    return warnings(
        outstanding,
        statement_date=statement.statement_date,
        openings=_openings(statement),
        currency=statement.currency,
    )


def of_proof(proof: Reconciliation) -> list[CompletionWarning]:
    """Give the warnings about a proof, from the items that it froze as outstanding."""
    frozen = json.loads(proof.frozen or "{}").get("outstanding", [])
    return of_statement(
        proof,
        [
            Item(
                each["transactionId"],
                each["journalEntryId"],
                each["providerTransactionId"],
                date.fromisoformat(each["bookedOn"]),
                Money.of(Decimal(each["amount"]), proof.currency).minor,
            )
            for each in frozen
        ],
    )


def _openings(statement: Reconciliation) -> set[int]:
    """Give the opening balances with which the account was kept as new."""
    opening = Reconciliation
    return {
        each or 0
        for each in db.session.scalars(
            sa.select(opening.opening_balance_minor).where(
                of_same_organization(opening, statement),
                opening.feed_account_id == statement.feed_account_id,
                opening.status.in_(("DRAFT", "COMPLETED")),
                opening.keep_as_new,
            )
        )
    }
