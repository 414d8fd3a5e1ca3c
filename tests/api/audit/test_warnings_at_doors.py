"""What an act warns of is told at every door: program, trial, proposal, plan, model, page, file and command."""

import json
import re
from collections import Counter
from io import BytesIO
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from tests.api.tax.conftest import Taxes
from tests.api.tax.test_returns import file
from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, sent
from tests.fixtures.helpers.marks import doors
from tests.fixtures.helpers.owed import items, owe, settle
from tests.mcp.clients import Model
from tests.pages.transactions.test_confirmations import Row
from tests.tree import ROOT
from webapp.cli import main

# Where acts warn, and of what. A new place fails until its code stands in SCENES or in a test below.
PLACES = {
    "services/bookkeeping/closing_entries.py": ["looks_like_closing"],
    "services/bookkeeping/manual_entries.py": ["on_bank", "prepaid_open"],
    "services/bookkeeping/schedules.py": ["sale_voided"],
    "services/feeds/pushes.py": ["before_revaluation, moved_by_lock", "far_balance"],
    "services/imports/imports.py": ["before_revaluation, moved_by_lock"],
    "services/audit/locked_figures.py": ["locked_figures"],
    "services/moving/moved_rows.py": ["on_bank"],
    "services/journal/entries.py": ["moved_by_lock", "rounding"],
    "services/journal/filed_periods.py": ["before_start", "tax_period_filed"],
    "services/journal/realisations.py": ["revaluation_stale"],
    "services/journal/settled_items.py": ["settlement_undone"],
    "services/accounts/merchants.py": ["same_name"],
    "services/transactions/joins.py": ["pays_open_item"],
    "services/transactions/transfers.py": ["pays_open_item"],
}
WORDS = {
    "looks_like_closing": "of income and expenses to nil",
    "on_bank": "is a bank&#39;s account",
    "prepaid_open": "was prepaid",
    "sale_voided": "was disposed of by this sale",
    "locked_figures": "and its day is locked",
    "moved_by_lock": "the day is locked",
    "rounding": "that its rates leave over is posted on Rounding",
    "revaluation_stale": "is off by",
    "settlement_undone": "joined both parties and is undone",
    "same_name": "of this name is there already: Acme",
    "tax_period_filed": "is late, and in the next one",
    "before_start": "from before the books kept taxes",
}


class Scene(NamedTuple):
    """A call of the API, and the form of the page that does the same."""

    path: str
    body: dict[str, Any]
    page: str
    form: dict[str, Any]
    method: str = "POST"


