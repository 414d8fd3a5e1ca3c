"""Merchants that are merged: everything answers by the one that counts, and separating brings all back."""

import pytest

from tests.api.audit.test_agent_undos import preview, undo
from tests.fixtures.helpers.marks import on_sqlite

pytestmark = pytest.mark.both
PATH = "/api/merchants"


@pytest.fixture
def shops(bank):
    """Three names of one shop, and a line of each: the first two posted, the last a draft."""
    return {name: bank.merchant(name) for name in ("REWE Markt 1187", "Rewe", "REWE SAGT DANKE")}


@pytest.fixture
def lines(ada, bank, shops):
    food = bank.account("Food")
    found = bank.send_many([(f"2026-03-0{day}", f"-{day}.00", f"Line {day}") for day in (1, 2, 3)])
    for line, merchant in zip(found, shops.values(), strict=True):
        ada.patch(f"/api/transactions/{line}", json={"accountId": food, "orgMerchantId": merchant})
    for line in found[:2]:
        assert ada.post(f"/api/transactions/{line}/confirm").status_code == 200
    return found


def merge(person, merchant, into):
    return person.post(f"{PATH}/{merchant}/merge", json={"mergedIntoId": into})


def separate(person, merchant):
    answer = person.post(f"{PATH}/{merchant}/separate")
    assert answer.status_code == 200, answer.json


def merchants_of(person, lines):
    return [person.get(f"/api/transactions/{line}").json["transaction"]["orgMerchantId"] for line in lines]


def counted(person, merchant):
    lines = person.get(f"/api/transactions?orgMerchantId={merchant}").json["transactions"]
    query = f"from=2026-01-01&to=2026-12-31&orgMerchantId={merchant}"
    report = person.get(f"/api/reports/profit-and-loss?{query}").json["profitAndLoss"]
    return len(lines), report["result"]["amount"]


def test_lines_entries_sums_and_lists_answer_by_the_merchant_that_counts(ada, shops, lines):
    first, rewe, last = shops.values()
    before = {each: counted(ada, each) for each in shops.values()}
    answer = merge(ada, first, rewe)
    assert answer.json["merchant"]["mergedIntoId"] == rewe
    assert merge(ada, last, rewe).status_code == 200
    assert merchants_of(ada, lines) == [rewe] * 3
    # Whoever still asks for a merged one is answered by the one that counts.
    assert {counted(ada, each) for each in shops.values()} == {(3, "-3.00")}
    assert [each["name"] for each in ada.get(f"{PATH}?q=danke").json["merchants"]] == ["Rewe"]
    assert [each["id"] for each in ada.get(PATH).json["merchants"]] == [rewe]
    merged = ada.get(f"{PATH}?mergedIntoId={rewe}").json["merchants"]
    assert [each["name"] for each in merged] == ["REWE Markt 1187", "REWE SAGT DANKE"]
    entry_id = ada.get(f"/api/transactions/{lines[0]}").json["transaction"]["journalEntryId"]
    entry = ada.get(f"/api/journal-entries/{entry_id}").json["entry"]
    assert (entry["counterparty"]["name"], entry["counterparty"]["orgMerchantId"]) == ("Rewe", rewe)
    assert rewe in [each["orgMerchantId"] for each in entry["postings"]]
    parts = ada.get("/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31&groupBy=merchant")
    (food,) = [each for each in parts.json["profitAndLoss"]["lines"] if each["name"] == "Food"]
    assert [(each["name"], each["amount"]) for each in food["parts"]] == [("Rewe", "3.00")]

    for each in (first, last):
        separate(ada, each)
    assert {each: counted(ada, each) for each in shops.values()} == before
    assert merchants_of(ada, lines) == [first, rewe, last]


def test_an_edit_that_names_what_a_row_shows_changes_nothing(ada, shops, lines, bank):
    first, rewe, last = shops.values()
    for each in (first, last):
        merge(ada, each, rewe)
    for line in (lines[0], lines[2]):
        ada.patch(f"/api/transactions/{line}", json={"orgMerchantId": rewe})
        read = ada.get(f"/api/transactions/{line}").json["transaction"]
        assert read["correctionMarkerId"] is None
    fun = bank.account("Fun")
    split = [{"accountId": fun, "amount": "-1.00", "orgMerchantId": rewe}]
    split.append({**split[0], "amount": "-2.00"})
    assert ada.patch(f"/api/transactions/{lines[2]}", json={"splits": split}).status_code == 200
    # What is written anew names a merged one too, and counts as the one.
    assert ada.patch(f"/api/transactions/{lines[1]}", json={"orgMerchantId": first}).status_code == 200
    assert ada.get(f"/api/transactions/{lines[1]}").json["transaction"]["correctionMarkerId"] is None
    for each in (first, last):
        separate(ada, each)
    assert merchants_of(ada, lines[:2]) == [first, rewe]
    parts = ada.get(f"/api/transactions/{lines[2]}").json["transaction"]["splits"]
    assert [each["orgMerchantId"] for each in parts] == [last, last]


def test_a_void_cancels_the_merchant_that_was_posted(ada, shops, lines, sound):
    first, rewe, _ = shops.values()
    merge(ada, first, rewe)
    entry_id = ada.get(f"/api/transactions/{lines[0]}").json["transaction"]["journalEntryId"]
    assert ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Twice"}).status_code == 200
    separate(ada, first)
    query = f"/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31&orgMerchantId={first}"
    assert ada.get(query).json["profitAndLoss"]["result"]["amount"] == "0.00"
    assert counted(ada, rewe) == (1, "-2.00")


