"""The tasks of the interface's audit beside the month: lines that want categories, and a proof that holds no longer."""

import json

import pytest

from tests.mcp.clients import BYTES_OF_A_TOKEN, Model

LINES, MOST_TOKENS_OF_MANY = 120, 25_000
MOST_TOKENS_OF_A_PROOF = 4_000
# As many as are changed at once: nobody else writes meanwhile.
AT_ONCE = 50
PAYEES = [("Layerboard", "Software"), ("Stadtrad Taxi", "Travel"), ("Papierhof", "Office supplies")]


@pytest.fixture
def uncategorised(bank, ben):
    """A hundred and twenty lines of three payees, each with payments that were booked before."""
    for number, (payee, account) in enumerate(PAYEES):
        line = bank.send(f"2026-08-0{number + 1}", "-9.00", payee, counterparty=payee)
        own = bank.account(account + " of ours")
        assert ben.patch(f"/api/transactions/{line}", json={"accountId": own}).status_code == 200
        assert ben.post(f"/api/transactions/{line}/confirm").status_code == 200
    for number in range(LINES):
        payee, _ = PAYEES[number % len(PAYEES)]
        bank.send(f"2026-10-{number % 28 + 1:02}", f"-{number + 1}.00", payee, counterparty=payee)


def test_many_lines_get_their_likely_categories_fifty_at_a_time(ben, uncategorised, figure, version):
    model = Model(ben.with_scopes("read", "draft"), version)
    found = model.call("find_lines", state="uncategorised", limit=200)
    assert (found["total"], len(found["lines"])) == (LINES, LINES)
    lines = [
        {"id": each["lineId"], "category": each["likely"], "why": f"{each['evidence']} before"}
        for each in found["lines"]
    ]
    assert (
        model.refusal("categorise_lines", lines=lines)
        == "lines: Send 1 to 50 lines; others in the next call."
    )
    for first in range(0, LINES, AT_ONCE):
        done = model.call("categorise_lines", lines=lines[first : first + AT_ONCE])
        assert (done["status"], done["blockers"]) == ("EXECUTED", [])
    asked = model.calls
    assert model.call("find_lines", state="uncategorised")["total"] == 0
    assert model.tokens <= MOST_TOKENS_OF_MANY
    figure("MCP", f"{LINES} lines categorised in {version}: {asked} calls, {model.tokens} tokens read")


def test_the_same_over_http(ben, uncategorised, figure):
    agent = ben.with_scopes("read", "draft")
    keys = "id,bookedOn,amount,description,likelyAccount"
    found = agent.get(f"/api/transactions?uncategorised=true&include=likely&limit=200&fields={keys}")
    changes = [
        {"id": each["id"], "accountId": each["likelyAccount"]["accountId"]}
        for each in found.json["transactions"]
    ]
    done = [
        agent.patch("/api/transactions?view=summary", json={"changes": changes[first : first + AT_ONCE]})
        for first in range(0, LINES, AT_ONCE)
    ]
    assert sum(each.json["summary"]["counts"]["acts"] for each in done) == LINES
    read = sum(len(each.data) for each in (found, *done)) // BYTES_OF_A_TOKEN
    assert read <= MOST_TOKENS_OF_MANY
    figure("HTTP", f"{LINES} lines categorised: {len(done) + 1} calls, {read} tokens read")


@pytest.fixture
def broken(desk, bank):
    """A proof of October whose rent somebody has voided."""
    lines = bank.send_many([("2026-10-05", "-50.00", "Rent"), ("2026-10-20", "900.00", "Client")])
    desk.confirm(*lines)
    proof = desk.prove()
    desk.void(desk.line(lines[0])["journalEntryId"])
    return proof["id"]


def test_a_broken_proof_is_mended_in_three_calls(ben, desk, broken, figure, version):
    model = Model(ben, version)
    named = model.call("get_context")["accounts"][0]["brokenProof"].split()[0]
    story = model.call("explain", ref=named)
    assert "undo" in {each["repair"] for each in story["repairs"]}
    model.call("repair_proof", proof=named, repair="undo", why="The rent was right")
    assert desk.proof(broken)["holds"]
    assert model.tokens <= MOST_TOKENS_OF_A_PROOF
    figure("MCP", f"a broken proof in {version}: 3 calls, {model.tokens} tokens read")


def test_a_broken_proof_is_mended_over_http(ben, desk, broken, figure):
    answers = [ben.get("/api/reconciliations?holds=false")]
    cause = answers[0].json["reconciliations"][0]["brokenBy"]
    path = f"/api/transactions/{cause['transactionId']}/confirm"
    answers.append(ben.post(f"{path}?dryRun=true&view=summary", json={}))
    assert [each["reconciliationId"] for each in answers[1].json["summary"]["mended"]] == [broken]
    answers.append(ben.post(f"{path}?view=summary", json={"note": "The rent was right"}))
    assert desk.proof(broken)["holds"]
    read = sum(len(json.dumps(each.json)) for each in answers) // BYTES_OF_A_TOKEN
    assert read <= MOST_TOKENS_OF_A_PROOF
    figure("HTTP", f"a broken proof: {len(answers)} calls, {read} tokens read")
