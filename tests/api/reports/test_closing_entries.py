"""Closing entries from other books: the statements of their year, and the next ones, are as without them."""

import pytest

YEARS = ("from=2024-01-01&to=2024-12-31", "from=2025-01-01&to=2025-12-31")
COMPARED = "from=2025-01-01&to=2025-12-31&compareFrom=2024-01-01&compareTo=2024-12-31&months=true"


@pytest.fixture
def write(ada, books):
    """Post an entry by hand of names and amounts; answers the response."""

    def post(day, legs, **facts):
        postings = [{"accountId": books.account_id(name), "amount": amount} for name, amount in legs.items()]
        body = {"effectiveAt": day, "postings": postings, "post": True, **facts}
        return ada.post("/api/journal-entries", json=body)

    return post


@pytest.fixture
def year(bank, write):
    """A year with a result of 650.00, and the beginning of the next one."""
    bank.account("Boat")
    write("2024-03-01", {"Petty cash": "900.00", "Sales of services": "-900.00"})
    write("2024-05-01", {"Boat": "250.00", "Petty cash": "-250.00"})
    write("2025-02-01", {"Boat": "40.00", "Petty cash": "-40.00"})


@pytest.fixture
def statements(ada):
    """Read profit and loss, balance sheet and their comparatives of both years."""

    def read():
        found = []
        for span in (*YEARS, COMPARED, f"{YEARS[0]}&groupBy=project"):
            for report in ("profit-and-loss", "balance-sheet"):
                answer = ada.get(f"/api/reports/{report}?{span}")
                assert answer.status_code == 200, answer.json
                found.append(answer.json)
        return found

    return read


CLOSING = {"Sales of services": "900.00", "Boat": "-250.00", "Retained earnings": "-650.00"}


def test_statements_are_as_without_it(ada, write, year, statements):
    before = statements()
    assert before[0]["profitAndLoss"]["result"]["amount"] == "650.00"

    answer = write("2024-12-31", CLOSING, source="closing")

    assert (answer.status_code, answer.json["entry"]["source"]) == (201, "closing")
    assert answer.json["warnings"] == []
    assert statements() == before
    listed = ada.get("/api/journal-entries?source=closing").json["entries"]
    assert [each["id"] for each in listed] == [answer.json["entry"]["id"]]
    assert all(
        each["source"] == "manual" for each in ada.get("/api/journal-entries?source=manual").json["entries"]
    )


def test_its_void_behind_a_lock_counts_likewise(ada, bank, write, year, statements):
    before = statements()
    entry = write("2024-12-31", CLOSING, source="closing").json["entry"]["id"]
    bank.lock("2024-12-31")
    answer = ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Not ours"})
    assert answer.status_code == 200, answer.json
    now = statements()
    for one in (*before, *now):
        next(iter(one.values())).pop("warnings")
        one.pop("untrusted", None)
    assert now == before


def test_one_that_closes_to_capital_appropriates_the_result(ada, write, year):
    legs = {"Sales of services": "900.00", "Boat": "-250.00", "Owner's contributions": "-650.00"}
    assert write("2024-12-31", legs, source="closing").status_code == 201
    sheet = ada.get(f"/api/reports/balance-sheet?{YEARS[0]}").json["balanceSheet"]
    lines = {each["name"]: each["amount"] for each in sheet["lines"]}
    assert lines["Owner's contributions"] == "-650.00"
    assert lines["Retained earnings"] == "650.00"
    assert sheet["resultOfYear"]["amount"] == "-650.00"


def test_the_trial_balance_has_its_own_column(ada, write, year):
    write("2024-12-31", CLOSING, source="closing")
    lines = ada.get(f"/api/reports/trial-balance?{YEARS[0]}").json["trialBalance"]["lines"]
    found = {each["name"]: (each["change"], each["closed"], each["closing"]) for each in lines}
    assert found["Sales of services"] == ("-900.00", "900.00", "-900.00")
    assert found["Boat"] == ("250.00", "-250.00", "250.00")
    assert found["Retained earnings"] == ("0.00", "-650.00", "0.00")
    assert "Closing entries" in ada.browser().get(f"/reports/trial-balance?{YEARS[0]}").text


def test_the_general_ledger_shows_it_on_retained_earnings(ada, write, year):
    write("2024-12-31", CLOSING, source="closing")
    span = "from=2024-01-01&to=2025-12-31&limit=200"
    lines = ada.get(f"/api/reports/general-ledger?{span}").json["lines"]
    of_name = {}
    for each in lines:
        of_name.setdefault(each["accountName"], []).append(
            (each["source"], each["amountBase"], each["balanceBase"])
        )
    assert of_name["Sales of services"] == [
        ("manual", "-900.00", "-900.00"), ("carry", "900.00", "0.00"),
    ]  # fmt: skip
    assert of_name["Retained earnings"] == [
        ("closing", "650.00", "650.00"), ("closing", "-650.00", "0.00"), ("carry", "-650.00", "-650.00"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("day", "legs", "code"),
    [
        ("2024-12-30", CLOSING, "not_year_end"),
        ("2024-12-31", {"Sales of services": "900.00", "Petty cash": "-900.00"}, "closing_account"),
    ],
)
def test_it_is_of_a_years_last_day_and_of_results_and_equity(write, year, day, legs, code):
    answer = write(day, legs, source="closing")
    assert (answer.status_code, answer.json["code"]) == (422, code)
    assert answer.json["fields"]


def test_an_entry_that_closes_without_the_word_is_warned_of(write, year):
    answer = write("2024-12-31", CLOSING)
    assert (answer.status_code, answer.json["warningCodes"]) == (201, ["looks_like_closing"])
    usual = write("2025-12-31", {"Boat": "-40.00", "Petty cash": "40.00"})
    assert "warningCodes" not in usual.json
