"""Splits of a bank line over several accounts, with parts in the line's sign."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money, total

MIN_SPLITS: Final = 2
MAX_SPLITS: Final = 100


class SplitsDoNotAddUpError(UnprocessableError):
    """The splits do not add up to the line; change them until nothing is left."""

    code = "splits_do_not_add_up"


class NumberOfSplitsError(UnprocessableError):
    """A line is split into 2 to 100 parts; for one part without a tax code set the account instead."""

    code = "number_of_splits"


@dataclass(frozen=True, slots=True)
class Split:
    """One part of a line's amount, in the line's currency and sign, and its account."""

    account_id: int
    amount_minor: int
    project_id: int | None = None
    merchant_id: int | None = None


def shares(line: Money, sizes: Sequence[Money | None]) -> list[Money]:
    """Return a line's parts from amounts without its sign; None takes the rest.

    A minus is for a part against the line. If all parts of money out have one, it is the line's sign.

    >>> parts = shares(Money(-1000, "EUR"), [Money(600, "EUR"), None])
    >>> [str(part) for part in parts]
    ['-6.00', '-4.00']
    >>> [str(part) for part in shares(Money(-1000, "EUR"), [Money(1050, "EUR"), Money(-50, "EUR")])]
    ['-10.50', '0.50']
    >>> [str(part) for part in shares(Money(-1000, "EUR"), [Money(-600, "EUR"), Money(-400, "EUR")])]
    ['-6.00', '-4.00']
    """
    written = [size for size in sizes if size is not None]
    is_signed = line.minor < 0 and bool(written) and all(size.minor < 0 for size in written)
    parts = [each if is_signed else size_of(each, line) for each in written]
    rest = line - total(parts, line.currency)
    found = iter(parts)
    return [rest if size is None else next(found) for size in sizes]


def size_of(part: Money, line: Money) -> Money:
    """Convert a part between the notation without the line's sign and the one with it.

    >>> size_of(Money(-600, "EUR"), Money(-1000, "EUR")), size_of(Money(50, "EUR"), Money(-1000, "EUR"))
    (Money(minor=600, currency='EUR'), Money(minor=-50, currency='EUR'))
    """
    return -part if line.minor < 0 else part


def split_legs(line: Money, splits: Sequence[Split]) -> tuple[Leg, ...]:
    """Return the counter legs of a split line: the opposite of each part, not yet mirrored.

    A part may go against the line's sign. Raises NumberOfSplitsError or SplitsDoNotAddUpError.

    >>> [leg.amount_minor for leg in split_legs(Money(10000, "EUR"), [Split(1, 10500), Split(2, -500)])]
    [-10500, 500]
    >>> split_legs(Money(-1000, "EUR"), [Split(1, -600), Split(2, -300)])
    Traceback (most recent call last):
    webapp.ledger.journal.splits.SplitsDoNotAddUpError: The splits add up to −9.00 EUR of −10.00 EUR; −1.00 EUR is left.
    >>> split_legs(Money(-10, "JPY"), [Split(1, -6), Split(2, -5)])
    Traceback (most recent call last):
    webapp.ledger.journal.splits.SplitsDoNotAddUpError: The splits add up to −11 JPY of −10 JPY, 1 JPY too much.
    """
    if not MIN_SPLITS <= len(splits) <= MAX_SPLITS:
        raise NumberOfSplitsError
    check_splits(line, sum(split.amount_minor for split in splits))
    return legs_of_splits(splits, line.currency)


def check_splits(line: Money, sum_minor: int) -> None:
    """Refuse parts that do not add up to their line."""
    parts = Money(sum_minor, line.currency)
    rest = line - parts
    if rest:
        difference = (
            f"; {rest.formatted} is left"
            if (rest.minor < 0) == (line.minor < 0)
            else f", {abs(rest).formatted} too much"
        )
        raise SplitsDoNotAddUpError(
            f"The splits add up to {parts.formatted} of {line.formatted}{difference}.",
            details={"rest": str(rest), "currency": line.currency},
        )


def legs_of_splits(splits: Sequence[Split], currency: str) -> tuple[Leg, ...]:
    """Return the counter legs of parts, whatever they add up to."""
    return tuple(
        Leg(
            split.account_id,
            -split.amount_minor,
            currency,
            merchant_id=split.merchant_id,
            project_id=split.project_id,
        )
        for split in splits
    )
