"""Open items by the tools: what is owed, what a line may pay, and settling it, which a person approves."""

import pytest

from tests.fixtures.feeds import line as fed
from tests.fixtures.helpers.owed import differences, items, owe
from tests.fixtures.helpers.planning import approve
from tests.mcp.clients import Model

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def agent(ben):
    return Model(ben.with_scopes("read", "propose"))


@pytest.fixture
def invoices(ben, books, acme):
    """Two invoices to Acme, one of them late, and a bill."""
    owe(ben, books, "400.00", acme, reference="RE-2026-17", day="2026-01-01", dueOn="2026-01-15")
    owe(ben, books, "100.00", acme, reference="RE-2026-18", day="2026-03-01", dueOn="2099-01-01")
    owe(ben, books, "-60.00", acme, account="Trade payables", reference="B-9")
    return {each["reference"]: each["id"] for each in items(ben)}


def test_what_is_owed_is_listed_with_its_age(agent, invoices):
    found = agent.call("find_owed")
    assert [(each["itemId"], each["party"], each["open"]) for each in found["items"]] == [
        (invoices["RE-2026-18"], "Acme", "100.00 EUR"),
        (invoices["RE-2026-17"], "Acme", "400.00 EUR"),
    ]
    ages = {each["age"]: each["amount"] for each in found["ages"]}
    assert (ages["notDue"], ages["over90"], ages["total"]) == ("100.00", "400.00", "500.00 EUR")
    (late,) = agent.call("find_owed", overdue=True, party="Acme")["items"]
    assert (late["reference"], late["due"]) == ("RE-2026-17", "2026-01-15")
    (bill,) = agent.call("find_owed", side="suppliers")["items"]
    assert bill["open"] == "-60.00 EUR"


def test_a_line_is_proposed_to_pay_what_it_names_and_a_person_approves(agent, ben, bank, invoices):
    line = bank.send("2026-03-20", "400.00", "Your RE 2026-17")
    found = agent.call("find_owed", line=line)["items"]
    assert (found[0]["itemId"], found[0]["choice"], found[0]["pays"]) == (invoices["RE-2026-17"], 1, "400.00")
    assert found[0]["why"] == "Its text names RE-2026-17, and the amount is the same."
    asked = {"line": line, "items": [{"item": invoices["RE-2026-17"]}], "why": "It names it"}
    proposed = agent.call("settle_items", **asked)
    assert proposed["status"] == "PENDING"
    assert not ben.get(f"/api/transactions/{line}").json["transaction"]["settles"]
    waiting = ben.get(f"/api/action-requests/{proposed['proposal']}").json["actionRequest"]
    assert approve(ben, waiting).status_code == 200
    (paid,) = ben.get(f"/api/transactions/{line}").json["transaction"]["settles"]
    assert paid == {"itemId": invoices["RE-2026-17"], "amount": "400.00"}


def test_items_that_add_up_to_zero_are_settled_with_each_other(agent, ben, books, acme, invoices):
    owe(ben, books, "-100.00", acme, reference="CN-3")
    credit = next(each["id"] for each in items(ben) if each["reference"] == "CN-3")
    pair = [{"item": invoices["RE-2026-18"]}, {"item": credit}]
    assert agent.call("settle_items", items=pair, why="Credit note")["status"] == "PENDING"
    model = Model(ben.with_scopes("read", "draft", "confirm"))
    assert model.call("settle_items", items=pair, why="Credit note")["status"] == "EXECUTED"
    assert {each["reference"] for each in items(ben)} == {"RE-2026-17", "B-9"}
    assert "name the line" in model.refusal("settle_items", items=pair, short="1.00")
    assert "Name 2 to 200 items." in model.refusal("settle_items", items=pair[:1])


def test_a_line_that_is_short_says_what_the_rest_is(agent, ben, bank, invoices):
    model = Model(ben.with_scopes("read", "draft"))
    line = bank.send("2026-03-20", "395.00", "Your RE 2026-17")
    done = model.call(
        "settle_items",
        line=line,
        items=[{"item": invoices["RE-2026-17"]}],
        short="5.00",
        shortAs="FEE",
        why="The bank kept 5.00",
    )
    assert (done["status"], done["next"]) == (
        "EXECUTED",
        "confirm_lines posts the line, which settles them.",
    )
    short = ben.get(f"/api/transactions/{line}").json["transaction"]["short"]
    assert (short["amount"], short["as"]) == ("5.00", "FEE")


def test_a_rule_pays_the_item_that_a_line_names(ben, bank, invoices):
    """It may stand alone, or beside what else the rule sets."""
    rule = {"name": "Invoices", "when": [{"value": "Acme"}], "settleByReference": True}
    assert Model(ben).call("write_rule", **rule, propose=True)["status"] == "EXECUTED"
    (made,) = ben.get("/api/automations/rules").json["rules"]
    assert [each["kind"] for each in made["effects"]] == ["SETTLE_BY_REFERENCE"]
    body = {"batchId": "one", "added": [fed("A1", "400.00", "2026-03-20", "Acme RE 2026-17")]}
    pushed = ben.post(f"/api/feeds/accounts/{bank.open()}/transactions", json=body)
    (line,) = (each["transactionId"] for each in pushed.json["results"])
    (paid,) = ben.get(f"/api/transactions/{line}").json["transaction"]["settles"]
    assert paid["itemId"] == invoices["RE-2026-17"]


