"""Applying the settings of rules to a receipt, and skipping those that cannot be."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.engine import Setting
from webapp.ledger.rules.line_outcomes import AccountFacts, Books, Skip, other_currency

SET_BY_HAND: Final = "A person has chosen this."

_ATTRIBUTE: Final = {
    EffectKind.SET_CURRENCY: "currency",
    EffectKind.SET_ACCOUNT: "account_id",
    EffectKind.SET_MERCHANT: "merchant_id",
    EffectKind.SET_PROJECT: "project_id",
}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a rule may set of a receipt, and the amounts on it, which stay as they are written in any currency."""

    currency: str | None = None
    account_id: int | None = None
    merchant_id: int | None = None
    project_id: int | None = None
    amounts: tuple[Decimal, ...] = ()

    def value(self, kind: EffectKind) -> str | None:
        """Return the value of the field that an effect sets, as text."""
        value = getattr(self, _ATTRIBUTE[kind])
        return None if value is None else str(value)

    def with_value(self, kind: EffectKind, value: str | int | None) -> "Receipt":
        """Return the receipt with another value in the field that an effect sets."""
        if kind is EffectKind.SET_CURRENCY:
            return replace(self, currency=None if value is None else str(value))
        number = None if value is None else int(value)
        if kind is EffectKind.SET_ACCOUNT:
            return replace(self, account_id=number)
        if kind is EffectKind.SET_MERCHANT:
            return replace(self, merchant_id=number)
        return replace(self, project_id=number)


@dataclass(frozen=True, slots=True)
class ReceiptOutcome:
    """A receipt after the rules, which settings made a difference, and which could not be."""

    receipt: Receipt
    applied: Mapping[EffectKind, Setting] = field(default_factory=dict)
    skipped: tuple[Skip, ...] = ()


# The currency decides which accounts fit, so that it comes first.
_ORDER: Final = (
    EffectKind.SET_CURRENCY,
    EffectKind.SET_ACCOUNT,
    EffectKind.SET_MERCHANT,
    EffectKind.SET_PROJECT,
)


def apply(
    settings: Mapping[EffectKind, Setting],
    receipt: Receipt,
    books: Books,
    chosen: Collection[str] = (),
) -> ReceiptOutcome:
    """Apply settings to a receipt, each that can be; what somebody set by hand (`chosen`, by its kind) stays.

    >>> books = Books("EUR", {5: AccountFacts("Travel"), 6: AccountFacts("Dollars", currency="USD")})
    >>> rules = {EffectKind.SET_CURRENCY: Setting("JPY", 1, 1), EffectKind.SET_ACCOUNT: Setting(6, 2, 1)}
    >>> [skip.reason for skip in apply(rules, Receipt("EUR", amounts=(Decimal("12.50"),)), books).skipped]
    ['JPY has no digits after the decimal point; 12.50 has more.', 'Dollars takes USD only, and this is in EUR.']
    """
    after, skipped = receipt, []
    applied: dict[EffectKind, Setting] = {}
    for kind in _ORDER:
        setting = settings.get(kind)
        if setting is None or _is_same(kind, setting.value, receipt, books):
            continue
        if kind.value in chosen:
            problem: str | None = SET_BY_HAND
        elif kind is EffectKind.SET_CURRENCY:
            to_be = _future_account(settings, after, books, chosen)
            problem = problem_of(kind, setting.value, replace(after, account_id=to_be), books)
        else:
            problem = problem_of(kind, setting.value, after, books)
        if problem is None:
            after = after.with_value(kind, setting.value)
            applied[kind] = setting
        else:
            skipped.append(Skip(kind, setting.rule_id, problem))
    return ReceiptOutcome(after, applied, tuple(skipped))


def _is_same(kind: EffectKind, value: str | int, receipt: Receipt, books: Books) -> bool:
    if kind is EffectKind.SET_MERCHANT:
        return books.count_alike(receipt.merchant_id, int(value))
    return receipt.value(kind) == str(value)


def _future_account(
    settings: Mapping[EffectKind, Setting], receipt: Receipt, books: Books, chosen: Collection[str]
) -> int | None:
    """Return the account that a receipt gets or keeps; a new currency has to fit this one."""
    setting = settings.get(EffectKind.SET_ACCOUNT)
    facts = None if setting is None else books.accounts.get(int(setting.value))
    is_free = facts is not None and facts.closed is None and EffectKind.SET_ACCOUNT.value not in chosen
    return int(setting.value) if setting is not None and is_free else receipt.account_id


def problem_of(kind: EffectKind, value: str | int, receipt: Receipt, books: Books) -> str | None:
    """Return the reason why a field of a receipt cannot have a value, None where it can."""
    if kind is EffectKind.SET_CURRENCY:
        return _currency_problem(str(value), receipt, books)
    if kind is EffectKind.SET_ACCOUNT:
        return _account_problem(int(value), receipt, books)
    return None


def _currency_problem(code: str, receipt: Receipt, books: Books) -> str | None:
    try:
        for amount in receipt.amounts:
            Money.of(amount, code)
    except UnprocessableError as error:
        return str(error)
    return None if receipt.account_id is None else other_currency(receipt.account_id, code, books)


def _account_problem(account_id: int, receipt: Receipt, books: Books) -> str | None:
    facts = books.accounts.get(account_id, AccountFacts("", "This account no longer exists."))
    if facts.closed is not None:
        return facts.closed
    return None if receipt.currency is None else other_currency(account_id, receipt.currency, books)
