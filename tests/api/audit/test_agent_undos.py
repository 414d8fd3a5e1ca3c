"""Everything that a token did, undone as one reviewed batch, and what cannot be with the reason."""

import io
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from tests.api.journal.test_lock_date import entry_of
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.documents import pdf, sent
from tests.fixtures.helpers.replays import everything
from webapp.services.undo import agent_undos
from webapp.services.undo.inverses import INVERSES

SINCE = "2026-01-02T00:00:00Z"
PUSHED = "pushed by the agent"
EVERYTHING = ("read", "draft", "confirm", "reconcile", "admin")


@pytest.fixture
def agent(ada):
    """A token of Ada's that may do all that she may."""
    return ada.with_scopes(*EVERYTHING)


@pytest.fixture
def world(ada, bank):
    """Books with something of everything in them, which a person wrote."""
    return World(ada, bank)


class World:
    """What is in the books before an agent comes, by name."""

    def __init__(self, ada, bank):
        self.bank = bank
        self.savings = bank.open("Savings")
        self.giro = bank.open("Giro")
        self.rent, self.food = bank.account("Rent"), bank.account("Food")
        self.merchant, self.project = bank.merchant("Corner shop"), bank.project("Website")
        self.group = ok(ada.post("/api/projects/groups", json={"name": "Clients", "emoji": "🏠"}))["group"][
            "id"
        ]
        self.idle = ok(ada.post("/api/projects", json={"name": "Idle", "groupId": self.group}))["project"][
            "id"
        ]
        self.lines = bank.send_many(
            [(f"2026-03-{day:02}", f"-{day}.00", f"Line {day}") for day in range(1, 13)]
        )
        self.into = bank.at(self.savings).send("2026-03-12", "12.00", "Line 12")
        self.rule = ok(ada.post("/api/automations/rules", json=rule("Rents", self.rent)))["rule"]["id"]


def rule(name, account_id, *, contains="Line 5"):
    return {
        "name": name,
        "conditions": {"conditions": [{"field": "DESCRIPTION", "operator": "EQUALS", "value": contains}]},
        "effects": [{"kind": "SET_ACCOUNT", "accountId": account_id, "sortOrder": 1}],
    }


def ok(answer):
    assert answer.status_code < 300, (answer.request.path, answer.json)
    return answer.json


def preview(person, token, since=SINCE, **more):
    asked = {"tokenId": token.token_id, "since": since, **more}
    return ok(person.browser().post("/api/action-requests/undo/preview", json=asked))


def undo(person, token, digest, since=SINCE, **more):
    asked = {"tokenId": token.token_id, "since": since, "digest": digest, **more}
    return person.browser().post("/api/action-requests/undo", json=asked)


def undone(person, token, **more):
    """Look at what undoing would do, do it, and give what stays with the reasons."""
    seen = preview(person, token, **more)
    done = ok(undo(person, token, seen["digest"], **more))
    assert [each["actionRequestId"] for each in done["results"]] == [
        each["actionRequestId"] for each in seen["items"]
    ]
    assert [each["status"] for each in done["results"]] == [
        "EXECUTED" if each["undo"] else "FAILED" for each in seen["items"]
    ]
    return {each["kind"]: each["why"] for each in seen["items"] if each["undo"] is None}


LINE = ("status", "entryStatus", "accountId", "orgMerchantId", "projectId", "splits", "bookedOn", "amount")
DOCUMENT = ("fileName", "sender", "issuedOn", "total", "currency", "orgMerchantId")
DRAFT = ("statementDate", "statementBalance", "keepAsNew", "clearedBalance", "clearedCount", "difference")


