"""What is doubtful about a line, and what in the books explains it already: judged once, the same at every door."""

import io
import re

import pytest

from tests.fixtures.helpers.marks import doors
from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.planning import approve
from tests.fixtures.helpers.transfers import confirm, send
from tests.mcp.clients import Model
from tests.pages.transactions.test_confirmations import Row

pytestmark = pytest.mark.usefixtures("sound")
# What pages ask, with the field of the form that answers it.
QUESTIONS = {
    "uncategorised": ("No account chosen.", "asUncategorised"),
    "already_explained": ("may be in the books already", "force"),
    "pays_open_item": ("pays an open item", "paysNothing"),
}
# A part of the sentence that warns.
SENTENCES = {
    "uncategorised": " goes to Uncategorised ",
    "already_explained": "written by hand, has",
    "pays_open_item": "is the open amount of",
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


@doors(page, documented, bulk, plan, proposed, mcp)
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
    assert "<b>1 of 1 line</b> pays an open item, which would stay open." in asked.text
    key = re.search(r'name="asked" value="(\w+)"', asked.text)[1]
    assert row.browser.post("/transactions/confirm", data={**data, "asked": key}).status_code < 400
    assert row.record()[0] == "POSTED"


def test_a_join_that_keeps_a_line_beside_what_it_pays_warns_as_its_confirmation_does(
    ada, make_line, bank, giro
):
    one = make_line("named")
    again = send(bank, giro, "2026-03-20", "400.00", text="Your RE-2026-17")
    joined = ada.post(f"/api/transactions/{again}/join", json={"transactionId": one}).json
    assert joined["transaction"]["id"] == one
    assert joined["warningCodes"] == documented(ada, one) == ["pays_open_item"]


@pytest.fixture
def bank_account(books, giro):
    return books.account_id("Giro")


def by_hand(person, books, bank_account, amount="400.00", day="2026-03-18", **more):
    opposite = amount[1:] if amount.startswith("-") else f"-{amount}"
    body = {
        "effectiveAt": day,
        "description": "Acme paid",
        "postings": [
            {"accountId": bank_account, "amount": amount},
            {"accountId": books.account_id("Trade receivables"), "amount": opposite},
        ],
        "post": True,
    }
    return person.post("/api/journal-entries", json={**body, **more})


def categorised(person, bank, giro, books, day="2026-03-20", amount="400.00"):
    line = send(bank, giro, day, amount, text="Acme")
    person.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Trade receivables")})
    return line


def test_confirming_what_an_entry_has_already_says_so(ben, books, bank, giro, bank_account):
    entry = by_hand(ben, books, bank_account).json["entry"]["id"]
    line = categorised(ben, bank, giro, books)
    (warning,) = ben.post(f"/api/transactions/{line}/confirm").json["warnings"]
    assert warning.startswith(
        f"Entry {entry} of 18 Mar 2026, written by hand, has 400.00 EUR on this bank's account"
    )


def test_confirming_several_warns_of_those_alone(ben, books, bank, giro, bank_account):
    by_hand(ben, books, bank_account)
    lines = [categorised(ben, bank, giro, books, amount=amount) for amount in ("400.00", "12.00")]
    results = ben.post("/api/transactions/confirm", json={"ids": lines}).json["results"]
    assert ["warnings" in each for each in results] == [True, False]


@pytest.mark.parametrize(
    ("amount", "day"),
    [("400.00", "2026-03-28"), ("400.00", "2026-03-12"), ("-400.00", "2026-03-20"), ("400.01", "2026-03-20")],
)
def test_another_day_or_amount_explains_nothing(ben, books, bank, giro, bank_account, amount, day):
    by_hand(ben, books, bank_account, amount, day)
    line = categorised(ben, bank, giro, books)
    assert "warnings" not in ben.post(f"/api/transactions/{line}/confirm").json


def test_a_voided_entry_explains_nothing(ben, books, bank, giro, bank_account):
    entry = by_hand(ben, books, bank_account).json["entry"]["id"]
    ben.post(f"/api/journal-entries/{entry}/void", json={"reason": "Twice"})
    line = categorised(ben, bank, giro, books)
    assert "warnings" not in ben.post(f"/api/transactions/{line}/confirm").json


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_an_entry_of_what_a_line_has_already_is_asked(ben, books, bank, giro, bank_account, is_confirmed):
    line = categorised(ben, bank, giro, books)
    if is_confirmed:
        confirm(ben, line)
    refused = by_hand(ben, books, bank_account)
    assert (refused.status_code, refused.json["code"]) == (409, "already_explained")
    assert refused.json["details"] == {"transactionIds": [line], "faId": giro}
    assert ben.get("/api/journal-entries?source=manual").json["entries"] == []
    assert by_hand(ben, books, bank_account, force=True).status_code == 201


def test_a_draft_is_asked_when_it_is_posted(ben, books, bank, giro, bank_account):
    draft = by_hand(ben, books, bank_account, post=False).json
    categorised(ben, bank, giro, books)
    path = f"/api/journal-entries/{draft['entry']['id']}/post"
    assert ben.post(path).json["code"] == "already_explained"
    assert ben.post(path, json={"force": True}).status_code == 200


def test_an_import_warns_of_lines_that_are_in_the_books_by_hand(ben, books, bank, giro, bank_account):
    by_hand(ben, books, bank_account)
    data = b"Date,Description,Amount\n2026-03-20,Acme,400.00\n2026-03-21,Other,-12.00\n"
    form = {"file": (io.BytesIO(data), "march.csv"), "faId": str(giro), "mapping": '{"invert": false}'}
    made = ben.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    assert made.status_code == 201, made.json
    (warning,) = [each for each in made.json["import"]["warnings"] if "by hand" in each]
    assert warning.startswith("Giro: 1 of the lines may be in the books already")


def test_the_preview_of_a_rule_warns_of_such_lines(ben, books, bank, giro, bank_account):
    by_hand(ben, books, bank_account)
    line = send(bank, giro, "2026-03-20", "400.00", text="Acme")
    rule = {
        "name": "Acme",
        "conditions": {"conditions": [{"value": "Acme"}]},
        "effects": [{"kind": "SET_ACCOUNT", "accountId": books.account_id("Trade receivables")}],
    }
    preview = ben.post("/api/automations/rules/preview", json=rule).json["preview"]
    assert [f"(line {line})" in each for each in preview["warnings"]] == [True]
