"""A month of an account as one plan of an agent that may only propose: from lines or their file to a proof."""

import base64

import pytest

from tests.fixtures.helpers.planning import FILE, approve, month_from_file, plan, proposed, send
from webapp.web import uploads

# Tokens, as the audit of the interface counted them.
BYTES_OF_A_TOKEN = 4
MOST_TOKENS = 4000


@pytest.fixture
def steps(bank):
    return month_from_file(bank)


def proof(person):
    (found,) = person.get("/api/reconciliations?month=2026-10").json["reconciliations"]
    return found["statementBalance"], found["holds"]


def test_an_agent_brings_a_month_by_one_plan_and_one_approval(ben, bank, steps):
    agent = ben.with_scopes("read", "propose")
    waiting = proposed(agent, *steps, title="October from its file")
    assert (waiting["blockers"], ben.get("/api/feeds/imports").json["imports"]) == ([], [])
    assert approve(ben, waiting).status_code == 200
    assert proof(ben) == ("757.50", True)
    assert bank.broken() == []


def test_a_key_that_may_do_it_does_it_at_once(ben, bank, steps):
    dry = ben.post("/api/plans?dryRun=true", json=plan(*steps)).json
    assert (dry["status"], dry["effect"]["entryCount"]) == (200, 3)
    done = send(ben, *steps)
    assert done.status_code == 200, done.json
    assert proof(ben) == ("757.50", True)
    assert bank.broken() == []


def test_a_step_after_the_file_that_is_refused_leaves_no_file(ben, steps):
    wrong = {"statementDate": "2026-10-31", "statementBalance": "757.51"}
    steps[3] = (*steps[3][:2], wrong)
    answer = send(ben, *steps)
    assert (answer.status_code, answer.json["details"]["step"]["number"]) == (409, 6), answer.json
    assert ben.get("/api/feeds/imports").json["imports"] == []
    assert ben.get("/api/transactions").json["transactions"] == []


def test_a_refused_file_refuses_the_plan(ben, steps):
    steps[0] = (*steps[0][:2], {**FILE, "content": "bm90aGluZw=="})
    answer = send(ben, *steps)
    step = answer.json["details"]["step"]
    assert (answer.status_code, step["number"], step["code"]) == (422, 1, "file_refused")
    (record,) = ben.get("/api/action-requests?status=FAILED").json["actionRequests"]
    assert (record["kind"], ben.get("/api/feeds/imports").json["imports"]) == ("plan", [])


def test_what_is_kept_of_a_plan_names_its_file_by_size_and_digest(ben, steps):
    waiting = proposed(ben.with_scopes("read", "propose"), *steps)
    sent = waiting["payload"]["body"]["steps"][0]["body"]
    assert sent.keys() == {"fileName", "size", "sha256"}
    page = ben.browser().get(f"/proposals?id={waiting['id']}").text
    assert FILE["content"] not in page
    assert sent["sha256"] in page


def test_a_preview_is_no_step(ben, steps):
    steps[0] = (*steps[0][:2], {**FILE, "dryRun": True})
    assert send(ben, *steps).json["details"]["step"]["code"] == "preview_only"