def dump(person):
    """Say what a bookkeeper would check, by names: ids of what went and came back are others."""
    entries = {each["id"]: each for each in everything(person, "journal-entries", "entries")}

    def written(entry_id):
        entry = entries.get(entry_id)
        postings = [
            (leg["accountName"], leg["amount"], leg["amountBase"], leg["projectId"])
            for leg in (entry or {}).get("postings", ())
        ]
        return entry and (
            entry["effectiveAt"],
            entry["status"],
            entry["description"],
            sorted(postings, key=str),
        )

    hub = person.get("/api/reconciliations/accounts").json
    return {
        "balances": {
            each["name"]: (each["balance"], each["isArchived"], each["emoji"], each["code"])
            for each in everything(person, "accounts", "accounts")
            if each["name"] != "Made by the agent"
        },
        "items": {
            each["id"]: (each["dueOn"], each["reference"]) for each in everything(person, "items", "items")
        },
        "lines": {
            line["id"]: (
                [line[name] for name in LINE],
                written(line["journalEntryId"]),
                written(line["correctionMarkerId"]),
            )
            for line in everything(person, "transactions", "transactions")
            if (line["status"], line["providerTransactionId"]) != ("DELETED", PUSHED)
        },
        "drafts": sorted(
            map(str, (written(each) for each, entry in entries.items() if entry["status"] == "DRAFT"))
        ),
        "projects": sorted(
            str((each["name"], each["emoji"], (each["group"] or {}).get("name")))
            for each in everything(person, "projects", "projects")
        ),
        "groups": [(each["name"], each["emoji"]) for each in everything(person, "projects/groups", "groups")],
        "merchants": [
            (each["name"], each["website"]) for each in everything(person, "merchants", "merchants")
        ],
        "rules": [
            (each["name"], each["priority"], each["conditions"], each["effects"], each["isActive"])
            for each in everything(person, "automations/rules", "rules")
        ],
        "feeds": [
            (each["accountName"], each["unconfirmedCount"], each["status"], drafted(each["draft"]))
            for each in hub["accounts"]
        ],
        "documents": [
            (
                *(each[name] for name in DOCUMENT),
                len(each["furtherFiles"]),
                sorted(str(relation["transactionId"]) for relation in each["relations"]),
            )
            for each in everything(person, "documents", "documents")
        ],
        "year": person.get("/api/financial-year").json["financialYear"]["firstMonths"],
        "lock": person.get("/api/lock-date").json["lockDate"],
        "rates": [
            (each["day"], each["unitsPerBase"]) for each in everything(person, "exchange-rates", "rates")
        ],
    }


def drafted(draft):
    return draft and [draft[name] for name in DRAFT]


def postings(world, amount="5.00"):
    return [{"accountId": world.rent, "amount": amount}, {"accountId": world.food, "amount": f"-{amount}"}]


def work_on_lines(agent, world):
    lines, rent, food = world.lines, world.rent, world.food
    ok(agent.patch(f"/api/transactions/{lines[0]}", json={"accountId": rent, "projectId": world.project}))
    ok(
        agent.patch(
            f"/api/transactions/{lines[0]}", json={"description": "Better", "orgMerchantId": world.merchant}
        )
    )
    ok(agent.post(f"/api/transactions/{lines[0]}/confirm", json={}))
    parts = [{"accountId": rent, "amount": "-0.50"}, {"accountId": rent, "amount": "-1.50"}]
    ok(agent.patch(f"/api/transactions/{lines[1]}", json={"splits": parts}))
    ok(agent.post("/api/transactions/confirm", json={"ids": [lines[1], lines[2]]}))
    for account in (rent, food):
        ok(agent.patch(f"/api/transactions/{lines[2]}", json={"accountId": account}))
        ok(agent.post(f"/api/transactions/{lines[2]}/confirm", json={}))
    ok(agent.patch(f"/api/transactions/{lines[3]}", json={"accountId": food}))
    ok(agent.delete(f"/api/transactions/{lines[3]}"))
    ok(agent.delete(f"/api/transactions/{world.gone}"))
    ok(agent.post(f"/api/transactions/{world.left_out}/restore"))
    ok(agent.post(f"/api/journal-entries/{entry_of(agent, world.posted)}/void", json={"reason": "Wrong"}))
    ok(agent.post(f"/api/transactions/{lines[11]}/join", json={"transactionId": world.into}))
    ok(agent.post(f"/api/transactions/{lines[11]}/confirm", json={}))
    ok(agent.post(f"/api/transactions/{world.pair[0]}/unjoin", json={"transactionId": world.pair[1]}))
    ok(agent.post(f"/api/transactions/{world.twins[0]}/join", json={"transactionId": world.twins[1]}))
    ok(agent.post(f"/api/transactions/{world.joined[0]}/unjoin", json={"transactionId": world.joined[1]}))
    entry = entry_of(agent, world.corrected)
    browse(agent, f"/journal/{entry}/correction/discard")


def browse(agent, path, **form):
    """Let a program press a button of a page."""
    answer = agent.post(path, data=form)
    assert answer.status_code < 400, (path, answer.status_code)
    return answer


