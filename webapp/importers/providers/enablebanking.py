"""Enable Banking's lists of transactions: https://enablebanking.com/docs/api/reference/#get-account-transactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from webapp.importers.providers.choices import of_currency
from webapp.importers.providers.identities import identified
from webapp.importers.providers.payloads import Item, fingerprint, records
from webapp.importers.providers.pushes import ProviderFailedError, Push, PushLine, Wanted
from webapp.importers.texts import joined, quoted
from webapp.ledger.matching.lines import is_placeholder

_DIRECTIONS: Final = ("CRDT", "DBIT")
_PENDING: Final = {"BOOK": False, "PDNG": True, "HOLD": True}
# What the bank took back, and what says nothing of the account's money yet.
_WITHDRAWN: Final = frozenset({"CANC", "RJCT"})
_UNBOOKED: Final = frozenset({"INFO", "SCHD"})


def read(payload: object, wanted: Wanted) -> Push:
    """Read one page of the one account that a payload is about; raises PayloadRefusedError.

    The account's id stands in the address of the request and not in the answer, so that `asked` is not looked for.
    A line's identity is its entry_reference alone: a transaction_id may be another one in the next answer. What
    was cancelled or rejected is removed.
    """
    page = Item(payload, "The payload")
    _refuse_error(page)
    if not isinstance(page.values.get("transactions"), list):
        page.refuse("is no answer of Enable Banking: it has no list “transactions”")
    items = records(page.values["transactions"], "transactions")
    stated = [_status(item) for item in items]
    taken = [item for item, status in zip(items, stated, strict=True) if status in _PENDING]
    withdrawn = [item for item, status in zip(items, stated, strict=True) if status in _WITHDRAWN]
    lines, others = of_currency(wanted, [_line(item) for item in taken])
    lines, unnamed = identified(lines)
    return Push(
        batch_id=f"enablebanking-{fingerprint(payload, wanted.currency)}",
        external_id=wanted.asked,
        added=lines,
        removed=tuple(name for item in withdrawn if (name := _id(item))),
        warnings=(*others, *unnamed, *_warnings(page, taken, stated)),
    )


def _refuse_error(page: Item) -> None:
    """Refuse an error: a code beside a message, where a list of transactions should be."""
    said = joined([page.text("message"), page.text("error", "detail")])
    if said and "transactions" not in page.values:
        raise ProviderFailedError(f"Enable Banking answered with an error and no transactions: {said}")


def _status(item: Item) -> str:
    status = item.text("status") or ""
    if status not in _PENDING.keys() | _WITHDRAWN | _UNBOOKED:
        item.refuse(f"has a status that says neither booked nor pending: {quoted(status)}")
    return status


def _line(item: Item) -> PushLine:
    money = item.inner("transaction_amount")
    currency = money.currency("currency")
    amount = _signed(item, money.amount("amount", currency))
    value_on = item.day("value_date")
    booked_on = item.day("booking_date") or value_on or item.day("transaction_date")
    if booked_on is None:
        item.refuse("has no day (booking_date)")
    side = "creditor" if amount < 0 else "debtor"
    counterparty = item.inner(side).text("name")
    texts = [*item.texts("remittance_information"), item.text("note")]
    kind = item.inner("bank_transaction_code").text("description")
    return PushLine(
        provider_transaction_id=_id(item),
        pending=_PENDING[_status(item)],
        booked_on=booked_on,
        value_on=value_on,
        amount=amount,
        currency=currency,
        description=joined(texts) or counterparty or kind or "",
        counterparty=counterparty,
        reference=item.text("reference_number"),
        iban=item.inner(f"{side}_account").iban("iban"),
    )


def _id(item: Item) -> str:
    name = item.id("entry_reference")
    return "" if name is None or is_placeholder(name) else name


def _signed(item: Item, amount: Decimal) -> Decimal:
    """The amount with the sign of its direction; one that has a sign already leaves the direction open."""
    direction = item.text("credit_debit_indicator") or ""
    if direction not in _DIRECTIONS:
        item.refuse(
            f"has a direction (credit_debit_indicator) that is neither CRDT nor DBIT: {quoted(direction)}"
        )
    if amount < 0:
        item.refuse("has a negative amount beside its direction, so that the direction is open")
    return -amount if direction == "DBIT" else amount


def _warnings(page: Item, taken: Sequence[Item], stated: Sequence[str]) -> Iterator[str]:
    count = sum(item.text("status") == "BOOK" and item.day("booking_date") is None for item in taken)
    if count:
        lines = "1 booked line has" if count == 1 else f"{count:,} booked lines have"
        yield f"{lines} no booking day; the value day or the day of the payment stands for it."
    if left := sum(status in _UNBOOKED for status in stated):
        lines = "1 line is" if left == 1 else f"{left:,} lines are"
        yield f"{lines} scheduled or for information only, and no part of the account yet."
    if page.text("continuation_key"):
        yield "Enable Banking has more pages of this list; push them too."
