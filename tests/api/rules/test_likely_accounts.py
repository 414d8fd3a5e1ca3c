"""The most likely account of a line that waits for one, with its reason."""

import pytest

from tests.fixtures.helpers.habits import decide, likely, send


@pytest.fixture
def food(bank):
    bank.open()
    return bank.account("Groceries")


def test_a_line_goes_where_the_lines_of_its_counterparty_went(ada, bank, food):
    ids = decide(ada, bank, food, *[f"REWE {number}" for number in range(10, 17)])
    decide(ada, bank, bank.account("Gifts"), "REWE 99")
    found = likely(ada, send(bank, "Rewe 4711"))
    assert found["reason"] == "7 of 8 payments to Rewe went to Groceries."
    assert (found["accountId"], found["accountName"], found["count"], found["total"]) == (
        food,
        "Groceries",
        7,
        8,
    )
    assert sorted(found["transactionIds"]) == ids


def test_of_two_accounts_with_as_many_lines_the_newest_wins(ada, bank, food):
    gifts = bank.account("Gifts")
    for day, account in (
        ("2026-03-01", food),
        ("2026-03-09", gifts),
        ("2026-03-05", food),
        ("2026-03-02", gifts),
    ):
        line = bank.send(day, "-5.00", "", counterparty="REWE")
        ada.patch(f"/api/transactions/{line}", json={"accountId": account})
        ada.post(f"/api/transactions/{line}/confirm", json={})
    assert likely(ada, send(bank, "REWE"))["reason"] == "2 of 4 payments to REWE went to Gifts."


def test_a_counterparty_that_is_new_is_known_by_its_first_words_or_its_iban(ada, bank, food):
    decide(ada, bank, food, "REWE Koeln")
    assert likely(ada, send(bank, "REWE Bonn"))["reason"] == "1 of 1 payment to REWE went to Groceries."
    iban = "DE02500501015871393"
    line = send(bank, "Muller", iban=iban)
    ada.patch(f"/api/transactions/{line}", json={"accountId": food})
    ada.post(f"/api/transactions/{line}/confirm", json={})
    assert (
        likely(ada, send(bank, "Mueller", iban=iban))["reason"]
        == f"1 of 1 payment to {iban} went to Groceries."
    )


def test_a_description_says_it_where_there_is_no_counterparty(ada, bank, food):
    line = send(bank, None, description="Kartenzahlung 12.03. Aldi Sued")
    ada.patch(f"/api/transactions/{line}", json={"accountId": food})
    ada.post(f"/api/transactions/{line}/confirm", json={})
    asked = send(bank, None, description="Kartenzahlung 29.03. Aldi Sued 88")
    assert likely(ada, asked)["reason"] == "1 of 1 payment with “Aldi Sued” went to Groceries."


def test_money_in_says_nothing_of_money_out(ada, bank, food):
    decide(ada, bank, food, "REWE", amount="5.00")
    assert likely(ada, send(bank, "REWE")) is None


def test_where_no_half_of_the_lines_agrees_nothing_is_said(ada, bank, food):
    for name in ("One", "Two", "Three"):
        decide(ada, bank, bank.account(name), "PayPal")
    assert likely(ada, send(bank, "PayPal")) is None


def test_a_merchant_that_all_lines_have_is_said_with_it(ada, bank, food):
    merchant = bank.merchant("Rewe")
    decide(ada, bank, food, "REWE", "REWE", orgMerchantId=merchant)
    assert likely(ada, send(bank, "REWE"))["orgMerchantId"] == merchant
    decide(ada, bank, food, "REWE")
    assert likely(ada, send(bank, "REWE"))["orgMerchantId"] is None


def test_a_line_with_an_account_or_on_its_way_is_not_asked_about(ada, bank, food):
    (decided,) = decide(ada, bank, food, "REWE")
    pending = send(bank, "REWE", status="PENDING")
    assert likely(ada, decided) is likely(ada, pending) is None


def test_nothing_is_learnt_from_another_organization(ada, dan, bank, food):
    decide(ada, bank, food, "REWE")
    his = bank.of(dan)
    his.open()
    assert likely(dan, send(his, "REWE")) is None


def test_a_page_of_fifty_lines_takes_as_many_statements_as_one_of_two(ada, bank, food, statements, at_most):
    decide(ada, bank, food, "REWE", "Aldi")
    for name in ("REWE", "Aldi"):
        send(bank, name)
    page = f"/feeds/{bank.fa_id}?show=all"
    browser = ada.browser()
    with statements() as few:
        browser.get(page)
    for number in range(46):
        send(bank, ("REWE", "Aldi")[number % 2])
    with at_most(len(few)):
        assert browser.get(page).text.count("payment to") >= 48