class Stage:
    """Books in which an act of each kind has something to warn of."""

    def __init__(self, ada, bank, books):
        self.ada, self.bank, self.books = ada, bank, books

    def draft(self, day, *legs):
        postings = [
            {"accountId": self.books.account_id(name), "amount": amount, "currency": currency}
            for name, amount, currency in legs
        ]
        body = {"effectiveAt": day, "description": "An entry", "postings": postings}
        answer = self.ada.post("/api/journal-entries", json=body)
        assert answer.status_code == 201, answer.json
        return answer.json["entry"]["id"]

    def post(self, entry):
        return Scene(f"/api/journal-entries/{entry}/post", {}, f"/journal/{entry}/post", {})

    def same_name(self):
        self.bank.merchant("Acme")
        other, name = self.bank.merchant("Fjord"), {"name": "ACME"}
        return Scene(f"/api/merchants/{other}", name, f"/merchants/{other}", name, "PATCH")

    def rounding(self):
        for currency, rate in (("USD", "1.0842"), ("JPY", "161.87")):
            self.bank.quote("2026-03-02", currency, rate)
        legs = ("Travel", "10.00", "USD"), ("Travel", "1000", "JPY"), ("Petty cash", "-15.41", "EUR")
        return self.post(self.draft("2026-03-02", *legs))

    def on_bank(self):
        self.bank.open("Giro")
        return self.post(self.draft("2026-03-02", ("Giro", "-5.00", "EUR"), ("Rent", "5.00", "EUR")))

    def looks_like_closing(self):
        for name in ("Rent", "Travel"):
            entry = self.draft("2025-05-01", (name, "30.00", "EUR"), ("Petty cash", "-30.00", "EUR"))
            self.ada.post(f"/api/journal-entries/{entry}/post")
        closing = (
            ("Rent", "-30.00", "EUR"),
            ("Travel", "-30.00", "EUR"),
            ("Retained earnings", "60.00", "EUR"),
        )
        return self.post(self.draft("2025-12-31", *closing))

    def revaluation_stale(self):
        for day, rate in (("2026-03-02", "1.25"), ("2026-03-31", "1.60")):
            self.bank.quote(day, "USD", rate)
        owe(self.ada, self.books, "500.00", day="2026-03-02", currency="USD")
        assert self.ada.post("/api/revaluations", json={"asOf": "2026-03-31"}).status_code == 200
        legs = ("Trade payables", "-40.00", "USD"), ("Rent", "40.00", "USD")
        return self.post(self.draft("2026-03-05", *legs))

    def moved_by_lock(self):
        entry = self.draft("2025-12-05", ("Rent", "30.00", "EUR"), ("Petty cash", "-30.00", "EUR"))
        self.ada.post(f"/api/journal-entries/{entry}/post")
        self.bank.lock("2025-12-31")
        body = {"reason": "Wrong"}
        return Scene(f"/api/journal-entries/{entry}/void", body, f"/journal/{entry}/void", body)

    def locked_figures(self):
        entry = self.draft("2025-12-05", ("Rent", "30.00", "EUR"), ("Petty cash", "-30.00", "EUR"))
        self.ada.post(f"/api/journal-entries/{entry}/post")
        self.bank.lock("2025-12-31")
        rent = self.books.account_id("Rent")
        note = "It is the family's"
        form = {"name": "Rent", "type": "EXPENSE", "why": note}
        body = {"inScope": False, "note": note}
        return Scene(f"/api/accounts/{rent}", body, f"/accounts/{rent}", form, "PATCH")

    def tax_period_filed(self):
        taxes = Taxes(self.ada, self.bank)
        legs = ("Software", "60.00", "P20", {}), ("Petty cash", "-60.00", None, {})
        entry = taxes.enter("2026-03-02", *legs, post=False)
        file(taxes, "2026-03-31")
        address = f"/journal/{entry}/post"
        return Scene(f"/api/journal-entries/{entry}/post", {"late": True}, address, {"late": "true"})

    def before_start(self):
        account = self.books.account_id("VAT receivable")
        self.ada.patch(f"/api/accounts/{account}", json={"currency": None})
        self.bank.quote("2025-11-10", "USD", "1.25")
        legs = ("VAT receivable", "10.00", "USD"), ("Petty cash", "-8.00", "EUR")
        entry = self.draft("2025-11-10", *legs)
        self.ada.post(f"/api/journal-entries/{entry}/post")
        self.ada.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01"})
        body = {"reason": "Wrong"}
        return Scene(f"/api/journal-entries/{entry}/void", body, f"/journal/{entry}/void", body)

    def settlement_undone(self):
        one, other = (self.bank.merchant(name) for name in ("Halden", "Halden AG"))
        owe(self.ada, self.books, "70.00", one)
        owe(self.ada, self.books, "-70.00", other)
        merged = self.ada.post(f"/api/merchants/{other}/merge", json={"mergedIntoId": one})
        assert merged.status_code == 200, merged.json
        settle(self.ada, *items(self.ada))
        address = f"/merchants/{other}/separate"
        return Scene(f"/api{address}", {}, address, {})

    def sale_voided(self):
        costs, worn = self.bank.account("Rent"), self.bank.account("Worn", "ASSET")
        asset = {"kind": "DEPRECIATION", "name": "A press", "amount": "2400.00", "periods": 24}
        days = {"startsOn": "2025-01-09", "accountId": worn, "counterAccountId": costs}
        made = self.ada.post("/api/schedules", json={**asset, **days}).json["schedule"]["id"]
        sale = self.draft(
            "2026-03-12", ("Petty cash", "9.00", "EUR"), ("Gain or loss on disposal", "-9.00", "EUR")
        )
        self.ada.post(f"/api/journal-entries/{sale}/post")
        self.ada.post(f"/api/schedules/{made}/dispose", json={"on": "2026-03-12", "saleEntryId": sale})
        why = {"reason": "Wrong"}
        return Scene(f"/api/journal-entries/{sale}/void", why, f"/journal/{sale}/void", why)

    def prepaid_open(self):
        data = invoices.ubl(prepaid="72.50", due="100.00")
        document = sent(self.ada, data, "invoice.xml").json["document"]["id"]
        body = {"accountId": self.bank.account("Paper"), "post": False}
        entry = self.ada.post(f"{DOCUMENTS}/{document}/entry", json=body)
        assert entry.status_code == 201, entry.json
        return self.post(entry.json["entry"]["id"])


