"""Plans of keys that may not do them: one proposal, approved once, done whole."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import approve, plan, proposed, ref, send
from webapp.database.sessions import db
from webapp.models import Membership


@pytest.fixture
def agent(ben):
    return ben.with_scopes("read", "propose")


@pytest.fixture
def steps(bank, line):
    edit = {"accountId": bank.account("Food"), "orgMerchantId": ref("1#/merchant/id")}
    return [
        ("POST", "/merchants", {"name": "REWE"}),
        ("PATCH", f"/transactions/{line}", edit),
        ("POST", "/transactions/{2#/transaction/id}/confirm"),
    ]


@pytest.fixture(autouse=True)
def whole(bank):
    yield
    assert bank.broken() == []


def status(person, line):
    return person.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"]


def waiting(person):
    return [each["id"] for each in person.get("/api/action-requests?status=PENDING").json["actionRequests"]]


def test_a_plan_waits_as_one_and_is_done_as_one(ben, agent, line, steps):
    request = proposed(agent, *steps, title="Book the groceries", note="From the receipt")
    assert (request["kind"], request["title"], request["note"]) == (
        "plan",
        "Book the groceries",
        "From the receipt",
    )
    assert (waiting(ben), status(ben, line)) == ([request["id"]], "DRAFT")
    told = request["effect"]["steps"]
    assert [each["title"] for each in told] == [
        "Create the customer or supplier REWE",
        "Book REWE −45.20 EUR of 3 Nov to Food, customer or supplier REWE",
        "Confirm REWE −45.20 EUR of 3 Nov as Food",
    ]
    assert [each["target"]["id"] for each in told[0]["acts"]] == ["new-1"]
    assert told[1]["entries"][0]["after"]["postings"][1]["orgMerchantId"] == "new-1"
    done = approve(ben, request, note="Thanks")
    assert done.status_code == 200, done.json
    done = done.json["actionRequest"]
    assert (done["status"], len(done["actionRequestIds"]), status(ben, line)) == ("EXECUTED", 3, "POSTED")
    for act in done["actionRequestIds"]:
        found = ben.get(f"/api/action-requests/{act}").json["actionRequest"]
        assert (found["planId"], found["actor"], found["note"]) == (
            request["id"],
            request["actor"],
            "From the receipt",
        )
    assert done["answer"]["answer"]["plan"]["id"] == request["id"]


def test_one_missing_scope_proposes_the_whole_and_splits_nothing(ben, line, steps):
    drafter = ben.with_scopes("read", "draft", "propose")
    request = proposed(drafter, *steps)
    assert ben.get("/api/merchants").json["merchants"] == []
    assert (waiting(ben), status(ben, line)) == ([request["id"]], "DRAFT")
    plain = send(ben.with_scopes("read", "draft"), *steps)
    assert (plain.status_code, plain.json["code"], waiting(ben)) == (403, "forbidden", [request["id"]])
    beyond = send(drafter, *steps, ("PUT", "/lock-date", {"lockDate": "2026-01-31"}))
    assert (beyond.status_code, waiting(ben)) == (403, [request["id"]])


def test_a_plan_needs_no_more_than_its_steps(ben, line):
    confirmer = ben.with_scopes("read", "confirm")
    assert send(confirmer, ("POST", f"/transactions/{line}/confirm")).status_code == 200


def test_a_cap_that_would_be_passed_at_any_step_proposes_the_whole(ben, bank):
    lines = bank.send_many([("2026-11-03", "-1.00", "A line")] * 3)
    each = [("POST", f"/transactions/{line}/confirm") for line in lines]
    bulk = [("POST", "/transactions/confirm", {"ids": lines})]
    for number, several in enumerate((each, bulk)):
        capped = ben.with_scopes("read", "confirm", "propose", max_entries_a_day=2)
        request = proposed(capped, *several, title=f"Confirm {number}")
        assert [status(ben, line) for line in lines] == ["DRAFT"] * 3
        assert request["effect"]["entryCount"] == 3
        plain = send(ben.with_scopes("read", "confirm", max_entries_a_day=2), *several)
        assert (plain.status_code, plain.json["code"]) == (403, "cap_reached")
    assert len(waiting(ben)) == 2
    assert approve(ben, request).status_code == 200
    assert [status(ben, line) for line in lines] == ["POSTED"] * 3


def test_what_moved_says_which_step_first(ben, agent, bank, line, steps):
    request = proposed(agent, *steps)
    other = bank.account("Care")
    assert ben.patch(f"/api/transactions/{line}", json={"accountId": other}).status_code == 200
    moved = approve(ben, request)
    assert (moved.status_code, moved.json["code"], moved.json["details"]["step"]) == (409, "moved", 2)
    assert (
        moved.json["error"]
        == "This plan's effect has changed. Step 2 is the first that differs. Here is the new one."
    )
    assert (ben.get("/api/merchants").json["merchants"], status(ben, line)) == ([], "DRAFT")
    again = approve(ben, request, digest=moved.json["details"]["digest"])
    assert (again.status_code, status(ben, line)) == (200, "POSTED")


def test_unrelated_acts_of_others_do_not_move_it(ben, agent, bank, steps):
    request = proposed(agent, *steps)
    other = bank.send("2026-11-04", "-2.90", "BVG")
    assert ben.post(f"/api/transactions/{other}/confirm").status_code == 200
    assert ben.post("/api/merchants", json={"name": "BVG"}).status_code == 201
    assert proposed(agent, *steps)["digest"] == request["digest"]
    assert approve(ben, request).status_code == 200


def test_a_step_that_the_books_refuse_by_now_blocks_the_approval_whole(ben, agent, bank, line, steps):
    request = proposed(agent, *steps)
    bank.lock("2026-11-30")
    refused = approve(ben, request)
    assert (refused.status_code, refused.json["code"]) == (409, "step_refused")
    assert (refused.json["details"]["step"]["number"], refused.json["details"]["step"]["code"]) == (
        3,
        "period_locked",
    )
    assert (ben.get("/api/merchants").json["merchants"], waiting(ben)) == ([], [request["id"]])
    bank.lock(None)
    assert approve(ben, request).status_code == 200


def test_a_refused_plan_of_an_agent_leaves_one_record_and_no_proposal(ben, agent, steps):
    answer = send(agent, *steps, ("POST", "/transactions/999999/confirm"))
    assert (answer.status_code, answer.json["details"]["step"]["number"], waiting(ben)) == (422, 4, [])
    (newest, *_) = ben.get("/api/action-requests?kind=plan").json["actionRequests"]
    assert (newest["status"], newest["error"]) == ("FAILED", answer.json["error"])


def test_who_approves_holds_the_union(ada, cleo, agent, bank):
    owner = ada.with_scopes("read", "propose")
    request = proposed(
        owner, ("POST", "/projects", {"name": "A"}), ("PUT", "/lock-date", {"lockDate": "2026-01-31"})
    )
    assert approve(cleo, request).status_code == 403
    assert approve(agent, request).status_code == 403


def test_the_role_is_asked_again_at_the_approval(ada, ben, bank, agent, steps):
    request = proposed(agent, *steps)

    def demote():
        db.session.get_one(Membership, (ben.organization_id, ben.user_id)).role = "viewer"
        db.session.commit()

    bank.ask(demote)
    assert approve(ben, request).status_code == 403
    gone = approve(ada, request)
    assert (gone.status_code, gone.json["code"]) == (409, "proposer_gone")


def test_a_newer_plan_replaces_an_older_one_of_the_same_key(ben, agent, steps):
    old = proposed(agent, *steps)
    step = ("POST", "/projects", {"name": "A"})
    new = proposed(agent, step, title="Another", replaces=old["id"])
    assert waiting(ben) == [new["id"]]
    told = ben.get(f"/api/action-requests/{old['id']}").json["actionRequest"]
    assert (told["status"], told["replacedBy"]) == ("EXPIRED", new["id"])
    assert approve(ben, old).json["code"] == "replaced"
    # Sent again, it is the one that waits.
    again = proposed(agent, step, title="Another", replaces=old["id"])
    assert again["id"] == new["id"]


def test_what_was_decided_first_is_not_replaced(ada, ben, agent, steps):
    old = proposed(agent, *steps)
    step = ("POST", "/projects", {"name": "A"})
    for key, replaced in ((ada.with_scopes("read", "propose"), old["id"]), (agent, "ar_" + "0" * 26)):
        answer = send(key, step, replaces=replaced)
        assert (answer.status_code, answer.json["code"], waiting(ben)) == (422, "no_such_plan", [old["id"]])
    assert approve(ben, old).status_code == 200
    for key in (agent, ben):
        answer = send(key, step, replaces=old["id"])
        assert answer.status_code == (409 if key is agent else 422)
    assert (send(agent, step, replaces=old["id"]).json["code"], waiting(ben)) == ("decided", [])
    assert ben.get("/api/projects").json["projects"] == []


def test_the_same_plan_again_is_the_same_proposal(ben, agent, steps):
    request = proposed(agent, *steps)
    assert proposed(agent, *steps)["id"] == request["id"]
    other = proposed(agent, *steps, note="In other words")
    assert waiting(ben) == [other["id"]]
    options = {"json": plan(*steps[:1]), "headers": {"Idempotency-Key": "a-plan"}}
    first, second = (agent.post("/api/plans", **options) for _ in range(2))
    assert (first.status_code, first.data) == (202, second.data)
    assert second.headers["Idempotency-Replayed"] == "true"


def test_a_plan_is_approved_among_several(ben, agent, line, steps):
    request = proposed(agent, *steps)
    other = agent.post("/api/projects", json={"name": "Alone"}).json["actionRequest"]
    reviewed = [{"id": each["id"], "digest": each["digest"]} for each in (request, other)]
    answer = ben.browser().post("/api/action-requests/approve", json={"proposals": reviewed})
    assert [each["status"] for each in answer.json["results"]] == ["EXECUTED"] * 2, answer.json
    assert status(ben, line) == "POSTED"


@on_sqlite
def test_a_long_plan_is_not_approved_among_others(ben, agent, line):
    plans = [
        proposed(agent, *(("POST", "/projects", {"name": f"{name} {number}"}) for number in range(20)))
        for name in "AB"
    ]
    reviewed = [{"id": each["id"], "digest": each["digest"]} for each in plans]
    both = ben.browser().post("/api/action-requests/approve", json={"proposals": reviewed})
    assert (both.status_code, both.json["code"]) == (422, "too_large")
    assert "40 proposals" in both.json["error"]
    assert "a plan counts as its steps" in both.json["error"]
    one = ben.browser().post("/api/action-requests/approve", json={"proposals": reviewed[:1]})
    assert [each["status"] for each in one.json["results"]] == ["EXECUTED"]


def test_a_plan_that_is_asked_for_again_in_other_words_is_the_same_proposal(ben, bank):
    """Its note went into the digest of each step, so that a model which says why anew replaced what a person read."""
    line, food = bank.send("2026-10-02", "-5.00", "Tea"), bank.account("Food")
    agent = ben.with_scopes("read", "propose")
    steps = [
        ("POST", "/merchants", {"name": "Tea house"}),
        ("PATCH", f"/transactions/{line}", {"accountId": food, "orgMerchantId": ref("1#/merchant/id")}),
        ("POST", f"/transactions/{line}/confirm"),
    ]
    first = proposed(agent, *steps, note="Its text")
    again = proposed(agent, *steps, note="Like the last three")
    assert (again["id"], again["digest"], again["status"]) == (first["id"], first["digest"], "PENDING")
    assert approve(ben, first).status_code == 200
