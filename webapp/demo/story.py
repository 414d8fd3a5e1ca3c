"""Fourteen months of the studio's accounts up to a day: the same seed and day always give the same story."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Final

from webapp.demo import studio
from webapp.demo.countries import GERMANY, StudioCountry
from webapp.demo.lines import BankAccount, Booking, DemoLine
from webapp.demo.studio import Recurrence

MONTHS: Final = 14
FRIDAY, SATURDAY = 4, 5
# What the bank keeps of an exchange, in thousandths.
EXCHANGE_MARGIN: Final = 6


@dataclass(frozen=True, slots=True)
class Month:
    """A calendar month up to the story's day."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Story:
    """All that the demo is made of.

    The statements of the current account and the card run to the day, the others to the last month's end.
    """

    day: date
    country: StudioCountry
    months: tuple[Month, ...]
    current: BankAccount
    card: BankAccount
    dollars: BankAccount
    savings: BankAccount
    rates: tuple[tuple[date, Decimal], ...]

    @property
    def accounts(self) -> tuple[BankAccount, BankAccount, BankAccount, BankAccount]:
        """All four accounts."""
        return self.current, self.card, self.dollars, self.savings

    def with_tax_paid(self, after: date, amount_minor: int) -> "Story":
        """Give the story in which the next payment of VAT after a day has an amount; one of 0 is never made."""
        place = next(
            (
                place
                for place, line in enumerate(self.current.lines)
                if line.day > after and line.booking.code == studio.TAXES
            ),
            None,
        )
        if place is None:
            return self
        lines = list(self.current.lines)
        paid = replace(lines[place], amount_minor=-amount_minor)
        lines[place : place + 1] = [paid] if amount_minor else []
        return replace(self, current=replace(self.current, lines=tuple(lines)))


def make_story(seed: int, day: date, country: StudioCountry = GERMANY) -> Story:
    """Make the story of the fourteen months that end on a day."""
    months = _months(day)
    rates = _rates(random.Random(f"{seed} rates"), months, country.dollars)  # noqa: S311  (a story needs chance, not secrecy)
    purchases = _lines(f"{seed} card", months, studio.CARD)
    settled = list(_settlements(months, purchases))
    exchanged = list(_exchanges(months, dict(rates)))
    before = months[-1].first - timedelta(days=1)
    dollars = _lines(f"{seed} dollars", months, studio.DOLLARS) + [line for line, _ in exchanged]
    current = _lines(f"{seed} current", months, studio.CURRENT)
    current += [line for _, line in exchanged] + [line for line, _ in settled]
    card = purchases + [line for _, line in settled]
    pending = _pending(random.Random(f"{seed} pending"), day)  # noqa: S311
    savings = _kept(_lines(f"{seed} savings", months, studio.SAVINGS), "S", before)
    own = country.currency
    accounts = (
        BankAccount(
            "Current account", "", own, "BANK", "Hansa Kontor Bank", 1824000, _kept(current, "C", day)
        ),
        BankAccount("Company card", "", own, "CARD", "Nordcard", -61240, (*_kept(card, "K", day), *pending)),
        BankAccount(
            "USD account", "", "USD", "BANK", "Atlantic Business Bank", 412500, _kept(dollars, "D", before)
        ),
        BankAccount("Savings account", "", own, "BANK", "Hansa Kontor Bank", 1200000, savings),
    )
    local = [
        _in_country(each, country, number) for each, number in zip(accounts, country.numbers, strict=True)
    ]
    return Story(day, country, months, local[0], local[1], local[2], local[3], rates)


def _in_country(account: BankAccount, country: StudioCountry, number: str) -> BankAccount:
    """Give an account the number, the bank and the texts of a country."""
    lines = tuple(
        replace(line, party=country.wording(line.party), memo=country.wording(line.memo))
        for line in account.lines
    )
    return replace(account, number=number, bank=country.wording(account.bank), lines=lines)


def _months(day: date) -> tuple[Month, ...]:
    firsts = [day.replace(day=1)]
    while len(firsts) < MONTHS:
        firsts.append((firsts[-1] - timedelta(days=1)).replace(day=1))
    firsts.reverse()
    lasts = [first - timedelta(days=1) for first in firsts[1:]]
    return tuple(Month(first, last) for first, last in zip(firsts, [*lasts, day], strict=True))


