"""Plans over JSON: calls in an order that are done together or not at all."""

import json

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import plan, ref, send
from tests.fixtures.helpers.replays import everything
from webapp.database.sessions import db
from webapp.models import AuditEvent
from webapp.services.audit import plans
from webapp.services.undo import agent_undos


@pytest.fixture(autouse=True)
def whole(bank):
    """Whatever was planned, the books break no invariant."""
    yield
    assert bank.broken() == []


@pytest.fixture
def acts(ada):
    """List the acts on the books, newest first, without those that made them."""

    def listed():
        found = everything(ada, "action-requests", "actionRequests")
        return [
            each
            for each in found
            if each["target"]["kind"] not in {"token", "member", "invitation", "organization"}
        ]

    return listed


def confirm(line):
    return ("POST", f"/transactions/{line}/confirm")


def test_each_step_stands_upon_those_before_it(ben, bank, line, acts):
    answer = send(
        ben,
        ("POST", "/merchants", {"name": "REWE"}),
        (
            "PATCH",
            f"/transactions/{line}",
            {"accountId": bank.account("Food"), "orgMerchantId": ref("1#/merchant/id")},
        ),
        ("POST", "/transactions/{2#/transaction/id}/confirm"),
        title="Book the groceries",
        note="From the till receipt",
    )
    assert answer.status_code == 200, answer.json
    done = answer.json["plan"]
    assert (done["title"], done["changed"], [each["status"] for each in done["steps"]]) == (
        "Book the groceries",
        True,
        [201, 200, 200],
    )
    confirmed, edited, created, whole_plan = acts()
    assert [each["kind"] for each in (created, edited, confirmed)] == [
        "create_merchant",
        "edit_transaction",
        "confirm_transaction",
    ]
    assert [[each["id"]] for each in (created, edited, confirmed)] == [
        each["actionRequestIds"] for each in done["steps"]
    ]
    assert {each["planId"] for each in (created, edited, confirmed)} == {done["id"]} == {whole_plan["id"]}
    assert {each["note"] for each in acts()} == {"From the till receipt"}
    assert (whole_plan["kind"], whole_plan["status"], whole_plan["planId"]) == ("plan", "EXECUTED", None)
    booked = ben.get(f"/api/transactions/{line}").json["transaction"]
    assert (booked["entryStatus"], booked["orgMerchantId"]) == (
        "POSTED",
        done["steps"][0]["answer"]["merchant"]["id"],
    )


def test_a_step_has_a_note_of_its_own(ben, line, acts):
    send(
        ben,
        ("POST", "/projects?note=In+the+address", {"name": "A"}),
        ("POST", "/projects", {"name": "B", "note": "In the body"}),
        ("POST", "/projects", {"name": "C"}),
        note="Of the plan",
    )
    assert [each["note"] for each in acts()] == [
        "Of the plan",
        "In the body",
        "In the address",
        "Of the plan",
    ]


def test_a_dry_run_says_what_each_step_would_change_and_writes_nothing(ben, bank, line, acts):
    steps = [("PATCH", f"/transactions/{line}", {"accountId": bank.account("Food")}), confirm(line)]
    before = acts()
    told = ben.post("/api/plans?dryRun=true", json=plan(*steps)).json
    assert (told["status"], told["effect"]["entryCount"], acts()) == (200, 1, before)
    edited, confirmed = told["effect"]["steps"]
    assert (edited["balances"], edited["entries"][0]["after"]) == ([], confirmed["entries"][0]["before"])
    assert confirmed["entries"][0]["after"]["status"] == "POSTED"
    assert [each["change"] for each in told["effect"]["balances"]] == ["-45.20", "45.20"]
    assert told["effect"]["acts"] == told["effect"]["entries"] == []


@pytest.mark.parametrize(
    ("last", "status", "code", "sentence"),
    [
        (("POST", "/transactions/999999/confirm"), 422, "not_found", "There is nothing here."),
        (
            ("PATCH", "/projects/999999", {"name": "X"}),
            422,
            "not_found",
            "There is no record under this id; GET /api/projects lists those there are.",
        ),
        (
            ("PATCH", "/projects/{1#/project/name}", {"name": "X"}),
            422,
            "not_found",
            "There is no record under this id; GET /api/projects lists those there are.",
        ),
        (("POST", "/merchants", {"nam": "X"}), 422, "validation", "name: This is missing"),
        (("POST", "/merchants?sort=name", {"name": "X"}), 422, "validation", "leave out: sort"),
        (
            ("POST", "/projects", {"name": ref("1#/project/nome")}),
            422,
            "bad_reference",
            "has no nome under /project; it has id",
        ),
        (("PATCH", "/projects/{1#/project}", {"name": "X"}), 422, "bad_reference", "is an object"),
        (("PUT", "/journal-entries/1", {}), 422, "validation", "effectiveAt"),
        (("POST", "/reconciliations/accounts/{fa}/complete"), 409, "no_draft", "start one"),
    ],
)
def test_a_refused_step_names_itself_and_leaves_one_record(
    ben, bank, line, acts, last, status, code, sentence
):
    last = (last[0], last[1].replace("{fa}", str(bank.fa_id)), *last[2:])
    answer = send(ben, ("POST", "/projects", {"name": "Website"}), confirm(line), last)
    told = answer.json["details"]["step"]
    assert (answer.status_code, answer.json["code"]) == (status, "step_refused")
    assert (told["number"], told["method"], told["path"], told["code"]) == (
        3,
        last[0],
        f"/api{last[1]}",
        code,
    )
    assert sentence in answer.json["error"]
    (record,) = acts()
    assert (record["kind"], record["status"], record["error"]) == ("plan", "FAILED", answer.json["error"])
    assert ben.get("/api/projects").json["projects"] == []
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"


