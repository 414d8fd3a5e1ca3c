"""A known transfer is told where lines are listed, and who books it as income is warned."""

import pytest

from tests.fixtures.helpers.habits import decide
from tests.fixtures.helpers.transfers import legs, line, send
from tests.mcp.clients import Model


@pytest.fixture
def purse(bank):
    return bank.open("Purse")


@pytest.fixture
def pair(ada, bank, giro, purse, books):
    """Two lines that can only be one transfer, where lines like one of them were costs."""
    bank.fa_id = giro
    decide(ada, bank, books.account_id("Advertising"), *["Cash"] * 3, amount="-20.00")
    out = send(bank, giro, "2026-03-20", "-84.00", text="to purse", counterparty="Cash")
    return out, send(bank, purse, "2026-03-20", "84.00", text="from giro")


def rows(ada):
    return {each["lineId"]: each for each in Model(ada).call("find_lines", limit=50)["lines"]}


def test_a_transfer_is_told_at_each_door(ada, giro, pair):
    out, into = pair
    (found,) = ada.get(f"/api/transactions?ids={out}&include=likely").json["transactions"]
    expected = {"transactionId": into, "accountName": "Purse", "isOnly": True, "difference": None}
    assert (found["likelyTransfer"], found["likelyAccount"], found["likelyPayment"]) == (expected, None, None)
    assert ada.get(f"/api/transactions/{out}/suggestions").json["likelyTransfer"] == expected
    row = rows(ada)[out]
    assert (row["likely"], row["pair"]) == (f"transfer with line {into} of Purse", into)
    tried = Model(ada).call("reconcile", account="Giro", statementDate="2026-03-31", statementBalance="0.00")
    assert {each["lineId"]: each["pair"] for each in tried["toCategorise"]}[out] == into
    assert "Transfer? " in ada.browser().get(f"/feeds/{giro}?show=all").text


def test_a_plan_pairs_and_proves(ada, pair):
    out, into = pair
    asked = {"account": "Giro", "statementDate": "2026-03-31", "statementBalance": "-144.00", "propose": True}
    done = Model(ada).call("reconcile", **asked, categories=[{"id": out, "pair": into}])
    assert (done["status"], done["blockers"]) == ("EXECUTED", [])
    entry = ada.get(f"/api/journal-entries/{line(ada, out)['journalEntryId']}").json["entry"]
    assert legs(entry) == [("Giro", "-84.00", True), ("Purse", "84.00", True)]


def test_the_context_counts_transfers_that_nobody_decided_on_also_after_a_proof(ada, giro, purse, pair):
    model = Model(ada)
    assert model.call("get_context")["suggestedTransfers"] == 1
    for one, account, balance in zip(pair, (giro, purse), ("-144.00", "84.00"), strict=True):
        asked = {"account": account, "statementDate": "2026-03-31", "statementBalance": balance}
        chosen = [{"id": one, "category": "Transfers between own accounts"}]
        assert model.call("reconcile", **asked, propose=True, categories=chosen)["status"] == "EXECUTED"
    context = model.call("get_context")
    assert {each["unconfirmed"] for each in context["accounts"]} == {0}
    assert context["suggestedTransfers"] == 1
    assert "find_lines" in context["next"]
    assert model.call("settle_pair", line=pair[0], other=pair[1], same=False)["status"] == "EXECUTED"
    assert model.call("get_context")["suggestedTransfers"] == 0


def test_a_line_is_only_one_thing(ada, pair):
    out, into = pair
    model = Model(ada)
    both = {"id": out, "pair": into, "category": "Advertising"}
    assert "send a category, pays or pair" in model.refusal("categorise_lines", lines=[both])
    assert "only a line that pays is short" in model.refusal(
        "categorise_lines", lines=[{"id": out, "short": "1.00"}]
    )


def test_who_books_it_elsewhere_is_warned(ada, books, pair):
    out, into = pair
    costs = books.account_id("Advertising")
    done = ada.patch(f"/api/transactions/{out}", json={"accountId": costs})
    assert done.json["warningCodes"] == ["may_be_transfer"]
    assert done.json["warnings"] == [
        f"This is a transfer with 84.00 EUR of Purse (lines {out} and {into}). Pair them, or it counts twice."
    ]
    confirmed = ada.post(f"/api/transactions/{out}/confirm").json
    assert confirmed["warningCodes"] == ["may_be_transfer"]


def test_the_page_asks_before_one_side_is_posted_alone(ada, books, giro, pair):
    out, _ = pair
    ada.patch(f"/api/transactions/{out}", json={"accountId": books.account_id("Advertising")})
    browser = ada.browser()
    asked = browser.post(f"/transactions/{out}/confirm", data={})
    assert (asked.status_code, "one side of a transfer" in asked.text) == (409, True)
    assert browser.post(f"/transactions/{out}/confirm", data={"isNoTransfer": "true"}).status_code < 400
    assert line(ada, out)["entryStatus"] == "POSTED"