def work_on_documents(agent, world):
    path = f"/api/documents/{world.document}/declines"
    ok(agent.post(path, json={"transactionId": world.lines[4]}))
    ok(agent.delete(path, json={"transactionId": world.lines[7]}))
    path = f"/api/documents/{world.document}/relations"
    ok(agent.post(path, json={"transactionId": world.lines[5]}))
    ok(agent.delete(path, json={"transactionId": world.lines[6]}))
    filed = ok(sent(agent, name="agent.pdf"))["document"]["id"]
    ok(agent.post(f"/api/documents/{filed}/relations", json={"transactionId": world.lines[4]}))
    further = {"file": (io.BytesIO(pdf("further")), "further.pdf")}
    path = f"/api/documents/{world.document}/files"
    ok(agent.post(path, data=further, content_type="multipart/form-data"))
    facts = {"sender": "Paper Shop", "issuedOn": "2026-03-02", "total": "12.00", "currency": "EUR"}
    ok(agent.patch(f"/api/documents/{world.document}", json={**facts, "orgMerchantId": world.merchant}))


def work_on_entries(agent, world):
    body = {"effectiveAt": "2026-03-05", "description": "By the agent", "postings": postings(world)}
    ok(agent.post("/api/journal-entries", json={**body, "post": True}))
    made = ok(agent.post("/api/journal-entries", json=body))
    path = f"/api/journal-entries/{made['entry']['id']}"
    changed = ok(agent.put(path, json={**body, "description": "Changed", "version": made["version"]}))
    assert changed["entry"]["description"] == "Changed"
    browse(agent, f"/journal/{made['entry']['id']}/post")
    mine = f"/api/journal-entries/{world.draft['entry']['id']}"
    version = agent.get(mine).json["version"]
    ok(agent.put(mine, json={**body, "effectiveAt": "2026-03-09", "version": version}))
    ok(agent.delete(mine))
    ok(agent.post(f"/api/journal-entries/{world.manual}/void", json={"reason": "Wrong"}))
    ok(agent.post("/api/settlements", json={"parts": [{"itemId": each} for each in world.items]}))
    ok(agent.patch(f"/api/items/{world.owed}", json={"dueOn": "2026-05-01", "reference": "RE-9"}))


def work_on_books(agent, world):
    made = ok(agent.post("/api/accounts", json={"name": "Made by the agent", "type": "EXPENSE"}))["account"]
    ok(agent.patch(f"/api/accounts/{made['id']}", json={"emoji": "🤖"}))
    ok(agent.patch(f"/api/accounts/{world.food}", json={"name": "Meals", "requiresCounterparty": False}))
    shop = ok(agent.post("/api/merchants", json={"name": "New shop"}))["merchant"]["id"]
    for _ in range(2):
        ok(agent.post(f"/api/merchants/{shop}/merge", json={"mergedIntoId": world.merchant}))
        ok(agent.post(f"/api/merchants/{shop}/separate"))
    ok(
        agent.patch(
            f"/api/merchants/{world.merchant}", json={"name": "Other shop", "website": "https://x.example"}
        )
    )
    group = ok(agent.post("/api/projects/groups", json={"name": "Mine", "emoji": ""}))["group"]["id"]
    ok(agent.post("/api/projects", json={"name": "Made", "groupId": group}))
    ok(agent.patch(f"/api/projects/{world.idle}", json={"name": "Busy", "groupId": group}))
    ok(agent.patch(f"/api/projects/groups/{world.group}", json={"name": "Customers"}))
    ok(agent.delete(f"/api/projects/groups/{world.group}"))
    ok(agent.delete(f"/api/projects/{world.idle}"))
    fa_id = ok(agent.post("/api/feeds/accounts", json={"name": "Made by the agent", "currency": "EUR"}))
    ok(agent.patch(f"/api/feeds/accounts/{fa_id['feedAccount']['faId']}", json={"mask": "1234"}))
    ok(agent.put("/api/exchange-rates", json={"rates": [rate("1.2")]}))
    ok(agent.put("/api/financial-year", json={"firstMonth": 4}))
    ok(agent.put("/api/lock-date", json={"lockDate": "2026-02-27"}))


def rate(units):
    return {"day": "2026-03-02", "currency": "USD", "unitsPerBase": units}


def work_with_rules(agent, world):
    made = ok(agent.post("/api/automations/rules", json=rule("Lunch", world.food, contains="Line 7")))["rule"]
    path = f"/api/automations/rules/{made['id']}"
    digest = ok(agent.post(f"{path}/preview"))["preview"]["digest"]
    assert ok(agent.post(f"{path}/apply", json={"digest": digest}))["run"]["changed"] == 1
    ok(agent.put(f"/api/automations/rules/{world.rule}", json={**rule("Rents", world.food), "priority": 7}))
    browse(agent, f"/rules/{made['id']}/move", beforeId=world.rule)
    ok(agent.delete(f"/api/automations/rules/{world.rule}"))


