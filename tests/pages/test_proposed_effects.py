"""What the page of approvals shows of effects that no entry, or not the entry's legs alone, would tell."""

import re
from contextlib import suppress
from datetime import date
from html import unescape
from io import BytesIO

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.owed import items, keep_items, owe
from tests.fixtures.helpers.transfers import send
from tests.fixtures.helpers.trial_calls import calls
from webapp.queries.audit.field_changes import HIDDEN, label

pytestmark = on_sqlite
# What a call says of how it is made, and not of what it does; and what links records and means nothing to people.
NOT_SHOWN = {"content", "note", "version", *HIDDEN}
NOTHING = "\N{EN DASH}"
MOVED = re.compile(r"Entry \d+ , (\d+ \w+)")


@pytest.fixture
def shown(ada):
    def read(answer):
        assert answer.status_code == 202, answer.json
        page = ada.browser().get(f"/proposals?id={answer.json['actionRequest']['id']}").text
        article = page.split('<article class="approval"')[1].split("</article>")[0]
        return " ".join(re.sub(r"<[^>]*>", " ", article).replace(NOTHING, "nothing").split())

    return read


def test_a_lock_date_shows_which_drafts_move_and_to_which_day(agent, bank, shown):
    bank.send_many([("2026-03-10", "-42.80", "Train"), ("2026-04-02", "-9.00", "Bus")])
    lock = {"lockDate": "2026-03-31", "moveDrafts": True}
    page = shown(agent.put("/api/lock-date", json=lock))
    assert "Close the books up to 31 Mar 2026, with 1 draft moved to 1 Apr 2026" in page
    assert MOVED.findall(page) == ["10 Mar", "1 Apr"]
    assert ("Train" in page, "Bus" in page) == (True, False)
    assert "Other changes" in page
    assert "Lock date nothing 31 Mar 2026" in page


def test_an_import_that_is_taken_back_shows_the_drafts_that_go(ada, agent, shown):
    form = {"file": (BytesIO(bank_file(Line("2026-04-02", "-2.50", "Coffee", "F1"))), "april.ofx")}
    sent = ada.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    taken = sent.json["import"]["id"]
    page = shown(agent.delete(f"/api/feeds/imports/{taken}"))
    assert "Coffee" in page
    assert "Deleted." in page


def test_a_merchant_and_a_project_that_an_edit_sets_stand_on_the_leg(agent, bank, shown):
    line = bank.send("2026-03-10", "-42.80", "Train")
    said = {"orgMerchantId": bank.merchant("Deutsche Bahn"), "projectId": bank.project("Fair")}
    before, after = shown(agent.patch(f"/api/transactions/{line}", json=said)).split("After", 1)
    assert "Deutsche Bahn · Fair" in after
    assert "Deutsche Bahn" not in before.split("Now", 1)[1]


def test_a_rule_is_shown_in_words(agent, bank, shown):
    rule = {
        "name": "Trains",
        "conditions": {
            "match": "ANY",
            "conditions": [
                {"field": "DESCRIPTION", "operator": "STARTS_WITH", "value": "DB"},
                {"field": "PROJECT", "operator": "IN", "value": str(bank.project("Fair"))},
            ],
        },
        "effects": [{"kind": "SET_ACCOUNT", "accountId": bank.account("Travel"), "sortOrder": 3}],
    }
    page = shown(agent.post("/api/automations/rules", json=rule))
    assert "one of description starts with “DB” project is one of Fair" in page
    assert "set account Travel" in page
    assert "sort" not in page


def test_a_document_that_is_detached_names_its_line_and_no_entry(ada, agent, bank, shown):
    line = {"transactionId": bank.send("2026-03-10", "-42.80", "Train")}
    bill = ada.post("/api/documents", json={"documentType": "BILL", "sender": "DB"}).json["document"]["id"]
    assert ada.post(f"/api/documents/{bill}/relations", json=line).status_code == 201
    page = shown(agent.delete(f"/api/documents/{bill}/relations", json=line))
    assert "Detach the bill DB from Train −42.80 EUR of 10 Mar" in page
    assert "Bank line Train −42.80 EUR of 10 Mar nothing" in page
    assert "Debit" not in page


def test_a_draft_that_a_rate_mirrors_shows_both_amounts(agent, bank, shown):
    bank.open("Dollars", "USD")
    bank.send("2026-03-10", "-11.00", "Hosting")
    rate = {"day": "2026-03-10", "currency": "USD", "unitsPerBase": "1.1", "source": "A test"}
    now, after = shown(agent.put("/api/exchange-rates", json={"rates": [rate]})).split("After", 1)
    assert "11.00 USD no rate" in now
    assert "11.00 USD 10.00 EUR" in after


