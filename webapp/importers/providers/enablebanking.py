"""Enable Banking's lists of transactions: https://enablebanking.com/docs/api/reference/#get-account-transactions."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.providers.payloads import (
    PayloadObject,
    fingerprint,
    identified,
    last_day,
    moved_value_days,
    of_currency,
    records,
    split_by_currency,
)
from webapp.importers.providers.pushes import AccountSelector, ProviderFailedError, Push, PushBalance
from webapp.importers.texts import joined, quoted
from webapp.ledger.matching.lines import is_placeholder
from webapp.ledger.matching.pushed_lines import PushedLine

_DIRECTIONS: Final = ("CRDT", "DBIT")
_PENDING: Final = {"BOOK": False, "PDNG": True, "HOLD": True}
# Statuses of transactions that the bank cancelled, and of those that are not booked and may never be.
_WITHDRAWN: Final = frozenset({"CANC", "CNCL", "RJCT"})
_UNBOOKED: Final = frozenset({"INFO", "OTHR", "SCHD"})
# Balances that booked lines alone add up to, the newest first: others have limits or pending lines in them.
_BOOKED: Final = ("ITBD", "CLBD")
_DATES: Final = ("booking_date", "value_date", "transaction_date")


def read(payload: object, selector: AccountSelector) -> Push:
    """Read a page of a payload's one account; raises PayloadRefusedError.

    The response does not name the account, which is in the URL of the request, so that `requested` is not checked.
    A line's id is its entry_reference: its transaction_id may be different in the next response. Cancelled and
    rejected lines are removed. A line without any date waits as pending. Where all pages are put together, `balances`
    are those of the account, and `asked_on` is the day on which it was asked.
    """
    page = PayloadObject(payload, "The payload")
    _refuse_error(page)
    if not isinstance(page.values.get("transactions"), list):
        page.refuse("is not a response of Enable Banking: it has no list “transactions”")
    items, foreign = split_by_currency(
        records(page.values["transactions"], "transactions"), _unknown, "entry_reference"
    )
    statuses = [_status(item) for item in items]
    current = [item for item, status in zip(items, statuses, strict=True) if status in _PENDING]
    withdrawn = [item for item, status in zip(items, statuses, strict=True) if status in _WITHDRAWN]
    asked_on = page.day("asked_on")
    lines, others = of_currency(selector, [_line(item, asked_on) for item in current])
    lines, unnamed = identified(lines)
    return Push(
        batch_id=f"enablebanking-{fingerprint(payload, selector.currency)}",
        external_id=selector.requested,
        added=lines,
        removed=tuple(name for item in withdrawn if (name := _id(item))),
        balance=_balance(page, selector.currency, asked_on),
        pending_until=asked_on and last_day(lines, asked_on),
        left_out=(*foreign, *others),
        warnings=(*unnamed, *_warnings(page, current, statuses), *moved_value_days(lines)),
    )


def _unknown(item: PayloadObject) -> str | None:
    return item.inner("transaction_amount").unknown_currency("currency")


def _refuse_error(page: PayloadObject) -> None:
    """Raise ProviderFailedError for an error message instead of a list of transactions."""
    message = joined([page.text("message"), page.text("error", "detail")])
    if message and "transactions" not in page.values:
        raise ProviderFailedError(f"Enable Banking answered with an error and no transactions: {message}")


def _status(item: PayloadObject) -> str:
    status = item.text("status") or ""
    if status not in _PENDING.keys() | _WITHDRAWN | _UNBOOKED:
        item.refuse(f"has an unknown status: {quoted(status)}")
    return status


def _line(item: PayloadObject, asked_on: date | None) -> PushedLine:
    money = item.inner("transaction_amount")
    currency = money.currency("currency")
    amount = _signed(item, money.amount("amount", currency))
    value = item.value_day("value_date")
    stated_on = item.day(*_DATES)
    booked_on = stated_on or asked_on
    if booked_on is None:
        item.refuse("has no date (booking_date)")
    side = "creditor" if amount < 0 else "debtor"
    counterparty = item.inner(side).text("name")
    texts = [*item.texts("remittance_information"), item.text("note")]
    kind = item.inner("bank_transaction_code").text("description")
    return PushedLine(
        provider_transaction_id=_id(item),
        pending=_PENDING[_status(item)] or stated_on is None,
        booked_on=booked_on,
        value_on=value.day if value else None,
        has_moved_value_day=bool(value and value.is_moved),
        amount=amount,
        currency=currency,
        description=joined(texts) or counterparty or kind or "",
        counterparty=counterparty,
        reference=item.text("reference_number"),
        iban=item.inner(f"{side}_account").iban("iban"),
        **item.exchange("exchange_rate", amount="instructed_amount", rate="exchange_rate", own=currency),
    )


def _balance(page: PayloadObject, currency: str | None, asked_on: date | None) -> PushBalance | None:
    """Read the balance of booked lines in the account's currency; None where there is none."""
    found = {}
    for each in records(page.values.get("balances"), "balances"):
        money = each.inner("balance_amount")
        if money.text("currency") == currency and currency is not None:
            day = each.day("reference_date") or asked_on
            found[each.text("balance_type")] = PushBalance(money.amount("amount", currency), currency, day)
    return next((found[kind] for kind in _BOOKED if kind in found), None)


def _id(item: PayloadObject) -> str:
    name = item.id("entry_reference")
    return "" if name is None or is_placeholder(name) else name


def _signed(item: PayloadObject, amount: Decimal) -> Decimal:
    """Return the amount with the sign of its direction; a negative amount would make the direction ambiguous."""
    direction = item.text("credit_debit_indicator") or ""
    if direction not in _DIRECTIONS:
        item.refuse(
            f"has a direction (credit_debit_indicator) that is neither CRDT nor DBIT: {quoted(direction)}"
        )
    if amount < 0:
        item.refuse("has a negative amount and a direction, so that the direction is ambiguous")
    return -amount if direction == "DBIT" else amount


def _warnings(
    page: PayloadObject, current: Sequence[PayloadObject], statuses: Sequence[str]
) -> Iterator[str]:
    booked = [item for item in current if item.text("status") == "BOOK" and item.day(*_DATES)]
    count = sum(item.day("booking_date") is None for item in booked)
    if count:
        lines = "1 booked line has" if count == 1 else f"{count:,} booked lines have"
        yield f"{lines} no booking date; the value date or the transaction date is used instead."
    if left := sum(status in _UNBOOKED for status in statuses):
        lines = "1 line is" if left == 1 else f"{left:,} lines are"
        yield f"{lines} scheduled or for information only, and not imported."
    if page.text("continuation_key"):
        yield "Enable Banking has more pages of this list; push them too."
