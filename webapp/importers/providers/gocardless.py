"""GoCardless bank account data, once Nordigen: https://developer.gocardless.com/bank-account-data/transactions."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

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
from webapp.importers.providers.pushes import (
    AccountSelector,
    ProviderFailedError,
    Push,
)
from webapp.importers.texts import joined
from webapp.ledger.matching.lines import is_placeholder
from webapp.ledger.matching.pushed_lines import PushedLine

_IDS = ("transactionId", "internalTransactionId")


def read(payload: object, selector: AccountSelector) -> Push:
    """Read the booked and pending lines of a payload's one account; raises PayloadRefusedError.

    The response does not name the account, which is in the URL of the request, so that `requested` is not checked.
    """
    response = PayloadObject(payload, "The payload")
    _refuse_error(response)
    lists = response.inner("transactions")
    if not isinstance(lists.values.get("booked", lists.values.get("pending")), list):
        response.refuse(
            "is not a response of GoCardless: it has no lists “booked” and “pending” under “transactions”"
        )
    booked, foreign = split_by_currency(records(lists.values.get("booked"), "booked"), _unknown, _IDS[0])
    items = [(each, False) for each in booked]
    # Some programs store the pending lines beside “transactions” instead of within.
    for holder in (lists, response):
        waiting, more = split_by_currency(records(holder.values.get("pending"), "pending"), _unknown, _IDS[0])
        items += [(each, True) for each in waiting]
        foreign += more
    lines, others = of_currency(selector, [_line(item, pending=pending) for item, pending in items])
    lines, unnamed = identified(lines)
    return Push(
        batch_id=f"gocardless-{fingerprint(payload, selector.currency)}",
        external_id=selector.requested,
        added=lines,
        left_out=(*foreign, *others, *_other_lists(lists)),
        warnings=(
            *unnamed,
            *_date_warnings([item for item, pending in items if not pending]),
            *moved_value_days(lines),
        ),
        pending_until=last_day(lines) if isinstance(lists.values.get("pending"), list) else None,
    )


def _unknown(item: PayloadObject) -> str | None:
    return item.inner("transactionAmount").unknown_currency("currency")


def _refuse_error(response: PayloadObject) -> None:
    """Raise ProviderFailedError for an error about the request or one of its fields."""
    inner = [PayloadObject(each, name) for name, each in response.values.items() if isinstance(each, dict)]
    for item in (response, *inner):
        summary, detail = item.text("summary"), item.text("detail")
        if summary and "transactions" not in response.values:
            message = joined([summary, detail])
            raise ProviderFailedError(f"GoCardless answered with an error and no transactions: {message}")


def _line(item: PayloadObject, *, pending: bool) -> PushedLine:
    money = item.inner("transactionAmount")
    currency = money.currency("currency")
    amount = money.amount("amount", currency)
    value = item.value_day("valueDate", "valueDateTime")
    booked_on = item.day("bookingDate", "bookingDateTime", "valueDate", "valueDateTime")
    if booked_on is None:
        item.refuse("has no date (bookingDate)")
    counterparty, account = _party(item, amount)
    return PushedLine(
        provider_transaction_id=_id(item),
        pending=pending,
        booked_on=booked_on,
        value_on=value.day if value else None,
        has_moved_value_day=bool(value and value.is_moved),
        amount=amount,
        currency=currency,
        description=_description(item) or counterparty or "",
        counterparty=counterparty,
        reference=next((text for text in (item.text("endToEndId"),) if not is_placeholder(text)), None),
        iban=account,
        **item.exchange("currencyExchange", amount="instructedAmount", rate="exchangeRate", own=currency),
    )


def _id(item: PayloadObject) -> str:
    """Return the bank's id, else the one that GoCardless assigns."""
    names = map(item.id, _IDS)
    return next((name for name in names if name and not is_placeholder(name)), "")


def _party(item: PayloadObject, amount: Decimal) -> tuple[str | None, str | None]:
    """Return the counterparty's name and IBAN: the creditor of money out, the debtor of money in."""
    side = "creditor" if amount < 0 else "debtor"
    return item.text(f"{side}Name"), item.inner(f"{side}Account").iban("iban")


def _description(item: PayloadObject) -> str:
    free = item.texts("remittanceInformationUnstructured") or item.texts(
        "remittanceInformationUnstructuredArray"
    )
    structured = item.texts("remittanceInformationStructured") or item.texts(
        "remittanceInformationStructuredArray"
    )
    return joined([*(free or structured), item.text("additionalInformation")])


def _other_lists(lists: PayloadObject) -> Iterator[str]:
    for name, items in lists.values.items():
        if name not in {"booked", "pending"} and isinstance(items, list) and items:
            yield f"The list “{name}” is neither booked nor pending, and not imported ({len(items):,})."


def _date_warnings(booked: Sequence[PayloadObject]) -> Iterator[str]:
    count = sum(item.day("bookingDate", "bookingDateTime") is None for item in booked)
    if count:
        lines = "1 booked line has" if count == 1 else f"{count:,} booked lines have"
        yield f"{lines} no booking date; the value date is used instead."
