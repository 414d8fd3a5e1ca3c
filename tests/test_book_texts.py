"""The reader of books as text."""

from datetime import date
from decimal import Decimal

import pytest

from tests.fixtures.helpers.book_texts import Account, Entry, Leg, Price, lines, read

JOURNAL = """
    account Rent EXPENSE
    account Main account ASSET EUR
    price 2026-01-01 USD 1.0825

    2026-01-05 Rent for January
        Rent            500.00 EUR
        Main account   -500.00 EUR

    2026-01-06 ! A draft
        Rent             20.00 EUR
        Main account
"""


def test_a_journal_reads_as_accounts_prices_and_entries():
    assert read(JOURNAL) == [
        Account("Rent", "EXPENSE", None),
        Account("Main account", "ASSET", "EUR"),
        Price(date(2026, 1, 1), "USD", Decimal("1.0825")),
        Entry(
            date(2026, 1, 5),
            "Rent for January",
            is_draft=False,
            legs=(Leg("Rent", Decimal(500), "EUR"), Leg("Main account", Decimal(-500), "EUR")),
        ),
        Entry(
            date(2026, 1, 6),
            "A draft",
            is_draft=True,
            legs=(Leg("Rent", Decimal(20), "EUR"), Leg("Main account", Decimal(-20), "EUR")),
        ),
    ]


@pytest.mark.parametrize("journal", ["2026-1-5 Rent", "2026-01-05 Rent\n    Rent  5,00 EUR\n    Bank"])
def test_what_is_no_journal_is_refused(journal):
    with pytest.raises(ValueError, match="This is no"):
        read(journal)


def test_spacing_says_nothing():
    assert lines("Rent     500.00 EUR\n\n   Bank -500.00 EUR") == ["Rent 500.00 EUR", "Bank -500.00 EUR"]
