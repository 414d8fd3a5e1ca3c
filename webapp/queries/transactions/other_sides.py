"""The other side of each line of a list: the line that it is paired with as a transfer, or one that is proposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from webapp.ledger.money import Money
from webapp.models import Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions.transactions import TransactionRecord
from webapp.queries.transfers import proposed as transfers


@dataclass(frozen=True, slots=True)
class OtherSide:
    """The other line of a transfer."""

    id: int
    fa_id: int
    account_name: str
    booked_on: date
    amount: Money


@dataclass(frozen=True, slots=True)
class ProposedSide(OtherSide):
    """The other line of a proposed transfer; `is_only` where neither line matches any other.

    `difference` is the name of what the two differ by: "FEE" or none.
    """

    reason: str
    is_only: bool
    difference: str | None


@dataclass(frozen=True, slots=True)
class OtherSides:
    """The other side that a line is paired with as a transfer, or the best one that is proposed."""

    transfer: OtherSide | None
    proposal: ProposedSide | None


def of_records(organization_id: str, records: Sequence[TransactionRecord]) -> dict[int, OtherSides]:
    """Give the other side of each line."""
    others = transfer_pairs.others(organization_id, [record.id for record in records])
    lines = lookups.by_id(Transaction, organization_id, others.values())
    unpaired = [record for record in records if record.id not in others]
    proposed = transfers.of_lines(organization_id, unpaired)
    found: dict[int, OtherSides] = {}
    for record in records:
        other = lines.get(others.get(record.id))
        best = next(iter(proposed.get(record.id, ())), None)
        found[record.id] = OtherSides(
            transfer=None if other is None else OtherSide(*_facts(other)),
            proposal=None if best is None else _proposed(best),
        )
    return found


def _proposed(best: transfers.ProposedTransfer) -> ProposedSide:
    return ProposedSide(*_facts(best.other), best.reason, best.is_only, best.difference)


def _facts(other: Transaction) -> tuple[int, int, str, date, Money]:
    return other.id, other.feed_account_id, other.feed_account.name, other.booked_on, other.amount
