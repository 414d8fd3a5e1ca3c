"""Revaluation: what is held in other currencies, at the rate of a day, against unrealised differences."""

from datetime import UTC, date, datetime

import pytest

from webapp.ledger.errors import LedgerError
from webapp.services.bookkeeping import revaluations

MARCH = date(2026, 3, 31)
AT = datetime(2026, 4, 2, 9, tzinfo=UTC)


@pytest.fixture
def dollars(ada, bank):
    """A thousand dollars, booked at 1.25 for a euro, and worth 1.00 at the end of March."""
    bank.quote("2026-03-02", "USD", "1.25")
    bank.quote("2026-03-31", "USD", "1")
    bank.quote("2026-04-10", "USD", "2")
    fa_id = bank.open("Dollars", "USD")
    line = bank.send("2026-03-02", "1000.00", "A client")
    ada.post(f"/api/transactions/{line}/confirm")
    yield fa_id
    assert bank.broken() == []


@pytest.fixture
def revalue(ada, bank):
    def as_of(day=MARCH):
        done = bank.ask(lambda: revaluations.revalue(day, actor=ada.actor, now=AT))
        return list(done.result.journal_entry_ids) if done.changed else []

    return as_of


def entry(person, entry_id):
    return person.get(f"/api/journal-entries/{entry_id}").json["entry"]


def legs(person, entry_id):
    return [
        (leg["accountName"], leg["amount"], leg["currency"], leg["amountBase"])
        for leg in entry(person, entry_id)["postings"]
    ]


def take_back(person, entry_id):
    return person.post(f"/api/journal-entries/{entry_id}/take-back", json={"reason": "Not recognised"})


def base_balance(person, bank, fa_id):
    account = person.get(f"/api/accounts/{bank.ledger_account(fa_id)}").json["account"]
    return account["balance"], account["balanceBase"]


def test_the_difference_stands_against_unrealised_differences_and_is_reversed_the_next_day(
    ada, bank, dollars, revalue
):
    first, second = revalue()
    assert legs(ada, first) == [
        ("Dollars", "0.00", "USD", "200.00"),
        ("Unrealised exchange differences", "-200.00", "EUR", "-200.00"),
    ]
    assert legs(ada, second) == [
        ("Dollars", "0.00", "USD", "-200.00"),
        ("Unrealised exchange differences", "200.00", "EUR", "200.00"),
    ]
    assert [entry(ada, each)["effectiveAt"][:10] for each in (first, second)] == ["2026-03-31", "2026-04-01"]
    assert {entry(ada, each)["source"] for each in (first, second)} == {"revaluation"}
    assert base_balance(ada, bank, dollars) == ("1000.00", "800.00")


def test_a_second_run_for_the_day_takes_the_place_of_the_first(ada, bank, dollars, revalue):
    first = revalue()
    ada.put(
        "/api/exchange-rates",
        json={"rates": [{"day": "2026-03-31", "currency": "USD", "unitsPerBase": "0.8"}]},
    )
    again = revalue()
    assert {entry(ada, each)["status"] for each in first} == {"VOIDED"}
    assert legs(ada, again[0])[0] == ("Dollars", "0.00", "USD", "450.00")
    assert base_balance(ada, bank, dollars) == ("1000.00", "800.00")


def test_running_it_again_without_a_change_writes_nothing(ada, bank, dollars, revalue):
    pair = revalue()
    acts = ada.get("/api/action-requests").json["actionRequests"]
    again = ada.post("/api/revaluations", json={"asOf": "2026-03-31"}).json
    assert (again["changed"], again["result"]["journalEntryIds"]) == (False, pair)
    assert again["actionRequestId"] in [each["id"] for each in acts if each["kind"] == "revalue"]
    assert ada.get("/api/action-requests").json["actionRequests"] == acts


def test_a_run_that_finds_nothing_to_revalue_any_more_takes_the_earlier_pair_back(
    ada, bank, dollars, revalue
):
    pair = revalue()
    rate = {"day": "2026-03-31", "currency": "USD", "unitsPerBase": "1.25"}
    ada.put("/api/exchange-rates", json={"rates": [rate]})
    done = ada.post("/api/revaluations", json={"asOf": "2026-03-31"}).json
    assert (done["changed"], done["result"]["journalEntryIds"]) == (True, [])
    assert done["result"]["voidedJournalEntryIds"] == pair


