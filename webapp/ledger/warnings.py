"""What a report says about its own figures: a sentence, with a code and what a program can act on."""

from dataclasses import dataclass
from datetime import date

from webapp.ledger.money import Money


@dataclass(frozen=True, slots=True)
class ReportWarning:
    """A warning about a report's figures, with the day, the difference, the number or the sum that it is about."""

    code: str
    message: str
    as_of: date | None = None
    difference: Money | None = None
    count: int | None = None
    sum: Money | None = None