# What a line brings, and by what each of its calls leaves the two invoices of 400.00 and 100.00.
FITTING = {
    "exact": ("400.00", "Your RE 2026-17", {"100.00"}),
    "part": ("150.00", "Your RE 2026-17", {"250.00", "100.00"}),
    "short": ("396.00", "Your RE 2026-17", {"4.00", "100.00"}),
    "several": ("500.00", "All of it", set()),
    "over": ("130.00", "Your RE 2026-18", {"400.00", "-30.00"}),
}


@pytest.mark.parametrize("name", FITTING)
def test_the_call_of_a_choice_is_taken_as_it_stands(ben, bank, acme, invoices, name):
    amount, text, left = FITTING[name]
    model = Model(ben.with_scopes("read", "draft", "confirm"))
    line = bank.send("2026-03-20", amount, text, counterparty="Acme")
    call = model.call("find_owed", line=line)["calls"][0]
    assert model.call("settle_items", **call, why="It fits")["status"] == "EXECUTED"
    model.call("confirm_lines", ids=[line], why="It fits")
    assert {each["open"] for each in items(ben) if each["reference"] != "B-9"} == left


def test_an_amount_includes_what_is_short_of_it(ben, bank, invoices):
    """490.00 of 500.00 less 10.00 is not the 490.00 of the line: the three figures are said, and nothing is kept."""
    model = Model(ben.with_scopes("read", "draft"))
    line = bank.send("2026-03-20", "391.00", "Your RE 2026-17")
    asked = {"line": line, "short": "9.00", "shortAs": "FEE", "why": "It is short"}
    item = invoices["RE-2026-17"]
    for amount in ("391.00", "399.00"):
        refused = model.refusal("settle_items", **asked, items=[{"item": item, "amount": amount}])
        assert all(f"{each} EUR" in refused for each in (amount, "9.00", "391.00")), refused
    assert not ben.get(f"/api/transactions/{line}").json["transaction"]["settles"]
    done = model.call("settle_items", **asked, items=[{"item": item, "amount": "400.00"}])
    assert done["status"] == "EXECUTED"


def test_a_split_line_pays_two_parties_at_once(ben, books, bank, acme, invoices):
    other = bank.merchant("Halden")
    owe(ben, books, "30.00", other, reference="H-1")
    halden = next(each["id"] for each in items(ben) if each["reference"] == "H-1")
    line = bank.send("2026-03-20", "426.40", "Payout")
    receivables = books.account_id("Trade receivables")
    splits = [
        {"accountId": receivables, "amount": "400.00", "orgMerchantId": acme},
        {"accountId": receivables, "amount": "30.00", "orgMerchantId": other},
        {"accountId": books.account_id("Bank charges"), "amount": "-3.60"},
    ]
    assert ben.patch(f"/api/transactions/{line}", json={"splits": splits}).status_code == 200
    model = Model(ben.with_scopes("read", "draft", "confirm"))
    paid = [{"item": invoices["RE-2026-17"]}, {"item": halden}]
    assert model.call("settle_items", line=line, items=paid, why="A payout")["status"] == "EXECUTED"
    model.call("confirm_lines", ids=[line], why="A payout")
    assert {each["reference"] for each in items(ben)} == {"RE-2026-18", "B-9"}


def test_splits_and_what_they_pay_are_one_call_and_one_approval(agent, ben, books, bank):
    """One party in its own currency, one in dollars, and the bank's charges."""
    bank.quote("2026-03-01", "USD", "1.10")
    owe(ben, books, "90.00", bank.merchant("Nagel"))
    owe(ben, books, "110.00", bank.merchant("Fjord"), currency="USD")
    line = bank.send("2026-03-20", "187.40", "Payout")
    parts = [("Trade receivables", "90.00", "Nagel"), ("Trade receivables", "101.00", "Fjord")]
    splits = [{"category": category, "amount": amount, "merchant": name} for category, amount, name in parts]
    splits.append({"category": "Bank charges", "amount": "-3.60"})
    pays = [{"item": each["id"]} for each in items(ben)]
    asked = {"lines": [{"id": line, "splits": splits, "pays": pays}], "confirm": True, "why": "Payout"}
    proposed = agent.call("categorise_lines", **asked)
    waiting = ben.get(f"/api/action-requests/{proposed['proposal']}").json["actionRequest"]
    page = ben.browser().get("/proposals").text
    assert [each for each in ("Nagel", "Fjord", "110.00", "90.00", "101.00") if each not in page] == []
    answer = approve(ben, waiting)
    assert answer.status_code == 200, answer.json
    assert items(ben) == []
    assert differences(ben) == ["-1.00"]
