"""Items of accounts that keep them: listed, settled, undone, corrected and voided, with what their rates differ by."""

import pytest

from tests.fixtures.helpers.owed import differences, items, keep_items, owe, settle, undo

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def receivables(books):
    return books.account_id("Trade receivables")


def test_an_entry_on_receivables_is_an_item(ben, books, acme):
    owe(ben, books, "1000.00", acme, reference="R-1", dueOn="2026-04-01")
    [item] = items(ben)
    assert (item["amount"], item["open"], item["settled"]) == ("1000.00", "1000.00", "0.00")
    assert (item["orgMerchantName"], item["reference"], item["dueOn"]) == ("Acme", "R-1", "2026-04-01")
    assert (item["day"], item["accountName"]) == ("2026-03-01", "Trade receivables")


def test_an_invoice_is_settled_by_its_payment(ben, books, acme):
    owe(ben, books, "1000.00", acme)
    owe(ben, books, "-600.00", acme, day="2026-03-10")
    paid, invoice = items(ben)
    made = settle(ben, paid, (invoice, "600.00"))
    assert (made["settledOn"], made["status"], len(made["parts"])) == ("2026-03-10", "STANDING", 2)
    [left] = items(ben)
    assert (left["id"], left["open"]) == (invoice["id"], "400.00")
    undo(ben, made)
    assert [each["open"] for each in items(ben)] == ["-600.00", "1000.00"]
    assert [each["open"] for each in items(ben, openOn="2026-03-05")] == ["1000.00"]


def test_1100_dollars_paid_in_part_at_another_rate_realise_their_share(ben, bank, books, acme):
    bank.quote("2026-03-01", "USD", "1.10")
    bank.quote("2026-03-10", "USD", "1.20")
    owe(ben, books, "1100.00", acme, currency="USD")
    owe(ben, books, "-500.00", acme, currency="USD", day="2026-03-10")
    paid, invoice = items(ben)
    assert (invoice["amountBase"], paid["amountBase"]) == ("1000.00", "-416.67")
    made = settle(ben, paid, (invoice, "500.00"))
    assert sorted(each["amountBase"] for each in made["parts"]) == ["-416.67", "454.55"]
    [left] = items(ben)
    assert (left["open"], left["openBase"]) == ("600.00", "545.45")
    assert differences(ben) == ["37.88"]
    undo(ben, made)
    assert differences(ben) == ["37.88", "-37.88"]


def test_what_a_settlement_posted_is_voided_by_undoing_it(ben, bank, books, acme):
    bank.quote("2026-03-01", "USD", "1.10")
    bank.quote("2026-03-10", "USD", "1.20")
    owe(ben, books, "1100.00", acme, currency="USD")
    owe(ben, books, "-1100.00", acme, currency="USD", day="2026-03-10")
    made = settle(ben, *items(ben))
    [entry] = [
        each for each in ben.get("/api/journal-entries").json["entries"] if each["source"] == "settlement"
    ]
    assert entry["canVoid"] is False
    refused = ben.post(f"/api/journal-entries/{entry['id']}/void", json={"reason": "x"})
    assert (refused.status_code, refused.json["details"]) == (409, {"settlementId": made["id"]})


def test_a_correction_that_makes_an_item_smaller_undoes_its_settlement(ben, bank, books, acme):
    owe(ben, books, "-100.00", acme)
    line = bank.send("2026-03-05", "-100.00", "Paid back")
    changes = {"accountId": books.account_id("Trade receivables"), "orgMerchantId": acme}
    ben.patch(f"/api/transactions/{line}", json=changes)
    assert ben.post(f"/api/transactions/{line}/confirm").status_code == 200
    made = settle(ben, *items(ben))
    ben.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Travel")})
    assert ben.post(f"/api/transactions/{line}/confirm").status_code == 200
    [found] = ben.get("/api/settlements").json["settlements"]
    assert (found["id"], found["status"]) == (made["id"], "UNDONE")
    assert [each["open"] for each in items(ben)] == ["-100.00"]


def test_a_void_undoes_and_settles_the_entry_with_its_reversal(ben, books, acme):
    invoice = owe(ben, books, "100.00", acme)
    owe(ben, books, "-100.00", acme, day="2026-03-10")
    settle(ben, *items(ben))
    assert ben.post(f"/api/journal-entries/{invoice}/void", json={"reason": "Twice"}).status_code == 200
    [left] = items(ben)
    assert left["open"] == "-100.00"
    causes = [each["status"] for each in ben.get("/api/settlements").json["settlements"]]
    assert causes == ["STANDING", "UNDONE"]


def test_switching_on_makes_one_opening_item_and_switching_off_waits_for_settlements(ada, ben, books, acme):
    payables = books.account_id("Loans")
    for day, amount in (("2026-01-05", "-70.00"), ("2026-01-06", "-30.00"), ("2026-03-02", "-5.00")):
        owe(ben, books, amount, acme, day=day, account="Loans")
    refused = ada.patch(f"/api/accounts/{payables}", json={"keepsItems": True})
    assert (refused.status_code, refused.json["code"]) == (422, "items_from")
    keep_items(ada, payables, "2026-02-01")
    assert [(each["open"], each["day"]) for each in items(ben)] == [
        ("-5.00", "2026-03-02"),
        ("-100.00", None),
    ]
    owe(ben, books, "100.00", acme, day="2026-03-03", account="Loans")
    paid, _, opening = items(ben)
    made = settle(ben, paid, opening)
    refused = ada.patch(f"/api/accounts/{payables}", json={"keepsItems": False})
    assert (refused.status_code, refused.json["details"]) == (409, {"settlementIds": [made["id"]]})
    undo(ben, made)
    assert ada.patch(f"/api/accounts/{payables}", json={"keepsItems": False}).status_code == 200
    assert items(ben) == []


def test_a_payment_that_nothing_took_is_never_overdue(ben, books, acme):
    owe(ben, books, "100.00", acme, dueOn="2026-03-05")
    owe(ben, books, "-40.00", acme, day="2026-03-10")
    assert [each["overdueDays"] is None for each in items(ben)] == [True, False]
    assert [each["open"] for each in items(ben, overdue="true")] == ["100.00"]


def test_no_bank_is_put_behind_an_account_that_keeps_items(ada, receivables):
    body = {"name": "Giro", "currency": "EUR", "accountId": receivables}
    refused = ada.post("/api/feeds/accounts", json=body)
    assert (refused.status_code, refused.json["code"]) == (422, "unfit_account")


def test_exports_link_the_entries_that_a_settlement_joins(ben, books, acme):
    owe(ben, books, "100.00", acme)
    owe(ben, books, "-100.00", acme, day="2026-03-10")
    owe(ben, books, "5.00", acme, day="2026-03-11")
    made = settle(ben, *items(ben)[1:])
    linked = {
        name: ben.get(f"/api/exports/{name}").text.count(words)
        for name, words in (
            ("beancount", f" ^settlement-{made['id']}"),
            ("hledger", f"; settlement: {made['id']}"),
        )
    }
    assert linked == {"beancount": 2, "hledger": 2}


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