def work_with_files(agent, world):
    data = bank_file(Line("2026-03-20", "-9.00"), account="new one")
    form = {"file": (io.BytesIO(data), "march.ofx")}
    ok(agent.post("/api/feeds/imports", data=form, content_type="multipart/form-data"))
    line = {"providerTransactionId": PUSHED, "bookedOn": "2026-03-21", "amount": "5.00", "currency": "EUR"}
    ok(agent.post(f"/api/feeds/accounts/{world.giro}/transactions", json={"batchId": "b", "added": [line]}))


def work_on_statements(agent, world):
    path = f"/api/reconciliations/accounts/{world.giro}"
    draft = {"statementDate": "2026-03-31", "statementBalance": "-30.00"}
    ok(agent.put(f"{path}/draft", json=draft))
    ok(agent.put(f"{path}/draft/lines", json={"cleared": [world.lines[9], world.lines[8]]}))
    ok(agent.put(f"{path}/draft/lines", json={"uncleared": [world.lines[8]]}))
    version = agent.get(path).json["account"]["draft"]["version"]
    ok(agent.put(f"{path}/draft", json={**draft, "statementBalance": "-10.00", "version": version}))
    ok(agent.post(f"{path}/complete", json={}))
    ok(agent.post(f"{path}/reopen", json={"reason": "Again"}))
    ok(agent.post(f"{path}/abandon"))


def work_on_taxes(agent, world):
    body = {"postings": postings(world, "6.00"), "reason": "Less"}
    ok(agent.post(f"/api/journal-entries/{world.wrong}/correct", json=body))
    claim = {"itemId": world.unpaid, "amount": "12.00", "day": "2026-09-30", "counterAccountId": world.rent}
    ok(agent.post("/api/tax/bad-debts", json=claim))
    adjusted = {"form": "generic-vat", "taxPoint": "2026-03-31", "reason": "OTHER", "note": "By hand"}
    legs = [{"accountId": world.taxes, "amount": "-1.00"}, {"accountId": world.rent, "amount": "1.00"}]
    adjusted |= {"boxes": [{"box": "A", "amount": "1.00"}], "legs": legs}
    ok(agent.post("/api/tax/adjustments", json=adjusted))


def let_in(ada):
    """Let Ada in past the lock, as a key can only propose, and give that key."""
    key = ada.with_scopes("read", "propose")
    until = (datetime.now(UTC) + timedelta(hours=2)).isoformat()
    body = {"userId": ada.user_id, "from": "2026-02-01", "until": until, "note": "A late bill"}
    request = ok(key.post("/api/lock-exceptions", json=body))["actionRequest"]
    path = f"/api/action-requests/{request['id']}/approve"
    ok(ada.browser().post(path, json={"digest": request["digest"]}))
    return key


def work_on_years(agent, world):
    ok(agent.post("/api/appropriations", json={"year": 2025, "post": True}))
    ok(agent.put("/api/locks", json={"ADJUSTMENTS": "2025-12-31"}))


WORKS = (
    work_on_years,
    work_on_taxes,
    work_on_lines,
    work_on_documents,
    work_on_entries,
    work_on_books,
    work_with_rules,
    work_with_files,
    work_on_statements,
)