def test_what_came_along_is_separated_with_it(ada, shops, sound):
    first, rewe, last = shops.values()
    merge(ada, first, rewe)
    merge(ada, rewe, last)
    assert [ada.get(f"{PATH}/{each}").json["merchant"]["mergedIntoId"] for each in (first, rewe)] == [
        last
    ] * 2
    separate(ada, rewe)
    assert [ada.get(f"{PATH}/{each}").json["merchant"]["mergedIntoId"] for each in (first, rewe)] == [
        rewe,
        None,
    ]


@on_sqlite
def test_merges_that_cannot_be_are_refused_and_repeats_change_nothing(ada, cleo, dan, bank, shops):
    first, rewe, last = shops.values()
    assert merge(ada, first, first).status_code == 422
    assert merge(cleo, first, rewe).status_code == 403
    assert merge(dan, first, rewe).status_code == 404
    assert merge(ada, first, bank.of(dan).merchant("His")).status_code == 422
    assert merge(ada, first, rewe).status_code == 200
    again = ada.get("/api/action-requests").json["actionRequests"]
    assert merge(ada, first, rewe).status_code == 200
    assert ada.get("/api/action-requests").json["actionRequests"] == again
    for one, other in ((rewe, first), (first, last), (last, first)):
        answer = merge(ada, one, other)
        assert (answer.status_code, answer.json["code"]) == (409, "merged")
    assert answer.json["error"] == (
        "“REWE Markt 1187” is merged into “Rewe”. Separate it first, or take “Rewe” instead."
    )
    separate(ada, first)
    separate(ada, first)


def test_rules_mean_the_merchant_that_counts(ada, bank, shops, lines):
    first, rewe, last = shops.values()
    for each in (first, last):
        merge(ada, each, rewe)
    rule = {
        "name": "Shop",
        "trigger": "MANUAL_APPLY",
        "conditions": {"conditions": [{"field": "MERCHANT", "operator": "EQUALS", "value": str(first)}]},
        "effects": [
            {"kind": "SET_MERCHANT", "orgMerchantId": last, "sortOrder": 1},
            {"kind": "SET_PROJECT", "projectId": bank.project("Picnic"), "sortOrder": 2},
        ],
    }
    preview = ada.post("/api/automations/rules/preview", json=rule)
    assert preview.status_code == 200, preview.json
    found = preview.json["preview"]
    # A person has edited all three, so that the rule matches them and changes none.
    assert (found["matched"], found["skipped"]) == (3, 3)
    assert {each["before"]["orgMerchantId"] for each in found["items"]} == {rewe}


def test_a_rule_that_sets_a_merged_merchant_agrees_with_the_one_that_counts(ada, bank, shops):
    first, rewe, _ = shops.values()
    line = bank.send("2026-03-09", "-9.00", "REWE 4711")
    rule = {
        "name": "Shop",
        "trigger": "MANUAL_APPLY",
        "conditions": {"conditions": [{"value": "rewe"}]},
        "effects": [{"kind": "SET_MERCHANT", "orgMerchantId": first, "sortOrder": 1}],
    }
    path = "/api/automations/rules"
    made = ada.post(path, json=rule).json["rule"]["id"]
    merge(ada, first, rewe)
    digest = ada.post(f"{path}/{made}/preview").json["preview"]["digest"]
    assert ada.post(f"{path}/{made}/apply", json={"digest": digest}).json["run"]["changed"] == 1
    assert merchants_of(ada, [line]) == [rewe]
    other = ada.post(path, json={**rule, "effects": [{**rule["effects"][0], "orgMerchantId": rewe}]}).json[
        "rule"
    ]["id"]
    assert ada.post(f"{path}/{other}/preview").json["preview"]["changed"] == 0
    separate(ada, first)
    assert merchants_of(ada, [line]) == [first]


def test_undoing_what_a_key_merged_and_separated_restores_it(ada, shops):
    first, rewe, last = shops.values()
    merge(ada, first, rewe)
    merge(ada, rewe, last)

    def states():
        return [ada.get(f"{PATH}/{each}").json["merchant"]["mergedIntoId"] for each in shops.values()]

    before = states()
    agent = ada.with_scopes("read", "draft")
    separate(agent, first)
    separate(agent, rewe)
    merge(agent, last, first)
    assert states() == [None, None, first]
    digest = preview(ada, agent)["digest"]
    assert undo(ada, agent, digest).status_code == 200
    assert states() == before
    separate(ada, rewe)
    assert states() == [rewe, None, None]


@on_sqlite
def test_a_manual_draft_and_a_document_keep_what_they_name(ada, bank, shops, books):
    first, rewe, _ = shops.values()
    merge(ada, first, rewe)
    legs = [
        {"accountId": bank.account("Cash", "ASSET"), "amount": "-5.00"},
        {"accountId": bank.account("Food"), "amount": "5.00", "orgMerchantId": first},
    ]
    body = {"effectiveAt": "2026-03-02T00:00:00Z", "postings": legs}
    entry = ada.post("/api/journal-entries", json=body).json["entry"]
    assert [each["orgMerchantId"] for each in entry["postings"]] == [None, rewe]
    legs[1]["orgMerchantId"] = rewe
    version = ada.get(f"/api/journal-entries/{entry['id']}").json["version"]
    changed = ada.put(f"/api/journal-entries/{entry['id']}", json={**body, "version": version})
    assert changed.status_code == 200, changed.json
    document = ada.post("/api/documents", json={"sender": "Rewe", "orgMerchantId": first}).json["document"]
    assert document["orgMerchantId"] == rewe
    ada.patch(f"/api/documents/{document['id']}", json={"orgMerchantId": rewe})
    separate(ada, first)
    entry = ada.get(f"/api/journal-entries/{entry['id']}").json["entry"]
    assert [each["orgMerchantId"] for each in entry["postings"]] == [None, first]
    assert ada.get(f"/api/documents/{document['id']}").json["document"]["orgMerchantId"] == first