def _lines(seed: str, months: Iterable[Month], recurrences: Iterable[Recurrence]) -> list[DemoLine]:
    """Make the recurring lines month by month, each with its own random numbers, so that no later day changes them."""
    lines = []
    for month in months:
        chance = random.Random(f"{seed} {month.first}")  # noqa: S311
        for recurrence in recurrences:
            for number in recurrence.days:
                # The dice fall for every day, or one recurrence's absence would change all that follow.
                happens, amount = (
                    chance.randrange(100),
                    chance.randint(recurrence.least_minor, recurrence.most_minor),
                )
                invoice = f"{month.first:%y%m}-{chance.randrange(10, 99)}"
                if happens < recurrence.percent and (month.first.month - 1) % recurrence.every == 0:
                    lines.append(_line(recurrence, _workday(month.first, number), amount, invoice))
    return lines


def _line(recurrence: Recurrence, day: date, amount_minor: int, number: str) -> DemoLine:
    quarter = f"Q{(day.month - 1) // 3 + 1} {day.year}"
    memo = recurrence.memo.format(month=f"{day:%B %Y}", quarter=quarter, number=number)
    return DemoLine(
        "", day, amount_minor, recurrence.party, memo, Booking(recurrence.code, recurrence.project)
    )


def _workday(first: date, number: int) -> date:
    """Give the n-th day of a month, or the working day before the weekend that it falls on."""
    following = (first + timedelta(days=32)).replace(day=1)
    day = min(first + timedelta(days=number - 1), following - timedelta(days=1))
    while day.weekday() >= SATURDAY and day > first:
        day -= timedelta(days=1)
    return day


def _settlements(
    months: tuple[Month, ...], purchases: Iterable[DemoLine]
) -> Iterator[tuple[DemoLine, DemoLine]]:
    """Pay what the card was charged in a month, on the fifth of the next: a line on each account."""
    spent: dict[date, int] = {}
    for line in purchases:
        spent[line.day.replace(day=1)] = spent.get(line.day.replace(day=1), 0) - line.amount_minor
    for before, month in pairwise(months):
        day, due = _workday(month.first, 5), spent.get(before.first, 0)
        memo = f"Card settlement {before.first:%B %Y}"
        yield (
            DemoLine("", day, -due, "Nordcard", memo, Booking(studio.TRANSFERS)),
            DemoLine("", day, due, "Northlight Studio", memo, Booking(studio.TRANSFERS)),
        )


def _exchanges(months: Iterable[Month], rates: dict[date, Decimal]) -> Iterator[tuple[DemoLine, DemoLine]]:
    """Bring dollars home once a quarter: a line on each account, at the last rate less the bank's margin."""
    sold = 600000
    for month in months:
        if month.first.month % 3:
            continue
        day = _workday(month.first, 24)
        rate = rates[max(quoted for quoted in rates if quoted <= day)]
        bought = int(sold / rate * (1000 - EXCHANGE_MARGIN) / 1000)
        memo = f"Exchange USD 6,000.00 at {rate}"
        yield (
            DemoLine("", day, -sold, "Hansa Kontor Bank", memo, Booking(studio.TRANSFERS)),
            DemoLine("", day, bought, "Atlantic Business Bank", memo, Booking(studio.TRANSFERS)),
        )


def _pending(chance: random.Random, day: date) -> tuple[DemoLine, ...]:
    lines = [
        _line(
            recurrence,
            day - timedelta(days=ago),
            chance.randint(recurrence.least_minor, recurrence.most_minor),
            "",
        )
        for ago, recurrence in enumerate(studio.PENDING)
    ]
    return tuple(
        DemoLine(
            f"P{line.day:%y%m%d}{ago}",
            line.day,
            line.amount_minor,
            line.party,
            line.memo,
            line.booking,
            is_pending=True,
        )
        for ago, line in enumerate(lines)
    )


def _rates(
    chance: random.Random, months: tuple[Month, ...], rate: Decimal
) -> tuple[tuple[date, Decimal], ...]:
    """Quote the dollar every Friday, from the one before the first month on, wandering by less than a percent."""
    day, rates = months[0].first - timedelta(days=7), []
    while day <= months[-1].last:
        if day.weekday() == FRIDAY:
            rates.append((day, rate))
            rate += Decimal(chance.randint(-85, 90)) / 10000
        day += timedelta(days=1)
    return tuple(rates)


def _kept(lines: Iterable[DemoLine], letter: str, last: date) -> tuple[DemoLine, ...]:
    """Order the lines up to a day, and give each the reference that its bank knows it by."""
    ordered = sorted((line for line in lines if line.day <= last), key=lambda line: line.day)
    counted: dict[date, int] = {}
    kept = []
    for line in ordered:
        counted[line.day] = counted.get(line.day, 0) + 1
        reference = f"{letter}{line.day:%y%m%d}{counted[line.day]:02}"
        kept.append(DemoLine(reference, line.day, line.amount_minor, line.party, line.memo, line.booking))
    return tuple(kept)
