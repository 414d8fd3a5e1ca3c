"""A month with payments of invoices, as the official client plays it: from the bank's file to the proof."""

import base64
from decimal import Decimal

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.planning import approve
from tests.mcp.test_official_client import over_http, run
from webapp.mcp.messages import MODERN

pytestmark = on_sqlite
MOST_CALLS, MOST_AT_ONCE, LINES = 5, 50, 56
# Invoices and a bill that are open, by number; the last is paid short of a fee.
OWED = {
    "RE-2026-31": "1208.50",
    "RE-2026-32": "412.00",
    "RE-2026-33": "96.20",
    "RE-2026-34": "310.75",
    "RE-2026-35": "88.00",
    "RE-2026-36": "640.00",
    "RE-2026-37": "205.00",
}
# What came of them; the third names two.
PAYMENTS = [
    ("1208.50", "RE-2026-31 OSTERMANN"),
    ("412.00", "Re 2026 32"),
    ("406.95", "RE-2026-33, RE-2026-34"),
    ("88.00", "thanks RE-2026-35"),
    ("640.00", "RE-2026-36"),
    ("197.50", "RE-2026-37"),
]
FEE = "7.50"
HOSTING = [(f"2026-10-{day % 28 + 1:02}", f"-{day}.{day:02}", "Nimbus Hosting") for day in range(1, 51)]
MONTH = [*HOSTING, *((f"2026-10-{20 + at}", *each) for at, each in enumerate(PAYMENTS))]
FILES = {
    "ofx": lambda: bank_file(
        *(Line(day, amount, text, reference=f"R{at}") for at, (day, amount, text) in enumerate(MONTH)),
        account=None,
    ),
    "csv": lambda: "\n".join(
        ["Date;Amount;Text", *(f'{each[0]};{each[1]};"{each[2]}"' for each in MONTH)]
    ).encode(),
}


@pytest.fixture
def owed(ben, books, bank):
    """What is open in the books, and lines of hosting that were categorised before."""
    bank.open()
    rent = bank.account("Server rent")
    past = bank.send_many([(f"2026-09-{day:02}", "-10.00", "Nimbus Hosting") for day in (1, 2, 3)])
    ben.patch("/api/transactions", json={"changes": [{"id": each, "accountId": rent} for each in past]})
    ben.post("/api/transactions/confirm", json={"ids": past})
    merchant = bank.merchant("Ostermann")
    for number, amount in OWED.items():
        owe(ben, books, amount, merchant, reference=number, day="2026-10-01")


def said(line):
    """Say of a line what its row says: what it pays, or where lines like it went."""
    if line["pays"]:
        return {"id": line["lineId"], "pays": line["pays"], "why": line["evidence"]}
    if line["likely"] and line["likely"].startswith("may pay "):
        return {"id": line["lineId"], "short": FEE, "shortAs": "FEE", "why": "The bank kept it"}
    return {"id": line["lineId"], "category": line["likely"], "why": line["evidence"]}


@pytest.mark.rare
@pytest.mark.parametrize("kind", FILES)
def test_a_month_with_six_payments_is_one_approval(ben, owed, live_server, figure, kind):
    token = ben.with_scopes("read", "draft", "propose").token
    short_of = next(each["id"] for each in items(ben) if each["reference"] == "RE-2026-37")
    balance = str(sum((Decimal(amount) for _, amount, _ in MONTH), Decimal("-30.00")))
    calls = []

    async def play():
        async with over_http(live_server, token, MODERN) as client:

            async def call(tool, **arguments):
                calls.append(tool)
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content[0].text
                return result.structured_content

            content = base64.b64encode(FILES[kind]()).decode()
            asked = {"content": content, "fileName": f"october.{kind}", "account": "Main account"}
            done = await call("import_statement", **asked, commit=True)
            assert (done["status"], sum(each["new"] for each in done["accounts"])) == ("EXECUTED", LINES)
            found = await call("find_lines", state="uncategorised", limit=100)
            chosen = [said(each) for each in found["lines"]]
            for each in chosen:
                if "short" in each:
                    each["pays"] = [{"item": short_of}]
            paying = [each for each in chosen if "pays" in each]
            habits = [each for each in chosen if "pays" not in each]
            assert (len(paying), {each["category"] for each in habits}) == (6, {"Server rent"})
            sent = await call("categorise_lines", lines=habits[:MOST_AT_ONCE])
            assert (sent["status"], sent["blockers"], sent["warnings"]) == ("EXECUTED", [], [])
            statement = {
                "account": "Main account",
                "statementDate": "2026-10-31",
                "statementBalance": balance,
            }
            return await call("reconcile", **statement, categories=paying, propose=True, why="October")

    proposed = run(play())
    assert (proposed["status"], proposed["difference"], proposed["blockers"]) == ("PENDING", "0.00", [])
    assert proposed["warnings"] == []
    (waiting,) = ben.get("/api/action-requests?status=PENDING").json["actionRequests"]
    waiting = ben.get(f"/api/action-requests/{waiting['id']}").json["actionRequest"]
    assert approve(ben, waiting).status_code == 200
    assert len(calls) <= MOST_CALLS
    # No item is left open whose payment is posted, and the account is proved.
    assert items(ben) == []
    (account,) = ben.get("/api/reconciliations/accounts").json["accounts"]
    assert (account["status"], account["anchor"]["statementBalance"]) == ("reconciled", balance)
    figure("MCP", f"a month of {LINES} lines with six payments from {kind}: {len(calls)} calls, 1 approval")
