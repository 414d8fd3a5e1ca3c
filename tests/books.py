"""Books as text: a small plain-text journal that an accountant can read, and the way back.

    account Rent EXPENSE
    account Main account ASSET EUR
    price 2026-01-01 USD 1.0825

    2026-01-05 Rent for January
        Rent            500.00 EUR
        Main account   -500.00 EUR

    2026-01-06 ! A draft, whose last leg is what the others leave
        Rent             20.00 EUR
        Main account

An account's name ends where two spaces begin. Debits are positive. A price is units of the currency for one of base.
"""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

ACCOUNT = re.compile(r"account (?P<name>.+?) (?P<type>[A-Z]{5,})(?: (?P<currency>[A-Z]{3}))?")
PRICE = re.compile(r"price (?P<day>\S+) (?P<currency>[A-Z]{3}) (?P<units>[\d.]+)")
HEADING = re.compile(r"(?P<day>\d{4}-\d\d-\d\d) (?P<draft>! )?(?P<description>.*)")
LEG = re.compile(r"\s+(?P<account>\S+(?: \S+)*)(?: {2,}(?P<amount>-?[\d.]+) (?P<currency>[A-Z]{3}))?")


@dataclass(frozen=True)
class Account:
    """An account that a journal opens."""

    name: str
    type: str
    currency: str | None


@dataclass(frozen=True)
class Price:
    """A rate as the European Central Bank quotes it."""

    day: date
    currency: str
    units_per_base: Decimal


@dataclass(frozen=True)
class Leg:
    """One posting: an account's name, and a signed amount."""

    account: str
    amount: Decimal
    currency: str


@dataclass(frozen=True)
class Entry:
    """A dated entry; a draft is marked with an exclamation mark."""

    day: date
    description: str
    is_draft: bool
    legs: tuple[Leg, ...]


def read(journal: str) -> list[Account | Price | Entry]:
    r"""Read a journal, in the order it is written.

    >>> read("2026-01-05 Rent\n  Rent  500.00 EUR\n  Bank")[0].legs[1]
    Leg(account='Bank', amount=Decimal('-500.00'), currency='EUR')
    """
    read_so_far = []
    for block in re.split(r"\n(?=\S)", textwrap.dedent(journal).strip("\n")):
        heading, *legs = [line for line in block.splitlines() if line.strip()]
        if match := ACCOUNT.fullmatch(heading):
            read_so_far.append(Account(**match.groupdict()))
        elif match := PRICE.fullmatch(heading):
            day, currency, units = match.groups()
            read_so_far.append(Price(date.fromisoformat(day), currency, Decimal(units)))
        elif match := HEADING.fullmatch(heading):
            day = date.fromisoformat(match["day"])
            read_so_far.append(Entry(day, match["description"], bool(match["draft"]), _legs(legs)))
        else:
            raise ValueError(f"This is no account, price or entry: {heading!r}")
    return read_so_far


def _legs(lines: list[str]) -> tuple[Leg, ...]:
    legs, open_ended = [], []
    for line in lines:
        match = LEG.fullmatch(line.rstrip())
        if match is None:
            raise ValueError(f"This is no posting: {line!r}")
        if match["amount"] is None:
            open_ended.append(match["account"])
        else:
            legs.append(Leg(match["account"], Decimal(match["amount"]), match["currency"]))
    if open_ended:
        (account,), (currency,) = open_ended, {leg.currency for leg in legs}
        legs.append(Leg(account, -sum(leg.amount for leg in legs), currency))
    return tuple(legs)


def lines(text: str) -> list[str]:
    """Give what a text says, line by line, however it is spaced."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def write_leg(account: str, amount: object, currency: str) -> str:
    """Write a posting or a balance as `lines` reads it."""
    return f"{account} {amount} {currency}"


def write_entry(day: date, status: str, description: str, legs: Iterable[str]) -> list[str]:
    """Write an entry with its status in place of the mark."""
    return [f"{day} {status} {description}".rstrip(), *legs]
