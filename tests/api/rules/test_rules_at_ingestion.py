"""Rules run by themselves on the booked lines that files and feeds bring."""

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line
from tests.fixtures.helpers.rule_acts import to_account

pytestmark = pytest.mark.usefixtures("sound")
RULES = "/api/automations/rules"


def make(person, text, *effects, **more):
    conditions = {"conditions": [{"value": text}]}
    body = {"name": f"On {text}", "conditions": conditions, "effects": list(effects), **more}
    answer = person.post(RULES, json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["rule"]["id"]


def entry_of(person, there):
    return person.get(f"/api/journal-entries/{there['journalEntryId']}").json["entry"]


def test_a_pushed_line_gets_what_the_rules_choose(ada, bank, feed):
    food, merchant, project = bank.account("Food"), bank.merchant("Nero"), bank.project("Berlin")
    rule = make(
        ada, "coffee", to_account(food),
        {"kind": "SET_MERCHANT", "orgMerchantId": merchant}, {"kind": "SET_PROJECT", "projectId": project},
    )  # fmt: skip
    feed.push(added=[line(), line("A2", description="Rent")])
    there = {each["description"]: each for each in feed.lines()}
    coffee = there.pop(next(name for name in there if "offee" in name))
    assert (coffee["accountId"], coffee["orgMerchantId"], coffee["projectId"]) == (food, merchant, project)
    assert there["Rent"]["accountId"] == bank.role("uncategorised_expenses")
    stored = ada.get(f"{RULES}/{rule}").json["rule"]
    assert stored["matchCount"] == 1
    assert stored["lastRunAt"] is not None


def test_rules_of_other_triggers_and_sleeping_ones_stay_out(ada, bank, feed):
    food = bank.account("Food")
    for trigger in ("MANUAL_APPLY", "MANUAL_PREVIEW", "TRANSACTION_UPDATED"):
        make(ada, "coffee", to_account(food), trigger=trigger)
    sleeping = ada.get(f"{RULES}/{make(ada, 'coffee', to_account(food))}").json["rule"]
    kept = ("name", "description", "target", "trigger", "conditions", "effects", "priority", "stopProcessing")
    body = {key: sleeping[key] for key in kept} | {"isActive": False}
    assert ada.put(f"{RULES}/{sleeping['id']}", json=body).status_code == 200
    feed.push(added=[line()])
    assert feed.one()["accountId"] == bank.role("uncategorised_expenses")


def test_a_pending_line_waits_until_it_is_booked(ada, bank, feed):
    food = bank.account("Food")
    make(ada, "coffee", to_account(food))
    feed.push(added=[line(pending=True)])
    assert feed.one()["journalEntryId"] is None
    feed.push(modified=[line()])
    assert feed.one()["accountId"] == food


def test_a_changed_line_meets_the_rules_for_changes(ada, bank, feed):
    food, rent = bank.account("Food"), bank.account("Rent")
    make(ada, "coffee", to_account(food))
    make(ada, "landlord", to_account(rent), trigger="TRANSACTION_UPDATED")
    feed.push(added=[line()])
    feed.push(modified=[line(description="Landlord")])
    assert feed.one()["accountId"] == rent


def test_a_changed_line_that_is_posted_gets_a_marker(ada, bank, feed):
    rent = bank.account("Rent")
    make(ada, "landlord", to_account(rent), trigger="TRANSACTION_UPDATED")
    feed.push(added=[line()])
    assert ada.post(f"/api/transactions/{feed.one()['id']}/confirm").status_code == 200
    feed.push(modified=[line(description="Landlord")])
    marker = ada.get(f"/api/journal-entries/{feed.one()['correctionMarkerId']}").json["entry"]
    assert [posting["accountId"] for posting in marker["postings"]][1:] == [rent]
    assert feed.one()["accountId"] == bank.role("uncategorised_expenses")


def test_a_changed_line_that_a_person_edited_stays(ada, bank, feed):
    food, rent = bank.account("Food"), bank.account("Rent")
    make(ada, "landlord", to_account(rent), trigger="TRANSACTION_UPDATED")
    feed.push(added=[line()])
    assert ada.patch(f"/api/transactions/{feed.one()['id']}", json={"accountId": food}).status_code == 200
    feed.push(modified=[line(description="Landlord")])
    assert feed.one()["accountId"] == food


def test_what_cannot_be_is_skipped(ada, bank, feed):
    food, dollars = bank.account("Food"), bank.account("Dollars", currency="USD")
    make(ada, "coffee", to_account(food))
    make(ada, "coffee", to_account(dollars), priority=200)
    feed.push(added=[line()])
    assert feed.one()["accountId"] == bank.role("uncategorised_expenses")


def test_a_currency_keeps_what_the_line_is_in_the_base_currency(ada, bank, feed):
    bank.quote("2026-03-01", "USD", "1.2500")
    make(ada, "coffee", {"kind": "SET_CURRENCY", "currency": "USD"})
    feed.push(added=[line()])
    bank_leg, counter = entry_of(ada, feed.one())["postings"]
    assert (bank_leg["amount"], bank_leg["currency"]) == ("-12.50", "EUR")
    assert (counter["amount"], counter["currency"], counter["amountBase"]) == ("15.63", "USD", "12.50")
    assert ada.post(f"/api/transactions/{feed.one()['id']}/confirm").status_code == 200


def test_an_imported_file_is_asked_too_and_may_be_taken_back(ada, bank, feed):
    food = bank.account("Food")
    rule = make(ada, "a line", to_account(food))
    imported = feed.import_(
        bank_file(Line("2026-03-02", "-9.00", "A line"), Line("2026-03-03", "5.00", "Other"), account=None)
    )
    assert {each["accountId"] for each in feed.lines(accountId=str(food))} == {food}
    assert ada.get(f"{RULES}/{rule}").json["rule"]["matchCount"] == 1
    assert ada.delete(f"/api/feeds/imports/{imported['id']}").status_code == 200