def test_the_files_of_a_plan_bring_as_many_lines_as_nobody_waits_for(ben, bank, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_LINES_AT_ONCE", 4)
    fa_id = bank.open()

    def file(*days):
        rows = "\n".join(f"2026-10-{day:02};-{day}.00;Tea {day}" for day in days)
        content = base64.b64encode(f"Date;Amount;Text\n{rows}\n".encode()).decode()
        return "POST", "/feeds/imports", {"fileName": "a.csv", "content": content, "faId": fa_id}

    assert send(ben, file(1, 2), file(3, 4)).status_code == 200
    for steps in ([file(5, 6, 7, 8, 9)], [file(5, 6), file(7, 8, 9)]):
        step = send(ben, *steps).json["details"]["step"]
        assert (step["number"], step["code"]) == (len(steps), "too_large")
    assert ben.get("/api/transactions?count=true").json["total"] == 4


def test_a_plan_holds_files_of_some_months_and_not_more(ben):
    large = {"fileName": "a.csv", "content": base64.b64encode(b"x" * 1024 * 1024).decode()}
    two = send(ben, *[("POST", "/feeds/imports", large)] * 2)
    assert (two.status_code, two.json["code"]) == (422, "step_refused")
    assert send(ben, *[("POST", "/feeds/imports", large)] * 3).status_code == 413
    texts = [("POST", "/documents", {"text": "x" * 100_000})] * 11
    assert send(ben, *texts).status_code == 413


@pytest.fixture
def month(bank):
    """Twenty-one lines of October, none of them categorised."""
    sums = [f"-{number}.{number:02}" for number in range(1, 21)]
    days = [f"2026-10-{number:02}" for number in range(1, 21)]
    return bank.send_many(
        [*zip(days, sums, ["Hosting"] * 20, strict=True), ("2026-10-30", "800.00", "Client")]
    )


def test_a_month_is_reconciled_with_four_calls_and_one_approval(ben, bank, month, figure):
    agent, desk = ben.with_scopes("read", "propose"), f"/reconciliations/accounts/{bank.fa_id}"
    food, calls = bank.account("Hosting"), []

    def ask(method, path, **options):
        calls.append(agent.ask(method, path, **options))
        return calls[-1].json

    lines = ask(
        "GET",
        "/api/transactions?from=2026-10-01&to=2026-10-31&entryStatus=DRAFT&fields=id,amount,description",
    )
    ids = [each["id"] for each in lines["transactions"]]
    assert sorted(ids) == sorted(month)
    steps = [
        ("PATCH", "/transactions", {"changes": [{"id": each, "accountId": food} for each in ids]}),
        ("POST", "/transactions/confirm", {"ids": ids}),
        ("PUT", f"{desk}/draft", {"statementDate": "2026-10-31", "statementBalance": "587.90"}),
        ("PUT", f"{desk}/draft/lines", {"auto": True}),
        ("POST", f"{desk}/complete", {}),
    ]
    waiting = ask("POST", "/api/plans?view=summary", json=plan(*steps, title="Reconcile October"))
    request = waiting["actionRequest"]
    assert (calls[-1].status_code, request["blockers"]) == (202, []), waiting
    assert approve(ben, request).status_code == 200
    told = ask("GET", f"/api/action-requests/{request['id']}?view=summary&fields=status")
    proof = ask("GET", f"/api/reconciliations?faId={bank.fa_id}&month=2026-10")["reconciliations"]
    assert told["actionRequest"] == {"status": "EXECUTED"}
    assert [(each["statementBalance"], each["holds"]) for each in proof] == [("587.90", True)]
    assert len(calls) <= 4
    tokens = sum(len(each.data) for each in calls) // BYTES_OF_A_TOKEN
    assert tokens <= MOST_TOKENS
    figure("Plans", f"a month of 21 lines: {len(calls)} calls, {tokens} tokens read, 1 approval")


def test_one_thing_that_is_wrong_in_the_month_proposes_nothing(ben, bank, month):
    agent, desk = ben.with_scopes("read", "propose"), f"/reconciliations/accounts/{bank.fa_id}"
    steps = [
        ("POST", "/transactions/confirm", {"ids": month}),
        ("PUT", f"{desk}/draft", {"statementDate": "2026-10-31", "statementBalance": "587.91"}),
        ("PUT", f"{desk}/draft/lines", {"auto": True}),
        ("POST", f"{desk}/complete", {}),
    ]
    answer = agent.post("/api/plans", json=plan(*steps, title="Reconcile October"))
    step = answer.json["details"]["step"]
    assert (answer.status_code, step["number"], step["code"]) == (409, 4, "difference")
    assert ben.get("/api/action-requests?status=PENDING").json["actionRequests"] == []
