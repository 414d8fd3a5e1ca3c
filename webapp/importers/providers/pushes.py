"""The contents of a push: the lines and the balance of one account in a provider's payload."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from webapp.ledger.errors import UnprocessableError


class PayloadRefusedError(UnprocessableError):
    """The payload cannot be read; nothing of it was stored."""

    code = "payload_refused"


class ProviderFailedError(PayloadRefusedError):
    """The provider answered with an error instead of transactions; nothing was stored."""

    code = "provider_failed"


@dataclass(frozen=True, slots=True)
class AccountSelector:
    """Which account of a payload to read: the `requested` one, else the `recorded` one, in a currency.

    The payload must have the `requested` account. `recorded` is the account's number in the books, which differs
    from the provider's where it came from a file. `currency` selects one of several that a provider has in one account.
    """

    requested: str | None = None
    recorded: str | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class PushLine:
    """A line from the account holder's view, money in positive; `pending_transaction_id` is its id as pending.

    With `has_moved_value_day` the provider's value date does not exist, and `value_on` is the last of its month.
    """

    provider_transaction_id: str
    pending: bool
    booked_on: date
    amount: Decimal
    currency: str
    description: str
    value_on: date | None = None
    has_moved_value_day: bool = False
    counterparty: str | None = None
    reference: str | None = None
    iban: str | None = None
    pending_transaction_id: str | None = None

    def body(self) -> dict[str, Any]:
        """Return the line in the JSON of a push."""
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
        """Return the balance in the JSON of a push."""
        as_of = self.as_of and self.as_of.isoformat().replace("+00:00", "Z")
        return {"amount": format(self.amount, "f"), "currency": self.currency, "asOf": as_of}


@dataclass(frozen=True, slots=True)
class Push:
    """A payload's lines and balance of one account; `external_id` is the provider's id of it, if the payload has it."""

    batch_id: str
    external_id: str | None
    added: tuple[PushLine, ...]
    modified: tuple[PushLine, ...] = ()
    removed: tuple[str, ...] = ()
    balance: PushBalance | None = None
    warnings: tuple[str, ...] = ()

    def body(self) -> dict[str, Any]:
        """Return the JSON body of POST /feeds/accounts/{faId}/transactions."""
        return {
            "batchId": self.batch_id,
            "added": [line.body() for line in self.added],
            "modified": [line.body() for line in self.modified],
            "removed": list(self.removed),
            "balance": self.balance and self.balance.body(),
        }