def test_it_is_taken_back_as_one_act_each_entry_on_its_own_day(ada, bank, dollars, revalue):
    pair = revalue()
    answer = take_back(ada, pair[1])
    assert (answer.status_code, answer.json["changed"]) == (200, True)
    result = answer.json["result"]
    assert result["voidedJournalEntryIds"] == pair
    reversals = [entry(ada, each) for each in result["journalEntryIds"]]
    assert [each["effectiveAt"][:10] for each in reversals] == ["2026-03-31", "2026-04-01"]
    for day in ("2026-03-31", "2026-04-01"):
        sheet = ada.get(f"/api/reports/profit-and-loss?from=2026-01-01&to={day}").json
        assert "Unrealised exchange differences" not in str(sheet)
    assert take_back(ada, pair[0]).json["code"] == "voided"
    assert revalue() != []


def test_neither_entry_is_voided_alone_and_the_refusal_names_the_act(ada, dollars, revalue):
    pair = revalue()
    refused = ada.post(f"/api/journal-entries/{pair[0]}/void", json={"reason": "Wrong"})
    assert (refused.status_code, refused.json["code"]) == (409, "revaluation")
    assert refused.json["details"] == {"journalEntryIds": pair}
    assert (
        refused.json["error"]
        == f"Entries {pair[0]} and {pair[1]} are one revaluation. Take that back instead."
    )
    assert entry(ada, pair[0])["canVoid"] is False


@pytest.mark.parametrize("lock", ["2026-03-31", "2026-04-01"])
def test_it_stays_where_either_day_is_locked(ada, bank, dollars, revalue, lock):
    pair = revalue()
    bank.lock(lock)
    refused = take_back(ada, pair[0])
    assert (refused.status_code, refused.json["code"]) == (409, "period_locked")
    assert {entry(ada, each)["status"] for each in pair} == {"POSTED"}


def test_what_is_no_revaluation_is_not_taken_back(ada, bank, dollars):
    line = bank.send("2026-03-05", "-10.00", "Fee")
    done = ada.post(f"/api/transactions/{line}/confirm").json
    refused = take_back(ada, done["result"]["journalEntryIds"][0])
    assert (refused.status_code, refused.json["code"]) == (409, "not_revaluation")


def test_it_leaves_no_open_items(ada, bank, dollars, revalue):
    ada.patch(f"/api/accounts/{bank.ledger_account(dollars)}", json={"isWatched": True})
    items = "/api/open-items?count=true"
    before = ada.get(items).json["total"]
    first, _ = revalue()
    assert ada.get(items).json["total"] == before
    take_back(ada, first)
    assert ada.get(items).json["total"] == before


def test_a_later_day_leaves_the_earlier_pair_alone(ada, bank, dollars, revalue):
    march = revalue()
    april = revalue(date(2026, 4, 10))
    assert {entry(ada, each)["status"] for each in [*march, *april]} == {"POSTED"}
    assert legs(ada, april[0])[0] == ("Dollars", "0.00", "USD", "-300.00")


def test_where_nothing_differs_there_is_no_entry_and_no_act(ada, dollars, revalue):
    acts = ada.get("/api/action-requests").json["actionRequests"]
    assert revalue(date(2026, 3, 2)) == []
    assert ada.get("/api/action-requests").json["actionRequests"] == acts


def test_both_days_have_to_be_open(bank, dollars, revalue):
    for lock in ("2026-03-31", "2026-04-01"):
        bank.lock(lock)
        with pytest.raises(LedgerError) as refused:
            revalue()
        assert refused.value.code == "period_locked"


def test_a_missing_rate_is_named(ada, dollars, revalue):
    with pytest.raises(LedgerError) as refused:
        revalue(date(2026, 6, 30))
    assert refused.value.code == "exchange_rate_missing"
    assert refused.value.details["missingRates"] == [{"day": "2026-06-30", "currency": "USD"}]


def test_no_proof_is_broken_by_it(ada, bank, dollars, desk, revalue):
    desk.prove("2026-03-31", "1000.00")
    first, _ = revalue()
    take_back(ada, first)
    revalue()
    account = desk.account()
    assert (account["status"], account["anchor"]["holds"]) == ("reconciled", True)


