"""What the books refuse is refused to a key that proposes as to one that may do it, and nothing waits."""

import pytest

from tests.fixtures.helpers.planning import approve
from tests.mcp.clients import Model


@pytest.fixture
def agent(ben):
    return ben.with_scopes("read", "propose")


@pytest.fixture
def calls(bank, ben):
    """Mistakes of agents: each a method, a path and a body."""
    bank.account("Travel")
    travel = bank.account("Travel")
    line, other = bank.send_many([("2026-10-02", "-40.00", "Fuel"), ("2026-10-03", "90.00", "Client")])
    main = ben.get(f"/api/feeds/accounts/{bank.fa_id}").json["feedAccount"]["accountId"]
    gone, closed = bank.send_many([("2026-10-04", "-5.00", "Gone"), ("2026-09-04", "-6.00", "Closed")])
    assert ben.delete(f"/api/transactions/{gone}").status_code == 200
    assert ben.post(f"/api/transactions/{closed}/confirm").status_code == 200
    parts = [{"accountId": travel, "amount": each} for each in ("-30.00", "-9.00")]
    splits = {"splits": parts}
    legs = [{"accountId": travel, "amount": "5.00"}, {"accountId": main, "amount": "-4.00"}]
    return {
        "no such line": ("POST", "/api/transactions/confirm", {"ids": [4711000]}),
        "no such line alone": ("POST", "/api/transactions/4711000/confirm", {}),
        "a line that is gone": ("POST", f"/api/transactions/{gone}/confirm", {}),
        "lines that are gone": ("POST", "/api/transactions/confirm", {"ids": [gone, 4711000]}),
        "parts that are no whole": ("PATCH", f"/api/transactions/{line}", splits),
        "parts of several": ("PATCH", "/api/transactions", {"changes": [{"id": line, **splits}]}),
        "a bank's account": ("PATCH", f"/api/transactions/{line}", {"accountId": main}),
        "unlike lines": ("POST", f"/api/transactions/{line}/join", {"transactionId": other}),
        "a bent entry": (
            "POST",
            "/api/journal-entries",
            {"effectiveAt": "2026-10-08", "description": "Bent", "postings": legs, "post": True},
        ),
        "no such entry": ("POST", "/api/journal-entries/4711000/void", {"reason": "Twice"}),
        "a statement without a draft": (
            "POST",
            f"/api/reconciliations/accounts/{bank.fa_id}/complete",
            {},
        ),
        "an account of nobody": (
            "POST",
            "/api/automations/rules",
            {
                "name": "Fuel",
                "conditions": {"conditions": [{"value": "Fuel"}]},
                "effects": [{"kind": "SET_ACCOUNT", "accountId": 4711000}],
            },
        ),
        "a plan": (
            "POST",
            "/api/plans",
            {
                "title": "Both",
                "steps": [
                    {"method": "PATCH", "path": f"/api/transactions/{line}", "body": {"accountId": travel}},
                    {"method": "POST", "path": f"/api/transactions/{gone}/confirm", "body": {}},
                ],
            },
        ),
    }


def told(answer):
    """What an answer says of a refusal: its status, code and sentences, or those of its items."""
    if answer.status_code == 200:
        return 200, [(each["code"], each["error"]) for each in answer.json["results"]]
    return answer.status_code, [(answer.json["code"], answer.json["error"])]


def waiting(person):
    return person.get("/api/action-requests?status=PENDING").json["actionRequests"]


def test_a_refusal_is_the_same_for_a_key_that_proposes_and_nothing_waits(ben, agent, calls, bank):
    for name, (method, path, body) in calls.items():
        asked = {"json": body}
        proposing = getattr(agent, method.lower())(path, **asked)
        summarised = getattr(agent, method.lower())(f"{path}?view=summary", **asked)
        assert waiting(ben) == [], name
        full = getattr(ben, method.lower())(path, **asked)
        assert told(proposing) == told(full), name
        if full.status_code == 200:
            codes = [each["code"] for each in summarised.json["summary"]["blockers"]]
            assert codes == [code for code, _ in told(full)[1]], name
            assert summarised.json["changed"] is False
        else:
            assert told(summarised) == told(full), name
    assert bank.broken() == []


def test_a_tool_refuses_what_the_books_refuse_and_nothing_waits(ben, agent, bank):
    model = Model(agent)
    bank.account("Trips")
    line, other = bank.send_many([("2026-10-02", "-40.00", "Fuel"), ("2026-10-03", "90.00", "Client")])
    parts = [{"category": "Trips", "amount": each} for each in ("-30.00", "-9.00")]
    for tool, arguments in (
        ("confirm_lines", {"ids": [4711000]}),
        ("categorise_lines", {"lines": [{"id": line, "splits": parts}]}),
        ("categorise_lines", {"lines": [{"id": line, "category": "Main account"}]}),
        ("categorise_lines", {"lines": [{"id": 4711000, "category": "Trips"}], "confirm": True}),
        ("settle_pair", {"line": line, "other": other, "same": True}),
        ("write_entry", {"void": 4711000, "why": "Twice"}),
    ):
        refusal = model.refusal(tool, **arguments)
        assert refusal == Model(ben).refusal(tool, **arguments)
        assert waiting(ben) == [], (tool, arguments)


def test_what_some_items_are_refused_of_is_proposed_without_them(ben, agent, bank):
    model, trips = Model(agent), bank.account("Trips")
    lines = bank.send_many([("2026-10-02", "-40.00", "Fuel"), ("2026-10-03", "-5.00", "Tea")])
    parts = [{"category": "Trips", "amount": each} for each in ("-3.00", "-1.00")]
    asked = [{"id": lines[0], "category": "Trips"}, {"id": lines[1], "splits": parts}]
    waits = model.call("categorise_lines", lines=asked)
    assert waits["status"] == "PENDING"
    assert waits["next"].endswith(f"These can be sent again: {lines[1]}.")
    (refused,) = waits["blockers"]
    assert refused.startswith(f"{lines[1]}: ")
    (request,) = waiting(ben)
    assert request["payload"]["body"] == {"changes": [{"id": lines[0], "accountId": trips}]}
    assert request["blockers"] == []
    again = model.call("categorise_lines", lines=asked)
    assert (again["proposal"], again["blockers"]) == (waits["proposal"], waits["blockers"])
    assert approve(ben, request).json["actionRequest"]["status"] == "EXECUTED"
    states = [ben.get(f"/api/transactions/{each}").json["transaction"]["accountId"] for each in lines]
    assert states[0] == trips != states[1]


def test_items_of_several_lists_are_left_out_at_their_places(ben, agent, bank, desk):
    lines = bank.send_many([("2026-10-02", "-40.00", "Fuel"), ("2026-10-03", "-5.00", "Tea")])
    desk.confirm(*lines)
    place = f"/api/reconciliations/accounts/{bank.fa_id}/draft"
    opened = ben.put(place, json={"statementDate": "2026-10-31", "statementBalance": "-45.00"})
    assert opened.status_code in {200, 201}
    body = {"cleared": [4711000, *lines], "clearedEntries": [4711001], "oneByOne": True}
    waits = agent.put(f"{place}/lines", json=body)
    assert waits.status_code == 202, waits.json
    assert [each["id"] for each in waits.json["refused"]] == [4711000, 4711001]
    sent = waits.json["actionRequest"]["payload"]["body"]
    assert sent == {"cleared": lines, "clearedEntries": [], "oneByOne": True}
    assert approve(ben, waits.json["actionRequest"]).status_code == 200
