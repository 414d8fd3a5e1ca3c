"""Entries and loaded fields as plain JSON, for the audit trail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webapp.ledger.journal.entries import Leg, is_base_only, mirrored
from webapp.ledger.money import Money
from webapp.ledger.references import Kind, Ref


def of_legs(legs: Sequence[Leg], description: str, *, base: str | None = None) -> dict[str, object]:
    """Give an entry's legs and description as JSON, for the audit trail.

    With the base currency a leg that moves nothing else has its `amountBase`, so that it can be written again.
    """
    return {
        "description": description,
        "postings": [
            {
                "accountId": Ref(Kind.ACCOUNT, leg.account_id),
                "amount": str(Money(leg.amount_minor, leg.currency)),
                "currency": leg.currency,
                "projectId": Ref.optional(Kind.PROJECT, leg.project_id),
                "orgMerchantId": Ref.optional(Kind.MERCHANT, leg.merchant_id),
                **({"amountBase": str(Money(mirrored(leg), base))} if base and is_base_only(leg) else {}),
                **({"dueOn": leg.due_on.isoformat()} if leg.due_on else {}),
                **({"reference": leg.reference} if leg.reference else {}),
            }
            for leg in legs
        ],
    }


def jsonable(value: Any) -> Any:
    """Give loaded fields as plain JSON again, for the audit trail."""
    if isinstance(value, Mapping):
        return {key: jsonable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(inner) for inner in value]
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)
