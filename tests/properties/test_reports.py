"""Over random books of years, every figure of every report is what its entries say, and the reports agree."""

from datetime import date, timedelta
from random import Random

import pytest

from tests.fixtures.helpers.replays import Replay
from tests.fixtures.oracles.report_oracles import ReportOracle, calendar_years, report_differences

FIRST, LAST = date(2022, 6, 1), date(2026, 5, 31)
ENTRIES = 90
CHART = """
account Bank ASSET
account Card LIABILITY
account Capital EQUITY
account Fees INCOME
account Paper EXPENSE
account Gifts INCOME
account Groceries EXPENSE
"""
NAMES = ("Bank", "Card", "Capital", "Retained earnings", "Fees", "Paper", "Gifts", "Groceries")
PERSONAL = ("Gifts", "Groceries")
# The years that a first month of May makes once 2023 is locked: 2024 ends with April.
LOCKED, MONTH = "2023-12-31", 5
MAY_YEARS = [
    *(day for day in calendar_years() if day <= "2024-01-01"),
    *(f"{year}-05-01" for year in range(2024, 2040)),
]


@pytest.fixture
def chance():
    return Random(14)  # noqa: S311  (the same ones every time)


@pytest.fixture
def kept(ada, books, chance):
    """Four years of entries on accounts of all kinds, two of them personal; some stand on the edge of a year."""
    books.post(CHART + "".join(_entry(chance) for _ in range(ENTRIES)))
    for name in PERSONAL:
        account = books.account_id(name)
        assert ada.patch(f"/api/accounts/{account}", json={"inScope": False}).status_code == 200


def _entry(chance):
    debit, credit = chance.sample(NAMES, 2)
    amount = f"{chance.randint(1, 900_00) / 100:.2f}"
    return f"\n{_day(chance)} An entry\n    {debit}  {amount} EUR\n    {credit}\n"


def _day(chance):
    day = FIRST + timedelta(days=chance.randrange((LAST - FIRST).days))
    edges = [f"{day.year}-01-01", f"{day.year}-12-31", f"{day.year}-05-01", f"{day.year}-04-30"]
    return chance.choice(edges) if chance.random() < 0.4 else str(day)


def _differences(person, chance, oracle, ranges):
    for _ in range(ranges):
        first, last = sorted((_day(chance), _day(chance)))
        yield from report_differences(person, oracle, first, last)


def test_reports_agree_with_their_entries_and_with_each_other(ada, kept, chance, rounds):
    ranges = rounds(6, 300)
    replay = Replay.of(ada)
    assert list(_differences(ada, chance, ReportOracle.of(ada, replay), ranges)) == []
    ada.put("/api/lock-date", json={"lockDate": LOCKED})
    assert ada.put("/api/financial-year", json={"firstMonth": MONTH}).status_code == 200
    assert list(_differences(ada, chance, ReportOracle.of(ada, replay, MAY_YEARS), ranges)) == []
