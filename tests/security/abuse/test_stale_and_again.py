"""Approvals of what has changed since somebody looked at it, and calls that are sent again."""

from datetime import UTC, datetime

import pytest

from tests.fixtures.helpers.planning import approve, proposed
from webapp.database.sessions import db
from webapp.models import ApiToken, Membership, Proposal

LATER = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def agent(ben):
    return ben.with_scopes("read", "propose")


def confirming(agent, victim):
    answer = agent.post(f"/api/transactions/{victim.line}/confirm")
    assert answer.status_code == 202
    return answer.json["actionRequest"]


def patched(**changes):
    def change(victim, _bank, _agent, _request):
        path = f"/api/transactions/{victim.line}"
        filled = {key: victim.account if value == "@account" else value for key, value in changes.items()}
        assert victim.owner.patch(path, json=filled).status_code == 200

    return change


def deleted(victim, _bank, _agent, _request):
    assert victim.owner.delete(f"/api/transactions/{victim.line}").status_code == 200


def locked(victim, _bank, _agent, _request):
    body = {"lockDate": "2026-11-20", "moveDrafts": True}
    assert victim.owner.put("/api/lock-date", json=body).status_code == 200


def confirmed(victim, _bank, _agent, _request):
    assert victim.owner.post(f"/api/transactions/{victim.line}/confirm").status_code == 200


def rejected(victim, _bank, _agent, request):
    path = f"/api/action-requests/{request['id']}/reject"
    assert victim.owner.browser().post(path, json={"reason": "No"}).status_code == 200


def expired(_victim, bank, agent, request):
    def end():
        key = (agent.organization_id, request["id"])
        db.session.get_one(Proposal, key).expires_at = LATER

    bank.ask(end)


def revoked(victim, bank, agent, _request):
    def end():
        db.session.get_one(ApiToken, (victim.owner.organization_id, agent.token_id)).revoked_at = LATER

    bank.ask(end)


def narrowed(victim, bank, agent, _request):
    """The key may only read from now on."""

    def narrow():
        db.session.get_one(ApiToken, (victim.owner.organization_id, agent.token_id)).scopes = ["read"]

    bank.ask(narrow)


def demoted(victim, bank, agent, _request):
    """The key's owner may only look from now on."""

    def demote():
        key = (victim.owner.organization_id, agent.user_id)
        db.session.get_one(Membership, key).role = "viewer"

    bank.ask(demote)


def asked_again(victim, bank, agent, request):
    """The same call with another effect: the older proposal is replaced."""
    patched(accountId="@account")(victim, bank, agent, request)
    assert confirming(agent, victim)["id"] != request["id"]


MOVES = {
    "another account": patched(accountId="@account"),
    "another text": patched(description="Something else"),
    "a deleted line": deleted,
    "a locked day": locked,
    "confirmed by a person": confirmed,
    "a rejected proposal": rejected,
    "an expired proposal": expired,
    "a revoked key": revoked,
    "a narrowed key": narrowed,
    "a demoted owner": demoted,
    "a replaced proposal": asked_again,
}


@pytest.mark.rare
@pytest.mark.parametrize("move", MOVES)
def test_stale_approvals(victim, bank, ada, agent, cases, move):
    """A person clicks approve three times on what was shown before, alone and among several."""
    request = confirming(agent, victim)
    MOVES[move](victim, bank, agent, request)
    told = cases(f"a stale approval of {move}")
    told.attempt(approve(ada, request), 409)
    told.attempt(approve(ada, request), 409)
    several = ada.browser().post(
        "/api/action-requests/approve",
        json={"proposals": [{"id": request["id"], "digest": request["digest"]}]},
    )
    told.attempt(several, 200)
    assert [each["status"] for each in several.json["results"]] == ["FAILED"]
    told.end()


@pytest.mark.parametrize("digest", ["0" * 64, "of another proposal", "of its dry run"])
def test_digests_of_something_else(victim, ada, agent, cases, digest):
    request = confirming(agent, victim)
    if digest == "of another proposal":
        other = agent.post(f"/api/transactions/{victim.other_line}/confirm").json["actionRequest"]
        digest = other["digest"]
    elif digest == "of its dry run":
        path = f"/api/transactions/{victim.other_line}/confirm?dryRun=true&view=summary"
        digest = agent.post(path).json["summary"]["digest"]
    told = cases("a digest of something else")
    answer = told.attempt(approve(ada, request, digest=digest), 422)
    assert answer.json["code"] == "unknown_digest"
    told.end()


def test_a_condition_that_fails_between(victim, ada, agent, cases):
    """A proposal upon a version of the line that somebody changed without changing what it would do."""
    path = f"/api/transactions/{victim.line}"
    tag = agent.get(path).headers["ETag"]
    body = {"accountId": victim.account}
    request = agent.patch(path, json=body, headers={"If-Match": tag}).json["actionRequest"]
    assert ada.patch(path, json={"description": "Something else"}).status_code == 200
    told = cases("a condition that fails between")
    assert told.attempt(approve(ada, request), 409).json["code"] in ("stale_version", "moved")
    told.attempt(agent.patch(path, json=body, headers={"If-Match": tag}), 412)
    told.end()
    assert ada.get(path).json["transaction"]["accountId"] != victim.account


def test_calls_that_are_sent_again(victim, ada, agent, cases):
    """Whatever is repeated is done once: proposals, approvals, keyed calls, plans and decisions."""
    request = confirming(agent, victim)
    assert confirming(agent, victim)["id"] == request["id"]
    assert approve(ada, request).status_code == 200
    told = cases("calls that are sent again")
    path = f"/api/transactions/{victim.line}/confirm"
    told.attempt(approve(ada, request), 409)
    told.attempt(agent.post(path), 200)
    told.attempt(agent.post(path, headers={"Idempotency-Key": "k"}), 200)
    told.attempt(agent.post(path, headers={"Idempotency-Key": "k"}), 200)
    other = f"/api/transactions/{victim.other_line}/confirm"
    told.attempt(agent.post(other, headers={"Idempotency-Key": "k"}), 422)
    keyed = {"headers": {"Idempotency-Key": "other"}}
    first = told.attempt(agent.post(other, **keyed), 202).json["actionRequest"]
    again = told.attempt(agent.post(other, **keyed), 202).json["actionRequest"]
    assert first["id"] == again["id"]
    step = ("POST", f"/transactions/{victim.other_line}/confirm")
    plans = [proposed(agent, step)["id"] for _ in range(3)]
    assert len(set(plans)) == 1
    told.attempt(agent.post(path, json={"note": "again"}), 200)
    told.attempt(agent.post("/api/transactions/confirm", json={"ids": [victim.line]}), 200)
    told.attempt(
        ada.browser().post(f"/api/action-requests/{request['id']}/reject", json={"reason": "x"}), 409
    )
    told.end()


def test_what_was_rejected_is_asked_for_again_and_again(victim, ada, agent, cases):
    told = cases("asking again after each rejection")
    seen = set()
    for number in range(4):
        request = told.attempt(agent.post(f"/api/transactions/{victim.line}/confirm"), 202).json[
            "actionRequest"
        ]
        seen.add(request["id"])
        path = f"/api/action-requests/{request['id']}/reject"
        rejection = ada.browser().post(path, json={"reason": f"No, for the {number + 1}. time"})
        assert rejection.status_code == 200
        assert (
            agent.get(f"/api/action-requests/{request['id']}").json["actionRequest"]["status"] == "REJECTED"
        )
    assert len(seen) == 4
    assert victim.get(f"/transactions/{victim.line}")["transaction"]["entryStatus"] == "DRAFT"
