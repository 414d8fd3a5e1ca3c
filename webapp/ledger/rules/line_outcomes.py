"""Applying the settings of rules to the counter leg of a bank line, and skipping those that cannot be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, NamedTuple

from webapp.ledger.dimensions import MergedMerchants, count_alike
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.ledger.rates import unmirror
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.engine import Setting

NAMES_NOTHING: Final = "Its text names no open item of exactly this amount."

# Gives a currency's rate on the line's booking day, None where there is none.
RateOf = Callable[[str], Decimal | None]

_ATTRIBUTE: Final = {
    EffectKind.SET_CURRENCY: "currency",
    EffectKind.SET_ACCOUNT: "account_id",
    EffectKind.SET_MERCHANT: "merchant_id",
    EffectKind.SET_PROJECT: "project_id",
    EffectKind.SETTLE_BY_REFERENCE: "item_id",
    EffectKind.SET_TAX_CODE: "tax_code_id",
}


class CounterLeg(NamedTuple):
    """The one leg opposite a bank line; `amount_base_minor` is None while a rate is missing.

    `item_id` is the open item that the line is to pay, where that is one alone. With a tax code its amount has the tax
    in it, which the entry has on legs of its own.
    """

    account_id: int
    currency: str
    amount_minor: int
    amount_base_minor: int | None = None
    merchant_id: int | None = None
    project_id: int | None = None
    item_id: int | None = None
    tax_code_id: int | None = None

    def value(self, kind: EffectKind) -> str | None:
        """Return the value of the field that an effect sets, as text."""
        value = self.raw(kind)
        return None if value is None else str(value)

    def raw(self, kind: EffectKind) -> Any:
        """Return the value of the field that an effect sets: an id, a currency's code, or None."""
        return getattr(self, _ATTRIBUTE[kind])


class NamedItem(NamedTuple):
    """The open item of exactly the line's amount that the line's text names, with its account and party."""

    item_id: int
    account_id: int
    merchant_id: int | None


@dataclass(frozen=True, slots=True)
class AccountFacts:
    """Why an account takes no lines, the only currency that it takes, and the tax code of its lines; None without."""

    name: str
    closed: str | None = None
    currency: str | None = None
    tax_code_id: int | None = None
    type: str = ""
    role: str | None = None
    keeps_items: bool = False


@dataclass(frozen=True, slots=True)
class Skip:
    """A setting that is not possible, with the reason in a sentence."""

    kind: EffectKind
    rule_id: int
    reason: str


class Outcome(NamedTuple):
    """The counter leg after the rules, which settings made a difference, and which were skipped."""

    leg: CounterLeg
    applied: Mapping[EffectKind, Setting]
    skipped: tuple[Skip, ...]


@dataclass(frozen=True, slots=True)
class Books:
    """What the settings of rules are checked against."""

    base_currency: str
    accounts: Mapping[int, AccountFacts]
    merged: MergedMerchants = field(default_factory=dict)

    def count_alike(self, one: int | None, other: int) -> bool:
        """Return whether two merchants count as the same, so that setting either changes nothing."""
        return count_alike(one, other, self.merged)


def apply(
    settings: Mapping[EffectKind, Setting], present: CounterLeg, line: Money, books: Books, rate_of: RateOf
) -> Outcome:
    """Apply settings to the counter leg of a line, each that can be.

    In another currency the leg keeps what it is in the base currency; the bank's own currency changes nothing. On an
    account in the base currency the leg is its share of the line there.

    >>> books = Books("EUR", {5: AccountFacts("Waiting"), 6: AccountFacts("Dollars", currency="USD")})
    >>> chosen = {EffectKind.SET_ACCOUNT: Setting(6, 1, 1), EffectKind.SET_CURRENCY: Setting("USD", 2, 1)}
    >>> leg, line = CounterLeg(5, "EUR", 1000, 1000), Money(-1000, "EUR")
    >>> apply(chosen, leg, line, books, {"USD": Decimal("1.0842")}.get).leg[:4]
    (6, 'USD', 1084, 1000)
    >>> [skip.reason for skip in apply(chosen, leg, line, books, {}.get).skipped]
    ['There is no USD rate for its day.', 'Dollars takes USD only, and this is in EUR.']
    """
    skipped: list[Skip] = []
    leg = after = in_line(present, line, books)
    account = settings.get(EffectKind.SET_ACCOUNT)
    account_id = leg.account_id
    if account is not None:
        facts = books.accounts.get(int(account.value), AccountFacts("", "This account no longer exists."))
        if facts.closed is not None:
            skipped.append(Skip(EffectKind.SET_ACCOUNT, account.rule_id, facts.closed))
            account = None
        else:
            account_id = int(account.value)
    currency = settings.get(EffectKind.SET_CURRENCY)
    if currency is not None and currency.value != line.currency:
        after, problem = _in_currency(after, str(currency.value), account_id, books, rate_of)
        if problem is not None:
            skipped.append(Skip(EffectKind.SET_CURRENCY, currency.rule_id, problem))
    if account is not None:
        problem = _not_there(account_id, after, books)
        if problem is not None:
            account_id = leg.account_id
            skipped.append(Skip(EffectKind.SET_ACCOUNT, account.rule_id, problem))
            if other_currency(leg.account_id, after.currency, books) is not None:
                after = leg
    after = in_base(_with_settings(after, account_id, settings, books), books)
    applied = {kind: each for kind, each in settings.items() if after.raw(kind) != present.raw(kind)}
    return Outcome(after, applied, tuple(skipped))


