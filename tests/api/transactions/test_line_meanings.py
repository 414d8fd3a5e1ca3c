"""What a line pays, moves or means: asked once, and answered alike by pages, the API, the tools and the example."""

import importlib.util
import re

import pytest

from tests.fixtures.helpers.habits import decide
from tests.fixtures.helpers.marks import doors
from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.transfers import send
from tests.mcp.clients import Model
from tests.tree import ROOT

SALES = "Sales of services"
# What is owed, by number: amount and currency.
OWED = {
    "R-31": ("1208.50", "EUR"),
    "R-34": ("77.10", "EUR"),
    "R-35": ("77.10", "EUR"),
    "R-40": ("500.00", "USD"),
}
# The amount and text of a line, and what every door says of it.
LINES = {
    "named": ("1208.50", "R-31 thanks", "pays R-31", "names it"),
    "exact": ("1208.50", "thanks", "pays R-31", "exactly what Ostermann owes"),
    "several": ("77.10", "thanks", "may pay R-34 or R-35", None),
    "all_of_it": ("1362.70", "thanks", "pays R-31, R-34 and R-35", None),
    "two_named": ("1285.60", "R-31 + R-35", "pays R-31 and R-35", "names them"),
    "none": ("19.00", "consulting", SALES, "5 of 5"),
    "foreign": ("450.00", "R-40", "may pay R-40", None),
    "short": ("1199.50", "R-31", "may pay R-31", None),
    "almost": ("1199.50", "thanks", "may pay R-31", None),
    "another": ("1208.50", "for R-99", "may pay R-31", None),
}


@pytest.fixture
def make_line(ada, ben, books, bank, giro):
    """Make a line of a customer whose earlier payments were sales."""
    bank.quote("2026-03-01", "USD", "1.10")
    bank.fa_id = giro
    merchant = bank.merchant("Ostermann")
    decide(ada, bank, books.account_id(SALES), *["OSTERMANN"] * 5, amount="40.00")
    for number, (amount, currency) in OWED.items():
        owe(ben, books, amount, merchant, currency=currency, reference=number)

    def make(kind, **facts):
        amount, text, *_ = LINES[kind]
        return send(bank, giro, "2026-03-20", amount, text=text, counterparty="OSTERMANN", **facts)

    return make


def api(ada, line):
    (found,) = ada.get(f"/api/transactions?ids={line}&include=likely").json["transactions"]
    return said(found)


def suggestions(ada, line):
    return said(ada.get(f"/api/transactions/{line}/suggestions").json)


def said(found):
    payment, account = found["likelyPayment"], found["likelyAccount"]
    if payment is None:
        return account["accountName"]
    assert (account, found["likelyTransfer"]) == (None, None)
    sets = [payment["parts"]] if payment["parts"] else payment["choices"]
    some = [", ".join(each["reference"] for each in parts) for parts in sets]
    names = " or ".join(" and ".join(each.rsplit(", ", 1)) for each in some)
    return f"{'pays' if payment['parts'] else 'may pay'} {names}"


def page(ada, line):
    """The words of the line's row, in the list and opened."""
    fa_id = ada.get(f"/api/transactions/{line}").json["transaction"]["faId"]
    text = ada.browser().get(f"/feeds/{fa_id}?show=all").text
    row = text[text.index(f'id="line-{line}"') :].split("</tbody>")[0]
    cell = row[row.index('<td class="col-account">') :].split("</td>")[0]
    visible = re.sub(r'<span class="away">.*?</span>|<[^>]*>', "", cell, flags=re.DOTALL).strip()
    assert visible.endswith("?")
    return re.sub(r"^(Pays|May pay)", lambda found: found[0].lower(), visible[:-1])


def mcp(ada, line):
    (found,) = (each for each in Model(ada).call("find_lines", limit=50)["lines"] if each["lineId"] == line)
    return found["likely"]


def example(ada, line):
    spec = importlib.util.spec_from_file_location("mcp_agent", ROOT / "examples/mcp_agent.py")
    agent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(agent)
    (found,) = (each for each in Model(ada).call("find_lines", limit=50)["lines"] if each["lineId"] == line)
    chosen = agent.choice(found)
    if chosen is None:
        assert found["likely"].startswith("may pay ")
        return found["likely"]
    if "category" in chosen:
        return chosen["category"]
    names = {each["id"]: each["reference"] for each in items(ada)}
    paid = [names[each["item"]] for each in chosen["pays"]]
    assert [each["amount"] for each in chosen["pays"]] == [OWED[each][0] for each in paid]
    return "pays " + " and ".join(", ".join(paid).rsplit(", ", 1))


@doors(api, suggestions, page, mcp, example)
def test_each_door_says_the_same_of_a_line(ada, make_line, door):
    for kind, (_, _, expected, _) in LINES.items():
        line = make_line(kind)
        assert door(ada, line) == expected, kind
        assert ada.delete(f"/api/transactions/{line}").status_code == 200


def make_rule(person, account_id, value, *, is_active=True, **facts):
    body = {
        "name": value,
        "effects": [{"kind": "SET_ACCOUNT", "accountId": account_id}],
        "conditions": {"conditions": [{"field": "DESCRIPTION", "operator": "CONTAINS", "value": value}]},
        **facts,
    }
    made = person.post("/api/automations/rules", json=body).json["rule"]["id"]
    changed = person.put(f"/api/automations/rules/{made}", json={**body, "isActive": is_active})
    assert changed.status_code == 200, changed.json
    return made


