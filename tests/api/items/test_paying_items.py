"""Bank lines that pay items: chosen on the draft, settled when they are confirmed, short or in another currency."""

import pytest

from tests.fixtures.helpers.owed import differences, items, keep_items, owe, settle
from tests.fixtures.helpers.transfers import confirm, entry, legs, send

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture(autouse=True)
def receivables(ada, books):
    return keep_items(ada, books.account_id("Trade receivables"))


@pytest.fixture
def dollars(bank):
    return bank.open("Dollar account", "USD")


def open_amounts(person):
    return [each["open"] for each in items(person)]


def pay(person, line, *parts, **others):
    """Let a line pay items, each whole or as a pair of item and amount."""
    body = [
        {"itemId": part[0]["id"], "amount": part[1]} if isinstance(part, tuple) else {"itemId": part["id"]}
        for part in parts
    ]
    return person.patch(f"/api/transactions/{line}", json={"settles": body, **others})


def paid(person, line, *parts, **others):
    answer = pay(person, line, *parts, **others)
    assert answer.status_code == 200, answer.json
    return answer.json["transaction"]


def test_a_line_settles_what_it_pays_when_it_is_confirmed(ben, books, bank, giro, acme, receivables):
    owe(ben, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "400.00")
    [invoice] = items(ben)
    chosen = paid(ben, line, invoice)
    assert (chosen["accountId"], chosen["orgMerchantId"]) == (receivables, acme)
    assert chosen["settles"] == [{"itemId": invoice["id"], "amount": "400.00"}]
    assert open_amounts(ben) == ["400.00"]
    confirm(ben, line)
    assert items(ben) == []
    [made] = ben.get("/api/settlements").json["settlements"]
    assert (made["status"], made["settledOn"]) == ("STANDING", "2026-03-20")


def test_what_somebody_else_settled_meanwhile_posts_nothing(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    [invoice] = items(ben)
    lines = [send(bank, giro, "2026-03-20", "400.00", text=text) for text in ("One", "Two")]
    for line in lines:
        paid(ben, line, invoice)
    confirm(ben, lines[0])
    refused = ben.post(f"/api/transactions/{lines[1]}/confirm")
    assert (refused.status_code, refused.json["code"]) == (409, "item_taken")
    assert refused.json["details"]["left"] == "0.00"
    (result,) = ben.post("/api/transactions/confirm", json={"ids": [lines[1]]}).json["results"]
    assert (result["status"], result["code"]) == ("FAILED", "item_taken")
    assert ben.get(f"/api/transactions/{lines[1]}").json["transaction"]["entryStatus"] == "DRAFT"


def test_less_than_the_line_leaves_the_rest_open(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "500.00")
    paid(ben, line, items(ben)[0])
    confirm(ben, line)
    assert open_amounts(ben) == ["-100.00"]


def test_more_than_the_line_is_refused(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    refused = pay(ben, send(bank, giro, "2026-03-20", "300.00"), items(ben)[0])
    assert (refused.status_code, refused.json["code"]) == (422, "payment_does_not_fit")


@pytest.mark.parametrize(
    ("kind", "account"), [("FEE", "Bank charges"), ("DISCOUNT", "Advertising"), ("WRITE_OFF", "Other income")]
)
def test_what_is_short_closes_the_invoice_and_is_voided_with_the_settlement(
    ben, books, bank, giro, acme, kind, account
):
    owe(ben, books, "400.00", acme, reference="RE-7")
    line = send(bank, giro, "2026-03-20", "392.00")
    short = {"amount": "8.00", "as": kind}
    if kind != "FEE":
        short["accountId"] = books.account_id(account)
    assert paid(ben, line, items(ben)[0], short=short)["short"]["amount"] == "8.00"
    confirm(ben, line)
    assert items(ben) == []
    caused = ben.get("/api/journal-entries").json["entries"][0]
    assert (caused["source"], caused["effectiveAt"][:10]) == ("settlement", "2026-03-20")
    assert [(each["accountName"], each["amount"]) for each in caused["postings"]] == [
        ("Trade receivables", "-8.00"),
        (account, "8.00"),
    ]
    entry_id = ben.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert ben.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "x"}).status_code == 200
    assert open_amounts(ben) == ["400.00"]
    again = ben.get(f"/api/transactions/{line}").json["transaction"]
    assert again["settles"][0]["amount"] == "400.00"
    confirm(ben, line)
    assert items(ben) == []


