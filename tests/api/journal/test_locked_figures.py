"""A lock closes figures, not only postings: what would move one of a locked day needs a reason."""

import random

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.owed import items, owe
from webapp.database.sessions import db
from webapp.models import Account, ExchangeRate, Merchant, Project, ProjectGroup
from webapp.models.base import table_of
from webapp.queries.reports.locked_figures import READ

LOCK = "2024-12-31"
YEAR = "from=2024-01-01&to=2024-12-31"
REPORTS = (
    f"profit-and-loss?{YEAR}",
    f"profit-and-loss?{YEAR}&groupBy=merchant",
    f"profit-and-loss?{YEAR}&groupBy=project_group",
    f"balance-sheet?{YEAR}",
    f"trial-balance?{YEAR}",
    "aged-receivables?asOf=2024-12-31",
    "aged-receivables?asOf=2024-11-30",
    "aged-payables?asOf=2024-12-31",
)
NOT_FIGURES = {"id", "organization_id", "created_at", "updated_at"}


@pytest.fixture
def year(ada, ben, bank, books):
    """A year that is locked: sales, a boat, an open invoice of a party, and a project."""
    ids = {
        "Boat": bank.account("Boat"), "Van": bank.account("Van", "ASSET"), "Later": bank.account("Later"),
        "party": bank.merchant("Halden"), "double": bank.merchant("Halden Ltd"), "other": bank.merchant("Fjord"),
        "project": bank.project("Film"),
        "group": ada.post("/api/projects/groups", json={"name": "Films"}).json["group"]["id"],
    }  # fmt: skip

    def post(day, amount, account, opposite, **facts):
        legs = [
            {"accountId": account, "amount": amount, **facts},
            {"accountId": opposite, "amount": amount[1:] if amount[0] == "-" else f"-{amount}"},
        ]
        answer = ada.post("/api/journal-entries", json={"effectiveAt": day, "postings": legs, "post": True})
        assert answer.status_code == 201, answer.json

    cash, sales = books.account_id("Petty cash"), books.account_id("Sales of services")
    post("2024-03-01", "900.00", cash, sales)
    post("2024-05-02", "250.00", ids["Boat"], cash, projectId=ids["project"])
    post("2024-06-02", "40.00", ids["Boat"], cash, orgMerchantId=ids["other"])
    post("2024-07-01", "800.00", ids["Van"], cash)
    post("2025-02-01", "10.00", ids["Later"], cash)
    owe(ada, books, "120.00", ids["party"], day="2024-11-01", dueOn="2024-12-01", reference="A-1")
    owe(ada, books, "50.00", ids["double"], day="2025-02-01")
    bank.lock(LOCK)
    return ids


@pytest.fixture
def shown(ada):
    """Read all reports of the locked year, without what they warn of."""

    def read():
        found = [ada.get(f"/api/reports/{each}") for each in REPORTS]
        for each in found:
            assert each.status_code == 200, each.json
        bodies = [next(iter(each.json.values())) for each in found]
        return [{key: value for key, value in body.items() if key != "warnings"} for body in bodies]

    return read


def test_a_personal_account_asks_for_a_reason_and_says_what_it_moves(ada, year, shown):
    before, address = shown(), f"/api/accounts/{year['Boat']}"
    refused = ada.patch(address, json={"inScope": False})
    assert (refused.status_code, refused.json["code"]) == (409, "locked_figures")
    # 900.00 of sales, and the open invoice of 120.00, less 290.00 for the boat.
    assert refused.json["details"] == {
        "report": "Profit and loss", "day": LOCK, "figure": "result", "before": "730.00", "after": "1020.00",
    }  # fmt: skip
    assert shown() == before
    blank = ada.patch(address, json={"inScope": False, "note": "  "})
    assert blank.status_code == 409

    done = ada.patch(address, json={"inScope": False, "note": "It is the family's"})

    assert (done.status_code, done.json["warningCodes"]) == (200, ["locked_figures"])
    assert "730.00" in done.json["warnings"][0]
    assert "1020.00" in done.json["warnings"][0]
    assert shown() != before