def test_statements_show_their_figures(ada, agent, bank, desk, shown):
    line = bank.send("2026-03-10", "-42.80", "Train")
    desk.confirm(line)
    path = f"/api/reconciliations/accounts/{bank.fa_id}"
    ada.put(f"{path}/draft", json={"statementDate": "2026-03-31", "statementBalance": "-42.80"})
    cleared = shown(agent.put(f"{path}/draft/lines", json={"cleared": [line]}))
    assert "Tick Train −42.80 EUR of 10 Mar on the statement of Main account to 31 Mar 2026" in cleared
    ada.put(f"{path}/draft/lines", json={"auto": True})
    complete = shown(agent.post(f"{path}/complete", json={}))
    assert "Opening balance nothing 0.00" in complete
    assert "Number of ticks nothing 1" in complete
    assert "igest" not in complete
    assert ada.post(f"{path}/complete", json={}).status_code == 200
    assert "31 Mar 2026 · −42.80 · EUR" in shown(agent.post(f"{path}/reopen", json={"reason": "Again"}))


def test_a_void_stands_beside_its_reversal_and_the_new_draft(ada, agent, bank):
    line = bank.send("2026-03-10", "-42.80", "Train")
    ada.post(f"/api/transactions/{line}/confirm", json={})
    entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    answer = agent.post(f"/api/journal-entries/{entry}/void", json={"reason": "Twice"})
    page = ada.browser().get(f"/proposals?id={answer.json['actionRequest']['id']}").text
    assert [page.count(f"<b>{title}</b>") for title in ("Now", "After", "And")] == [1, 1, 2]


def said(value, key=""):
    """Walk the values of a body, each with the key that it stands under."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from said(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from said(inner, key)
    elif value not in (None, "") and key not in NOT_SHOWN:
        yield key, value


def ways(value, names):
    """The ways in which a page may write a value: an id by a name, a day in words, a code as words."""
    if isinstance(value, bool):
        return {"yes" if value else "no"}
    if isinstance(value, int):
        return names.get(value, set()) | {str(value)}
    written = {value, " ".join(value.split()), label(value)}
    with suppress(ValueError):
        written.add(f"{date.fromisoformat(value):%-d %b %Y}")
    return written


def names_of(ada):
    """The names of everything that has an id, as a page may write it."""
    names = {}
    for path, key in (("accounts", "accounts"), ("merchants", "merchants"), ("projects", "projects")):
        for each in ada.get(f"/api/{path}?limit=200").json[key]:
            names.setdefault(each["id"], set()).add(each["name"])
    for each in ada.get("/api/feeds/accounts?limit=200").json["feedAccounts"]:
        names.setdefault(each["faId"], set()).add(each["accountName"])
    for each in ada.get("/api/items?limit=200").json["items"]:
        names.setdefault(each["id"], set()).add(each["reference"])
    for each in ada.get("/api/transactions?limit=200").json["transactions"]:
        names.setdefault(each["id"], set()).add(each["description"])
    return names


@pytest.mark.rare
def test_every_value_that_a_call_sends_stands_on_the_page_that_approves_it(ada, agent, bank, shown):
    looked, missing = 0, []
    for trial in calls(ada, bank):
        if not (body := trial.options.get("json")):
            continue
        answer = trial.ask(agent)
        # Some need what others of them would do.
        if answer.status_code != 202:
            continue
        page, names = unescape(shown(answer)).replace("\N{MINUS SIGN}", "-"), names_of(ada)
        for key, value in said(body):
            looked += 1
            if not any(written in page for written in ways(value, names)):
                missing.append((trial.name, key, value, page))
    assert missing == []
    assert looked > 80


@pytest.mark.parametrize(
    ("owed", "paid", "short", "kind"),
    [("1904.00", "15.00", "1889.00", "DISCOUNT"), ("770.00", "760.00", "10.00", "WRITE_OFF")],
)
def test_what_a_line_pays_and_is_short_of_stands_on_the_page_in_words(
    ada, agent, books, bank, shown, owed, paid, short, kind
):
    keep_items(ada, books.account_id("Trade receivables"))
    merchant = bank.merchant("Ostermann")
    owe(ada, books, owed, merchant)
    line = send(bank, bank.open("Giro"), "2026-03-20", paid)
    [item] = items(ada)
    travel = bank.account("Travel costs")
    body = {
        "settles": [{"itemId": item["id"]}],
        "short": {"amount": short, "as": kind, "accountId": travel},
    }
    answer = agent.patch(f"/api/transactions/{line}", json=body)
    page = shown(answer)
    words = {"DISCOUNT": "discount", "WRITE_OFF": "write-off"}[kind]
    short_words = f"{float(short):,.2f} EUR of it as a {words} on Travel costs"
    name = item["reference"] or f"item {item['id']}"
    sentence = f"it pays {name} of Ostermann with {float(paid):,.2f} EUR; {short_words}"
    assert sentence in page
    request = answer.json["actionRequest"]
    assert sentence in request["title"]
    is_large = float(short) * 10 > float(owed)
    warnings = request["effect"]["warnings"]
    assert [each.startswith(f"A {words} of {float(short):,.2f} EUR") for each in warnings] == [
        True
    ] * is_large
    assert ("is more than a tenth of" in page) == is_large
    done = ada.patch(f"/api/transactions/{line}", json=body)
    assert done.json.get("warnings", []) == warnings
