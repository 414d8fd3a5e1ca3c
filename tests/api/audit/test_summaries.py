"""`view=summary`: what a write did, would do or waits to do, in a few figures, and the whole in pages."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import plan

# Tokens, as the audit of the interface counted them.
BYTES_OF_A_TOKEN = 4
MOST_TOKENS = 600


@pytest.fixture
def agent(ben):
    return ben.with_scopes("read", "propose")


@pytest.fixture
def lines(bank):
    return bank.send_many([("2026-11-03", f"-{number}.20", "REWE SAGT DANKE") for number in range(1, 46)])


def test_a_proposal_of_45_confirmations_fits_600_tokens(ben, agent, lines, figure):
    path = "/api/transactions/confirm?view=summary"
    answer = agent.post(path, json={"ids": lines, "note": "All of October is in the books"})
    summary = answer.json["actionRequest"]
    assert (answer.status_code, summary["status"]) == (202, "PENDING")
    assert (summary["counts"]["acts"], summary["counts"]["entries"]) == (45, 45)
    assert summary["sums"] == [{"currency": "EUR", "amount": "1044.00"}]
    assert {each["accountName"]: each["change"] for each in summary["balances"]} == {
        "Main account": "-1044.00",
        "Uncategorised expenses": "1044.00",
    }
    tokens = len(answer.data) / BYTES_OF_A_TOKEN
    assert tokens <= MOST_TOKENS
    whole = agent.post("/api/transactions/confirm", json={"ids": lines})
    figure("Summaries", f"45 confirmations: {tokens:.0f} tokens, {len(whole.data) // 4} in full")
    # What waits is the same proposal, whole or not, and however it is read.
    read = ben.get(f"/api/action-requests/{whole.json['actionRequest']['id']}?view=summary")
    assert len(read.data) / BYTES_OF_A_TOKEN <= MOST_TOKENS
    listed = ben.get("/api/action-requests?status=PENDING&view=summary").json["actionRequests"]
    assert read.json["actionRequest"] in listed


def test_the_whole_is_paged_under_its_address(agent, lines):
    summary = agent.post("/api/transactions/confirm?view=summary", json={"ids": lines}).json["actionRequest"]
    address = summary["effect"]
    whole = agent.get(address.removesuffix("/effect")).json["actionRequest"]["effect"]
    found, cursor = [], ""
    while cursor is not None:
        page = agent.get(f"{address}?limit=40{cursor and f'&cursor={cursor}'}").json
        found, cursor = found + page["parts"], page["nextCursor"]
    for key, name in (("acts", "act"), ("entries", "entry"), ("balances", "balance"), ("proofs", "proof")):
        assert [each[name] for each in found if each[name]] == whole[key]
    assert len(found) == 45 + 45 + 2
    assert agent.get(f"{address}?count=true&limit=1").json["total"] == len(found)
    other = agent.get("/api/transactions?limit=1").json["nextCursor"]
    assert agent.get(f"{address}?cursor={other}").status_code == 422


def test_the_effect_of_a_plan_is_paged_by_its_steps(ben, agent, lines):
    steps = [("POST", f"/transactions/{line}/confirm") for line in lines[:2]]
    summary = agent.post("/api/plans?view=summary", json=plan(*steps)).json["actionRequest"]
    assert [each["number"] for each in summary["steps"]] == [1, 2]
    assert (summary["kind"], summary["counts"]["steps"], summary["counts"]["acts"]) == ("plan", 2, 2)
    parts = ben.get(summary["effect"]).json["parts"]
    assert [each["step"] for each in parts if each["entry"]] == [1, 2]
    assert [each["step"] for each in parts if each["balance"]] == [1, 1, 2, 2, None, None]


def test_a_dry_run_and_the_write_itself_are_summarised_alike(ben, lines):
    path, body = f"/api/transactions/{lines[0]}/confirm", {"note": "x"}
    tried = ben.post(f"{path}?dryRun=true&view=summary", json=body)
    assert tried.json["dryRun"] is True
    done = ben.post(f"{path}?view=summary", json=body)
    one, other = tried.json["summary"], done.json["summary"]
    for key in ("sums", "balances", "counts", "broken", "mended", "blockers"):
        assert one[key] == other[key], key
    assert (one["title"], other["title"]) == (
        "Confirm REWE SAGT DANKE −1.20 EUR of 3 Nov as Uncategorised expenses",
        "Confirmed REWE SAGT DANKE −1.20 EUR of 3 Nov as Uncategorised expenses",
    )
    assert (one["status"], one["effect"], other["status"]) == (None, None, "EXECUTED")
    (part,) = ben.get(other["effect"]).json["parts"]
    assert (part["act"]["title"], part["act"]["target"]) == (other["title"], other["target"])
    again = ben.post(f"{path}?view=summary", json=body).json["summary"]
    assert (again["status"], again["counts"]["acts"], again["effect"]) == (None, 0, None)


def test_several_acts_and_what_was_refused_of_them(ben, lines):
    answer = ben.post("/api/transactions/confirm?view=summary", json={"ids": [*lines[:3], 999999]})
    summary = answer.json["summary"]
    assert (summary["id"], summary["counts"]["acts"], summary["counts"]["blockers"]) == (None, 3, 1)
    assert [each["id"] for each in summary["blockers"]] == [999999]
    listed = ben.get(summary["effect"]).json["actionRequests"]
    assert len([each for each in listed if each["status"] == "EXECUTED"]) == 3


def test_a_plan_that_is_done_is_summarised_with_its_id(ben, lines):
    steps = [("POST", f"/transactions/{line}/confirm") for line in lines[:2]]
    summary = ben.post("/api/plans?view=summary", json=plan(*steps, title="Two")).json["summary"]
    assert (summary["kind"], summary["title"], summary["counts"]["acts"]) == ("plan", "Two", 2)
    assert summary["sums"] == [{"currency": "EUR", "amount": "3.40"}]
    assert [each["act"]["kind"] for each in ben.get(summary["effect"]).json["parts"]] == [
        "confirm_transaction"
    ] * 2


def test_proofs_that_break_are_named(ben, desk, bank):
    line = bank.send("2026-10-03", "850.00")
    desk.confirm(line)
    proof = desk.prove()
    entry = ben.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    void = f"/api/journal-entries/{entry}/void?view=summary&dryRun=true"
    summary = ben.post(void, json={"reason": "Wrong"}).json["summary"]
    assert [each["reconciliationId"] for each in summary["broken"]] == [proof["id"]]
    assert (summary["counts"]["broken"], summary["mended"]) == (1, [])


@on_sqlite
def test_some_keys_of_a_summary(ben, agent, lines):
    path = f"/api/transactions/{lines[0]}/confirm?view=summary&fields=id,status"
    waits = agent.post(path).json
    assert waits["actionRequest"].keys() == {"id", "status"}
    assert ben.post(f"{path}&dryRun=true").json["summary"].keys() == {"id", "status"}
    assert ben.post(path).json == {
        "summary": {
            "id": ben.get("/api/action-requests?limit=1").json["actionRequests"][0]["id"],
            "status": "EXECUTED",
        },
        "changed": True,
        "untrusted": [],
    }
    listed = ben.get("/api/action-requests?view=summary&fields=title,counts&limit=1").json["actionRequests"]
    assert [each.keys() for each in listed] == [{"title", "counts"}]
    for address in (
        "/api/projects?view=summary&fields=colour",
        "/api/projects?view=short",
        "/api/projects?fields=id",
    ):
        assert ben.post(address, json={"name": "X"}).status_code == 422
    assert ben.get("/api/action-requests?view=summary&fields=payload").status_code == 422
    assert ben.get("/api/projects?view=summary").status_code == 422


@on_sqlite
def test_the_interface_documents_calls_ignore_a_view_that_is_none(ben, lines):
    whole = ben.post("/api/projects/groups", json={"name": "A"}).json
    for number, view in enumerate(("short", "full", "", "summary&view=full")):
        told = ben.post(f"/api/projects/groups?view={view}", json={"name": f"B{number}"})
        assert (told.status_code, told.json.keys()) == (201, whole.keys())
    hub = ben.get("/api/reconciliations/accounts")
    assert ben.get("/api/reconciliations/accounts?view=short").data == hub.data
    assert ben.get("/api/reconciliations/accounts?view=summary").data == hub.data
    done = ben.post(f"/api/transactions/{lines[0]}/confirm?view=short").json
    assert done.keys() == {"actionRequestId", "status", "changed", "result", "error"}
    summary = ben.post("/api/projects/groups?view=summary&fields=none", json={"name": "C"})
    assert (summary.status_code, summary.json["summary"]["title"]) == (201, "Created the project group C")


def test_a_refusal_is_answered_as_ever(ben, bank, lines):
    bank.lock("2026-11-30")
    path = f"/api/transactions/{lines[0]}/confirm"
    assert ben.post(f"{path}?view=summary").json == ben.post(path).json
    tried = ben.post(f"{path}?view=summary&dryRun=true").json
    assert (tried["status"], [each["code"] for each in tried["summary"]["blockers"]]) == (
        409,
        ["period_locked"],
    )


@on_sqlite
def test_a_summary_is_kept_under_its_idempotency_key(ben, lines):
    options = {"headers": {"Idempotency-Key": "a-key"}}
    path = f"/api/transactions/{lines[0]}/confirm?view=summary"
    first, again = ben.post(path, **options), ben.post(path, **options)
    assert (first.data, again.headers["Idempotency-Replayed"]) == (again.data, "true")
