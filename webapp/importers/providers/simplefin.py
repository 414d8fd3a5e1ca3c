"""SimpleFIN's account sets: https://www.simplefin.org/protocol.html."""

from __future__ import annotations

from typing import Any, Final

from webapp.importers.providers.choices import account_of
from webapp.importers.providers.identities import identified
from webapp.importers.providers.payloads import Item, cut, fingerprint, records
from webapp.importers.providers.pushes import (
    PayloadRefusedError,
    ProviderFailedError,
    Push,
    PushBalance,
    PushLine,
    Wanted,
)
from webapp.importers.texts import joined

# The first version has sentences under the one name, the second one objects under the other.
_ERRORS: Final = ("errors", "errlist")


def read(payload: object, wanted: Wanted) -> Push:
    """Read what an account set says of one account; raises PayloadRefusedError.

    Amounts are the account holder's already, and a day is the UTC day of `posted`, in seconds since 1970. What
    SimpleFIN says beside the accounts, such as that a connection needs attention, is among the warnings.
    """
    whole = Item(payload, "The payload")
    errors = [said for name in _ERRORS for said in _errors(whole.values.get(name))]
    accounts = records(whole.values.get("accounts"), "accounts")
    if not accounts and errors:
        raise ProviderFailedError(f"SimpleFIN answered with an error and no accounts: {' '.join(errors)}")
    if not accounts:
        whole.refuse("is no account set of SimpleFIN: it has no accounts")
    names = [_named(each) for each in accounts]
    chosen = account_of(wanted, list(dict.fromkeys(names)))
    mine = [each for each, name in zip(accounts, names, strict=True) if name == chosen]
    if len(mine) > 1:
        mine[1].refuse(f"is another account of the id {chosen}")
    account = mine[0]
    currency = account.currency("currency")
    lines, said = identified(
        [
            _line(each, currency)
            for each in records(account.values.get("transactions"), f"{account.where}.transactions")
        ]
    )
    return Push(
        batch_id=f"simplefin-{fingerprint(payload, chosen)}",
        external_id=chosen,
        added=lines,
        balance=_balance(account, currency),
        warnings=(*errors, *said),
    )


def _errors(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise PayloadRefusedError("“errors” must be a list.")
    texts = [each.get("msg") or each.get("code") if isinstance(each, dict) else each for each in value]
    return [cut(str(text)) for text in texts if text]


def _named(account: Item) -> str:
    name = account.id("id")
    if name is None:
        account.refuse("has no id")
    return name


def _line(item: Item, currency: str) -> PushLine:
    # Where nothing is posted yet, the day on which the money was spent is all that there is.
    posted = item.instant("posted")
    at = posted or item.instant("transacted_at")
    if at is None:
        item.refuse("has no day (posted)")
    return PushLine(
        provider_transaction_id=item.id("id") or "",
        pending=item.flag("pending") or posted is None,
        booked_on=at.date(),
        amount=item.amount("amount", currency),
        currency=currency,
        description=joined([item.text("description", "payee"), item.text("memo")]),
        counterparty=item.text("payee"),
    )


def _balance(account: Item, currency: str) -> PushBalance | None:
    if account.values.get("balance") is None:
        return None
    amount = account.amount("balance", currency)
    return PushBalance(amount, currency, account.instant("balance-date"))
