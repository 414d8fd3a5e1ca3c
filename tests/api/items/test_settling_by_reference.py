"""Rules that settle by reference: a line pays the one open item that its text names, and nothing else by itself."""

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line
from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.rule_acts import to_account
from tests.fixtures.helpers.transfers import confirm

pytestmark = pytest.mark.usefixtures("sound")
RULES, RUNS = "/api/automations/rules", "/api/automations/runs"
SETTLE = {"kind": "SETTLE_BY_REFERENCE"}
NAMES_NOTHING = "Its text names no open item of exactly this amount."


@pytest.fixture
def receivables(books):
    return books.account_id("Trade receivables")


def make(person, *effects, **more):
    money_in = {"conditions": [{"field": "DIRECTION", "operator": "EQUALS", "value": "IN"}]}
    body = {"name": "Payments", "conditions": money_in, "effects": [SETTLE, *effects], **more}
    answer = person.post(RULES, json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["rule"]


def come_in(feed, *texts, amount="400.00", **facts):
    added = [line(f"P{place}", amount, description=text, **facts) for place, text in enumerate(texts)]
    return [each["transactionId"] for each in feed.results(added=added)]


def read(person, line_id):
    return person.get(f"/api/transactions/{line_id}").json["transaction"]


def paid(person, line_id):
    return [(each["itemId"], each["amount"]) for each in read(person, line_id)["settles"] or ()]


def previewed(person, rule, **asked):
    answer = person.post(f"{RULES}/{rule['id']}/preview", query_string=asked)
    assert answer.status_code == 200, answer.json
    return answer.json["preview"]


def applied(person, rule):
    body = {"digest": previewed(person, rule)["digest"]}
    answer = person.post(f"{RULES}/{rule['id']}/apply", json=body)
    assert answer.status_code == 200, answer.json
    return answer.json["run"]


def test_a_line_that_names_an_invoice_pays_it_when_it_is_confirmed(ada, books, feed, acme, receivables):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    [invoice] = items(ada)
    rule = make(ada)
    (there,) = come_in(feed, "Thank you for RE 2026/17")
    found = read(ada, there)
    assert (found["accountId"], found["orgMerchantId"]) == (receivables, acme)
    assert paid(ada, there) == [(invoice["id"], "400.00")]
    assert {(each["field"], each["ruleId"]) for each in found["provenance"]} == {
        ("accountId", rule["id"]),
        ("orgMerchantId", rule["id"]),
        ("itemId", rule["id"]),
    }
    assert [each["open"] for each in items(ada)] == ["400.00"]
    confirm(ada, there)
    assert items(ada) == []


def test_a_file_settles_as_a_push_does(ada, books, feed, acme):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    [invoice] = items(ada)
    make(ada)
    feed.import_(
        bank_file(
            Line("2026-03-09", "400.00", "Your RE-2026-17"), Line("2026-03-09", "-4.00", "Fee"), account=None
        )
    )
    (there,) = [each["id"] for each in feed.lines() if each["amount"] == "400.00"]
    assert paid(ada, there) == [(invoice["id"], "400.00")]
    [run] = ada.get(RUNS).json["runs"]
    assert (run["matched"], run["changed"], run["skipped"]) == (1, 1, [])


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Thank you", "400.00"),
        ("RE-2026-17", "399.99"),
        ("RE-2026-17 and RE-2026-18", "400.00"),
        ("RE-2026-175", "400.00"),
    ],
)
def test_what_leaves_a_doubt_is_left_to_a_person(ada, bank, books, feed, acme, text, amount):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    rule, income = make(ada), bank.role("uncategorised_income")
    (there,) = come_in(feed, text, amount=amount)
    assert (paid(ada, there), read(ada, there)["accountId"]) == ([], income)
    [found] = previewed(ada, rule)["items"]
    assert found["skipped"] == [{"kind": "SETTLE_BY_REFERENCE", "reason": NAMES_NOTHING}]
    [run] = ada.get(RUNS).json["runs"]
    assert [(each["reason"], each["lines"]) for each in run["skipped"]] == [(NAMES_NOTHING, 1)]


def test_what_is_owed_by_somebody_else_is_not_paid(ada, books, feed, bank, acme):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    make(ada)
    bank.merchant("Other")
    (there,) = come_in(feed, "RE-2026-17", counterparty="OTHER")
    assert paid(ada, there) == []


