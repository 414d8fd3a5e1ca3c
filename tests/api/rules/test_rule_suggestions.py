"""Suggested rules over the API: their evidence, what covers them, and dismissing them."""

import pytest

from tests.fixtures.helpers.habits import confirm, decide, send, suggested

PATH = "/api/automations/suggestions"


@pytest.fixture
def travel(bank):
    bank.open()
    return bank.account("Travel")


def dismiss(person, key):
    return person.post(f"{PATH}/dismiss", json={"key": key})


def test_a_suggestion_says_its_evidence_and_is_a_rule_that_can_be_made(ada, bank, travel):
    ids = decide(ada, bank, travel, "DB Bahn 12", "DB Bahn 77", "DB Bahn 5512")
    waiting = send(bank, "DB Bahn 99")
    (suggestion,) = suggested(ada)
    assert suggestion["sentence"] == "3 of 3 lines of DB Bahn went to Travel."
    assert sorted(suggestion["transactionIds"]) == ids
    assert [suggestion[name] for name in ("accountId", "count", "total", "undecidedCount")] == [
        travel,
        3,
        3,
        1,
    ]
    made = ada.post("/api/automations/rules", json=suggestion["rule"])
    assert (made.status_code, made.json["ignored"], made.json["rule"]["name"]) == (201, [], "DB Bahn")
    preview = ada.post(f"/api/automations/rules/{made.json['rule']['id']}/preview").json["preview"]
    assert sorted(item["transactionId"] for item in preview["items"]) == sorted([*ids, waiting])
    assert suggested(ada) == []


def test_a_merchant_and_a_project_that_always_were_there_become_effects(ada, bank, travel):
    merchant, project = bank.merchant("Bahn"), bank.project("Fair")
    decide(ada, bank, travel, *["Bahn"] * 3, orgMerchantId=merchant, projectId=project)
    (suggestion,) = suggested(ada)
    assert [(suggestion[name]) for name in ("orgMerchantId", "projectId")] == [merchant, project]
    assert [effect["kind"] for effect in suggestion["rule"]["effects"]] == [
        "SET_ACCOUNT",
        "SET_MERCHANT",
        "SET_PROJECT",
    ]


def test_what_a_correction_moved_counts_where_it_stands_now(ada, bank, travel):
    food = bank.account("Food")
    first, *_ = decide(ada, bank, food, *["Bahn"] * 3)
    ada.patch(f"/api/transactions/{first}", json={"accountId": travel})
    confirm(ada, first)
    assert suggested(ada) == []
    for moved in ada.get("/api/transactions").json["transactions"]:
        ada.patch(f"/api/transactions/{moved['id']}", json={"accountId": travel})
        if moved["id"] != first:
            confirm(ada, moved["id"])
    assert [each["sentence"] for each in suggested(ada)] == ["3 of 3 lines of Bahn went to Travel."]


def test_split_lines_and_drafts_are_no_evidence(ada, bank, travel):
    decide(ada, bank, travel, *["Bahn"] * 2)
    draft = send(bank, "Bahn")
    ada.patch(f"/api/transactions/{draft}", json={"accountId": travel})
    assert suggested(ada) == []
    parts = [{"accountId": travel, "amount": "-4.00"}, {"accountId": bank.account("Food"), "amount": "-1.00"}]
    ada.patch(f"/api/transactions/{draft}", json={"splits": parts})
    confirm(ada, draft)
    decide(ada, bank, travel, "Bahn")
    assert suggested(ada) == []


def test_lines_confirmed_without_an_account_speak_for_nothing(ada, bank, travel):
    for _ in range(3):
        confirm(ada, send(bank, "Bahn"))
    assert suggested(ada) == []
    decide(ada, bank, travel, *["Bahn"] * 3)
    assert [(each["count"], each["total"], each["undecidedCount"]) for each in suggested(ada)] == [(3, 3, 3)]


def test_a_rule_that_is_active_covers_a_suggestion_and_one_that_is_not_does_not(ada, bank, travel):
    decide(ada, bank, travel, *["Bahn"] * 3)
    effects = [{"kind": "SET_ACCOUNT", "accountId": travel}]
    body = {"name": "On trains", "conditions": {"conditions": [{"value": "bahn"}]}, "effects": effects}
    rule = ada.post("/api/automations/rules", json=body).json["rule"]["id"]
    assert suggested(ada) == []
    ada.put(f"/api/automations/rules/{rule}", json={**body, "isActive": False})
    assert len(suggested(ada)) == 1


def test_an_archived_account_is_not_suggested(ada, bank, travel):
    decide(ada, bank, travel, *["Bahn"] * 3)
    assert ada.patch(f"/api/accounts/{travel}", json={"isArchived": True}).status_code == 200
    assert suggested(ada) == []


