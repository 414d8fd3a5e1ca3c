"""Exchange differences: balances at a day's rate against their book value, and the rest of a zero balance."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from webapp.ledger.journal.entries import Leg
from webapp.ledger.rates import mirror


def revaluation(
    balances: Iterable[tuple[int, str, int, int]],
    base: str,
    rates: Mapping[str, Decimal],
    differences_account_id: int,
) -> tuple[Leg, ...]:
    """Return the legs that bring balances to their worth, or none.

    A balance is (account, currency, minor units, minor units of the base). Its leg moves nothing in its own
    currency, so no reconciliation sees it, and the difference in the base. Their sum is posted
    against the account of unrealised differences, which gets no leg for a sum of zero.

    >>> for leg in revaluation([(7, "USD", 10842, 9000)], "EUR", {"USD": Decimal("1.0842")}, 9):
    ...     print(leg.account_id, leg.amount_minor, leg.currency, leg.amount_base_minor)
    7 0 USD 1000
    9 -1000 EUR -1000
    >>> len(revaluation([(7, "USD", 0, 5), (8, "USD", 0, -5)], "EUR", {"USD": Decimal("1.0842")}, 9))
    2
    """
    legs = [
        Leg(account_id, 0, currency, worth - booked)
        for account_id, currency, amount, booked in balances
        if (worth := mirror(amount, currency, base, rates[currency])) != booked
    ]
    rest = -sum(leg.amount_base_minor or 0 for leg in legs)
    return (*legs, Leg(differences_account_id, rest, base, rest)) if rest else tuple(legs)


def realisation(
    account_id: int, currency: str, rest_base_minor: int, base: str, differences_account_id: int
) -> tuple[Leg, ...]:
    """Return the legs that bring an account to zero in the base currency too; its own currency does not move.

    A remaining asset is a loss.

    >>> for leg in realisation(7, "USD", 8333, "EUR", 9):
    ...     print(leg.account_id, leg.amount_minor, leg.currency, leg.amount_base_minor)
    7 0 USD -8333
    9 8333 EUR 8333
    """
    return (
        Leg(account_id, 0, currency, -rest_base_minor),
        Leg(differences_account_id, rest_base_minor, base, rest_base_minor),
    )