SCENES = [name for name in vars(Stage) if name in WORDS]


@pytest.fixture
def stage(ada, bank, books):
    return Stage(ada, bank, books)


def api(ada, scene):
    answer = ada.ask(scene.method, scene.path, json=scene.body)
    assert answer.status_code == 200, answer.json
    assert len(answer.json["warnings"]) == len(answer.json["warningCodes"])
    yield from answer.json["warnings"]


def tried(ada, scene):
    yield from ada.ask(scene.method, f"{scene.path}?dryRun=true", json=scene.body).json["effect"]["warnings"]


def summary(ada, scene):
    answer = ada.ask(scene.method, f"{scene.path}?view=summary", json=scene.body)
    yield from answer.json["summary"]["warnings"]


def proposed(ada, scene):
    agent = ada.with_scopes("read", "propose")
    answer = agent.ask(scene.method, scene.path, json=scene.body)
    assert answer.status_code == 202, answer.json
    yield from answer.json["actionRequest"]["effect"]["warnings"]
    assert "Check this first" in ada.browser().get("/proposals").text


def plan(ada, scene):
    steps = [{"method": scene.method, "path": scene.path, "body": scene.body}]
    answer = ada.post("/api/plans", json={"title": "A plan", "steps": steps})
    assert answer.status_code == 200, answer.json
    yield from answer.json["plan"]["steps"][0]["answer"]["warnings"]


def page(ada, scene):
    browser = ada.browser()
    answer = browser.post(scene.page, data=scene.form)
    assert answer.status_code == 303, answer.text
    yield toast(browser.get(answer.headers["Location"]).text)
    assert toast(browser.get(answer.headers["Location"]).text) == ""


def test_a_page_asks_why_a_locked_figure_moves(ada, stage):
    scene, browser = stage.locked_figures(), ada.browser()
    unsaid = {name: text for name, text in scene.form.items() if name != "why"}
    asked = browser.post(scene.page, data=unsaid)
    assert asked.status_code == 409
    assert re.search(r'<input type="hidden" name="type" value="EXPENSE">.*name="why"', asked.text, re.DOTALL)


def htmx(ada, scene):
    browser = ada.browser()
    answer = browser.htmx("POST", scene.page, target="main", data=scene.form)
    assert answer.status_code == 200, answer.text
    yield toast(browser.htmx("GET", answer.headers["HX-Location"], target="body").text)


def toast(text):
    """Read what the toast of a page warns of."""
    found = re.search(r'<div id="toast" class="toast is-warning".*?</ul>', text, re.DOTALL)
    return found[0] if found else ""


@doors(api, tried, summary, proposed, plan, page, htmx)
@pytest.mark.parametrize("code", SCENES)
def test_each_door_tells_what_an_act_warns_of(ada, stage, code, door):
    scene = getattr(stage, code)()
    words = WORDS[code] if door in (page, htmx) else WORDS[code].replace("&#39;", "'")
    found = list(door(ada, scene))
    assert any(words in each for each in found), found


