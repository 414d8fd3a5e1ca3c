"""The age of open items: not due, or overdue by up to 30, 60, 90 or more days, by party and currency."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from webapp.ledger.chart import AccountType
from webapp.ledger.texts.words import Words


class OwedSide(StrEnum):
    """The debtor: customers owe us, or we owe suppliers."""

    RECEIVABLES = "RECEIVABLES"
    PAYABLES = "PAYABLES"


# What the accounts of each side are.
ACCOUNT_TYPES: Final[Mapping[OwedSide, AccountType]] = {
    OwedSide.RECEIVABLES: AccountType.ASSET,
    OwedSide.PAYABLES: AccountType.LIABILITY,
}
SIDES: Final[Mapping[str, OwedSide]] = {type_: side for side, type_ in ACCOUNT_TYPES.items()}


class Age(StrEnum):
    """The days since an item was due, the youngest first."""

    NOT_DUE = "NOT_DUE"
    UP_TO_30 = "UP_TO_30"
    UP_TO_60 = "UP_TO_60"
    UP_TO_90 = "UP_TO_90"
    OVER_90 = "OVER_90"


# What people call the ages, at the head of a column and in a list.
AGE_WORDS: Final[Mapping[str, str]] = {
    Age.NOT_DUE: Words("Not due"),
    Age.UP_TO_30: Words("1 to 30 days"),
    Age.UP_TO_60: Words("31 to 60 days"),
    Age.UP_TO_90: Words("61 to 90 days"),
    Age.OVER_90: Words("Over 90 days"),
}
# The most days overdue of each age but the last.
_MOST_DAYS: Final = ((0, Age.NOT_DUE), (30, Age.UP_TO_30), (60, Age.UP_TO_60), (90, Age.UP_TO_90))


class Owed(NamedTuple):
    """The open rest of an item on a day: signed minor units, debit above zero, and its carrying base."""

    party_id: int | None
    currency: str
    due_on: date | None
    amount_minor: int
    amount_base_minor: int


@dataclass(frozen=True, slots=True)
class AgedAmounts:
    """The balance of one party in one currency by age, in minor units of that currency and of the base."""

    party_id: int | None
    currency: str
    amounts: Mapping[Age, int]
    amounts_base: Mapping[Age, int]

    @property
    def total(self) -> int:
        """All ages together."""
        return sum(self.amounts.values())

    @property
    def total_base(self) -> int:
        """All ages together at their carrying base."""
        return sum(self.amounts_base.values())


def age_of(due_on: date | None, day: date) -> Age:
    """Return the age of an item on a day; without a due day, like an opening balance, it is not due.

    >>> age_of(date(2026, 3, 1), date(2026, 3, 1)).value, age_of(date(2026, 3, 1), date(2026, 3, 2)).value
    ('NOT_DUE', 'UP_TO_30')
    >>> age_of(date(2026, 3, 1), date(2026, 3, 31)).value, age_of(date(2026, 3, 1), date(2026, 4, 1)).value
    ('UP_TO_30', 'UP_TO_60')
    >>> age_of(date(2026, 3, 1), date(2026, 5, 30)).value, age_of(date(2026, 3, 1), date(2026, 5, 31)).value
    ('UP_TO_90', 'OVER_90')
    >>> age_of(None, date(2026, 3, 1)).value
    'NOT_DUE'
    """
    days = 0 if due_on is None else (day - due_on).days
    return next((age for most, age in _MOST_DAYS if days <= most), Age.OVER_90)


def first_due_days(day: date) -> list[date]:
    """Give the first due day of each age but the last, the youngest age first.

    >>> [str(each) for each in first_due_days(date(2026, 5, 30))]
    ['2026-05-30', '2026-04-30', '2026-03-31', '2026-03-01']
    """
    return [day - timedelta(days=most) for most, _ in _MOST_DAYS]


def aged(items: Iterable[Owed], day: date) -> list[AgedAmounts]:
    """Add up items by party, currency and age on a day, with ages of zero.

    >>> (one,) = aged([Owed(7, "EUR", date(2026, 3, 1), 500, 500), Owed(7, "EUR", date(2026, 5, 1), -20, -20)],
    ...               date(2026, 4, 1))
    >>> list(one.amounts.values()), one.total
    ([-20, 0, 500, 0, 0], 480)
    """
    groups: dict[tuple[int | None, str], list[Owed]] = defaultdict(list)
    for each in items:
        groups[each.party_id, each.currency].append(each)
    return [_added(*key, group, day) for key, group in groups.items()]


def _added(party_id: int | None, currency: str, items: Sequence[Owed], day: date) -> AgedAmounts:
    amounts, amounts_base = dict.fromkeys(Age, 0), dict.fromkeys(Age, 0)
    for each in items:
        age = age_of(each.due_on, day)
        amounts[age] += each.amount_minor
        amounts_base[age] += each.amount_base_minor
    return AgedAmounts(party_id, currency, amounts, amounts_base)