@pytest.mark.parametrize("call", ["type", "behind a new feed", "behind another feed"])
def test_an_account_that_a_feed_takes_moves_assets_and_asks(ada, bank, year, shown, call):
    bank.open("Giro")
    giro, van = f"/api/feeds/accounts/{bank.fa_id}", {"accountId": year["Van"]}
    if call == "type":
        bank.lock(None)
        assert ada.patch(giro, json=van).status_code == 200
        bank.lock(LOCK)
    method, path, body = {
        "type": ("PATCH", giro, {"type": "LIABILITY"}),
        "behind a new feed": ("POST", "/api/feeds/accounts", {"name": "New", "currency": "EUR", **van}),
        "behind another feed": ("PATCH", giro, van),
    }[call]
    before = shown()
    refused = ada.ask(method, path, json=body)
    assert (refused.status_code, refused.json["code"]) == (409, "locked_figures")
    assert refused.json["details"]["report"] == "Balance sheet"
    assert shown() == before
    done = ada.ask(method, path, json={**body, "note": "It is money"})
    assert (done.status_code in (200, 201), done.json["warningCodes"]) == (True, ["locked_figures"])


def test_what_lies_after_the_lock_asks_for_nothing(ada, bank, year):
    answer = ada.patch(f"/api/accounts/{year['Later']}", json={"inScope": False})
    assert (answer.status_code, "warnings" in answer.json) == (200, False)
    bank.lock(None)
    assert ada.patch(f"/api/accounts/{year['Boat']}", json={"inScope": False}).status_code == 200


def test_a_type_moves_assets_and_asks(ada, year):
    address = f"/api/accounts/{year['Van']}"
    refused = ada.patch(address, json={"type": "LIABILITY"})
    assert (refused.status_code, refused.json["code"]) == (409, "locked_figures")
    assert refused.json["details"]["report"] == "Balance sheet"
    assert ada.patch(address, json={"type": "LIABILITY", "note": "It was leased"}).status_code == 200


@pytest.mark.parametrize("changes", [{"type": "LIABILITY"}, {"isArchived": True}])
def test_an_account_with_open_items_stays_reason_or_not(ada, bank, books, year, changes):
    address = f"/api/accounts/{books.account_id('Trade receivables')}"
    for body in (changes, {**changes, "note": "We want it"}):
        refused = ada.patch(address, json=body)
        assert (refused.status_code, refused.json["code"], refused.json["details"]) == (
            409, "open_items", {"count": 2},
        )  # fmt: skip
    bank.lock(None)
    assert ada.patch(address, json=changes).json["code"] == "open_items"


def test_a_merge_moves_the_aged_list_and_a_separation_too(ada, ben, year):
    address, body = f"/api/merchants/{year['party']}", {"mergedIntoId": year["double"]}
    refused = ben.post(f"{address}/merge", json=body)
    assert (refused.status_code, refused.json["code"]) == (409, "locked_figures")
    # A bookkeeper may not say why.
    assert ben.post(f"{address}/merge", json={**body, "note": "One firm"}).status_code == 409
    assert ada.post(f"{address}/merge", json={**body, "note": "One firm"}).status_code == 200
    assert ada.post(f"{address}/separate").json["code"] == "locked_figures"
    assert ada.post(f"{address}/separate?note=Two+firms").status_code == 200
    # Nothing of these two lies behind the lock.
    assert (
        ben.post(f"/api/merchants/{year['double']}/merge", json={"mergedIntoId": year["party"]}).status_code
        == 200
    )


def test_a_group_of_projects_moves_its_results(ada, year):
    address = f"/api/projects/{year['project']}"
    refused = ada.patch(address, json={"groupId": year["group"]})
    assert (refused.status_code, refused.json["code"]) == (409, "locked_figures")
    assert ada.patch(address, json={"groupId": year["group"], "note": "Filed late"}).status_code == 200
    assert ada.delete(f"/api/projects/groups/{year['group']}").json["code"] == "locked_figures"


