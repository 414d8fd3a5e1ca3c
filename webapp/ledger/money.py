"""Money: a whole number of minor units, and their currency."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Final, Self

from webapp.ledger.currencies import canonical, digits
from webapp.ledger.errors import UnprocessableError

MAX_MINOR: Final = 2**63 - 1

# Wide enough for a 64-bit amount times any rate; the default 28 digits would round silently.
EXACT: Final = Context(prec=100, rounding=ROUND_HALF_UP)


class NotAnAmountError(UnprocessableError):
    """That is not an amount; write it as digits with a decimal point, such as -12.50."""

    code = "not_an_amount"


class TooManyDigitsError(UnprocessableError):
    """The amount has more digits than its currency."""

    code = "too_many_digits"


class AmountTooLargeError(UnprocessableError):
    """The amount is larger than the books can hold."""

    code = "amount_too_large"


class MixedCurrenciesError(UnprocessableError):
    """Amounts of different currencies cannot be added or compared; convert them first."""

    code = "mixed_currencies"


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount in one currency; debit positive, as the account holder sees it."""

    minor: int
    currency: str

    @classmethod
    def of(cls, amount: Decimal | str | int, currency: str) -> Self:
        """Convert a decimal amount exactly as written.

        Trailing zeros are no digits. Raises NotAnAmountError, TooManyDigitsError or AmountTooLargeError.

        >>> Money.of("8.850", "EUR")
        Money(minor=885, currency='EUR')
        >>> Money.of("8.855", "EUR")
        Traceback (most recent call last):
        webapp.ledger.money.TooManyDigitsError: EUR has 2 digits after the decimal point; 8.855 has more.
        """
        value = _decimal(amount)
        code = canonical(currency)
        scaled = _scaled(value, code)
        minor = scaled.to_integral_value(rounding=ROUND_HALF_UP)
        if minor != scaled:
            raise TooManyDigitsError(
                f"{code} has {_digits_in_words(code)} after the decimal point; {_plain(value)} has more."
            )
        return cls(bounded(int(minor)), code)

    @classmethod
    def rounded(cls, amount: Decimal | str | int, currency: str) -> Self:
        """Convert a decimal amount, rounded half away from zero to the currency's digits.

        >>> str(Money.rounded("-0.005", "EUR")), str(Money.rounded("0.004", "EUR"))
        ('-0.01', '0.00')
        """
        code = canonical(currency)
        scaled = _scaled(_decimal(amount), code)
        return cls(bounded(int(scaled.to_integral_value(rounding=ROUND_HALF_UP))), code)

    @classmethod
    def zero(cls, currency: str) -> Self:
        """Return zero in a currency."""
        return cls(0, canonical(currency))

    @property
    def decimal(self) -> Decimal:
        """The amount with exactly its currency's digits."""
        return Decimal(self.minor).scaleb(-digits(self.currency), EXACT)

    def __str__(self) -> str:
        """Write the amount with its currency's own digits and without the currency.

        >>> str(Money(-1250, "EUR")), str(Money(1200, "JPY")), str(Money(1234, "BHD")), str(Money(-5, "EUR"))
        ('-12.50', '1200', '1.234', '-0.05')
        """
        places, minor = digits(self.currency), self.minor
        if not places:
            return str(minor)
        # Of figures that are cut, as a quotient with its rest takes half as long again.
        sign, size = ("-", -minor) if minor < 0 else ("", minor)
        figures = str(size).zfill(places + 1)
        return f"{sign}{figures[:-places]}.{figures[-places:]}"

    @property
    def formatted(self) -> str:
        """The amount formatted for a sentence: thousands separated, a real minus sign, and the currency.

        >>> Money(-123456, "EUR").formatted, Money(5000, "JPY").formatted
        ('\N{MINUS SIGN}1,234.56 EUR', '5,000 JPY')
        """
        sign = "\N{MINUS SIGN}" if self.minor < 0 else ""
        return f"{sign}{abs(self).decimal:,f} {self.currency}"

    def __bool__(self) -> bool:
        return self.minor != 0

    def __neg__(self) -> Self:
        return type(self)(-self.minor, self.currency)

    def __abs__(self) -> Self:
        return type(self)(abs(self.minor), self.currency)

    def __add__(self, other: "Money") -> Self:
        return type(self)(self.minor + self._same(other), self.currency)

    def __sub__(self, other: "Money") -> Self:
        return type(self)(self.minor - self._same(other), self.currency)

    def __lt__(self, other: "Money") -> bool:
        return self.minor < self._same(other)

    def __le__(self, other: "Money") -> bool:
        return self.minor <= self._same(other)

    def __gt__(self, other: "Money") -> bool:
        return self.minor > self._same(other)

    def __ge__(self, other: "Money") -> bool:
        return self.minor >= self._same(other)

    def _same(self, other: "Money") -> int:
        if other.currency != self.currency:
            raise MixedCurrenciesError(
                f"{self.currency} and {other.currency} cannot be added or compared; convert one first."
            )
        return other.minor


def total(amounts: Iterable[Money], currency: str) -> Money:
    """Add amounts of one currency; without amounts the sum is zero.

    >>> str(total([Money(1999, "EUR"), Money(-2000, "EUR")], "EUR"))
    '-0.01'
    """
    return sum(amounts, start=Money.zero(currency))


def divided(numerator: int, denominator: int) -> int:
    """Divide exactly and round half away from zero, the one rounding of the books.

    >>> divided(5, 2), divided(-5, 2), divided(5, -2), divided(4, 3)
    (3, -3, -3, 1)
    """
    size = (2 * abs(numerator) + abs(denominator)) // (2 * abs(denominator))
    return size if (numerator < 0) == (denominator < 0) else -size


def bounded(minor: int) -> int:
    """Return an amount if 64 bits can hold it, else raise AmountTooLargeError."""
    if abs(minor) > MAX_MINOR:
        raise AmountTooLargeError
    return minor


def _decimal(amount: Decimal | str | int) -> Decimal:
    """Read a finite ASCII number; unlike Decimal, refuse underscores, spaces and foreign digits."""
    if isinstance(amount, str) and not (amount.isascii() and set(amount) <= set("+-.0123456789eE")):
        raise NotAnAmountError
    try:
        value = Decimal(amount)
    except InvalidOperation:
        raise NotAnAmountError from None
    if not value.is_finite():
        raise NotAnAmountError
    return value


def _scaled(value: Decimal, currency: str) -> Decimal:
    """Convert to the currency's minor unit, and refuse amounts beyond 64 bits.

    The exponent is checked first, so that 1e999999 is never written out.
    """
    places = digits(currency)
    if value and value.adjusted() + places >= len(str(MAX_MINOR)):
        raise AmountTooLargeError
    # Built from its parts, for arithmetic on it would first round a long tail of digits away.
    sign, figures, exponent = value.as_tuple()
    return Decimal((sign, figures, int(exponent) + places))


def _digits_in_words(currency: str) -> str:
    count = digits(currency)
    return {0: "no digits", 1: "1 digit"}.get(count, f"{count} digits")


def _plain(value: Decimal) -> str:
    text = format(value, "f") if abs(value.adjusted()) < len(str(MAX_MINOR)) else str(value)
    return text if len(text) <= len(str(MAX_MINOR)) * 2 else "the amount"


def money_at(amount: Any, currency: str, path: str) -> Money:
    """Convert an amount at `path` of a body to money; errors name the path."""
    try:
        return Money.of(amount, currency)
    except UnprocessableError as error:
        error.fields = {path: [str(error)]}
        raise
