"""GoCardless bank account data, once Nordigen: https://developer.gocardless.com/bank-account-data/transactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from webapp.importers.providers.choices import of_currency
from webapp.importers.providers.identities import identified
from webapp.importers.providers.payloads import Item, fingerprint, records
from webapp.importers.providers.pushes import (
    ProviderFailedError,
    Push,
    PushLine,
    Wanted,
)
from webapp.importers.texts import joined
from webapp.ledger.matching.lines import is_placeholder


def read(payload: object, wanted: Wanted) -> Push:
    """Read the booked and pending lines of the one account that a payload is about; raises PayloadRefusedError.

    The account's id stands in the address of the request and not in the answer, so that `asked` is not looked for.
    """
    whole = Item(payload, "The payload")
    _refuse_error(whole)
    lists = whole.inner("transactions")
    if not isinstance(lists.values.get("booked", lists.values.get("pending")), list):
        whole.refuse(
            "is no answer of GoCardless: it has no lists “booked” and “pending” under “transactions”"
        )
    items = [(each, False) for each in records(lists.values.get("booked"), "booked")]
    # Some programs keep the pending lines beside the booked ones instead of with them.
    for holder in (lists, whole):
        items += [(each, True) for each in records(holder.values.get("pending"), "pending")]
    lines, others = of_currency(wanted, [_line(item, pending=pending) for item, pending in items])
    lines, unnamed = identified(lines)
    return Push(
        batch_id=f"gocardless-{fingerprint(payload, wanted.currency)}",
        external_id=wanted.asked,
        added=lines,
        warnings=(*others, *unnamed, *_valued([item for item, pending in items if not pending])),
    )


def _refuse_error(whole: Item) -> None:
    """Refuse an error: about the whole request, or about one field of it."""
    inner = [Item(each, name) for name, each in whole.values.items() if isinstance(each, dict)]
    for item in (whole, *inner):
        summary, detail = item.text("summary"), item.text("detail")
        if summary and "transactions" not in whole.values:
            said = joined([summary, detail])
            raise ProviderFailedError(f"GoCardless answered with an error and no transactions: {said}")


def _line(item: Item, *, pending: bool) -> PushLine:
    money = item.inner("transactionAmount")
    currency = money.currency("currency")
    amount = money.amount("amount", currency)
    value_on = item.day("valueDate", "valueDateTime")
    booked_on = item.day("bookingDate", "bookingDateTime") or value_on
    if booked_on is None:
        item.refuse("has no day (bookingDate)")
    counterparty, account = _party(item, amount)
    return PushLine(
        provider_transaction_id=_id(item),
        pending=pending,
        booked_on=booked_on,
        value_on=value_on,
        amount=amount,
        currency=currency,
        description=_description(item) or counterparty or "",
        counterparty=counterparty,
        reference=next((text for text in (item.text("endToEndId"),) if not is_placeholder(text)), None),
        iban=account,
    )


def _id(item: Item) -> str:
    """The bank's id, else the one that GoCardless gives where the bank has none."""
    names = (item.id("transactionId"), item.id("internalTransactionId"))
    return next((name for name in names if name and not is_placeholder(name)), "")


def _party(item: Item, amount: Decimal) -> tuple[str | None, str | None]:
    """Who stands on the other side, and under which account: the creditor of money out, the debtor of money in."""
    side = "creditor" if amount < 0 else "debtor"
    return item.text(f"{side}Name"), item.inner(f"{side}Account").iban("iban")


def _description(item: Item) -> str:
    free = item.texts("remittanceInformationUnstructured") or item.texts(
        "remittanceInformationUnstructuredArray"
    )
    structured = item.texts("remittanceInformationStructured") or item.texts(
        "remittanceInformationStructuredArray"
    )
    return joined([*(free or structured), item.text("additionalInformation")])


def _valued(booked: Sequence[Item]) -> Iterator[str]:
    count = sum(item.day("bookingDate", "bookingDateTime") is None for item in booked)
    if count:
        lines = "1 booked line has" if count == 1 else f"{count:,} booked lines have"
        yield f"{lines} no booking day; the value day stands for it."