def test_a_rate_that_a_locked_revaluation_uses_asks(ada, bank, books, year):
    bank.lock(None)
    bank.quote("2024-12-30", "USD", "1.10")
    owe(ada, books, "110.00", day="2024-12-30", currency="USD")
    rate = {"day": "2024-12-31", "currency": "USD", "unitsPerBase": "1.20"}
    assert ada.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    assert ada.post("/api/revaluations", json={"asOf": "2024-12-31"}).status_code == 200
    bank.lock("2025-01-31")
    rate["unitsPerBase"] = "1.30"
    refused = ada.put("/api/exchange-rates", json={"rates": [rate]})
    assert (refused.status_code, refused.json["code"]) == (409, "locked_figures")
    assert ada.put("/api/exchange-rates", json={"rates": [rate], "note": "A slip"}).status_code == 200
    later = {"day": "2025-02-14", "currency": "USD", "unitsPerBase": "1.40"}
    assert ada.put("/api/exchange-rates", json={"rates": [later]}).status_code == 200


def test_a_due_day_counts_from_the_first_open_day_and_asks_for_nothing(ada, year, shown):
    before = shown()
    (item,) = [each for each in items(ada) if each["reference"] == "A-1"]
    for day in ("2025-03-31", "2025-04-30"):
        assert ada.patch(f"/api/items/{item['id']}", json={"dueOn": day}).status_code == 200
        assert shown() == before
    aged = ada.get("/api/reports/aged-receivables?asOf=2025-01-01").json["agedReceivables"]
    assert (
        "120.00" in aged["parties"][0]["rows"][0].values()
        or aged["parties"][0]["rows"][0]["amounts"]["notDue"] == "120.00"
    )
    assert ada.patch(f"/api/merchants/{year['party']}", json={"termsDays": 60}).status_code == 200
    assert shown() == before


@pytest.mark.parametrize("name", ["flag", "later", "merge", "rate", "open rate"])
def test_the_guard_reads_only_what_the_act_touches(ada, bank, year, statements, name):
    rate = {"currency": "USD", "unitsPerBase": "1.10"}
    calls = {
        "flag": ("PATCH", f"/api/accounts/{year['Van']}", {"isRevalued": None}),
        "later": ("PATCH", f"/api/accounts/{year['Later']}", {"inScope": None}),
        "merge": ("POST", f"/api/merchants/{year['double']}/merge", {"mergedIntoId": year["other"]}),
        "rate": ("PUT", "/api/exchange-rates", {"rates": [{"day": "2024-06-03", **rate}]}),
        "open rate": ("PUT", "/api/exchange-rates", {"rates": [{"day": "2025-06-03", **rate}]}),
    }
    method, path, body = calls[name]
    counts = []
    for number, lock in enumerate((None, LOCK)):
        bank.lock(lock)
        flag = bool(number) != (name == "flag")
        sent = {key: flag if value is None else value for key, value in body.items()}
        if "rates" in sent:
            sent["rates"][0]["unitsPerBase"] = f"1.1{number + 1}"
        with statements() as seen:
            assert ada.ask(method, path, json=sent).status_code == 200
        counts.append(len([each for each in seen if "api_tokens" not in each]))
        if name == "merge":
            ada.post(f"/api/merchants/{year['double']}/separate")
    assert counts[1] - counts[0] <= 5, counts


def test_a_day_within_a_locked_month_counts_though_the_month_comes_to_nothing(ada, bank, books):
    boat, cash = bank.account("Canoe"), books.account_id("Petty cash")
    for day, amount, back in (("2024-04-03", "70.00", "-70.00"), ("2024-04-20", "-70.00", "70.00")):
        legs = [{"accountId": boat, "amount": amount}, {"accountId": cash, "amount": back}]
        answer = ada.post("/api/journal-entries", json={"effectiveAt": day, "postings": legs, "post": True})
        assert answer.status_code == 201, answer.json
    bank.lock(LOCK)
    refused = ada.patch(f"/api/accounts/{boat}", json={"inScope": False})
    assert (refused.status_code, refused.json["code"]) == (409, "locked_figures")


