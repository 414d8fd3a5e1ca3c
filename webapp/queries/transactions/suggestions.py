"""Suggestions for a bank line: the same line from another source, the other side of a transfer, what it likely is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from webapp.ledger.money import Money
from webapp.models import Transaction, TransferPair
from webapp.queries.common import lookups
from webapp.queries.items.likely_payments import LikelyPayment
from webapp.queries.matching import line_joins, transfer_pairs
from webapp.queries.matching.line_joins import BankChangeRecord, JoinRecord
from webapp.queries.suggestions import line_meanings
from webapp.queries.suggestions.likely_accounts import LikelyAccount
from webapp.queries.suggestions.line_meanings import NOTHING
from webapp.queries.transactions import transactions
from webapp.queries.transfers import proposed as transfers
from webapp.queries.transfers.destinations import LikelyTransfer


@dataclass(frozen=True, slots=True)
class SuggestionRecord:
    """A relation of a line to another: `TRANSFER` is its other side, `JOIN` the same line from another source.

    `is_only` is of a suggested transfer where neither line matches any other.
    """

    kind: str
    transaction_id: int
    fa_id: int
    account_name: str
    booked_on: date
    amount: Money
    currency: str
    description: str
    line_status: str
    status: str
    reason: str
    created_at: datetime | None = None
    undone_at: datetime | None = None
    days_apart: int | None = None
    is_only: bool | None = None
    is_kept: bool | None = None
    tier: str | None = None
    difference: str | None = None
    difference_entry_id: int | None = None
    source: str | None = None
    provider_transaction_id: str | None = None
    decided_by: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class LineSuggestions:
    """The sources of a line, its suggestions, the decided ones (`joins`), the bank's changes and what it likely is."""

    sources: tuple[str, ...]
    suggestions: list[SuggestionRecord]
    joins: list[SuggestionRecord]
    changes: list[BankChangeRecord]
    likely_payment: LikelyPayment | None
    likely_transfer: LikelyTransfer | None
    likely_account: LikelyAccount | None


def of_line(line: Transaction) -> LineSuggestions:
    """Give the suggestions for one line, the best of each kind first."""
    origins = line_joins.of_line(line)
    proposed = [_proposed(each) for each in transfers.of_line(line)]
    meaning = line_meanings.of_records(line.organization_id, [transactions.record(line)]).get(
        line.id, NOTHING
    )
    return LineSuggestions(
        sources=origins.sources,
        suggestions=[*_joins(line, origins.suggestions), *proposed],
        joins=[*_joins(line, origins.joins), *_pairs(line)],
        changes=origins.changes,
        likely_payment=meaning.payment,
        likely_transfer=meaning.transfer,
        likely_account=meaning.account,
    )


def _joins(line: Transaction, found: Sequence[JoinRecord]) -> list[SuggestionRecord]:
    return [
        SuggestionRecord(
            kind="JOIN",
            fa_id=line.feed_account_id,
            account_name=line.feed_account.account.name,
            currency=line.currency,
            **{name: getattr(each, name) for name in each.__slots__},
        )
        for each in found
    ]


def _proposed(each: transfers.ProposedTransfer) -> SuggestionRecord:
    return SuggestionRecord(
        **_other(each.other),
        status="SUGGESTED",
        reason=each.reason,
        days_apart=each.days_apart,
        is_only=each.is_only,
        difference=each.difference,
    )


def _pairs(line: Transaction) -> list[SuggestionRecord]:
    """Give the pairs of a line of any status."""
    sides = transfer_pairs.of_line(line.organization_id, line.id)
    others = lookups.by_id(Transaction, line.organization_id, [side.other_id for side in sides])
    return [_decided(side, others[side.other_id]) for side in sides]


def _decided(side: TransferPair, other: Transaction) -> SuggestionRecord:
    is_paired = side.status == "STANDING"
    return SuggestionRecord(
        **_other(other),
        status="JOINED" if is_paired else "REFUSED",
        reason="Two sides of one transfer." if is_paired else "Somebody said that they are not a transfer.",
        created_at=side.created_at,
        undone_at=side.ended_at,
        difference=side.difference,
        difference_entry_id=side.difference_entry_id,
    )


def _other(other: Transaction) -> dict[str, Any]:
    return {
        "kind": "TRANSFER",
        "transaction_id": other.id,
        "fa_id": other.feed_account_id,
        "account_name": other.feed_account.account.name,
        "booked_on": other.booked_on,
        "amount": other.amount,
        "currency": other.currency,
        "description": other.description,
        "line_status": other.status,
        "provider_transaction_id": other.provider_transaction_id,
    }
