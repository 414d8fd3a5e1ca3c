"""What is owed by party and age, as of any day: it ties to the accounts, and every item is in one place."""

import pytest

from tests.fixtures.helpers.owed import keep_items

pytestmark = pytest.mark.usefixtures("sound", "keeping")
OWED, OWING, SALES, COSTS = "Trade receivables", "Trade payables", "Sales of services", "Software"
AGES = ("notDue", "upTo30", "upTo60", "upTo90", "over90")


@pytest.fixture
def keeping(ada, books):
    for name in (OWED, OWING):
        keep_items(ada, books.account_id(name))


@pytest.fixture
def merchants(ben):
    """The ids of a customer and of a supplier."""
    return {
        name: ben.post("/api/merchants", json={"name": name}).json["merchant"]["id"]
        for name in ("Halden Optik", "Nordwind Papier")
    }


@pytest.fixture
def owe(ben, books, merchants):
    def write_one(amount, day, due_on, *, party="Halden Optik", reference=None, sides=(OWED, SALES)):
        first, second = (books.account_id(name) for name in sides)
        owed = {
            "accountId": first,
            "amount": amount,
            "currency": "EUR",
            "dueOn": due_on,
            "reference": reference,
        }
        if party:
            owed["orgMerchantId"] = merchants[party]
        against = amount[1:] if amount.startswith("-") else f"-{amount}"
        body = {
            "effectiveAt": day,
            "description": f"Invoice {reference or ''}",
            "postings": [owed, {"accountId": second, "amount": against, "currency": "EUR"}],
            "post": True,
        }
        answer = ben.post("/api/journal-entries", json=body)
        assert answer.status_code == 201, answer.json
        return answer.json["entry"]["id"]

    return write_one


def aged(person, day, side="receivables"):
    answer = person.get(f"/api/reports/aged-{side}?asOf={day}")
    assert answer.status_code == 200, answer.json
    return answer.json[f"aged{side.title()}"]


def test_items_stand_under_their_party_by_how_long_they_have_been_due(ben, owe):
    owe("100.00", "2026-03-01", "2026-03-15")
    owe("20.00", "2026-03-01", "2026-06-30")
    owe("3.00", "2026-01-01", "2026-01-15", party=None)
    report = aged(ben, "2026-04-14")
    assert [each["name"] for each in report["parties"]] == ["Halden Optik", None]
    party, none = report["parties"]
    assert [party["rows"][0]["amounts"][age] for age in AGES] == ["20.00", "100.00", "0.00", "0.00", "0.00"]
    assert [none["amountsBase"][age] for age in AGES] == ["0.00", "0.00", "0.00", "3.00", "0.00"]
    assert (report["totalBase"], report["balance"], report["difference"]) == ("123.00", "123.00", "0.00")


def test_what_is_owed_to_suppliers_is_below_zero_and_apart(ben, owe):
    owe("-50.00", "2026-03-01", "2026-03-31", party="Nordwind Papier", sides=(OWING, COSTS))
    assert aged(ben, "2026-04-01")["parties"] == []
    report = aged(ben, "2026-04-01", "payables")
    assert (report["parties"][0]["amountsBase"]["upTo30"], report["totalBase"]) == ("-50.00", "-50.00")


def test_a_report_of_an_earlier_day_has_what_was_open_then(ben, owe):
    owe("100.00", "2026-03-01", "2026-03-15")
    owe("-100.00", "2026-03-20", "2026-03-20")
    first, second = (each["id"] for each in ben.get("/api/items").json["items"])
    parts = [{"itemId": first}, {"itemId": second}]
    assert ben.post("/api/settlements", json={"parts": parts}).status_code == 201
    assert aged(ben, "2026-03-19")["totalBase"] == "100.00"
    assert aged(ben, "2026-03-20")["parties"] == []
    assert aged(ben, "2026-02-28")["parties"] == []


def test_a_statement_has_opening_movements_and_what_is_open(ben, owe, merchants):
    owe("100.00", "2026-02-01", "2026-02-15", reference="RE-1")
    owe("40.00", "2026-03-05", "2026-03-20", reference="RE-2")
    owe("-30.00", "2026-03-10", "2026-03-10", reference="CN-1")
    party = merchants["Halden Optik"]
    address = f"/api/reports/party-statement?orgMerchantId={party}&from=2026-03-01&to=2026-03-31"
    statement = ben.get(address).json["partyStatement"]
    (euros,) = statement["currencies"]
    assert (euros["opening"], euros["closing"]) == ("100.00", "110.00")
    assert [(each["reference"], each["balance"]) for each in euros["movements"]] == [
        ("RE-2", "140.00"),
        ("CN-1", "110.00"),
    ]
    assert sorted(each["open"] for each in statement["items"]) == ["-30.00", "100.00", "40.00"]
    assert [euros["ages"][age] for age in AGES[:3]] == ["0.00", "10.00", "100.00"]


def test_a_statement_of_a_merchant_of_others_is_refused(ben, dan):
    theirs = dan.post("/api/merchants", json={"name": "Theirs"}).json["merchant"]["id"]
    answer = ben.get(f"/api/reports/party-statement?orgMerchantId={theirs}")
    assert (answer.status_code, list(answer.json["fields"])) == (422, ["orgMerchantId"])


def test_cash_is_expected_by_the_day_on_which_items_are_due(ben, owe):
    owe("100.00", "2026-03-01", "2026-03-15")
    owe("40.00", "2026-03-05", "2026-04-20")
    owe("-25.00", "2026-03-05", "2026-04-20", party="Nordwind Papier", sides=(OWING, COSTS))
    expected = ben.get("/api/reports/expected-cash?asOf=2026-04-01").json["expectedCash"]
    assert expected["overdue"] == "100.00"
    (day,) = expected["days"]
    assert (day["dueOn"], day["incoming"], day["outgoing"], day["running"]) == (
        "2026-04-20",
        "40.00",
        "-25.00",
        "115.00",
    )