def test_a_dismissal_is_remembered_until_twice_as_many_lines_say_it(ada, bank, travel):
    decide(ada, bank, travel, *["Bahn"] * 3)
    (suggestion,) = suggested(ada)
    answer = dismiss(ada, suggestion["key"])
    assert (answer.status_code, answer.json["dismissal"]["evidenceCount"]) == (200, 3)
    assert (
        answer.json["dismissal"]["dismissedBy"]["name"]
        == ada.get("/api/action-requests").json["actionRequests"][0]["actor"]["name"]
    )
    decide(ada, bank, travel, *["Bahn"] * 2)
    assert suggested(ada) == []
    decide(ada, bank, travel, "Bahn")
    assert [each["count"] for each in suggested(ada)] == [6]


def test_a_dismissal_holds_also_when_new_lines_change_the_words(ada, bank, travel):
    decide(ada, bank, travel, *["Bahn Koeln"] * 3)
    dismiss(ada, suggested(ada)[0]["key"])
    decide(ada, bank, travel, "Bahn Bonn", "Bahn Aachen")
    assert suggested(ada) == []


def test_a_dismissal_is_taken_back(ada, bank, travel):
    decide(ada, bank, travel, *["Bahn"] * 3)
    key = suggested(ada)[0]["key"]
    dismiss(ada, key)
    assert [each["key"] for each in ada.get(f"{PATH}/dismissals").json["dismissals"]] == [key]
    assert ada.post(f"{PATH}/undismiss", json={"key": key}).json == {"ok": True, "changed": True}
    assert [each["key"] for each in suggested(ada)] == [key]
    kinds = [each["kind"] for each in ada.get("/api/action-requests?limit=2").json["actionRequests"]]
    assert kinds == ["undismiss_suggestion", "dismiss_suggestion"]
    assert ada.post(f"{PATH}/undismiss", json={"key": key}).status_code == 404


def test_what_nobody_suggests_cannot_be_dismissed(ada, bank, travel):
    decide(ada, bank, travel, *["Bahn"] * 3)
    assert dismiss(ada, "unknown").status_code == 404
    assert dismiss(ada, "x" * 23).status_code == 422


def test_the_list_is_paged_with_most_lines_first(ada, bank, travel):
    for name, number in (("Alpha", 3), ("Beta", 5), ("Gamma", 4)):
        decide(ada, bank, travel, *[f"{name} shop"] * number)
    first = ada.get(f"{PATH}?limit=2").json
    assert [each["count"] for each in first["suggestions"]] == [5, 4]
    rest = ada.get(f"{PATH}?limit=2&cursor={first['nextCursor']}").json
    assert ([each["count"] for each in rest["suggestions"]], rest["nextCursor"]) == ([3], None)


def test_another_organization_learns_and_changes_nothing(ada, dan, bank, travel):
    decide(ada, bank, travel, *["Bahn"] * 3)
    key = suggested(ada)[0]["key"]
    his = bank.of(dan)
    his.open()
    decide(dan, his, his.account("Trips"), *["Bahn"] * 2)
    assert suggested(dan) == []
    assert dismiss(dan, key).status_code == 404
    assert dan.browser().get(f"/rules/new?suggestion={key}").status_code == 404
    dismiss(ada, key)
    assert dan.get(f"{PATH}/dismissals").json["dismissals"] == []
    assert dan.post(f"{PATH}/undismiss", json={"key": key}).status_code == 404


def test_it_takes_as_many_statements_however_many_lines_there_are(ada, bank, travel, at_most, statements):
    decide(ada, bank, travel, *["Bahn"] * 3)
    with statements() as few:
        suggested(ada)
    decide(ada, bank, travel, *[f"{name} shop" for name in ("Alpha", "Beta", "Gamma") for _ in range(4)])
    with at_most(len(few)):
        assert len(suggested(ada)) == 4


def test_nothing_of_another_organization_is_told_anywhere(ada, dan, bank, travel):
    merchant, project = bank.merchant("CANARY merchant"), bank.project("CANARY project")
    canary = bank.account("CANARY account")
    decide(ada, bank, canary, *["CANARY party"] * 3, orgMerchantId=merchant, projectId=project)
    decide(ada, bank, canary, *["A party"] * 3)
    dismiss(ada, suggested(ada)[0]["key"])
    his = bank.of(dan)
    his.open()
    waiting = [send(his, name) for name in ("CANARY party", "A party")]
    decide(dan, his, his.account("Trips"), *["A party"] * 3)
    browser = dan.browser()
    answers = [
        dan.get(PATH),
        dan.get(f"{PATH}/dismissals"),
        browser.get("/rules/suggestions"),
        *(dan.get(f"/api/transactions/{line}/suggestions") for line in waiting),
    ]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert not [answer.text for answer in answers if "CANARY" in answer.text]
    assert "3 of 3 lines of A party went to Trips." in answers[0].text
