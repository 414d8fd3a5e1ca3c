"""New bank lines: mirrored in the base currency, given to rules, and made rows of the staging table."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.lines import BankLine, text_key
from webapp.ledger.rates import mirror
from webapp.models import Organization
from webapp.queries.currencies import rate_tables
from webapp.queries.currencies.rate_tables import RateTable
from webapp.services.ingestion.rules import AccountRules


class LineTooLargeError(UnprocessableError):
    """A line's amount in the base currency is larger than the books can hold; `index` is its place among the lines."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


@dataclass(frozen=True, slots=True)
class Mirrors:
    """The rates that mirror lines of an account in the base currency, each at its booking day's."""

    currency: str
    base: str
    rates: RateTable

    def of(self, line: BankLine, index: int) -> int | None:
        """Mirror a line's amount, none where a rate is missing; raises LineTooLargeError."""
        if self.currency == self.base:
            return line.amount_minor
        rate = self.rates.on(line.booked_on)
        try:
            return None if rate is None else mirror(line.amount_minor, self.currency, self.base, rate)
        except UnprocessableError as error:
            raise LineTooLargeError(str(error), index) from None


def mirrors(organization: Organization, currency: str, days: Sequence[date]) -> Mirrors:
    """Read the rates of the days between the first and the last of these."""
    base = organization.base_currency
    rates = (
        rate_tables.between(organization.id, currency, base, min(days), max(days)) if days else RateTable()
    )
    return Mirrors(currency, base, rates)


def staged_lines(
    lines: Iterable[BankLine],
    mirrored: Mirrors,
    *,
    portion: int = 0,
    first: int = 0,
    rules: AccountRules | None = None,
) -> Iterator[BankLine]:
    """Give lines as rows of the staging table, numbered from `first`; raises LineTooLargeError."""
    for index, line in enumerate(lines):
        base_minor = mirrored.of(line, index) if line.state == "BOOKED" else None
        choice = None
        if rules is not None and line.state == "BOOKED":
            choice = rules.choose(first + index, line, base_minor)
        yield line._replace(
            number=first + index,
            portion=portion,
            amount_base_minor=base_minor,
            text_key=text_key(line.description, line.counterparty),
            choice=choice,
        )
