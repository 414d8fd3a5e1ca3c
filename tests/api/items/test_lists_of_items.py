"""The list of open items: of several accounts as one, page by page, as they are now and as of a day."""

import pytest

from tests.fixtures.helpers.owed import items, owe

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def owed(ben, bank, books):
    """Five items, by turns of customers and of suppliers; the amounts from the newest."""
    acme = bank.merchant("Acme")
    for number in range(1, 6):
        is_ours = number % 2
        account = "Trade receivables" if is_ours else "Trade payables"
        owe(ben, books, f"{number}.00" if is_ours else f"-{number}.00", acme, account=account)
    return ["5.00", "-4.00", "3.00", "-2.00", "1.00"]


@pytest.mark.parametrize("asked", [{}, {"openOn": "2026-03-31"}])
def test_items_of_all_accounts_come_newest_first_on_every_page(ben, owed, asked):
    found, cursor = [], None
    while True:
        query = {"limit": 2, "count": "true", **asked, **({"cursor": cursor} if cursor else {})}
        page = ben.get("/api/items", query_string=query).json
        assert page["total"] == len(owed)
        found += [each["amount"] for each in page["items"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert found == owed


@pytest.mark.parametrize("asked", [{}, {"openOn": "2026-03-31"}])
def test_a_side_is_of_its_accounts_only(ben, books, owed, asked):
    payables = books.account_id("Trade payables")
    assert [each["amount"] for each in items(ben, side="PAYABLES", **asked)] == [owed[1], owed[3]]
    assert [each["amount"] for each in items(ben, accountId=payables, **asked)] == [owed[1], owed[3]]
    assert items(ben, accountId=payables, side="RECEIVABLES", **asked) == []
