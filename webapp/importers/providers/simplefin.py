"""SimpleFIN's account sets: https://www.simplefin.org/protocol.html."""

from typing import Any, Final

from webapp.importers.providers.payloads import (
    PayloadObject,
    cut,
    fingerprint,
    identified,
    last_day,
    records,
    select_account,
)
from webapp.importers.providers.pushes import (
    AccountSelector,
    PayloadRefusedError,
    ProviderFailedError,
    Push,
    PushBalance,
)
from webapp.importers.texts import joined
from webapp.ledger.matching.pushed_lines import PushedLine

# The protocol's first version has a list of sentences, the second one a list of objects.
_ERRORS: Final = ("errors", "errlist")


def read(payload: object, selector: AccountSelector) -> Push:
    """Read one account of an account set; raises PayloadRefusedError.

    Amounts are from the account holder's view; a line's date is the UTC day of `posted`, in seconds since 1970.
    Messages outside the accounts, such as a connection that needs attention, become warnings.
    """
    account_set = PayloadObject(payload, "The payload")
    errors = [message for name in _ERRORS for message in _errors(account_set.values.get(name))]
    accounts = records(account_set.values.get("accounts"), "accounts")
    if not accounts and errors:
        raise ProviderFailedError(f"SimpleFIN answered with an error and no accounts: {' '.join(errors)}")
    if not accounts:
        account_set.refuse("is not an account set of SimpleFIN: it has no accounts")
    names = [_account_id(each) for each in accounts]
    selected = select_account(selector, list(dict.fromkeys(names)))
    matching = [each for each, name in zip(accounts, names, strict=True) if name == selected]
    if len(matching) > 1:
        matching[1].refuse(f"is a second account with the id {selected}")
    account = matching[0]
    currency = account.currency("currency")
    lines, warnings = identified(
        [
            _line(each, currency)
            for each in records(account.values.get("transactions"), f"{account.where}.transactions")
        ]
    )
    balance = _balance(account, currency)
    return Push(
        batch_id=f"simplefin-{fingerprint(payload, selected)}",
        external_id=selected,
        added=lines,
        balance=balance,
        warnings=(*errors, *warnings),
        pending_until=None if errors else last_day(lines, balance.as_of if balance else None),
    )


def _errors(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise PayloadRefusedError("“errors” must be a list.")
    texts = [each.get("msg") or each.get("code") if isinstance(each, dict) else each for each in value]
    return [cut(str(text)) for text in texts if text]


def _account_id(account: PayloadObject) -> str:
    name = account.id("id")
    if name is None:
        account.refuse("has no id")
    return name


def _line(item: PayloadObject, currency: str) -> PushedLine:
    # A line that is not posted yet only has the time of the transaction.
    posted = item.instant("posted")
    at = posted or item.instant("transacted_at")
    if at is None:
        item.refuse("has no date (posted)")
    return PushedLine(
        provider_transaction_id=item.id("id") or "",
        pending=item.flag("pending") or posted is None,
        booked_on=at.date(),
        amount=item.amount("amount", currency),
        currency=currency,
        description=joined([item.text("description", "payee"), item.text("memo")]),
        counterparty=item.text("payee"),
    )


def _balance(account: PayloadObject, currency: str) -> PushBalance | None:
    if account.values.get("balance") is None:
        return None
    amount = account.amount("balance", currency)
    return PushBalance(amount, currency, account.instant("balance-date"))