def test_a_write_off_has_a_limit(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "299.99")
    short = {"amount": "100.01", "as": "WRITE_OFF", "accountId": books.account_id("Other income")}
    refused = pay(ben, line, items(ben)[0], short=short)
    assert (refused.status_code, refused.json["code"]) == (422, "shortfall")


def test_1100_dollars_paid_with_930_euros_realise_70(ben, books, bank, giro, acme):
    bank.quote("2026-03-01", "USD", "1.10")
    bank.quote("2026-03-20", "USD", "1.18")
    owe(ben, books, "1100.00", acme, currency="USD")
    line = send(bank, giro, "2026-03-20", "930.00")
    paid(ben, line, items(ben)[0])
    [owed] = [each for each in entry(ben, line)["postings"] if not each["isBankLeg"]]
    assert (owed["amount"], owed["currency"], owed["amountBase"]) == ("-1100.00", "USD", "-930.00")
    confirm(ben, line)
    assert items(ben) == []
    assert differences(ben) == ["70.00"]


def test_a_rate_far_from_the_day_is_asked(ben, books, bank, giro, acme):
    for day in ("2026-03-01", "2026-03-20"):
        bank.quote(day, "USD", "1.10")
    owe(ben, books, "1100.00", acme, currency="USD")
    line = send(bank, giro, "2026-03-20", "930.00")
    refused = pay(ben, line, items(ben)[0])
    assert (refused.status_code, refused.json["code"]) == (409, "rates_apart")
    assert refused.json["details"]["expected"] == "1000.00"
    assert pay(ben, line, items(ben)[0], force=True).status_code == 200


def test_euros_that_a_dollar_account_pays_realise_in_the_entry(ben, books, bank, dollars, acme):
    bank.quote("2026-03-20", "USD", "1.20")
    owe(ben, books, "900.00", acme)
    line = send(bank, dollars, "2026-03-20", "1100.00")
    paid(ben, line, items(ben)[0])
    confirm(ben, line)
    assert items(ben) == []
    assert sorted(each["amountBase"] for each in entry(ben, line)["postings"]) == [
        "-16.67",
        "-900.00",
        "916.67",
    ]


def test_a_part_of_a_split_pays(ben, books, bank, giro, acme, receivables):
    owe(ben, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "450.00")
    splits = [
        {"accountId": receivables, "amount": "400.00"},
        {"accountId": books.account_id("Other income"), "amount": "50.00"},
    ]
    paid(ben, line, items(ben)[0], splits=splits)
    confirm(ben, line)
    assert items(ben) == []
    assert legs(entry(ben, line))[0] == ("Giro", "450.00", True)


def test_a_payment_that_comes_back_opens_its_invoice(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "400.00")
    [invoice] = items(ben)
    paid(ben, line, invoice)
    confirm(ben, line)
    [made] = ben.get("/api/settlements").json["settlements"]
    back = send(bank, giro, "2026-03-24", "-400.00", text="Returned")
    payment = next(part for part in made["parts"] if part["itemId"] != invoice["id"])
    paid(ben, back, {"id": payment["itemId"]})
    confirm(ben, back)
    assert [(each["id"], each["open"]) for each in items(ben)] == [(invoice["id"], "400.00")]
    statuses = [each["status"] for each in ben.get("/api/settlements").json["settlements"]]
    assert statuses == ["STANDING", "UNDONE"]


def test_a_posted_line_names_where_to_settle(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "400.00")
    confirm(ben, line)
    refused = pay(ben, line, items(ben)[0])
    assert (refused.status_code, refused.json["code"]) == (409, "posted")
    assert "POST /api/settlements" in refused.json["error"]


def test_another_account_forgets_what_the_line_pays(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "400.00")
    paid(ben, line, items(ben)[0])
    ben.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Other income")})
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["settles"] == []
    confirm(ben, line)
    assert open_amounts(ben) == ["400.00"]


