"""The charts of accounts that an organization can start with, from the tables in charts/."""

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Final


class AccountType(StrEnum):
    """The five kinds of ledger account."""

    ASSET = "ASSET"
    LIABILITY = "LIABILITY"
    EQUITY = "EQUITY"
    INCOME = "INCOME"
    EXPENSE = "EXPENSE"


class Role(StrEnum):
    """The books' own use of an account; an organization has one account per role."""

    UNCATEGORISED_INCOME = "uncategorised_income"
    UNCATEGORISED_EXPENSES = "uncategorised_expenses"
    TRANSFERS = "transfers"
    OPENING_BALANCES = "opening_balances"
    RETAINED_EARNINGS = "retained_earnings"
    ROUNDING = "rounding"
    REALISED_EXCHANGE = "realised_exchange"
    UNREALISED_EXCHANGE = "unrealised_exchange"
    BANK_CHARGES = "bank_charges"


class Use(StrEnum):
    """What invoices and bills book to an account of a chart, unless somebody names another one."""

    RECEIVABLES = "receivables"
    PAYABLES = "payables"
    VAT_RECEIVABLE = "vat_receivable"
    VAT_PAYABLE = "vat_payable"
    INCOME_TAX = "income_tax"


# Where a line waits for its account, and where what an entry's mirrors leave over goes.
UNCATEGORISED: Final = (Role.UNCATEGORISED_INCOME, Role.UNCATEGORISED_EXPENSES)
RESTS: Final = (Role.ROUNDING, Role.REALISED_EXCHANGE)
# What stands here longest is what somebody forgot: the hub counts the open items of these.
WATCHED: Final = frozenset({*UNCATEGORISED, Role.TRANSFERS, Role.ROUNDING})


@dataclass(frozen=True, slots=True)
class ChartAccount:
    """An account of a chart, in the `group` of a subtotal; an account with a role can be renamed but not removed.

    `is_money`: it holds money, or claims and debts in money, so it is revalued. With `keeps_items` it has an item
    for each thing owed. `is_in_base`: what is owed there is owed in the base currency, as taxes are.
    """

    code: str
    name: str
    type: AccountType
    emoji: str
    group: str
    role: Role | None = None
    use: Use | None = None
    is_money: bool = False
    keeps_items: bool = False
    is_in_base: bool = False

    @property
    def is_watched(self) -> bool:
        """Return whether the hub counts this account's open items."""
        return self.role in WATCHED


# The accounts that a subtotal adds, by their type.
GROUPS: Final[Mapping[AccountType, frozenset[str]]] = {
    AccountType.ASSET: frozenset({"FIXED_ASSETS", "CURRENT_ASSETS", "DEBTORS", "BANK"}),
    AccountType.LIABILITY: frozenset({"CURRENT_LIABILITIES", "CREDITORS", "LOANS", "LONG_TERM_LIABILITIES"}),
    AccountType.EQUITY: frozenset({"EQUITY"}),
    AccountType.INCOME: frozenset({"SALES", "OTHER_INCOME", "FINANCE", "EXCHANGE", "UNCATEGORISED"}),
    AccountType.EXPENSE: frozenset(
        {"COST_OF_SALES", "OVERHEADS", "DEPRECIATION", "FINANCE", "EXCHANGE", "UNCATEGORISED", "INCOME_TAX"}
    ),
}
# Accounts of banks, and cash: what flows of cash are about.
BANK: Final = "BANK"
# The group of an account that nothing else tells one of.
OTHERS: Final[Mapping[AccountType, str]] = {
    AccountType.ASSET: "CURRENT_ASSETS",
    AccountType.LIABILITY: "CURRENT_LIABILITIES",
    AccountType.EQUITY: "EQUITY",
    AccountType.INCOME: "OTHER_INCOME",
    AccountType.EXPENSE: "OVERHEADS",
}
ALL_GROUPS: Final = tuple(dict.fromkeys(each for groups in GROUPS.values() for each in sorted(groups)))
# The charts to start with. Accounts of banks are made with their lines and take free codes.
DEFAULT: Final = "generic"
CHARTS: Final[Mapping[str, str]] = {
    DEFAULT: "General",
    "uk": "United Kingdom",
    "de_skr03": "Germany, numbers of SKR03",
    "de_skr04": "Germany, numbers of SKR04",
    "nl": "Netherlands",
    "us": "United States",
}


@cache
def chart_of(name: str) -> tuple[ChartAccount, ...]:
    """Read a chart by its name in CHARTS."""
    with (Path(__file__).parent / "charts" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_account(row) for row in csv.DictReader(file))


@cache
def _preset_groups() -> dict[tuple[str, str], str]:
    """Read the groups of the accounts of the chart that most books have, by type and by role or code."""
    return {(each.type.value, each.role or each.code): each.group for each in chart_of(DEFAULT)}