def test_each_place_that_warns_is_known():
    found = Counter()
    for path in (ROOT / "webapp").rglob("*.py"):
        for _ in re.finditer(r"\.warn\(", path.read_text()):
            found[path.relative_to(ROOT / "webapp").as_posix()] += 1
    del found["web/access/browsers.py"]
    assert found == {path: len(codes) for path, codes in PLACES.items()}
    codes = {code for each in PLACES.values() for one in each for code in one.split(", ")}
    assert codes == {*SCENES, "before_revaluation", "far_balance", "pays_open_item"}


def test_a_confirmed_row_tells_it_in_its_toast(ada, bank):
    bank.open("Giro")
    bank.lock("2025-12-31")
    row = Row(ada, bank.send("2025-12-29", "-45.00", "Late"))
    ada.patch(f"/api/transactions/{row.line}", json={"accountId": bank.account("Paper")})
    answer = Row(ada, row.line).confirm()
    assert answer.status_code == 200
    assert answer.text.count(WORDS["moved_by_lock"]) == 1
    assert '<hx-partial hx-target="#toast">' in answer.text


def confirmed(ada, line):
    return ada.post(f"/api/transactions/{line}/confirm").json


def in_bulk(ada, line):
    return ada.post("/api/transactions/confirm", json={"ids": [line]}).json["results"][0]


def by_a_model(ada, line):
    found = Model(ada).call("confirm_lines", ids=[line])["warnings"]
    return {"warnings": found, "warningCodes": ["rounding"]}


@doors(confirmed, in_bulk, by_a_model)
def test_a_line_that_a_rule_put_into_another_currency_tells_its_rest(ada, bank, books, door):
    fa_id = bank.open("Giro")
    bank.quote("2026-03-02", "USD", "1.10")
    effects = [
        {"kind": "SET_ACCOUNT", "accountId": books.account_id("Rent"), "sortOrder": 1},
        {"kind": "SET_CURRENCY", "currency": "USD", "sortOrder": 2},
    ]
    assert ada.post("/api/automations/rules", json={"name": "Abroad", "effects": effects}).status_code == 201
    push = pushed([("2026-03-02", "-45.00")])
    (line,) = ada.post(f"/api/feeds/accounts/{fa_id}/transactions", json=push).json["results"]
    # 49.50 USD at 1.12 are 44.20 EUR.
    rate = {"day": "2026-03-02", "currency": "USD", "unitsPerBase": "1.12"}
    ada.put("/api/exchange-rates", json={"rates": [rate]})
    done = door(ada, line["transactionId"])
    assert "rounding" in done["warningCodes"]
    assert any("0.80 EUR that its rates leave over" in each for each in done["warnings"]), done


LATE = ("2025-12-29", "-45.00"), ("2026-03-05", "-5.00")
CLOSED = (
    "of days up to 31 Dec 2025, which are locked",
    "of days up to 31 Mar 2026, which are revalued already",
)


@pytest.fixture
def dollars(ada, bank, books, stage):
    """A bank account in dollars, behind a lock and a revaluation."""
    stage.revaluation_stale()
    fa_id = bank.open("Dollars", "USD")
    bank.quote("2025-12-29", "USD", "1.20")
    bank.lock("2025-12-31")
    return fa_id


def pushed(amounts=LATE):
    lines = [
        {"providerTransactionId": f"p{place}", "bookedOn": day, "amount": amount, "description": "Late"}
        for place, (day, amount) in enumerate(amounts)
    ]
    return {"batchId": "late", "added": lines}


def sent_push(ada, fa_id, **_):
    answer = ada.post(f"/api/feeds/accounts/{fa_id}/transactions", json=pushed())
    assert answer.json["warningCodes"] == ["moved_by_lock", "before_revaluation"]
    again = ada.post(f"/api/feeds/accounts/{fa_id}/transactions", json=pushed())
    assert "warnings" not in again.json
    return answer.json["warnings"]