def test_of_two_lines_the_first_has_the_invoice(ada, books, feed, acme):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    [invoice] = items(ada)
    rule = make(ada)
    first, second = come_in(feed, "RE-2026-17", "Again RE-2026-17")
    (third,) = [
        each["transactionId"] for each in feed.results(added=[line("X", "400.00", description="RE-2026-17")])
    ]
    assert [paid(ada, each) for each in (first, second, third)] == [[(invoice["id"], "400.00")], [], []]
    reasons = [skip["reason"] for each in previewed(ada, rule)["items"] for skip in each["skipped"]]
    assert reasons == [f"Another line is to pay RE-2026-17 already (line {first})."] * 2


def test_where_it_names_nothing_the_rule_sets_what_else_it_says(ada, books, bank, feed, acme, receivables):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    sales = books.account_id("Sales of services")
    make(ada, to_account(sales))
    named, other = come_in(feed, "RE-2026-17", "Thanks")
    assert [read(ada, each)["accountId"] for each in (named, other)] == [receivables, sales]


def test_the_item_says_where_a_line_goes_and_not_a_later_rule(ada, books, feed, acme, receivables):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    settling = make(ada)
    sales = books.account_id("Sales of services")
    conditions = {"conditions": [{"value": "RE-"}]}
    body = {"name": "All", "conditions": conditions, "effects": [to_account(sales)], "priority": 200}
    later = ada.post(RULES, json=body).json["rule"]
    (there,) = come_in(feed, "RE-2026-17")
    assert read(ada, there)["accountId"] == receivables
    [found] = previewed(ada, later)["items"]
    assert not found["isChanged"]
    assert found["overruled"] == [{"kind": "SET_ACCOUNT", "ruleId": settling["id"]}]


def test_the_past_is_previewed_applied_and_undone(ada, books, bank, feed, acme, receivables):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    [invoice] = items(ada)
    named, other = come_in(feed, "RE-2026-17", "Thanks")
    rule = make(ada, trigger="MANUAL_APPLY")
    before, after = next(
        (each["before"], each["after"]) for each in previewed(ada, rule)["items"] if each["isChanged"]
    )
    income = bank.role("uncategorised_income")
    assert (before["accountId"], before["itemId"]) == (income, None)
    assert (after["accountId"], after["orgMerchantId"], after["itemId"]) == (receivables, acme, invoice["id"])
    run = applied(ada, rule)
    assert (run["matched"], run["changed"]) == (2, 1)
    assert (paid(ada, named), paid(ada, other)) == ([(invoice["id"], "400.00")], [])
    assert previewed(ada, rule)["unchanged"] == 1
    back = ada.post(f"{RUNS}/{run['id']}/undo").json
    assert (back["lines"], back["restored"], back["kept"]) == (1, 3, [])
    found = read(ada, named)
    assert (found["accountId"], found["orgMerchantId"], paid(ada, named)) == (income, None, [])


def test_what_a_person_chose_stays_and_what_is_posted_too(ada, books, feed, acme):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    edited, posted = come_in(feed, "RE-2026-17", "For RE-2026-17")
    assert ada.patch(f"/api/transactions/{edited}", json={"orgMerchantId": acme}).status_code == 200
    confirm(ada, posted)
    rule = make(ada)
    reasons = {each["transactionId"]: each["skipped"][0]["reason"] for each in previewed(ada, rule)["items"]}
    assert reasons == {
        edited: "A person has edited this line.",
        posted: "This line is posted; what it paid is settled where its party's items are.",
    }
    assert applied(ada, rule)["changed"] == 0


def test_a_payment_that_a_person_takes_away_is_no_longer_the_rules(ada, books, feed, acme):
    owe(ada, books, "400.00", acme, reference="RE-2026-17")
    make(ada)
    (there,) = come_in(feed, "RE-2026-17")
    assert ada.patch(f"/api/transactions/{there}", json={"settles": []}).status_code == 200
    found = read(ada, there)
    assert (paid(ada, there), found["provenance"]) == ([], [])
    [run] = ada.get(RUNS).json["runs"]
    assert ada.post(f"{RUNS}/{run['id']}/undo").json["restored"] == 0


def test_only_bank_lines_pay(ada):
    body = {"name": "Bills", "effects": [SETTLE], "target": "RECEIPT"}
    refused = ada.post(RULES, json=body)
    assert refused.status_code == 422
    assert refused.json["fields"]["effects.0.kind"] == [
        "Only a bank line pays an open item; let this rule act on bank lines."
    ]


def test_a_creditor_reference_and_the_text_of_a_payment_name_an_invoice(ada, books, feed, acme):
    owe(ada, books, "400.00", acme, reference="5390 0754 7034")
    [invoice] = items(ada)
    make(ada)
    (there,) = come_in(feed, "Ref RF18 5390 0754 7034 thanks")
    assert paid(ada, there) == [(invoice["id"], "400.00")]
