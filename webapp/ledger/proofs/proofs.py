"""Proofs: a completed reconciliation of a statement, its frozen document and its digest."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, Literal

from webapp.ledger.canonical import canonical_json, instant_text, sha256_hex
from webapp.ledger.chain import Head
from webapp.ledger.money import Money

# Versions 1 and 2 were written before proofs named the head of the chain; version 1 before files were kept, too.
FIRST_VERSION, FILES_VERSION, HEAD_VERSION = 1, 2, 3

Status = Literal["never", "needs", "reconciled"]


@dataclass(frozen=True, slots=True)
class Item:
    """A bank line, or the posting of an entry that comes from none, with its day and amount.

    `booked_on` is the bank's booking day of the line, or the entry's day without a line.
    """

    transaction_id: int | None
    journal_entry_id: int | None
    provider_transaction_id: str | None
    booked_on: date
    amount_minor: int

    @property
    def key(self) -> tuple[str, int | None]:
        """The identity of the item, which voiding and confirming do not change: the line, else the entry."""
        if self.transaction_id is not None:
            return "transaction", self.transaction_id
        return "entry", self.journal_entry_id


@dataclass(frozen=True, slots=True)
class Proof:
    """The frozen contents of a completed reconciliation; amounts are minor units of `currency`."""

    id: int
    organization_id: str
    fa_id: int
    currency: str
    statement_date: date
    statement_balance_minor: int
    opening_balance_minor: int
    opening_date: date | None
    keep_as_new: bool
    opening_entry_id: int | None
    ledger_balance_minor: int
    outstanding: tuple[Item, ...]
    in_transit: tuple[Item, ...]
    lines: tuple[Item, ...]
    completed_at: datetime
    completed_by: int | str | None
    previous_digest: str | None
    head: Head
    statement_digest: str | None = None
    file_digests: tuple[str, ...] = ()


def cleared_balance(opening_balance_minor: int, cleared: Iterable[int]) -> int:
    """Add the cleared items to the opening balance, in minor units."""
    return opening_balance_minor + sum(cleared)


def difference(statement_balance_minor: int, cleared_balance_minor: int) -> int:
    """Return the missing amount: the statement's balance less the cleared balance.

    >>> difference(2173648, cleared_balance(2248095, [821450, -1013467]))
    117570
    """
    return statement_balance_minor - cleared_balance_minor


def status(*, has_proof: bool, has_draft: bool, unreconciled_count: int, holds: bool) -> Status:
    """Return the status of an account as the hub shows it.

    `holds` refers to the standing proof; `unreconciled_count` counts booked lines that no standing proof cleared.

    >>> status(has_proof=False, has_draft=True, unreconciled_count=0, holds=True)
    'never'
    >>> status(has_proof=True, has_draft=False, unreconciled_count=0, holds=False)
    'needs'
    """
    if not has_proof:
        return "never"
    return "needs" if has_draft or unreconciled_count or not holds else "reconciled"


def ordered(items: Iterable[Item]) -> tuple[Item, ...]:
    """Order items as the digest does: by day, transaction, entry, a missing id last.

    >>> day = date(2026, 10, 31)
    >>> [item.transaction_id for item in ordered([Item(None, 4, None, day, 1), Item(7, 9, None, day, 1)])]
    [7, None]
    """
    return tuple(sorted(items, key=_order))


def frozen(proof: Proof) -> dict[str, object]:
    """Return the document under a proof's digest, as in behaviour.md 3; amounts as decimal text.

    It names the SHA-256 of the statement and of each stored file that brought its lines, and the event of the audit
    trail before its own.
    """
    written: dict[str, object] = {"v": HEAD_VERSION}
    for field in fields(proof):
        written[_key(field.name)] = _written(getattr(proof, field.name), proof.currency)
    for minor in ("statement_balance", "opening_balance", "ledger_balance"):
        written[_key(minor)] = str(Money(getattr(proof, f"{minor}_minor"), proof.currency))
    return {key: value for key, value in written.items() if not key.endswith("Minor")}


def digest(document: dict[str, object]) -> str:
    """Return the SHA-256 of a frozen document's canonical JSON, in lower-case hex."""
    return sha256_hex(canonical_json(document))


def _order(item: Item) -> tuple[date, bool, int, bool, int]:
    return (
        item.booked_on,
        item.transaction_id is None,
        item.transaction_id or 0,
        item.journal_entry_id is None,
        item.journal_entry_id or 0,
    )


def _key(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _written(value: object, currency: str) -> object:
    if isinstance(value, datetime):
        return instant_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Head):
        return value._asdict()
    if isinstance(value, tuple):
        return [each if isinstance(each, str) else _item(each, currency) for each in _in_order(value)]
    return value


def _in_order(values: tuple[Any, ...]) -> Iterable[Any]:
    return values if all(isinstance(each, str) for each in values) else ordered(values)


def _item(item: Item, currency: str) -> dict[str, object]:
    return {
        "transactionId": item.transaction_id,
        "journalEntryId": item.journal_entry_id,
        "providerTransactionId": item.provider_transaction_id,
        "bookedOn": item.booked_on.isoformat(),
        "amount": str(Money(item.amount_minor, currency)),
    }