def test_items_of_two_parties_are_refused(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    owe(ben, books, "100.00", bank.merchant("Halden"))
    refused = pay(ben, send(bank, giro, "2026-03-20", "500.00"), *items(ben))
    assert (refused.status_code, refused.json["code"]) == (422, "several_parties")


def test_a_credit_note_lowers_what_is_paid(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    owe(ben, books, "-50.00", acme, day="2026-03-05")
    line = send(bank, giro, "2026-03-20", "350.00")
    paid(ben, line, *items(ben))
    confirm(ben, line)
    assert items(ben) == []


def test_an_item_is_paid_by_two_lines(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    for amount in ("150.00", "250.00"):
        line = send(bank, giro, "2026-03-20", amount)
        paid(ben, line, (items(ben)[0], amount))
        confirm(ben, line)
    assert items(ben) == []


def test_settled_items_are_refused_when_they_are_chosen(ben, books, bank, giro, acme):
    owe(ben, books, "400.00", acme)
    owe(ben, books, "-400.00", acme, day="2026-03-05")
    found = items(ben)
    settle(ben, *found)
    refused = pay(ben, send(bank, giro, "2026-03-20", "400.00"), (found[1], "400.00"))
    assert (refused.status_code, refused.json["code"]) == (409, "item_taken")


@pytest.fixture
def agent(ada):
    """A key of Ada's whose acts are undone."""
    return ada.with_scopes("read", "draft", "confirm")


def undo_all(person, token):
    """Undo everything that a key did."""
    asked = {"tokenId": token.token_id, "since": "2026-01-02T00:00:00Z"}
    pages = person.browser()
    preview = pages.post("/api/action-requests/undo/preview", json=asked)
    assert preview.status_code == 200, preview.json
    answer = pages.post("/api/action-requests/undo", json={**asked, "digest": preview.json["digest"]})
    assert answer.status_code == 200, answer.json


def test_undoing_a_key_gives_a_line_back_what_it_was_to_pay(ada, agent, books, bank, giro, acme):
    owe(ada, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "400.00")
    chosen = paid(ada, line, items(ada)[0])["settles"]
    elsewhere = {"accountId": books.account_id("Other income")}
    assert agent.patch(f"/api/transactions/{line}", json=elsewhere).json["transaction"]["settles"] == []
    undo_all(ada, agent)
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["settles"] == chosen


def test_undoing_a_key_opens_what_it_paid(ada, agent, books, bank, giro, acme):
    owe(ada, books, "400.00", acme)
    line = send(bank, giro, "2026-03-20", "400.00")
    paid(agent, line, items(ada)[0])
    confirm(agent, line)
    undo_all(ada, agent)
    found = ada.get(f"/api/transactions/{line}").json["transaction"]
    assert (found["settles"], found["entryStatus"], open_amounts(ada)) == ([], "DRAFT", ["400.00"])


@pytest.mark.parametrize("known", [True, False], ids=["of a party", "of no party"])
def test_foreign_items_that_come_to_nil_settle_themselves_only_without_a_party(ben, books, bank, acme, known):
    """A disputed invoice stays, though an advance for another order is the same amount."""
    bank.quote("2026-03-01", "USD", "1.10")
    bank.quote("2026-03-20", "USD", "1.25")
    party = acme if known else None
    owe(ben, books, "260.00", party, currency="USD")
    owe(ben, books, "-260.00", party, currency="USD", day="2026-03-20")
    assert len(items(ben)) == (2 if known else 0)
    assert differences(ben) == ([] if known else ["28.36"])
    if known:
        settle(ben, *items(ben))
        assert (items(ben), differences(ben)) == ([], ["28.36"])


@pytest.mark.parametrize(
    ("text", "named"),
    [("Return debit Acme Supplies", True), ("Unpaid RE-2207", True), ("Return debit Halden", False)],
)
def test_a_returned_debit_without_a_merchant_is_known_by_its_amount_and_text(
    ben, books, bank, giro, receivables, text, named
):
    party = bank.merchant("Acme Supplies")
    owe(ben, books, "88.20", party, reference="RE-2207")
    line = send(bank, giro, "2026-03-10", "88.20", "Direct debit")
    paid(ben, line, items(ben)[0])
    confirm(ben, line)
    back = send(bank, giro, "2026-03-17", "-88.20", text)
    choices = ben.get(f"/api/transactions/{back}/payments").json["payments"]["choices"]
    assert [each["basis"] for each in choices] == (["RETURNED_PAYMENT"] if named else [])
    put = ben.patch(f"/api/transactions/{back}", json={"accountId": receivables}).json
    done = ben.post("/api/transactions/confirm", json={"ids": [back]}).json["results"][0]
    for answer in (put, done):
        warned = [each for each in answer.get("warnings", ()) if "brings back the payment" in each]
        assert bool(warned) == named
