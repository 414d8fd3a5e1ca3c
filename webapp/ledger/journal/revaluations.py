"""Revaluation: balances in other currencies at the rate of a day, against their book value."""

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
    """Give the legs that bring balances to their worth; none where all are worth their book value.

    A balance is (account, currency, minor units, minor units of the base). Its leg moves nothing in its own
    currency, so that no reconciliation sees it, and the difference in the base; all of them together stand
    against the account of unrealised differences.

    >>> for leg in revaluation([(7, "USD", 10842, 9000)], "EUR", {"USD": Decimal("1.0842")}, 9):
    ...     print(leg.account_id, leg.amount_minor, leg.currency, leg.amount_base_minor)
    7 0 USD 1000
    9 -1000 EUR -1000
    """
    legs = [
        Leg(account_id, 0, currency, worth - booked)
        for account_id, currency, amount, booked in balances
        if (worth := mirror(amount, currency, base, rates[currency])) != booked
    ]
    if not legs:
        return ()
    rest = -sum(leg.amount_base_minor or 0 for leg in legs)
    return (*legs, Leg(differences_account_id, rest, base, rest))