def test_each_column_that_reports_could_read_is_judged():
    for model in (Account, Merchant, Project, ProjectGroup, ExchangeRate):
        columns = set(table_of(model).c.keys()) - NOT_FIGURES
        assert set(READ[model.__tablename__]) == columns, f"judge the columns of {model.__tablename__}"


CHANGES = (
    {"inScope": False}, {"inScope": True}, {"type": "LIABILITY"}, {"type": "ASSET"}, {"isRevalued": True},
    {"keepsItems": False}, {"isArchived": True}, {"isWatched": True}, {"requiresCounterparty": True},
)  # fmt: skip
ACTS = ("account", "account", "merge", "merge", "group", "due", "post", "void", "pay")


class Walk:
    """Acts chosen by chance, none with a reason."""

    def __init__(self, ada, bank, books, year, seed):
        self.ada, self.books, self.year = ada, books, year
        self.chance = random.Random(seed)  # noqa: S311  (figures to try, no secret)
        self.line = bank.send("2025-02-03", "-30.00", "Shop")
        self.accounts = [year["Boat"], year["Van"], year["Later"], books.account_id("Trade receivables")]
        self.merchants = [year["party"], year["double"], year["other"]]

    def act(self):
        return getattr(self, self.chance.choice(ACTS))()

    def account(self):
        address = f"/api/accounts/{self.chance.choice(self.accounts)}"
        return self.ada.patch(address, json=self.chance.choice(CHANGES))

    def merge(self):
        one, other = self.chance.sample(self.merchants, 2)
        if self.chance.random() < 0.4:
            return self.ada.post(f"/api/merchants/{one}/separate")
        return self.ada.post(f"/api/merchants/{one}/merge", json={"mergedIntoId": other})

    def group(self):
        changes = {"groupId": self.chance.choice((None, self.year["group"]))}
        return self.ada.patch(f"/api/projects/{self.year['project']}", json=changes)

    def due(self):
        chosen = self.chance.choice(items(self.ada))
        day = f"2025-{self.chance.randint(1, 12):02}-15"
        return self.ada.patch(f"/api/items/{chosen['id']}", json={"dueOn": day})

    def post(self):
        changes = {"accountId": self.year["Later"], "projectId": self.year["project"]}
        self.ada.patch(f"/api/transactions/{self.line}", json=changes)
        return self.ada.post(f"/api/transactions/{self.line}/confirm")

    def void(self):
        entries = self.ada.get("/api/journal-entries?status=POSTED").json["entries"]
        chosen = self.chance.choice(entries)["id"]
        return self.ada.post(f"/api/journal-entries/{chosen}/void", json={"reason": "Wrong"})

    def pay(self):
        amount = self.chance.choice(("-120.00", "70.00"))
        owe(self.ada, self.books, amount, self.chance.choice(self.merchants), day="2025-03-01")
        return self.ada.get("/api/items")


@pytest.mark.parametrize("seed", range(2))
def test_every_act_without_a_reason_leaves_the_reports_of_locked_days(
    ada, bank, books, year, shown, rounds, seed
):
    walk, before = Walk(ada, bank, books, year, seed), shown()
    counts = {True: 0, False: 0}
    for _ in range(rounds(16, 120)):
        answer = walk.act()
        counts[answer.status_code < 300] += 1
        assert shown() == before, (answer.request.path, answer.request.data)
    assert all(counts.values())


def test_a_locked_list_keeps_its_ages_in_a_backup_and_in_the_tables(ada, bank, year):
    (item,) = [each for each in items(ada) if each["reference"] == "A-1"]
    ada.patch(f"/api/items/{item['id']}", json={"dueOn": "2025-03-31"})
    rows = bank.ask(lambda: db.session.execute(sa.text("SELECT since, due_before FROM due_changes")).all())
    assert [(str(since)[:10], str(before)[:10]) for since, before in rows] == [("2025-01-01", "2024-12-01")]