def test_a_step_upon_a_refused_one_is_never_made(ben, line, acts):
    answer = send(ben, confirm(999999), ("POST", "/transactions/{1#/actionRequestId}/confirm"))
    assert answer.json["details"]["step"]["number"] == 1
    assert [each["status"] for each in acts()] == ["FAILED"]


@on_sqlite
@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("/transactions/{1#/group/emoji}", "", "bad_reference"),
        ("/projects/{1#/group/emoji}", "groups/1", "bad_reference"),
        ("/transactions/{1#/group/emoji}", "confirm", "method_not_allowed"),
        ("/projects/{1#/group/emoji}", "nothing", "not_found"),
    ],
)
def test_a_reference_in_a_path_leads_to_no_other_call(ben, bank, line, acts, path, text, code):
    """Which scopes a plan needs is read from its paths with an id in the place of each reference."""
    group = ("POST", "/projects/groups", {"name": "A", "emoji": text})
    changes = {"changes": [{"id": line, "accountId": bank.account("Food")}]}
    answer = send(ben, group, ("PATCH", path, changes))
    step = answer.json["details"]["step"]
    assert (answer.status_code, step["number"], step["code"]) == (422, 2, code), answer.json
    assert [(each["kind"], each["status"]) for each in acts()] == [("plan", "FAILED")]


def test_one_refused_item_of_a_bulk_step_refuses_the_plan(ben, line, acts):
    answer = send(ben, ("POST", "/transactions/confirm", {"ids": [line, 999999]}))
    told = answer.json["details"]["step"]
    assert (answer.status_code, told["number"], told["code"]) == (422, 1, "not_found")
    assert [each["id"] for each in told["details"]["failures"]] == [999999]
    assert "1 of 2 items is refused" in answer.json["error"]
    assert [each["kind"] for each in acts()] == ["plan"]


@on_sqlite
@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (("POST", "/plans", {"title": "x", "steps": []}), "A plan is no step of a plan"),
        (
            ("POST", "/action-requests/ar_01M85PZ91DCP7N2Y5VN0RHAXPJ/approve", {"digest": "0" * 64}),
            "No key may do this",
        ),
        (("POST", "/action-requests/approve", {"proposals": []}), "No key may do this"),
        (("POST", "/action-requests/undo", {"tokenId": 1}), "No key may do this"),
        (("POST", "/projects?dryRun=true", {"name": "x"}), "dryRun is of the whole"),
        (("POST", "/feeds/imports", {}), "content: This is missing"),
        (("POST", "/tokens", {}), "The API has no POST /api/tokens"),
        (("POST", "/settings/keys", {}), "The API has no"),
        (("PUT", "/transactions/5/confirm", {}), "GET /api/docs.md lists its calls"),
        (("POST", "/projects", {"name": ref("1#/project/id")}), "does not come before this one"),
    ],
)
def test_what_no_step_can_be_says_why(ben, acts, step, sentence):
    answer = send(ben, step)
    assert (answer.status_code, answer.json["code"]) == (422, "step_refused"), answer.json
    assert sentence in answer.json["error"]
    assert answer.json["details"]["step"]["number"] == 1


@on_sqlite
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"title": "x", "steps": []},
        {"title": "", "steps": [{"method": "POST", "path": "/api/projects"}]},
        {"title": "x", "steps": [{"method": "GET", "path": "/api/projects"}]},
        {"title": "x", "steps": [{"method": "POST", "path": "/projects"}]},
        {"title": "x", "steps": [{"method": "POST", "path": "/api/projects", "body": [1]}]},
        {"title": "x", "steps": [{"method": "POST", "path": "/api/projects", "bdy": {}}]},
    ],
)
def test_what_is_no_plan_is_refused_by_its_shape(ben, acts, body):
    answer = ben.post("/api/plans", json=body)
    assert (answer.status_code, answer.json["code"], acts()) == (422, "validation", [])


