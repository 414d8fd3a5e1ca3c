"""What a push says, in minor units and checked: the first thing in it that is nonsense refuses it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.pushed_lines import NonsenseError, PushedLine, day_nonsense, minor_of
from webapp.ledger.money import MAX_MINOR, AmountTooLargeError, Money
from webapp.models import FeedAccount
from webapp.services.feeds.incoming_lines import BalanceBody, IncomingLine

LONGEST_NAME: Final = 40
StatedBalance = tuple[Money, date, datetime | None]


def incoming(
    lines: Sequence[PushedLine], feed_account: FeedAccount, today: date, key: str
) -> list[IncomingLine]:
    """Take lines in minor units, or refuse the push by the first that is nonsense."""
    incoming: list[IncomingLine] = []
    digests: dict[str, bytes] = {}
    sane_days: set[date] = set()
    total = 0
    for place, line in enumerate(lines):
        fault, code = _fault(line, feed_account.currency, today, sane_days), NonsenseError.code
        if fault is None:
            try:
                each = IncomingLine(line, minor_of(line.amount, feed_account.currency), key == "modified")
            except UnprocessableError as error:
                fault, code = ("amount", str(error)), _code_of(error)
            else:
                incoming.append(each)
                total += abs(each.amount_minor)
                if digests.setdefault(line.provider_transaction_id, each.digest) != each.digest:
                    fault = "providerTransactionId", "This id is in the batch twice, with different content."
                elif total > MAX_MINOR:
                    fault = "amount", "The lines add up to more than the books can hold."
                    code = AmountTooLargeError.code
        if fault is not None:
            raise _nonsense(f"{key}.{place}.{fault[0]}", line.provider_transaction_id, fault[1], code)
    return incoming


def _fault(line: PushedLine, currency: str, today: date, sane_days: set[date]) -> tuple[str, str] | None:
    if line.currency is not None and line.currency != currency:
        return "currency", f"This account is in {currency}, and the line in {line.currency}."
    for key, day in (("bookedOn", line.booked_on), ("valueOn", line.value_on)):
        if day is None or day in sane_days:
            continue
        fault = day_nonsense(day, today)
        if fault is not None:
            return key, fault
        sane_days.add(day)
    return None


def _code_of(error: UnprocessableError) -> str:
    """Give the code of an amount that is refused."""
    return error.code if isinstance(error, AmountTooLargeError) else NonsenseError.code


def _nonsense(path: str, name: str, fault: str, code: str) -> NonsenseError:
    shown = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return NonsenseError(
        f"Line {shown}: {fault}", fields={path: [fault]}, details={"providerTransactionId": name}, code=code
    )


def stated_balance(
    balance: BalanceBody | None, feed_account: FeedAccount, today: date
) -> StatedBalance | None:
    """Read the balance that the bank states; one without an amount or a day is unknown."""
    if balance is None or balance["amount"] is None or balance["as_of"] is None:
        return None
    currency = balance["currency"] or feed_account.currency
    if currency != feed_account.currency:
        raise _invalid_balance(
            "currency", f"This account is in {feed_account.currency}, and its balance in {currency}."
        )
    try:
        amount = Money.rounded(balance["amount"], currency)
    except UnprocessableError as error:
        raise _invalid_balance("amount", str(error), _code_of(error)) from None
    as_of = balance["as_of"]
    at = as_of if isinstance(as_of, datetime) else None
    day = at.date() if at is not None else as_of
    fault = day_nonsense(day, today)
    if fault is not None:
        raise _invalid_balance("asOf", fault)
    return (amount, day, None) if at is None else (amount, at.astimezone(UTC).date(), at)


def _invalid_balance(key: str, fault: str, code: str = NonsenseError.code) -> NonsenseError:
    return NonsenseError(f"The balance: {fault}", fields={f"balance.{key}": [fault]}, code=code)
