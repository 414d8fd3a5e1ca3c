"""Plaid's responses to /transactions/sync: https://plaid.com/docs/api/products/transactions/#transactionssync."""

from collections.abc import Iterator
from typing import Final

from webapp.importers.providers.payloads import (
    PayloadObject,
    fingerprint,
    records,
    select_account,
    split_by_currency,
)
from webapp.importers.providers.pushes import (
    AccountSelector,
    ProviderFailedError,
    Push,
    PushBalance,
)
from webapp.ledger.matching.pushed_lines import PushedLine

# Account types whose balance is the amount owed.
_OWED: Final = frozenset({"credit", "loan"})
_LISTS: Final = ("added", "modified", "removed")


def read(payload: object, selector: AccountSelector) -> Push:
    """Read one account of one page of a sync; raises PayloadRefusedError.

    Plaid's amounts are positive when money leaves the account, so the sign is inverted; the balance of a card
    or a loan is the amount owed, and is inverted too.
    """
    page = PayloadObject(payload, "The payload")
    _refuse_error(page)
    if not any(name in page.values for name in _LISTS):
        page.refuse(
            "is not a response of Plaid to /transactions/sync: it has no “added”, “modified” or “removed”"
        )
    lists = {name: records(page.values.get(name), name) for name in _LISTS}
    accounts = records(page.values.get("accounts"), "accounts")
    ids = [each.id("account_id") for each in (*accounts, *lists["added"], *lists["modified"])]
    account = select_account(selector, list(dict.fromkeys(name for name in ids if name)))
    own = {name: [each for each in lists[name] if _is_of(each, account)] for name in _LISTS}
    foreign: list[str] = []
    for name in _LISTS[:2]:
        own[name], warnings = split_by_currency(own[name], _unknown, "transaction_id")
        foreign += warnings
    return Push(
        batch_id=f"plaid-{fingerprint(payload, account)}",
        external_id=account,
        added=tuple(map(_line, own["added"])),
        modified=tuple(map(_line, own["modified"])),
        removed=tuple(map(_transaction_id, own["removed"])),
        balance=next((_balance(each) for each in accounts if each.id("account_id") == account), None),
        left_out=tuple(foreign),
        warnings=tuple(_warnings(page)),
    )


def _refuse_error(page: PayloadObject) -> None:
    if (code := page.text("error_code", "error_type")) is not None:
        message = page.text("display_message", "error_message") or "no message"
        raise ProviderFailedError(f"Plaid answered with an error and no transactions: {message} ({code})")


def _is_of(item: PayloadObject, account: str | None) -> bool:
    """Return whether an item belongs to the account or names none: removing an unknown line does no harm."""
    return item.id("account_id") in {account, None}


def _transaction_id(item: PayloadObject) -> str:
    name = item.id("transaction_id")
    if name is None:
        item.refuse("has no transaction_id, so that it could never be changed or removed")
    return name


def _line(item: PayloadObject) -> PushedLine:
    currency = item.currency("iso_currency_code")
    booked_on = item.day("date")
    if booked_on is None:
        item.refuse("has no date (date)")
    if item.id("account_id") is None:
        item.refuse("names no account (account_id)")
    payment = item.inner("payment_meta")
    parties = records(item.values.get("counterparties"), f"{item.where}.counterparties")
    return PushedLine(
        provider_transaction_id=_transaction_id(item),
        pending=item.flag("pending"),
        booked_on=booked_on,
        amount=-item.amount("amount", currency),
        currency=currency,
        description=item.text("original_description", "name", "merchant_name") or "",
        counterparty=item.text("merchant_name") or next((each.text("name") for each in parties), None),
        reference=payment.text("reference_number") or item.text("check_number"),
        iban=next(filter(None, map(_iban, parties)), None),
        pending_transaction_id=item.id("pending_transaction_id"),
    )


def _iban(party: PayloadObject) -> str | None:
    return party.inner("account_numbers").inner("international").iban("iban")


def _unknown(item: PayloadObject) -> str | None:
    """Return the currency of a line that is not in ISO 4217, whichever of Plaid's two fields has it."""
    code = item.unknown_currency("iso_currency_code")
    return code or (None if item.text("iso_currency_code") else item.text("unofficial_currency_code"))


def _balance(account: PayloadObject) -> PushBalance | None:
    balances = account.inner("balances")
    if balances.values.get("current") is None or balances.text("iso_currency_code") is None:
        return None
    if balances.unknown_currency("iso_currency_code"):
        return None
    currency = balances.currency("iso_currency_code")
    amount = balances.amount("current", currency)
    is_owed = account.text("type") in _OWED
    return PushBalance(-amount if is_owed else amount, currency, balances.moment("last_updated_datetime"))


def _warnings(page: PayloadObject) -> Iterator[str]:
    if page.flag("has_more"):
        yield "Plaid has more pages of this sync; push them too."