def tried_push(ada, fa_id, **_):
    answer = ada.post(f"/api/feeds/accounts/{fa_id}/transactions?dryRun=true", json=pushed())
    return answer.json["effect"]["warnings"]


def told_push(ada, fa_id, **_):
    lines = [
        {
            "id": each["providerTransactionId"],
            "day": each["bookedOn"],
            "amount": each["amount"],
            "text": "Late",
        }
        for each in pushed()["added"]
    ]
    return Model(ada).call("import_statement", account="Dollars", lines=lines, commit=True)["warnings"]


def commanded_push(ada, fa_id, run, tmp_path):
    path = tmp_path / "push.json"
    path.write_text(json.dumps(pushed()))
    return run("push", str(path), "--account", str(fa_id), "--json")["warnings"]


MAPPING = {"delimiter": ",", "header": 0, "date": "Day", "dateFormat": "%Y-%m-%d", "amount": "Amount"}
TABLE = "Day,Text,Amount\n" + "".join(f"{day},Late,{amount}\n" for day, amount in LATE)


def imported(ada, fa_id, **_):
    form = {"file": (BytesIO(TABLE.encode()), "a.csv"), "faId": str(fa_id), "mapping": mapping()}
    answer = ada.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    assert answer.json["warningCodes"] == ["moved_by_lock", "before_revaluation"]
    assert answer.json["warnings"] == answer.json["import"]["warnings"][-2:]
    return answer.json["warnings"]


def previewed(ada, fa_id, **_):
    form = {"file": (BytesIO(TABLE.encode()), "a.csv"), "faId": str(fa_id), "mapping": mapping()}
    answer = ada.post(
        "/api/feeds/imports", data={**form, "dryRun": "true"}, content_type="multipart/form-data"
    )
    return answer.json["import"]["warnings"]


def commanded_import(ada, fa_id, run, tmp_path):
    path, columns = tmp_path / "a.csv", tmp_path / "columns.json"
    path.write_text(TABLE)
    columns.write_text(mapping())
    words = (
        "--organization",
        ada.organization_id,
        "--account",
        str(fa_id),
        "--mapping",
        str(columns),
        "--json",
    )
    return run("import", str(path), *words)[0]["warnings"]


def mapping():
    return json.dumps({**MAPPING, "description": "Text"})


@pytest.fixture
def run(app):
    """Run a command on the books."""

    def run(*words):
        with app.app_context():
            result = CliRunner().invoke(main, words, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


@pytest.mark.parametrize(
    "door",
    [sent_push, tried_push, told_push, commanded_push, imported, previewed, commanded_import],
    ids=lambda each: each.__name__,
)
def test_lines_of_closed_days_are_told_as_they_arrive(ada, dollars, door, run, tmp_path):
    found = door(ada, dollars, run=run, tmp_path=tmp_path)
    for words in CLOSED:
        assert any(words in each for each in found), found


def test_a_command_tells_what_its_act_warns_of(ada, app, stage, tmp_path):
    stage.revaluation_stale()
    path = tmp_path / "rates.csv"
    path.write_text("Date,USD,\n2026-03-31,1.7000,\n")
    with app.app_context():
        words = ["fetch-rates", "--organization", ada.organization_id, "--file", str(path)]
        result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert "Mind: The revaluation of 31 Mar 2026 is off by" in result.stderr, result.output


def test_a_command_says_why_a_rate_of_a_locked_day_changes(ada, app, bank, stage, tmp_path):
    stage.revaluation_stale()
    bank.lock("2026-04-30")
    path = tmp_path / "rates.csv"
    path.write_text("Date,USD,\n2026-03-31,1.7000,\n")
    words = ["fetch-rates", "--organization", ada.organization_id, "--file", str(path)]
    with app.app_context():
        refused = CliRunner().invoke(main, words)
        told = CliRunner().invoke(main, [*words, "--why", "A slip of the bank"])
    assert (refused.exit_code, "its day is locked" in refused.stderr) == (1, True)
    assert (told.exit_code, "its day is locked" in told.stderr) == (0, True), told.output