def test_a_card_s_debt_and_an_account_in_two_currencies_are_revalued_each(ada, bank, dollars, revalue):
    bank.quote("2026-03-02", "GBP", "0.8")
    bank.quote("2026-03-31", "GBP", "1")
    owed, fees = bank.account("Owed", "LIABILITY", is_revalued=True), bank.account("Fees")
    for currency, amount in (("USD", "50.00"), ("GBP", "8.00")):
        postings = [
            {"accountId": account, "amount": sign + amount, "currency": currency}
            for account, sign in ((fees, ""), (owed, "-"))
        ]
        body = {"effectiveAt": "2026-03-02", "description": "Fee", "postings": postings, "post": True}
        assert ada.post("/api/journal-entries", json=body).status_code == 201
    first, _ = revalue()
    assert legs(ada, first) == [
        ("Dollars", "0.00", "USD", "200.00"),
        ("Owed", "0.00", "GBP", "2.00"),
        ("Owed", "0.00", "USD", "-10.00"),
        ("Unrealised exchange differences", "-192.00", "EUR", "-192.00"),
    ]


def bought_with_dollars(person, account):
    """A hundred dollars of something, on credit, at 1.25 for a euro."""
    legs = [
        {"accountId": account, "amount": "100.00", "currency": "USD"},
        {"accountId": named(person, "Trade payables")["id"], "amount": "-100.00", "currency": "USD"},
    ]
    body = {"effectiveAt": "2026-03-02", "description": "A laptop", "postings": legs, "post": True}
    assert person.post("/api/journal-entries", json=body).status_code == 201


def named(person, name):
    accounts = person.get("/api/accounts?limit=200").json["accounts"]
    return next(each for each in accounts if each["name"] == name)


@pytest.mark.parametrize("name", ["Equipment", "Prepaid expenses", "Transfers between own accounts"])
def test_what_is_no_money_keeps_the_rate_of_its_day(ada, dollars, revalue, name):
    bought_with_dollars(ada, named(ada, name)["id"])
    first, _ = revalue()
    assert legs(ada, first) == [
        ("Trade payables", "0.00", "USD", "-20.00"),
        ("Dollars", "0.00", "USD", "200.00"),
        ("Unrealised exchange differences", "-180.00", "EUR", "-180.00"),
    ]
    assert named(ada, name)["balanceBase"] == "80.00"


def test_an_account_is_revalued_or_not_as_somebody_chooses(ada, bank, dollars, revalue):
    equipment, payables = named(ada, "Equipment"), named(ada, "Trade payables")
    bought_with_dollars(ada, equipment["id"])
    ada.patch(f"/api/accounts/{equipment['id']}", json={"isRevalued": True})
    ada.patch(f"/api/accounts/{payables['id']}", json={"isRevalued": False})
    ada.patch(f"/api/accounts/{bank.ledger_account(dollars)}", json={"isRevalued": False})
    first, _ = revalue()
    assert legs(ada, first)[0] == ("Equipment", "0.00", "USD", "20.00")
    ada.patch(f"/api/accounts/{equipment['id']}", json={"isRevalued": False})
    assert ada.post("/api/revaluations", json={"asOf": "2026-03-31"}).json["result"]["journalEntryIds"] == []
    assert named(ada, "Equipment")["balanceBase"] == "80.00"


def test_the_page_takes_rates_and_revalues(ada, bank, dollars):
    browser = ada.browser()
    assert "1 USD" not in browser.get("/settings/exchange-rates").text
    refused = browser.post("/settings/exchange-rates/revalue", data={"asOf": "2026-12-31"})
    assert (refused.status_code, "no exchange rate for USD" in refused.text) == (409, True)
    answer = browser.post("/settings/exchange-rates/revalue", data={"asOf": "2026-03-31"})
    assert answer.status_code == 303
    assert "Revaluation as of 31 Mar 2026" in browser.get(answer.location).text
    empty = browser.post(f"{answer.location}/take-back", data={"reason": ""})
    assert (empty.status_code, "Take back the revaluation" in empty.text) == (422, True)
    taken = browser.post(f"{answer.location}/take-back", data={"reason": "Not recognised"})
    assert (taken.status_code, taken.location) == (303, answer.location)
    page = browser.get(answer.location).text
    assert ("Voided" in page, "Take back the revaluation" in page) == (True, False)
    rate = {"day": "2026-12-31", "currency": "usd", "unitsPerBase": "1.1"}
    assert browser.post("/settings/exchange-rates", data=rate).status_code == 303
    assert "1.1" in browser.get("/settings/exchange-rates?currency=USD").text
