"""The other side of each line of a list: the line that it is paired with as a transfer, or one that is proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webapp.models import Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions.transactions import TransactionRecord
from webapp.queries.transfers import proposed as transfers


def of_records(organization_id: str, records: Sequence[TransactionRecord]) -> dict[int, Mapping[str, Any]]:
    """Give each line's `transfer` and `proposal`, None where there is none."""
    others = transfer_pairs.others(organization_id, [record.id for record in records])
    lines = lookups.by_id(Transaction, organization_id, others.values())
    unpaired = [record for record in records if record.id not in others]
    proposed = transfers.of_lines(organization_id, unpaired)
    found: dict[int, Mapping[str, Any]] = {}
    for record in records:
        other = lines.get(others.get(record.id))
        best = next(iter(proposed.get(record.id, ())), None)
        found[record.id] = {
            "transfer": other and _side(other),
            "proposal": best and {**_side(best.other), "reason": best.reason, "is_only": best.is_only},
        }
    return found


def _side(other: Transaction) -> dict[str, Any]:
    return {
        "id": other.id,
        "fa_id": other.feed_account_id,
        "account_name": other.feed_account.name,
        "booked_on": other.booked_on,
        "amount": other.amount,
    }
