"""Exchange rates as the European Central Bank quotes them, and amounts converted to the base currency."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final, Self, TypeAlias

from webapp.ledger.currencies import digits
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.money import Money, bounded, divided

MAX_AGE_DAYS: Final = 10

Mirroring: TypeAlias = Callable[[int], int]
_CROSS: Final = Context(prec=12, rounding=ROUND_HALF_UP)


class ExchangeRateMissingError(LedgerError):
    """There is no exchange rate for that day or the ten days before; add it and try again."""

    code = "exchange_rate_missing"

    @classmethod
    def on(cls, missing: Iterable[tuple[date, str]]) -> Self:
        """Name every day and currency whose rate is missing."""
        rates = sorted(set(missing))
        named = ", ".join(f"{currency} on {day.isoformat()}" for day, currency in rates)
        return cls(
            f"There is no exchange rate for {named}, or for the {MAX_AGE_DAYS} days before; "
            "add it and try again.",
            details={"missingRates": [{"day": day.isoformat(), "currency": code} for day, code in rates]},
        )


class RateNotPositiveError(UnprocessableError):
    """An exchange rate is a number above zero."""

    code = "rate_not_positive"


def is_current(rate_day: date, day: date) -> bool:
    """Return whether a rate is valid on a day: from that day or at most 10 days older.

    >>> is_current(date(2024, 2, 20), date(2024, 3, 1)), is_current(date(2024, 2, 20), date(2024, 3, 2))
    (True, False)
    >>> is_current(date(2024, 3, 2), date(2024, 3, 1))
    False
    """
    return 0 <= (day - rate_day).days <= MAX_AGE_DAYS


def cross(currency_per_euro: Decimal, base_per_euro: Decimal) -> Decimal:
    """Return the units of a currency for one unit of a base, from rates of one day, to 12 significant digits.

    >>> cross(Decimal("0.8563"), Decimal("1.0842"))
    Decimal('0.789798930087')
    >>> cross(Decimal("161.20"), Decimal(1))
    Decimal('161.2')
    """
    quotient = _CROSS.divide(_positive(currency_per_euro), _positive(base_per_euro))
    return Decimal(format(quotient.normalize(_CROSS), "f"))


def units_per_base(currency: str, base: str, per_euro: Mapping[str, Decimal]) -> Decimal | None:
    """Return a currency's rate against the base from the euro's rates of one day, or None.

    >>> euro = {"USD": Decimal("1.0842"), "GBP": Decimal("0.8563")}
    >>> units_per_base("EUR", "USD", euro), units_per_base("USD", "EUR", euro)
    (Decimal('0.922339051835'), Decimal('1.0842'))
    >>> units_per_base("JPY", "EUR", euro) is None
    True
    """
    if currency == base:
        return Decimal(1)
    rates = {**per_euro, "EUR": Decimal(1)}
    if currency not in rates or base not in rates:
        return None
    # Only a cross rate is rounded: against the euro the books take the bank's own figure.
    return _positive(rates[currency]) if base == "EUR" else cross(rates[currency], rates[base])


def mirror(amount_minor: int, currency: str, base: str, rate: Decimal) -> int:
    """Return an amount in minor units of the base, at `rate` units of its currency for one unit of base.

    Both currencies' digits count; rounded half away from zero; may raise AmountTooLargeError.

    >>> mirror(1084, "USD", "EUR", Decimal("1.0842"))
    1000
    >>> mirror(-150000, "JPY", "EUR", Decimal("161.20"))
    -93052
    >>> mirror(1, "EUR", "BHD", Decimal("2.5"))
    4
    """
    return mirroring(currency, base, rate)(amount_minor)


def mirroring(currency: str, base: str, rate: Decimal) -> Mirroring:
    """Return a function that mirrors many amounts of a currency at one rate.

    >>> mirroring("USD", "EUR", Decimal("1.0842"))(1084)
    1000
    """
    numerator, denominator = _positive(rate).as_integer_ratio()
    times, by = denominator * 10 ** digits(base), numerator * 10 ** digits(currency)
    return lambda amount_minor: bounded(divided(amount_minor * times, by))


def implied_rate(amount: Money, worth: Money) -> Decimal:
    """Return the units of a currency for one unit of base at which an amount is worth another, in five digits.

    >>> implied_rate(Money(94400, "EUR"), Money(81200, "GBP")), implied_rate(Money(-5000, "JPY"), Money(-3050, "EUR"))
    (Decimal('1.1626'), Decimal('163.93'))
    """
    exact = amount.decimal / worth.decimal
    return exact.quantize(Decimal(1).scaleb(exact.adjusted() - 4))


def unmirror(base_minor: int, base: str, currency: str, rate: Decimal) -> int:
    """Convert an amount of the base to minor units of another currency.

    >>> unmirror(1000, "EUR", "USD", Decimal("1.0842")), unmirror(-93052, "EUR", "JPY", Decimal("161.20"))
    (1084, -150000)
    """
    numerator, denominator = _positive(rate).as_integer_ratio()
    return bounded(divided(base_minor * numerator * 10 ** digits(currency), denominator * 10 ** digits(base)))


def _positive(rate: Decimal) -> Decimal:
    if not rate.is_finite() or rate <= 0:
        raise RateNotPositiveError
    return rate
