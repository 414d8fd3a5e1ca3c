"""Legs of journal entries, debit positive, and the checks that they balance."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.boxes import Boxes
from webapp.ledger.money import Money, bounded
from webapp.ledger.rates import ExchangeRateMissingError

MIN_LEGS: Final = 2


class TooFewPostingsError(UnprocessableError):
    """An entry needs at least two postings; add the account opposite this one."""

    code = "too_few_postings"


class UnbalancedError(UnprocessableError):
    """Debits and credits differ; change the postings until they add up to zero."""

    code = "unbalanced"

    def __init__(self, difference: Money) -> None:
        debits_lead = difference.minor > 0
        larger, smaller = ("Debits", "credits") if debits_lead else ("Credits", "debits")
        super().__init__(
            f"{larger} exceed {smaller} by {abs(difference).formatted}.",
            details={"difference": str(difference), "currency": difference.currency},
        )


class MovesNothingError(UnprocessableError):
    """Debit and credit use the same account."""

    code = "moves_nothing"


class AgainstItselfError(MovesNothingError):
    """Debit and credit of this document are on the same account; choose another account for one of them."""

    code = "against_itself"


class AccountCurrencyError(UnprocessableError):
    """That account takes postings in its own currency only; use another account or that currency."""

    code = "account_currency"


@dataclass(frozen=True, slots=True)
class Leg:
    """One signed posting: an account, an amount, and its project and merchant.

    `amount_base_minor` mirrors the amount in the base currency, None without a rate; with `has_own_base` somebody
    wrote it, at a rate of a contract or of a bank. `due_on` and `reference` belong to the item that the posting
    begins, on an account that keeps items. A leg of a tax code has its tax point, and adds to `boxes` of forms.
    """

    account_id: int
    amount_minor: int
    currency: str
    amount_base_minor: int | None = None
    is_bank_leg: bool = False
    merchant_id: int | None = None
    project_id: int | None = None
    transaction_id: int | None = None
    due_on: date | None = None
    reference: str | None = None
    has_own_base: bool = False
    tax_code_id: int | None = None
    tax_point: date | None = None
    boxes: Boxes = ()


def keeps_base(leg: Leg) -> bool:
    """Return whether somebody wrote a leg's amount in the base currency, which no rate decides."""
    return leg.has_own_base or is_base_only(leg)


def is_base_only(leg: Leg) -> bool:
    """Return whether a leg moves only the base currency: an exchange difference, which no rate decides.

    >>> is_base_only(Leg(1, 0, "USD", -8333)), is_base_only(Leg(1, 0, "USD", 0)), is_base_only(Leg(1, 0, "USD"))
    (True, False, False)
    """
    return leg.amount_minor == 0 and bool(leg.amount_base_minor)


def check_amounts(legs: Sequence[Leg]) -> None:
    """Refuse legs that no rates could make an entry: fewer than two, or one currency out of balance.

    >>> check_amounts([Leg(1, 1000, "EUR"), Leg(2, -900, "EUR")])
    Traceback (most recent call last):
    webapp.ledger.journal.entries.UnbalancedError: Debits exceed credits by 1.00 EUR.
    """
    if len(legs) < MIN_LEGS:
        raise TooFewPostingsError
    first = legs[0].currency
    rest = sum(leg.amount_minor for leg in legs)
    if rest and all(leg.currency == first for leg in legs):
        raise UnbalancedError(Money(rest, first))


def check_balanced(legs: Sequence[Leg], base: str) -> None:
    """Refuse legs out of balance, in their one currency or in the base currency.

    Raises TooFewPostingsError, UnbalancedError, ExchangeRateMissingError if a leg has no mirror yet, or
    AmountTooLargeError for debits beyond 64 bits.

    >>> check_balanced([Leg(1, 1084, "USD", 1000), Leg(2, -1084, "USD", -999)], "EUR")
    Traceback (most recent call last):
    webapp.ledger.journal.entries.UnbalancedError: Debits exceed credits by 0.01 EUR.
    """
    check_amounts(legs)
    rest = sum(mirrored(leg) for leg in legs)
    if rest:
        raise UnbalancedError(Money(rest, base))
    bounded(sum(max(mirrored(leg), 0) for leg in legs))


def check_moves(legs: Sequence[Leg], *, of_document: bool = False) -> None:
    """Refuse legs that add up to nothing for each account, currency, project and merchant.

    A change of only the project, the base amount or the boxes of taxes passes; otherwise raises MovesNothingError. The
    entry of a document has its largest debit on another account than its largest credit, or raises AgainstItselfError.

    >>> legs = [Leg(1, 500, "EUR", 500, project_id=1), Leg(1, -500, "EUR", -500, project_id=2)]
    >>> check_moves(legs)
    >>> check_moves(legs, of_document=True)
    Traceback (most recent call last):
    webapp.ledger.journal.entries.AgainstItselfError: Debit and credit of this document are on the same account; ...
    """
    amounts: Counter[tuple[int, str, int | None, int | None]] = Counter()
    bases: Counter[tuple[int, str, int | None, int | None]] = Counter()
    for leg in legs:
        key = leg.account_id, leg.currency, leg.project_id, leg.merchant_id
        amounts[key] += leg.amount_minor
        bases[key] += leg.amount_base_minor or 0
    if not (any(amounts.values()) or any(bases.values()) or any(leg.boxes for leg in legs)):
        raise MovesNothingError
    if of_document:
        by_size = sorted(legs, key=lambda leg: leg.amount_base_minor or leg.amount_minor)
        if by_size[0].account_id == by_size[-1].account_id:
            raise AgainstItselfError


def mirrored(leg: Leg) -> int:
    """Return a leg's amount in the base currency, or raise ExchangeRateMissingError without one."""
    if leg.amount_base_minor is None:
        raise ExchangeRateMissingError
    return leg.amount_base_minor


def taken_in(leg: Leg, base: str) -> Leg:
    """Return a leg as an account takes it that is in the base currency only: as what it is in that.

    >>> leg = taken_in(Leg(1, 20000, "EUR", 16667), "GBP")
    >>> leg.amount_minor, leg.currency, leg.amount_base_minor
    (16667, 'GBP', 16667)
    """
    if leg.currency == base:
        return leg
    return replace(leg, amount_minor=mirrored(leg), currency=base, has_own_base=False)


def check_account_currency(leg: Leg, account_currency: str | None) -> None:
    """Refuse a leg in another currency than its account's; an account without a currency takes any.

    >>> check_account_currency(Leg(1, 5, "USD"), "EUR")
    Traceback (most recent call last):
    webapp.ledger.journal.entries.AccountCurrencyError: That account takes postings in EUR only, not in USD.
    """
    if account_currency is not None and leg.currency != account_currency:
        raise AccountCurrencyError(
            f"That account takes postings in {account_currency} only, not in {leg.currency}."
        )


def moved_by(bank_minor: int, owed_minor: int, result_minor: int, debit_minor: int) -> int:
    """Return what an entry moves: on banks, else on what is owed, else the gain or loss, else on either side.

    >>> moved_by(-4500, 0, -4500, 4500), moved_by(0, 0, -8333, 8333), moved_by(0, 0, 0, 1000)
    (-4500, -8333, 1000)
    """
    return bank_minor or owed_minor or result_minor or debit_minor
