"""The chart of accounts that every organization starts with."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, count
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


# Where a line waits for its account, and where what an entry's mirrors leave over goes.
UNCATEGORISED: Final = (Role.UNCATEGORISED_INCOME, Role.UNCATEGORISED_EXPENSES)
RESTS: Final = (Role.ROUNDING, Role.REALISED_EXCHANGE)
# What stands here longest is what somebody forgot: the hub counts the open items of these.
WATCHED: Final = frozenset({*UNCATEGORISED, Role.TRANSFERS, Role.ROUNDING})


@dataclass(frozen=True, slots=True)
class ChartAccount:
    """An account of the default chart; an account with a role can be renamed but not removed.

    `is_money`: it holds money, or claims and debts in money, so it is revalued. With `keeps_items` it has an item
    for each thing owed. `is_in_base`: what is owed there is owed in the base currency, as taxes are.
    """

    code: str
    name: str
    type: AccountType
    emoji: str
    role: Role | None = None
    is_money: bool = False
    keeps_items: bool = False
    is_in_base: bool = False

    @property
    def is_watched(self) -> bool:
        """Return whether the hub counts this account's open items."""
        return self.role in WATCHED


_ASSET, _LIABILITY, _EQUITY = AccountType.ASSET, AccountType.LIABILITY, AccountType.EQUITY
_INCOME, _EXPENSE = AccountType.INCOME, AccountType.EXPENSE

# 1 assets, 2 liabilities, 3 equity, 4 income, 5 direct costs, 6 running costs, 7 finance, 9 undecided.
# Feed-backed accounts are made with their feed and take free codes from 1000 and 2000 on.
DEFAULT_CHART: Final[tuple[ChartAccount, ...]] = (
    ChartAccount("1100", "Petty cash", _ASSET, "🪙", is_money=True),
    ChartAccount("1200", "Trade receivables", _ASSET, "📨", is_money=True, keeps_items=True),
    ChartAccount("1300", "VAT receivable", _ASSET, "🏛️", is_in_base=True),
    ChartAccount("1400", "Prepaid expenses", _ASSET, "⏳"),
    ChartAccount("1500", "Equipment", _ASSET, "🖥️"),
    ChartAccount("1510", "Accumulated depreciation", _ASSET, "📉"),
    ChartAccount("1900", "Transfers between own accounts", _ASSET, "🔁", Role.TRANSFERS),
    ChartAccount("2100", "Trade payables", _LIABILITY, "📬", is_money=True, keeps_items=True),
    ChartAccount("2200", "VAT payable", _LIABILITY, "🏛️", is_in_base=True),
    ChartAccount("2300", "Payroll taxes payable", _LIABILITY, "🧾", is_in_base=True),
    ChartAccount("2400", "Income tax payable", _LIABILITY, "🧾", is_in_base=True),
    ChartAccount("2500", "Loans", _LIABILITY, "🏦", is_money=True),
    ChartAccount("2600", "Accrued expenses", _LIABILITY, "⏳", is_money=True),
    ChartAccount("2700", "Deferred income", _LIABILITY, "⏳"),
    ChartAccount("3000", "Opening balances", _EQUITY, "🌱", Role.OPENING_BALANCES),
    ChartAccount("3100", "Owner's contributions", _EQUITY, "🤝"),
    ChartAccount("3200", "Owner's drawings", _EQUITY, "👛"),
    ChartAccount("3300", "Retained earnings", _EQUITY, "📚", Role.RETAINED_EARNINGS),
    ChartAccount("4000", "Sales of services", _INCOME, "💼"),
    ChartAccount("4100", "Sales of goods", _INCOME, "📦"),
    ChartAccount("4800", "Interest received", _INCOME, "🏦"),
    ChartAccount("4900", "Other income", _INCOME, "✨"),
    ChartAccount("5000", "Materials and goods", _EXPENSE, "🧱"),
    ChartAccount("5100", "Subcontractors", _EXPENSE, "👷"),
    ChartAccount("6000", "Salaries", _EXPENSE, "👥"),
    ChartAccount("6050", "Social security", _EXPENSE, "🛟"),
    ChartAccount("6100", "Rent", _EXPENSE, "🏢"),
    ChartAccount("6150", "Energy and water", _EXPENSE, "💡"),
    ChartAccount("6200", "Software", _EXPENSE, "💻"),
    ChartAccount("6250", "Hosting", _EXPENSE, "☁️"),
    ChartAccount("6300", "Phone, internet", _EXPENSE, "📞"),
    ChartAccount("6350", "Office supplies", _EXPENSE, "🖇️"),
    ChartAccount("6400", "Books, research", _EXPENSE, "📖"),
    ChartAccount("6450", "Advertising", _EXPENSE, "📣"),
    ChartAccount("6500", "Travel", _EXPENSE, "🚆"),
    ChartAccount("6550", "Entertainment", _EXPENSE, "🍽️"),
    ChartAccount("6600", "Insurance", _EXPENSE, "☂️"),
    ChartAccount("6650", "Legal and accounting", _EXPENSE, "⚖️"),
    ChartAccount("6700", "Postage and freight", _EXPENSE, "📮"),
    ChartAccount("6750", "Training", _EXPENSE, "🎓"),
    ChartAccount("6800", "Depreciation", _EXPENSE, "📉"),
    ChartAccount("6900", "Taxes and duties", _EXPENSE, "🏛️"),
    ChartAccount("7000", "Bank charges", _EXPENSE, "🏧", Role.BANK_CHARGES),
    ChartAccount("7100", "Interest paid", _EXPENSE, "📉"),
    ChartAccount("7800", "Realised exchange differences", _EXPENSE, "💱", Role.REALISED_EXCHANGE),
    ChartAccount("7810", "Unrealised exchange differences", _EXPENSE, "💱", Role.UNREALISED_EXCHANGE),
    ChartAccount("7900", "Rounding", _EXPENSE, "🪙", Role.ROUNDING),
    ChartAccount("9100", "Uncategorised income", _INCOME, "❓", Role.UNCATEGORISED_INCOME),
    ChartAccount("9200", "Uncategorised expenses", _EXPENSE, "❓", Role.UNCATEGORISED_EXPENSES),
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


# The thousand in which an account that is opened without a code gets one; 5 and 7 are for accounts that choose it.
_FIRST_DIGIT: Final[dict[str, str]] = {
    _ASSET: "1",
    _LIABILITY: "2",
    _EQUITY: "3",
    _INCOME: "4",
    _EXPENSE: "6",
}
_STEP: Final = 10


def next_code(type_: str, taken: Collection[str]) -> str:
    """Return the code of a new account: the next ten after the last of its type, else the first free code.

    A full thousand continues with five digits, which sort in the same place.

    >>> next_code("EXPENSE", {"6000", "6900", "7900"}), next_code("EXPENSE", {"6995"}), next_code("EQUITY", ())
    ('6910', '6000', '3010')
    >>> next_code("ASSET", {str(number) for number in range(1000, 2000)})
    '10000'
    """
    digit = _FIRST_DIGIT[type_]
    last = max(
        (code for code in taken if code.isdecimal() and (code[0], len(code)) == (digit, 4)),
        default=f"{digit}000",
    )
    tens = range(int(last) // _STEP * _STEP + _STEP, (int(digit) + 1) * 1000, _STEP)
    others = (int(digit) * 10**zeros + number for zeros in count(3) for number in range(10**zeros))
    return next(str(code) for code in chain(tens, others) if str(code) not in taken)


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
