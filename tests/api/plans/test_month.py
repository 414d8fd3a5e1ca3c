"""A month of an account as one plan of an agent that may only propose: one approval, and a proof."""

import pytest

from tests.fixtures.helpers.planning import approve, plan

# Tokens, as the audit of the interface counted them.
BYTES_OF_A_TOKEN = 4
MOST_TOKENS = 4000


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