def group_of(type_: str, role: str | None = None, code: str | None = None, own: str | None = None) -> str:
    """Return the group of an account: its own, else that of its type, role and code, else the other of its type.

    >>> group_of("EXPENSE", "unrealised_exchange"), group_of("EXPENSE", code="5000"), group_of("INCOME", code="5000")
    ('EXCHANGE', 'COST_OF_SALES', 'OTHER_INCOME')
    """
    kind = AccountType(type_)
    if own in GROUPS[kind]:
        return str(own)
    return _preset_groups().get((type_, role or code or ""), OTHERS[kind])


def _account(row: Mapping[str, str]) -> ChartAccount:
    marks = set(row["marks"].split())
    use = next((each for each in Use if each in marks), None)
    return ChartAccount(
        row["code"],
        row["name"],
        AccountType(row["type"]),
        row["emoji"],
        row["group"],
        Role(row["role"]) if row["role"] else None,
        use,
        is_money="money" in marks,
        keeps_items="items" in marks,
        is_in_base="base" in marks,
    )


REVALUED_TYPES: Final = frozenset({AccountType.ASSET, AccountType.LIABILITY})


def may_be_revalued(type_: str, role: str | None = None) -> bool:
    """Return whether an account can hold money or debts: an asset or a liability, and never the transfers.

    >>> may_be_revalued("LIABILITY"), may_be_revalued("EXPENSE"), may_be_revalued("ASSET", "transfers")
    (True, False, False)
    """
    return type_ in REVALUED_TYPES and role != Role.TRANSFERS


def is_revalued_by_default(type_: str, currency: str | None = None) -> bool:
    """Return whether a new account is revalued: debts are, and assets in one currency.

    An asset without a currency of its own may as well be a machine, which keeps the rate of its purchase.

    >>> [is_revalued_by_default(*each) for each in (("LIABILITY",), ("ASSET",), ("ASSET", "USD"), ("EXPENSE", "USD"))]
    [True, False, True, False]
    """
    return type_ == AccountType.LIABILITY or (type_ == AccountType.ASSET and currency is not None)


# The thousand in which the first account of a type gets its code; 5 and 7 are for accounts that choose it.
_FIRST_DIGIT: Final = {"ASSET": "1", "LIABILITY": "2", "EQUITY": "3", "INCOME": "4", "EXPENSE": "6"}
_STEP: Final = 10


def next_code(type_: str, taken: Mapping[str, str]) -> str:
    """Return the code of a new account: ten after the last one in the thousand that has most accounts of its type.

    `taken` has the types of the codes. A full thousand continues with five digits, which sort in the same place.

    >>> next_code("EXPENSE", dict.fromkeys(("6000", "6900", "7900"), "EXPENSE")), next_code("EQUITY", {})
    ('6910', '3010')
    >>> next_code("EXPENSE", {"6995": "EXPENSE"}), next_code("INCOME", {"8400": "INCOME", "4970": "EXPENSE"})
    ('6000', '8410')
    >>> next_code("ASSET", {str(number): "ASSET" for number in range(1000, 2000)})
    '10000'
    """
    codes = [code for code in taken if code.isdecimal() and len(code) == 4]  # noqa: PLR2004
    of_type = Counter(code[0] for code in codes if taken[code] == type_)
    digit = max(of_type, key=of_type.__getitem__, default=_FIRST_DIGIT[type_])
    last = max((code for code in codes if code[0] == digit), default=f"{digit}000")
    tens = range(int(last) // _STEP * _STEP + _STEP, (int(digit) + 1) * 1000, _STEP)
    others = (int(digit) * 10**zeros + number for zeros in count(3) for number in range(10**zeros))
    return next(
        code
        for code in (f"{each:04}" for each in chain(tens, others))
        if code.strip("0") and code not in taken
    )


def uncategorised(amount_minor: int) -> Role:
    """Return the account where a line waits: income for money in, expense for money out and for nothing.

    >>> uncategorised(100).value, uncategorised(-100).value, uncategorised(0).value
    ('uncategorised_income', 'uncategorised_expenses', 'uncategorised_expenses')
    """
    return Role.UNCATEGORISED_INCOME if amount_minor > 0 else Role.UNCATEGORISED_EXPENSES


def ancestors(account_id: int, parents: Mapping[int, int | None]) -> list[int]:
    """List the accounts that an account stands under, the nearest first; of a circle, each once.

    >>> ancestors(3, {3: 2, 2: 1, 1: None}), ancestors(1, {}), ancestors(1, {1: 2, 2: 1})
    ([2, 1], [], [2])
    """
    found: list[int] = []
    above = parents.get(account_id)
    while above is not None and above not in (account_id, *found):
        found.append(above)
        above = parents.get(above)
    return found
