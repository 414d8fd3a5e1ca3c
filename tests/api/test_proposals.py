"""Proposals over JSON: what a token may not do itself waits, with all that it would change, until a person decides."""

import pytest

from webapp.queries import checks


@pytest.fixture
def agent(ben):
    """Ben's agent, which may read and propose."""
    return ben.with_scopes("read", "propose")


@pytest.fixture
def line(bank):
    return bank.send("2026-11-03", "-45.20", "REWE")


@pytest.fixture(autouse=True)
def whole(bank, ben):
    """Whatever was proposed and decided, the books break no invariant."""
    yield
    assert bank.ask(lambda: list(checks.violations())) == []


def approve(person, request, **body):
    return person.browser().post(f"/api/action-requests/{request['id']}/approve", json=body)


def reject(person, request, reason="Not ours"):
    return person.browser().post(f"/api/action-requests/{request['id']}/reject", json={"reason": reason})


def propose(agent, path, **options):
    answer = agent.post(path, **options)
    assert answer.status_code == 202, answer.json
    return answer.json["actionRequest"]


def test_a_confirmation_that_a_token_may_not_make_waits_with_its_effect(agent, line):
    request = propose(agent, f"/api/transactions/{line}/confirm", json={"note": "Groceries"})
    assert (request["status"], request["title"]) == ("PENDING", "Confirm REWE −45.20 of 3 Nov")
    assert request["payload"]["path"] == f"/api/transactions/{line}/confirm"
    assert (request["note"], request["actor"]["kind"], request["blockers"]) == ("Groceries", "TOKEN", [])
    assert request["effect"]["entries"][0]["after"]["status"] == "POSTED"
    assert agent.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"
    assert agent.get(f"/api/action-requests/{request['id']}").json["actionRequest"] == request


def test_who_approves_it_has_it_done_in_the_tokens_name(ben, agent, line):
    request = propose(agent, f"/api/transactions/{line}/confirm")
    answer = approve(ben, request, note="Thanks")
    assert answer.status_code == 200, answer.json
    done = answer.json["actionRequest"]
    assert (done["status"], done["reason"], done["decidedBy"]["kind"]) == ("EXECUTED", "Thanks", "PERSON")
    assert (done["actor"], done["actionRequestIds"]) == (request["actor"], [request["id"]])
    assert done["answer"]["answer"]["actionRequestId"] == request["id"]
    told = ben.get(f"/api/transactions/{line}").json["transaction"]
    assert told["entryStatus"] == "POSTED"
    # Asked again, the agent is answered as everybody: it is done.
    again = agent.post(f"/api/transactions/{line}/confirm")
    assert (again.status_code, again.json["changed"], again.json["actionRequestId"]) == (
        200,
        False,
        request["id"],
    )


def test_no_token_approves(ben, agent, line):
    request = propose(agent, f"/api/transactions/{line}/confirm")
    for token in (agent, ben):
        answer = token.post(f"/api/action-requests/{request['id']}/approve", json={})
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
