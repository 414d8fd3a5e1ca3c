"""The contents of a push: the lines and the balance of one account in a provider's payload."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.lines import details_of
from webapp.ledger.matching.pushed_lines import PushedLine, day_nonsense


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
class PushBalance:
    """A ledger balance from the account holder's view; `as_of` is None where the provider names no time, nor a day."""

    amount: Decimal
    currency: str
    as_of: date | None

    def body(self) -> dict[str, Any]:
        """Return the balance in the JSON of a push."""
        as_of = self.as_of and self.as_of.isoformat().replace("+00:00", "Z")
        return {"amount": format(self.amount, "f"), "currency": self.currency, "asOf": as_of}


@dataclass(frozen=True, slots=True)
class Push:
    """A payload's lines and balance of one account; `external_id` is the provider's id of it, if the payload has it.

    `left_out` are sentences about what it has and the push has not. All lines that are pending up to `pending_until`
    are in the payload; None where it may lack some.
    """

    batch_id: str
    external_id: str | None
    added: tuple[PushedLine, ...]
    modified: tuple[PushedLine, ...] = ()
    removed: tuple[str, ...] = ()
    balance: PushBalance | None = None
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    pending_until: date | None = None

    def without_nonsense(self, today: date) -> "Push":
        """Leave out lines, value days and a balance of days that no bank can mean: they would refuse every push."""
        left_out = list(self.left_out)

        def sane(lines: Sequence[PushedLine]) -> Iterator[PushedLine]:
            for line in lines:
                if fault := day_nonsense(line.booked_on, today):
                    left_out.append(f"A line of {format(line.amount, 'f')} is set aside: {fault}")
                elif line.value_on and (fault := day_nonsense(line.value_on, today)):
                    left_out.append(f"A line of {format(line.amount, 'f')} has no value day: {fault}")
                    yield line._replace(value_on=None)
                else:
                    yield line

        added, modified = tuple(sane(self.added)), tuple(sane(self.modified))
        balance, as_of = self.balance, self.balance and self.balance.as_of
        if as_of and (fault := day_nonsense(as_of.date() if isinstance(as_of, datetime) else as_of, today)):
            left_out.append(f"The balance is left out: {fault}")
            balance = None
        return replace(self, added=added, modified=modified, balance=balance, left_out=tuple(left_out))

    def body(self) -> dict[str, Any]:
        """Return the JSON body of POST /feeds/accounts/{faId}/transactions."""
        return {
            "batchId": self.batch_id,
            "added": [_body(line) for line in self.added],
            "modified": [_body(line) for line in self.modified],
            "removed": list(self.removed),
            "balance": self.balance and self.balance.body(),
            "pendingUntil": self.pending_until and self.pending_until.isoformat(),
        }


def _body(line: PushedLine) -> dict[str, Any]:
    """Return a line in the JSON of a push."""
    return {
        "providerTransactionId": line.provider_transaction_id,
        "pending": line.pending,
        "bookedOn": line.booked_on.isoformat(),
        "valueOn": line.value_on and line.value_on.isoformat(),
        "amount": format(line.amount, "f"),
        "currency": line.currency,
        "description": line.description,
        "counterparty": line.counterparty,
        "reference": line.reference,
        "iban": line.iban,
        "pendingTransactionId": line.pending_transaction_id,
        "sharedId": line.shared_id,
        **{_in_json(name): value for name, value in (details_of(line) or {}).items()},
    }


def _in_json(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))