@on_sqlite
@pytest.mark.parametrize(
    ("steps", "fits"),
    [
        ([("POST", "/projects", {"name": f"P{number}"}) for number in range(67)], 66),
        ([("POST", "/transactions/confirm", {"ids": [*range(1, 51)]})] * 9, 8),
        ([("PATCH", "/transactions", {"changes": [{"id": number} for number in range(1, 51)]})] * 3, 2),
    ],
)
def test_a_plan_that_is_too_large_says_how_much_fits(ben, acts, steps, fits):
    answer = send(ben, *steps)
    assert (answer.status_code, answer.json["code"], answer.json["details"]["fits"]) == (
        422,
        "too_large",
        fits,
    )
    assert f"steps 1 to {fits} in one plan" in answer.json["error"]
    assert acts() == []


def test_a_plan_that_changes_nothing_is_no_act(ben, bank, line, acts):
    steps = [confirm(line)]
    assert send(ben, *steps).json["plan"]["changed"] is True
    before = acts()
    again = send(ben, *steps)
    assert (again.status_code, again.json["plan"]["id"], again.json["plan"]["changed"]) == (200, None, False)
    agent = send(ben.with_scopes("read", "propose"), *steps)
    assert (agent.status_code, agent.json["plan"]["changed"], acts()) == (200, False, before)


def test_a_plan_is_done_once_under_its_key(ben, line, acts):
    options = {"json": plan(confirm(line)), "headers": {"Idempotency-Key": "plan-1"}}
    first, again = ben.post("/api/plans", **options), ben.post("/api/plans", **options)
    assert (first.data, again.headers["Idempotency-Replayed"]) == (again.data, "true")
    assert len(acts()) == 2
    other = ben.post(
        "/api/plans", json=plan(confirm(line), title="Another"), headers={"Idempotency-Key": "plan-1"}
    )
    assert other.json["code"] == "idempotency_key_reused"


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_fault_in_any_step_undoes_the_whole(ben, bank, acts, monkeypatch, failing):
    """What no rule foresees is a 500, and nothing of the plan stays."""
    count, real = [], plans.make

    def make(*arguments):
        count.append(1)
        result = real(*arguments)
        if len(count) == failing:
            raise RuntimeError("A fault")
        return result

    lines = bank.send_many([("2026-11-03", "-1.00", "A line")] * 3)
    monkeypatch.setattr(plans, "make", make)
    answer = send(ben, *map(confirm, lines))
    assert (answer.status_code, answer.json["code"], acts()) == (500, "internal", [])
    drafts = [ben.get(f"/api/transactions/{each}").json["transaction"]["entryStatus"] for each in lines]
    assert drafts == ["DRAFT"] * 3


def test_an_undo_takes_a_plan_back_in_reverse(ada, ben, bank, books, line):
    before, token = books.balances(), ben.token_id
    food = bank.account("Food")
    done = send(
        ben,
        ("POST", "/projects", {"name": "Kitchen"}),
        ("PATCH", f"/transactions/{line}", {"accountId": food}),
        confirm(line),
    )
    assert done.status_code == 200, done.json
    steps = [act for each in done.json["plan"]["steps"] for act in each["actionRequestIds"]]
    since = {"tokenId": token, "since": "2026-01-01T00:00:00Z"}
    browser = ada.browser()
    preview = browser.post("/api/action-requests/undo/preview", json=since).json
    assert [each["actionRequestId"] for each in preview["items"]] == steps[::-1]
    undone = browser.post("/api/action-requests/undo", json={**since, "digest": preview["digest"]}).json
    assert {each["status"] for each in undone["results"]} == {"EXECUTED"}, undone
    assert books.balances() == before
    assert ben.get("/api/projects").json["projects"] == []


