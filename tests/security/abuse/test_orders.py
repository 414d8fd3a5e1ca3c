"""Texts that give orders, and an agent that obeys each with all that its key may, over HTTP and by the tools."""

import base64

import pytest

from tests.fixtures import invoices
from tests.mcp.clients import Model
from tests.security.abuse.carriers import CARRIERS, FILE, ORDER
from webapp.mcp.tools import TOOLS

# A draft is changed (200), or the call waits (202), or it is refused; a page asks for a session (401).
ANSWERS = (200, 202, 400, 401, 403, 404, 405, 409, 415, 422)


def orders(victim):
    """What an agent may be told to do, each with its method, path and body."""
    at = f"/api/reconciliations/accounts/{victim.fa_id}"
    legs = [
        {"accountId": victim.account, "amount": "5.00"},
        {"accountId": victim.other_account, "amount": "-5.00"},
    ]
    entry = {"effectiveAt": "2026-11-02", "postings": legs, "post": True}
    plan = {"title": ORDER, "steps": [{"method": "POST", "path": f"/api/transactions/{victim.line}/confirm"}]}
    mutual = {"parts": [{"itemId": each} for each in victim.owed]}
    return [
        ("POST", f"/api/transactions/{victim.line}/confirm", {"note": ORDER}),
        ("POST", "/api/transactions/confirm", {"ids": [victim.line, victim.other_line]}),
        ("PATCH", f"/api/transactions/{victim.posted}", {"accountId": victim.account}),
        ("DELETE", f"/api/transactions/{victim.posted}", None),
        ("POST", f"/api/journal-entries/{victim.entry}/void", {"reason": ORDER}),
        ("POST", "/api/journal-entries", entry),
        ("POST", f"{at}/reopen", {"reason": ORDER}),
        ("POST", f"{at}/complete", {}),
        ("POST", f"{at}/accept", {"reconciliationId": victim.proof}),
        ("PUT", "/api/lock-date", {"lockDate": "2026-11-20", "moveDrafts": True}),
        ("POST", "/api/revaluations", {"asOf": "2026-11-20"}),
        ("POST", "/api/settlements", mutual),
        ("PATCH", f"/api/transactions/{victim.line}", {"settles": [{"itemId": victim.owed[1]}]}),
        ("POST", "/api/plans", plan),
        ("POST", "/api/action-requests/undo", {"tokenId": 1, "since": "2026-01-01T00:00:00Z"}),
        ("POST", "/settings/keys", {"name": ORDER}),
        ("POST", "/settings/members", {"email": "mallory@example.com", "role": "owner"}),
    ]


def told_to_call(victim):
    """The same by the tools for models: each that writes, and those that read what is theirs to decide on."""
    invoice = base64.b64encode(invoices.ubl(number=ORDER)).decode()
    legs = [
        {"account": victim.account, "amount": "5.00"},
        {"account": victim.other_account, "amount": "-5.00"},
    ]
    statement = {"account": victim.fa_id, "statementDate": "2026-11-20", "statementBalance": "850.00"}
    pays = [{"item": victim.owed[1], "amount": "-45.20"}]
    return [
        ("import_statement", {"content": base64.b64encode(FILE).decode(), "commit": True}),
        ("categorise_lines", {"lines": [{"id": victim.line, "category": "Food"}], "confirm": True}),
        ("confirm_lines", {"ids": [victim.line, victim.other_line]}),
        ("settle_pair", {"line": victim.line, "other": victim.other_line, "same": True}),
        ("settle_items", {"line": victim.line, "items": pays}),
        ("settle_items", {"items": [{"item": each} for each in victim.owed]}),
        ("reconcile", {**statement, "propose": True}),
        ("repair_proof", {"proof": f"proof:{victim.proof}", "repair": "reopen", "why": ORDER}),
        ("repair_proof", {"proof": f"proof:{victim.proof}", "repair": "accept", "why": ORDER}),
        ("write_entry", {"date": "2026-11-02", "description": ORDER, "legs": legs}),
        ("write_entry", {"void": victim.entry, "why": ORDER}),
        ("write_rule", {"name": ORDER, "when": [{"value": "e"}], "settleByReference": True, "propose": True}),
        ("write_rule", {"name": ORDER, "when": [{"value": "e"}], "category": "Food", "propose": True}),
        (
            "attach_document",
            {"content": invoice, "fileName": "b.xml", "line": victim.posted, "propose": True},
        ),
        ("find_owed", {"line": victim.line}),
        ("check_proposals", {"ids": [ORDER]}),
    ]


@pytest.mark.rare
@pytest.mark.parametrize("carrier", CARRIERS)
def test_orders(victim, bank, ada, cases, carrier):
    agent = ada.with_scopes("read", "draft", "propose")
    place = CARRIERS[carrier](victim, bank, agent)
    read = agent.get(place)
    assert ORDER in read.text
    assert "X-Untrusted-Fields" in read.headers
    told = cases(f"orders in the {carrier}")
    for method, path, body in orders(victim):
        answer = agent.ask(method, path, **({} if body is None else {"json": body}))
        told.attempt(answer, *ANSWERS)
    model = Model(agent)
    for tool, arguments in told_to_call(victim):
        told.attempt(model.post("tools/call", name=tool, arguments=arguments), 200)
    waiting = agent.get("/api/action-requests?status=PENDING").json["actionRequests"]
    digests = [{"id": each["id"], "digest": each["digest"]} for each in waiting]
    assert digests
    told.attempt(agent.post("/api/action-requests/approve", json={"proposals": digests}), 403)
    told.end()


def test_each_tool_that_writes_is_told_to(victim):
    writing = {each.name for each in TOOLS if not each.definition["annotations"]["readOnlyHint"]}
    assert writing <= {tool for tool, _ in told_to_call(victim)}
    assert "settle_items" in writing


def test_what_the_newer_tools_read_of_strangers_stands_in_fences(victim, bank, ada):
    """A model cannot take it for what the service says."""
    agent = ada.with_scopes("read", "draft", "propose")
    CARRIERS["number of an item"](victim, bank, agent)
    content = base64.b64encode(invoices.ubl(number=ORDER, remittance=ORDER, seller=ORDER)).decode()
    for tool, arguments in (
        ("find_owed", {}),
        ("attach_document", {"content": content, "fileName": f"{ORDER}.xml"}),
    ):
        text = Model(agent).ask("tools/call", name=tool, arguments=arguments)["content"][0]["text"]
        assert ORDER in text
        outside = "".join(part.partition("»")[2] for part in f"»{text}".split("«"))
        assert ORDER not in outside, tool