def in_line(leg: CounterLeg, line: Money, books: Books) -> CounterLeg:
    """Return a leg that is in base because of its account as what it is of its line."""
    if leg.currency == line.currency or not _is_keptin_base(leg.account_id, books):
        return leg
    return leg._replace(currency=line.currency, amount_minor=-line.minor)


def in_base(leg: CounterLeg, books: Books) -> CounterLeg:
    """Return a leg as its share of the line in base, where its account takes nothing else."""
    if leg.amount_base_minor is None or not _is_keptin_base(leg.account_id, books):
        return leg
    return leg._replace(currency=books.base_currency, amount_minor=leg.amount_base_minor)


def _is_keptin_base(account_id: int, books: Books) -> bool:
    facts = books.accounts.get(account_id)
    return facts is not None and facts.currency == books.base_currency


def _not_there(account_id: int, leg: CounterLeg, books: Books) -> str | None:
    """Return the reason why a leg cannot go to an account, None where it can."""
    if leg.amount_base_minor is None and _is_keptin_base(account_id, books):
        return f"There is no {leg.currency} rate for its day."
    return other_currency(account_id, leg.currency, books)


def unpayable(named: NamedItem, leg: CounterLeg, line_currency: str, books: Books) -> str | None:
    """Return the reason why a line cannot pay the item that its text names, None where it can."""
    if leg.currency != line_currency:
        return f"Its entry is in {leg.currency}, and it pays in {line_currency}."
    if named.merchant_id is None and leg.merchant_id is not None:
        return "What its text names is owed by no party, and this line has one."
    return books.accounts[named.account_id].closed


def pay(settings: Mapping[EffectKind, Setting], leg: CounterLeg, named: NamedItem, books: Books) -> Outcome:
    """Make a line pay the item that its text names, for a rule that settles by reference.

    The item decides on the account and the merchant before all other rules; a project is set as they say.
    """
    settling = settings[EffectKind.SETTLE_BY_REFERENCE]

    def by_reference(value: int) -> Setting:
        return Setting(value, settling.rule_id, settling.rule_version)

    its = {
        EffectKind.SET_ACCOUNT: by_reference(named.account_id),
        EffectKind.SETTLE_BY_REFERENCE: by_reference(named.item_id),
    }
    if named.merchant_id is not None:
        its[EffectKind.SET_MERCHANT] = by_reference(named.merchant_id)
    if EffectKind.SET_PROJECT in settings:
        its[EffectKind.SET_PROJECT] = settings[EffectKind.SET_PROJECT]
    after = _with_settings(leg, named.account_id, its, books)
    after = after._replace(item_id=named.item_id, tax_code_id=None)
    applied = {kind: each for kind, each in its.items() if after.raw(kind) != leg.raw(kind)}
    return Outcome(after, applied, ())


def _in_currency(
    leg: CounterLeg, code: str, account_id: int, books: Books, rate_of: RateOf
) -> tuple[CounterLeg, str | None]:
    """Return a leg in another currency, or the same leg with the reason why that is not possible."""
    if code == leg.currency:
        return leg, None
    problem = other_currency(account_id, code, books)
    if problem is None and code != books.base_currency and _is_keptin_base(account_id, books):
        problem = _takes_only(books.accounts[account_id], code)
    if problem is not None:
        return leg, problem
    rate = Decimal(1) if code == books.base_currency else rate_of(code)
    if rate is None or leg.amount_base_minor is None:
        return leg, f"There is no {leg.currency if rate is not None else code} rate for its day."
    try:
        amount = unmirror(leg.amount_base_minor, books.base_currency, code, rate)
    except UnprocessableError as error:
        return leg, str(error)
    return leg._replace(currency=code, amount_minor=amount), None


def other_currency(account_id: int, code: str, books: Books) -> str | None:
    """Return the reason why something in a currency cannot go to an account, None where it can.

    An account in the base currency takes the base share of anything.
    """
    facts = books.accounts.get(account_id)
    if facts is None or facts.currency in (None, code, books.base_currency):
        return None
    return _takes_only(facts, code)


def _takes_only(facts: AccountFacts, code: str) -> str:
    return f"{facts.name} takes {facts.currency} only, and this is in {code}."


def _with_settings(
    leg: CounterLeg, account_id: int, settings: Mapping[EffectKind, Setting], books: Books
) -> CounterLeg:
    """Return a leg on an account, with the merchant, the project and the tax code that are set."""
    merchant, project = settings.get(EffectKind.SET_MERCHANT), settings.get(EffectKind.SET_PROJECT)
    code = settings.get(EffectKind.SET_TAX_CODE)
    if merchant is not None and books.count_alike(leg.merchant_id, int(merchant.value)):
        merchant = None
    return leg._replace(
        account_id=account_id,
        merchant_id=leg.merchant_id if merchant is None else int(merchant.value),
        project_id=leg.project_id if project is None else int(project.value),
        tax_code_id=leg.tax_code_id if code is None else int(code.value),
    )
