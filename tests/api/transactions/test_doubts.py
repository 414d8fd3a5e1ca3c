"""What is doubtful about confirming a line: judged once, and said the same at every door."""

import pytest

from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.planning import approve
from tests.fixtures.helpers.transfers import send
from tests.mcp.clients import Model
from tests.pages.transactions.test_confirmations import Row

pytestmark = pytest.mark.usefixtures("sound")

# What pages ask, with the field of the form that answers it.
QUESTIONS = {
    "uncategorised": ("is uncategorised</b>", "asUncategorised"),
    "already_explained": ("may be in the books already", "force"),
    "pays_open_item": ("pays an open item", "paysNothing"),
}
# A part of the sentence that warns.
SENTENCES = {
    "uncategorised": " goes to Uncategorised ",
    "already_explained": "written by hand, has",
    "pays_open_item": "is exactly what is open of",
}
LINES = {
    "clear": (),
    "uncategorised": ("uncategorised",),
    "by_hand": ("already_explained",),
    "named": ("pays_open_item",),
    "of_the_payer": ("pays_open_item",),
    "paying": (),
    "everything": ("uncategorised", "already_explained", "pays_open_item"),
}


@pytest.fixture
def make_line(ada, ben, books, bank, giro):
    acme = bank.merchant("Acme")

    def by_hand(amount):
        postings = [
            {"accountId": books.account_id("Giro"), "amount": amount},
            {"accountId": books.account_id("Other income"), "amount": f"-{amount}"},
        ]
        body = {"effectiveAt": "2026-03-18", "description": "Acme paid", "postings": postings, "post": True}
        assert ben.post("/api/journal-entries", json=body).status_code == 201

    def make(kind):
        text = "Your RE-2026-17" if kind in ("named", "everything") else "Acme"
        if kind in ("by_hand", "everything"):
            by_hand("400.00")
        if kind in ("named", "of_the_payer", "paying", "everything"):
            owe(ben, books, "400.00", acme, reference="RE-2026-17")
        line = send(bank, giro, "2026-03-20", "400.00", text=text)
        if kind == "paying":
            (item,) = items(ben)
            ben.patch(f"/api/transactions/{line}", json={"settles": [{"itemId": item["id"]}]})
        elif kind not in ("uncategorised", "everything"):
            merchant = acme if kind == "of_the_payer" else None
            changes = {"accountId": books.account_id("Other income"), "orgMerchantId": merchant}
            ben.patch(f"/api/transactions/{line}", json=changes)
        return line

    return make


def page(ada, line):
    row, answers, codes = Row(ada, line), {}, []
    while (asked := row.confirm(**answers)).status_code == 409:
        (code,) = (each for each, (words, _) in QUESTIONS.items() if words in asked.text)
        codes.append(code)
        answers[QUESTIONS[code][1]] = "true"
    assert asked.status_code == 200
    return codes


def documented(ada, line):
    return ada.post(f"/api/transactions/{line}/confirm").json.get("warningCodes", [])


def bulk(ada, line):
    (result,) = ada.post("/api/transactions/confirm", json={"ids": [line]}).json["results"]
    assert len(result.get("warnings", [])) == len(result.get("warningCodes", []))
    return result.get("warningCodes", [])


def plan(ada, line):
    steps = [{"method": "POST", "path": "/api/transactions/confirm", "body": {"ids": [line]}}]
    answer = ada.post("/api/plans", json={"title": "March", "steps": steps})
    (result,) = answer.json["plan"]["steps"][0]["answer"]["results"]
    return result.get("warningCodes", [])


def proposed(ada, line):
    agent = ada.with_scopes("read", "propose")
    waiting = agent.post("/api/transactions/confirm", json={"ids": [line]}).json["actionRequest"]
    assert approve(ada, waiting).status_code == 200
    return codes_of(waiting["effect"]["warnings"])


def mcp(ada, line):
    return codes_of(Model(ada).call("confirm_lines", ids=[line])["warnings"])


def codes_of(sentences):
    return [code for sentence in sentences for code, words in SENTENCES.items() if words in sentence]


@pytest.mark.parametrize(
    "door", [page, documented, bulk, plan, proposed, mcp], ids=lambda door: door.__name__
)
@pytest.mark.parametrize("kind", LINES)
def test_each_door_has_the_same_doubts_about_a_line(ada, make_line, kind, door):
    line = make_line(kind)
    # The interface document's confirmation answers uncategorised lines as it always did.
    silent = {"uncategorised"} if door is documented else set()
    assert door(ada, line) == [each for each in LINES[kind] if each not in silent]
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "POSTED"


def test_several_lines_are_asked_about_together(ada, make_line):
    row = Row(ada, make_line("named"))
    data = {"ids": [row.line], "shown": [row.shown]}
    asked = row.browser.post("/transactions/confirm", data=data)
    assert "<b>1 of 1 line</b> is what is open of an item, which would stay open." in asked.text
    assert row.browser.post("/transactions/confirm", data={**data, "asked": str(row.line)}).status_code < 400
    assert row.record()[0] == "POSTED"
