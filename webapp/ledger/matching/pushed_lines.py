"""A pushed line: its plausibility, the digest of its facts, and whether an event is outdated."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from hashlib import blake2b
from typing import ClassVar, Final, NamedTuple

from webapp.ledger.currencies import digits
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.lines import line_keys
from webapp.ledger.money import AmountTooLargeError, Money

YEARS_BACK: Final = 50
DAYS_AHEAD: Final = 366
# A 28-digit context multiplies such an amount by its currency's digits without rounding it.
_SAFE_SIZE: Final = 15
# Stands for the digest of facts under an id that names several lines.
SHARED: Final = bytes(16)


class NonsenseError(UnprocessableError):
    """This batch has impossible values; nothing of it was accepted."""

    code = "nonsense"
    codes: ClassVar[Mapping[str, str]] = {
        "nonsense": "This batch has impossible values; nothing of it was accepted.",
        AmountTooLargeError.code: str(AmountTooLargeError.__doc__),
    }
    untrusted = ("error", "details")


class PushedLine(NamedTuple):
    """A line as its provider sends it, from the account holder's view; `pending_transaction_id` is its id as pending.

    `shared_id` is the provider's id where it names several lines, and `provider_transaction_id` stands for it. With
    `has_moved_value_day` the provider's value date does not exist, and `value_on` is the last of its month. `charges`,
    the original amount with its rate and the reason of a return are as in a file.
    """

    provider_transaction_id: str
    pending: bool
    booked_on: date
    amount: Decimal
    currency: str | None
    description: str
    value_on: date | None = None
    counterparty: str | None = None
    reference: str | None = None
    iban: str | None = None
    pending_transaction_id: str | None = None
    has_moved_value_day: bool = False
    shared_id: str | None = None
    charges: Decimal | None = None
    original_amount: Decimal | None = None
    original_currency: str | None = None
    exchange_rate: Decimal | None = None
    return_reason: str | None = None
    return_text: str | None = None

    @property
    def own_key(self) -> str:
        """Return the id by which its day and amount identify a line, where its provider's id is that of several."""
        key = line_keys([self])[0]
        return f"{key.digest}-{key.occurrence}"


def digest_of(line: PushedLine, amount_minor: int) -> bytes:
    """Return 16 bytes that differ if the facts of two reports differ; the currency is the account's."""
    facts = (
        line.pending,
        line.booked_on.toordinal(),
        line.value_on and line.value_on.toordinal(),
        amount_minor,
        line.description,
        line.counterparty,
        line.reference,
        line.iban,
    )
    return blake2b(repr(facts).encode(), digest_size=16).digest()


def minor_of(amount: Decimal, currency: str) -> int:
    """Convert an amount to minor units of a currency; raises TooManyDigitsError or AmountTooLargeError.

    >>> minor_of(Decimal("-12.50"), "EUR"), minor_of(Decimal("12.500"), "EUR"), minor_of(Decimal("12"), "JPY")
    (-1250, 1250, 12)
    """
    if amount.adjusted() < _SAFE_SIZE and len(amount.as_tuple().digits) < _SAFE_SIZE:
        scaled = amount.scaleb(digits(currency))
        minor = int(scaled)
        if minor == scaled:
            return minor
    return Money.of(amount, currency).minor


def day_nonsense(day: date, today: date) -> str | None:
    """Return why a bank line cannot have this day, if so: no bank books in 1970 or in a future century.

    >>> day_nonsense(date(1970, 1, 1), date(2026, 3, 1))
    '1 Jan 1970 is more than 50 years ago.'
    >>> day_nonsense(date(2926, 3, 1), date(2026, 3, 1))
    '1 Mar 2926 is more than a year ahead.'
    >>> day_nonsense(date(2026, 2, 28), date(2026, 3, 1))
    """
    if day.year < today.year - YEARS_BACK:
        return f"{day:%-d %b} {day.year} is more than {YEARS_BACK} years ago."
    if (day - today).days > DAYS_AHEAD:
        return f"{day:%-d %b} {day.year} is more than a year ahead."
    return None


def outdated_reason(*, last_event: str, was_pending: bool, is_modified: bool, is_pending: bool) -> str | None:
    """Return why a report is older than the last one, if it is.

    Batches may come in any order. A line is added before it is modified, and pending before it is booked.

    >>> outdated_reason(last_event="MODIFIED", was_pending=False, is_modified=False, is_pending=False)
    'A later change of this line arrived first.'
    >>> outdated_reason(last_event="ADDED", was_pending=False, is_modified=True, is_pending=True)
    'The line is booked already; this is its pending report.'
    >>> outdated_reason(last_event="ADDED", was_pending=True, is_modified=False, is_pending=False)
    """
    if is_pending and not was_pending:
        return "The line is booked already; this is its pending report."
    if last_event == "MODIFIED" and not is_modified and is_pending == was_pending:
        return "A later change of this line arrived first."
    return None