@doors(api, suggestions, page, mcp, example)
def test_what_a_rule_says_that_never_ran_comes_after_items_and_before_earlier_lines(
    ada, bank, make_line, door
):
    travel = bank.account("Trips", "INCOME")
    lines = {kind: make_line(kind) for kind in ("none", "named", "several")}
    make_rule(ada, travel, "consulting")
    make_rule(ada, travel, "thanks", trigger="MANUAL_APPLY")
    assert {kind: door(ada, line) for kind, line in lines.items()} == {
        "none": "Trips",
        "named": "pays R-31",
        "several": "may pay R-34 or R-35",
    }


def test_a_rule_that_says_nothing_now_leaves_a_line_its_habit(ada, bank, make_line):
    trips, closed = bank.account("Trips", "INCOME"), bank.account("Closed", "INCOME")
    line = make_line("none")
    rule = make_rule(ada, closed, "consulting")
    make_rule(ada, trips, "consulting", is_active=False)
    assert ada.patch(f"/api/accounts/{closed}", json={"isArchived": True}).status_code == 200
    make_rule(ada, trips, "some other text")
    assert api(ada, line) == SALES
    assert ada.patch(f"/api/accounts/{closed}", json={"isArchived": False}).status_code == 200
    (found,) = ada.get(f"/api/transactions?ids={line}&include=likely").json["transactions"]
    likely = found["likelyAccount"]
    assert (likely["accountId"], likely["ruleId"], likely["count"]) == (closed, rule, 0)
    assert likely["reason"] == "The rule “consulting” puts it on Closed."
    (row,) = (each for each in Model(ada).call("find_lines")["lines"] if each["lineId"] == line)
    assert row["evidence"] == f"rule:{rule}"


def test_a_model_reads_why(ada, make_line):
    model = Model(ada)
    for kind, (_, _, likely, evidence) in LINES.items():
        line = make_line(kind)
        (found,) = (each for each in model.call("find_lines", limit=50)["lines"] if each["lineId"] == line)
        assert evidence in (None, found["evidence"]), kind
        assert bool(found["pays"]) == likely.startswith("pays"), kind
        assert ada.delete(f"/api/transactions/{line}").status_code == 200


# Who puts a line on an account, and what it is answered.
def patch(ada, line, income):
    return ada.patch(f"/api/transactions/{line}", json={"accountId": income}).json.get("warningCodes")


def split(ada, line, income):
    whole = ada.get(f"/api/transactions/{line}").json["transaction"]["amount"]
    parts = [
        {"accountId": income, "amount": "1.00"},
        {"accountId": income, "amount": f"{float(whole) - 1:.2f}"},
    ]
    return ada.patch(f"/api/transactions/{line}", json={"splits": parts}).json.get("warningCodes")


def bulk(ada, line, income):
    body = {"changes": [{"id": line, "accountId": income}]}
    (result,) = ada.patch("/api/transactions", json=body).json["results"]
    return result.get("warningCodes")


def dry_run(ada, line, income):
    effect = ada.patch(f"/api/transactions/{line}?dryRun=true", json={"accountId": income}).json["effect"]
    return codes(effect["warnings"])


def proposal(ada, line, income):
    agent = ada.with_scopes("read", "propose")
    waiting = agent.patch(f"/api/transactions/{line}", json={"accountId": income}).json["actionRequest"]
    return codes(waiting["effect"]["warnings"])


def categorise(ada, line, income):
    asked = {"lines": [{"id": line, "category": income}]}
    return codes(Model(ada).call("categorise_lines", **asked)["warnings"])


def reconcile(ada, line, income):
    hub = ada.get("/api/reconciliations/accounts").json["accounts"]
    (account,) = (each for each in hub if each["accountName"] == "Giro")
    asked = {"account": account["faId"], "statementDate": "2026-03-31", "statementBalance": "0.00"}
    tried = Model(ada).call("reconcile", **asked, categories=[{"id": line, "category": income}])
    return codes(tried["warnings"])


def codes(sentences):
    return [
        "pays_open_item"
        for each in sentences
        if "is the open amount of R-31" in each or "May pay R-31" in each
    ] or None


@doors(patch, split, bulk, dry_run, proposal, categorise, reconcile)
def test_who_puts_a_payment_elsewhere_is_warned(ada, books, make_line, door):
    income = books.account_id(SALES)
    for kind in ("named", "exact", "short", "none"):
        line = make_line(kind)
        expected = None if kind == "none" else ["pays_open_item"]
        assert door(ada, line, income) == expected, kind
        assert ada.delete(f"/api/transactions/{line}").status_code == 200


def test_an_item_that_another_line_is_to_pay_is_not_said_for_sure(ada, make_line):
    first, second = make_line("named"), make_line("exact")
    (item,) = (each["id"] for each in items(ada) if each["reference"] == "R-31")
    ada.patch(f"/api/transactions/{first}", json={"settles": [{"itemId": item}]})
    assert (api(ada, second), mcp(ada, second)) == ("may pay R-31", "may pay R-31")
    (found,) = ada.get(f"/api/transactions?ids={first}&include=likely").json["transactions"]
    assert (found["likelyPayment"], found["likelyAccount"]) == (None, None)


def test_a_list_of_many_lines_asks_as_little_as_one_of_few(ada, bank, giro, make_line, statements, at_most):
    """Of each kind there is one in the short list already: payments, several that fit, and transfers."""
    purse = bank.open("Purse")
    for kind in ("named", "several", "none"):
        make_line(kind)
    send(bank, purse, "2026-03-20", "-19.00")
    path = "/api/transactions?include=likely&limit=50&entryStatus=DRAFT"
    with statements() as few:
        assert len(ada.get(path).json["transactions"]) == 4
    for _ in range(15):
        for kind in ("named", "several", "none"):
            make_line(kind)
    with at_most(len(few)):
        assert len(ada.get(path).json["transactions"]) == 49
