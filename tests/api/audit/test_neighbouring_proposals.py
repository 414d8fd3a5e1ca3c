"""Proposals on one line, entry or item: each says that others would change the same, and in which order to decide."""

from itertools import permutations

import pytest

from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.planning import approve, plan
from tests.mcp.clients import Model


@pytest.fixture
def agent(ben):
    return ben.with_scopes("read", "propose")


def on_one_line(line, other, food):
    """Acts on one line: each a name, a method, a path and a body."""
    confirm = {"method": "POST", "path": f"/api/transactions/{line}/confirm", "body": {}}
    return [
        ("confirm", "POST", f"/api/transactions/{line}/confirm", {}),
        ("confirm several", "POST", "/api/transactions/confirm", {"ids": [line, other]}),
        ("edit", "PATCH", f"/api/transactions/{line}", {"accountId": food}),
        ("edit several", "PATCH", "/api/transactions", {"changes": [{"id": line, "accountId": food}]}),
        ("delete", "DELETE", f"/api/transactions/{line}", None),
        ("plan", "POST", "/api/plans", {"title": "Whole", "steps": [confirm]}),
    ]


def ask(person, method, path, body, **query):
    answer = person.ask(method, path, query_string=query, **({} if body is None else {"json": body}))
    assert answer.status_code == 202, answer.json
    return answer.json


def waiting(person):
    return person.get("/api/action-requests?status=PENDING").json["actionRequests"]


def test_each_pair_of_acts_on_one_line_is_told_of_the_other(ben, agent, bank, portion):
    line, other, alone = bank.send_many(
        [("2026-10-02", "-40.00", "Fuel"), ("2026-10-03", "-5.00", "Tea"), ("2026-10-04", "-1.00", "Gum")]
    )
    acts = on_one_line(line, other, bank.account("Food"))
    browser = ben.browser()
    quiet = ask(agent, "POST", f"/api/transactions/{alone}/confirm", {})
    for one, another in portion(5, list(permutations(acts, 2))):
        pair = (one[0], another[0])
        first, second = ask(agent, *one[1:]), ask(agent, *another[1:])
        ids = [each["actionRequest"]["id"] for each in (first, second)]
        assert "waiting" not in first, pair
        assert [each["id"] for each in second["waiting"]] == ids[:1], pair
        warnings = second["actionRequest"]["effect"]["warnings"]
        assert any(f"({ids[0]}) would change this" in each for each in warnings), (pair, warnings)
        summary = ask(agent, *another[1:], view="summary")
        assert summary["waiting"] == second["waiting"], pair
        for each, opposite in (ids, ids[::-1]):
            page = browser.get(f"/proposals?id={each}").text
            assert "Other proposals change the same" in page, pair
            told = page.split("Decide in this order")[1].split("</ol>")[0]
            assert f"id={opposite}" in told, pair
            assert (told.index("this one") < told.index(f"id={opposite}")) == (each == ids[0]), pair
        for each in ids:
            assert (
                browser.post(f"/api/action-requests/{each}/reject", json={"reason": "No"}).status_code == 200
            )
    assert "waiting" not in quiet
    assert "Others that wait" not in browser.get(f"/proposals?id={quiet['actionRequest']['id']}").text


def test_proposals_on_one_open_item_are_told_of_each_other(ben, agent, bank, books, acme):
    """Two lines that pay it, the first of which has the number of the item, its due day, and the void of its entry."""
    owe(ben, books, "100.00", acme, reference="R-1")
    [item] = items(ben)
    lines = bank.send_many([("2026-10-02", "100.00", "One"), ("2026-10-03", "100.00", "Two")])
    pays = {"settles": [{"itemId": item["id"]}]}
    acts = [("PATCH", f"/api/transactions/{line}", pays) for line in lines]
    acts.append(("PATCH", f"/api/items/{item['id']}", {"dueOn": "2026-12-01"}))
    acts.append(("POST", f"/api/journal-entries/{item['journalEntryId']}/void", {"reason": "Twice"}))
    assert item["id"] == lines[0]
    told = [ask(agent, *act) for act in acts]
    ids = [each["actionRequest"]["id"] for each in told]
    assert [[each["id"] for each in answer.get("waiting", ())] for answer in told] == [
        ids[:place] for place in range(len(ids))
    ]


def test_a_later_proposal_of_the_same_key_takes_the_place_of_an_older_one(ben, agent, bank):
    line = bank.send("2026-10-02", "-40.00", "Fuel")
    old = ask(agent, "POST", f"/api/transactions/{line}/confirm", {})["actionRequest"]
    others = ben.with_scopes("read", "propose")
    place, body = f"/api/transactions/{line}", {"accountId": bank.account("Food")}
    refused = others.patch(f"{place}?replaces={old['id']}", json=body)
    assert (refused.status_code, refused.json["code"]) == (422, "no_such_proposal")
    assert [each["id"] for each in waiting(ben)] == [old["id"]]
    new = ask(agent, "PATCH", place, body, replaces=old["id"])
    assert "waiting" not in new
    told = agent.get(f"/api/action-requests/{old['id']}").json["actionRequest"]
    assert (told["status"], told["replacedBy"]) == ("EXPIRED", new["actionRequest"]["id"])
    # The same again is the same one, with or without what it replaced.
    assert ask(agent, "PATCH", place, body)["actionRequest"]["id"] == new["actionRequest"]["id"]
    assert approve(ben, old).json["code"] == "replaced"
    assert approve(ben, new["actionRequest"]).status_code == 200


def test_a_tool_is_told_what_waits_and_how_to_replace_it(ben, agent, bank):
    model, line = Model(agent), bank.send("2026-10-02", "-40.00", "Fuel")
    bank.account("Food")
    first = model.call("confirm_lines", ids=[line])
    lines = [{"id": line, "category": "Food"}]
    second = model.call("categorise_lines", lines=lines)
    assert [each.split()[0] for each in second["waiting"]] == [first["proposal"]]
    assert any(first["proposal"] in each for each in second["warnings"])
    assert "replaces" in second["next"]
    third = model.call("categorise_lines", lines=lines, confirm=True, replaces=second["proposal"])
    assert [each["id"] for each in waiting(ben)] == [third["proposal"], first["proposal"]]
    assert [each.split()[0] for each in third["waiting"]] == [first["proposal"]]


def test_a_loose_proposal_beside_a_plan_on_the_same_item_is_told(ben, agent, bank):
    line = bank.send("2026-10-02", "-40.00", "Fuel")
    steps = [("PATCH", f"/transactions/{line}", {"accountId": bank.account("Food")})]
    whole = agent.post("/api/plans", json=plan(*steps)).json["actionRequest"]
    loose = ask(agent, "DELETE", f"/api/transactions/{line}", None)
    assert [each["id"] for each in loose["waiting"]] == [whole["id"]]
    assert approve(ben, whole).status_code == 200