@pytest.fixture
def busy(world, ada, bank):
    """The same books further on: something posted, deleted, paired, corrected and written by hand."""
    bank.fa_id = world.giro
    world.posted, world.left_out, world.gone = bank.send_many(
        [("2026-03-14", "-14.00", "Posted"), ("2026-03-15", "-15.00", "Out"), ("2026-03-16", "-16.00", "In")]
    )
    world.corrected = bank.send("2026-03-17", "-17.00", "Corrected")
    world.twins = bank.send_many([("2026-03-18", "-18.00", "Twin"), ("2026-03-18", "-18.00", "Twin")])
    world.joined = bank.send_many([("2026-03-22", "-22.00", "Joined"), ("2026-03-22", "-22.00", "Joined")])
    world.pair = (bank.send("2026-03-19", "-19.00"), bank.at(world.savings).send("2026-03-19", "19.00"))
    for line in (world.posted, world.corrected, world.lines[9]):
        ok(ada.post(f"/api/transactions/{line}/confirm", json={}))
    ok(ada.patch(f"/api/transactions/{world.gone}", json={"accountId": world.food, "description": "Mine"}))
    ok(ada.patch(f"/api/transactions/{world.corrected}", json={"accountId": world.rent}))
    ok(ada.delete(f"/api/transactions/{world.left_out}"))
    ok(ada.post(f"/api/transactions/{world.joined[0]}/join", json={"transactionId": world.joined[1]}))
    ok(ada.post(f"/api/transactions/{world.pair[0]}/join", json={"transactionId": world.pair[1]}))
    body = {"effectiveAt": "2026-03-04", "description": "Mine", "postings": postings(world, "7.00")}
    world.draft = ok(ada.post("/api/journal-entries", json=body))
    world.manual = ok(ada.post("/api/journal-entries", json={**body, "post": True}))["entry"]["id"]
    form = {"fileName": "receipt", "documentType": "RECEIPT"}
    world.document = ok(ada.post("/api/documents", json=form))["document"]["id"]
    ok(ada.post(f"/api/documents/{world.document}/relations", json={"transactionId": world.lines[6]}))
    ok(ada.post(f"/api/documents/{world.document}/declines", json={"transactionId": world.lines[7]}))
    bank.quote("2026-03-02", "USD", "1.1")
    transfers = bank.role("transfers")
    for amount, opposite in (("8.00", "-8.00"), ("-8.00", "8.00")):
        legs = [{"accountId": transfers, "amount": amount}, {"accountId": world.rent, "amount": opposite}]
        ok(ada.post("/api/journal-entries", json={**body, "postings": legs, "post": True}))
    open_items = ada.get(f"/api/open-items?accountId={transfers}").json["openItems"]
    world.items = [each["id"] for each in open_items if each["amount"] in ("8.00", "-8.00")]
    (receivables,) = (
        each["id"] for each in everything(ada, "accounts", "accounts") if each["name"] == "Trade receivables"
    )
    ok(ada.patch(f"/api/accounts/{receivables}", json={"keepsItems": True}))
    legs = [{"accountId": receivables, "amount": "9.00"}, {"accountId": world.rent, "amount": "-9.00"}]
    ok(ada.post("/api/journal-entries", json={**body, "postings": legs, "post": True}))
    (world.owed,) = (each["id"] for each in everything(ada, "items", "items"))
    world.wrong = ok(ada.post("/api/journal-entries", json={**body, "post": True}))["entry"]["id"]
    ok(ada.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01"}))
    chart = {each["name"]: each["id"] for each in everything(ada, "accounts", "accounts")}
    world.taxes = chart["VAT payable"]
    (code,) = (each["id"] for each in everything(ada, "tax/codes", "taxCodes") if each["code"] == "S20")
    sold = {"accountId": chart["Sales of services"], "amount": "-12.00", "taxCodeId": code}
    legs = [{"accountId": receivables, "amount": "12.00"}, sold]
    sale = ok(ada.post("/api/journal-entries", json={**body, "postings": legs, "post": True}))["entry"]["id"]
    listed = everything(ada, "items", "items")
    (world.unpaid,) = (each["id"] for each in listed if each["journalEntryId"] == sale)
    legs = [
        {"accountId": world.rent, "amount": "20.00"},
        {"accountId": chart["Petty cash"], "amount": "-20.00"},
    ]
    last_year = {**body, "effectiveAt": "2025-12-05", "postings": legs, "post": True}
    ok(ada.post("/api/journal-entries", json=last_year))
    capital = ok(ada.post("/api/accounts", json={"name": "Capital", "type": "EQUITY"}))["account"]["id"]
    ok(ada.post("/api/owners", json={"name": "Ada", "capitalAccountId": capital, "share": "1"}))
    return world


@pytest.mark.rare
def test_one_of_each_kind_goes_back(ada, agent, busy, bank, figure, monkeypatch):
    monkeypatch.setattr(agent_undos, "MOST_AT_ONCE", 100)
    before = dump(ada)
    for work in WORKS:
        work(agent, busy)
    proposer = let_in(ada)
    keys = (agent.token_id, proposer.token_id)
    acts = everything(ada, "action-requests?status=EXECUTED", "actionRequests")
    kinds = Counter(each["kind"] for each in acts if each["actor"]["id"] in keys)
    assert set(INVERSES) - set(kinds) == set()
    after = dump(ada)
    assert all(after[part] != before[part] for part in before)
    assert undone(ada, proposer) == {}
    assert undone(ada, agent) == {}
    now = dump(ada)
    for part in before:
        assert now[part] == before[part], part
    assert bank.broken() == []
    batch = ok(ada.get("/api/action-requests?kind=undo_agent"))["actionRequests"]
    assert [each["target"] for each in batch] == [
        {"kind": "token", "id": str(each.token_id)} for each in (agent, proposer)
    ]
    assert preview(ada, agent)["items"] == []
    figure("undo an agent", f"{kinds.total()} acts of {len(kinds)} kinds undone, 0 differences in the books")
