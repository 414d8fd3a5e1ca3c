"""What a provider's payload says of one account: the facts of a push, without our books."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from webapp.ledger.errors import UnprocessableError


class PayloadRefusedError(UnprocessableError):
    """This is no payload that can be read; nothing of it was taken."""

    code = "payload_refused"


class ProviderFailedError(PayloadRefusedError):
    """The provider answered with an error instead of transactions; nothing was taken."""

    code = "provider_failed"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which account of a payload is meant: the one `asked` for, else the one `known`, of a currency.

    `asked` must be there. `known` is the number that the books have for the account, and is another than the
    provider's where it came from a file. `currency` tells apart what one provider's account keeps in several.
    """

    asked: str | None = None
    known: str | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class PushLine:
    """A line from the account holder's view, money in positive; `pending_transaction_id` is the pending line it was."""

    provider_transaction_id: str
    pending: bool
    booked_on: date
    amount: Decimal
    currency: str
    description: str
    value_on: date | None = None
    counterparty: str | None = None
    reference: str | None = None
    iban: str | None = None
    pending_transaction_id: str | None = None

    def body(self) -> dict[str, Any]:
        """Give the line as the JSON of a push has it."""
        return {
            "providerTransactionId": self.provider_transaction_id,
            "pending": self.pending,
            "bookedOn": self.booked_on.isoformat(),
            "valueOn": self.value_on and self.value_on.isoformat(),
            "amount": format(self.amount, "f"),
            "currency": self.currency,
            "description": self.description,
            "counterparty": self.counterparty,
            "reference": self.reference,
            "iban": self.iban,
            "pendingTransactionId": self.pending_transaction_id,
        }


@dataclass(frozen=True, slots=True)
class PushBalance:
    """A ledger balance from the account holder's view; `as_of` is None where the provider names no time."""

    amount: Decimal
    currency: str
    as_of: datetime | None

    def body(self) -> dict[str, Any]:
        """Give the balance as the JSON of a push has it."""
        as_of = self.as_of and self.as_of.isoformat().replace("+00:00", "Z")
        return {"amount": format(self.amount, "f"), "currency": self.currency, "asOf": as_of}


@dataclass(frozen=True, slots=True)
class Push:
    """All that a payload says of one account; `external_id` is the provider's number for it, if the payload has it."""

    batch_id: str
    external_id: str | None
    added: tuple[PushLine, ...]
    modified: tuple[PushLine, ...] = ()
    removed: tuple[str, ...] = ()
    balance: PushBalance | None = None
    warnings: tuple[str, ...] = ()

    def body(self) -> dict[str, Any]:
        """Give the JSON that POST /feeds/accounts/{faId}/transactions takes."""
        return {
            "batchId": self.batch_id,
            "added": [line.body() for line in self.added],
            "modified": [line.body() for line in self.modified],
            "removed": list(self.removed),
            "balance": self.balance and self.balance.body(),
        }