def test_one_plan_is_undone_as_one_act_and_nothing_beside_it(ada, ben, bank, books, line):
    before, food = books.balances(), bank.account("Food")
    other = ben.post("/api/projects", json={"name": "Beside it"}).json["project"]["id"]
    done = send(
        ben,
        ("POST", "/projects", {"name": "Kitchen"}),
        ("PATCH", f"/transactions/{line}", {"accountId": food}),
        confirm(line),
        title="Book the groceries",
    ).json["plan"]
    after = {"planId": done["id"]}
    browser = ada.browser()
    preview = browser.post("/api/action-requests/undo/preview", json=after).json
    steps = [act for each in done["steps"] for act in each["actionRequestIds"]]
    assert [each["actionRequestId"] for each in preview["items"]] == steps[::-1]
    assert books.balances() != before
    undone = browser.post("/api/action-requests/undo", json={**after, "digest": preview["digest"]}).json
    assert {each["status"] for each in undone["results"]} == {"EXECUTED"}, undone
    assert books.balances() == before
    assert [each["id"] for each in ben.get("/api/projects").json["projects"]] == [other]
    act = ben.get(f"/api/action-requests/{undone['actionRequestId']}").json["actionRequest"]
    assert (act["kind"], act["target"]) == ("undo_plan", {"kind": "plan", "id": done["id"]})
    assert act["title"] == "Undid 3 acts of the plan Book the groceries"
    # What the plan did is undone for the undo of its key as well, and not once more.
    again = browser.post("/api/action-requests/undo/preview", json=after).json
    since = {"tokenId": ben.token_id, "since": "2026-01-01T00:00:00Z"}
    of_key = browser.post("/api/action-requests/undo/preview", json=since).json
    assert (again["items"], {each["actionRequestId"] for each in of_key["items"]} & {*steps}) == ([], set())
    nothing = browser.post("/api/action-requests/undo", json={**after, "digest": again["digest"]})
    assert (nothing.status_code, nothing.json["code"]) == (409, "nothing_to_undo")


def test_an_undo_of_a_plan_that_moved_since_its_preview_is_not_done(ada, ben, bank, line):
    done = send(ben, ("PATCH", f"/transactions/{line}", {"accountId": bank.account("Food")})).json["plan"]
    browser, after = ada.browser(), {"planId": done["id"]}
    preview = browser.post("/api/action-requests/undo/preview", json=after).json
    ben.patch(f"/api/transactions/{line}", json={"accountId": bank.account("Care")})
    moved = browser.post("/api/action-requests/undo", json={**after, "digest": preview["digest"]})
    assert (moved.status_code, moved.json["code"]) == (409, "moved")
    assert moved.json["details"]["preview"]["items"][0]["undo"] is None


def test_a_plan_of_more_acts_is_undone_in_parts(ada, ben, monkeypatch):
    monkeypatch.setattr(agent_undos, "MOST_OF_A_PLAN", 2)
    done = send(ben, *(("POST", "/projects", {"name": name}) for name in "ABC")).json["plan"]
    browser, after, names = ada.browser(), {"planId": done["id"]}, []
    while after:
        preview = browser.post("/api/action-requests/undo/preview", json=after).json
        browser.post("/api/action-requests/undo", json={**after, "digest": preview["digest"]})
        names.append([each["name"] for each in ben.get("/api/projects").json["projects"]])
        before = preview["nextBefore"]
        after = {"planId": done["id"], "before": before} if before else None
    assert names == [["A"], []]


def test_who_may_undo_a_plan(ada, ben, cleo, dan, line):
    done = send(ada, confirm(line)).json["plan"]
    act = done["steps"][0]["actionRequestIds"][0]
    for person, plan_id, status in (
        (ben, done["id"], 404),
        (dan, done["id"], 404),
        (cleo, done["id"], 403),
        (ada, act, 404),
        (ada, done["id"], 200),
    ):
        asked = person.browser().post("/api/action-requests/undo/preview", json={"planId": plan_id})
        assert asked.status_code == status, (person.name, asked.json)


@on_sqlite
@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"tokenId", "since"}),
        ({"tokenId": 1}, {"since"}),
        ({"planId": "ar_1", "tokenId": 1}, {"planId"}),
        ({"planId": 7}, {"planId"}),
    ],
)
def test_an_undo_names_a_key_or_a_plan(ada, body, fields):
    answer = ada.browser().post("/api/action-requests/undo/preview", json=body)
    assert (answer.status_code, answer.json["fields"].keys()) == (422, fields)


def test_the_ids_of_other_books_are_nothing(ben, dan, line):
    theirs = dan.post("/api/projects", json={"name": "Theirs"}).json["project"]["id"]
    for step in (
        ("PATCH", f"/projects/{theirs}", {"name": "Ours"}),
        ("PATCH", f"/transactions/{line}", {"projectId": theirs}),
    ):
        answer = send(ben, step)
        assert (answer.status_code, answer.json["code"]) == (422, "step_refused")
    assert dan.get(f"/api/projects/{theirs}").json["project"]["name"] == "Theirs"


def test_every_act_of_a_plan_is_in_the_chain_with_its_plan(ben, line, bank):
    def planned():
        newest = sa.select(AuditEvent.body).order_by(AuditEvent.sequence.desc()).limit(2)
        own = newest.where(AuditEvent.organization_id == ben.organization_id)
        bodies = [json.loads(each) for each in db.session.scalars(own)]
        return [(body["kind"], body.get("planId")) for body in bodies]

    done = send(ben, confirm(line)).json["plan"]
    assert bank.ask(planned) == [("plan", None), ("confirm_transaction", done["id"])]
