"""The figures of pictures equal those of the reports, in generated books of three base currencies (P5)."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest

from tests.fixtures.banks import Bank
from tests.fixtures.helpers.owed import keep_items
from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import ProviderBalance

pytestmark = pytest.mark.both

TODAY = datetime.now(UTC).date()
MONTHS = [(each.first, each.last) for each in Period.months_to(TODAY, 12).months]
STEPS = {"EUR": "0.01", "JPY": "1", "BHD": "0.001"}
ENTRIES = 60


class Studio:
    """Books of ten months with accounts under others, refunds, a project, a customer, and lines of two banks."""

    def __init__(self, app, person, base):
        self.person, self.base, self.bank = person, base, Bank(app, person)
        self.chance = Random(base)  # noqa: S311  (the same ones every time)
        self.pages = person.browser()
        account = self.bank.account
        self.bank.open("Current account", base)
        self.cash = self.bank.ledger_account()
        group = account("Premises")
        self.accounts = {
            "Sales": account("Sales", "INCOME"),
            "Premises": group,
            "Rent": account("Rent of rooms", parent_id=group),
            "Cleaning": account("Cleaning", parent_id=group),
            "Post": account("Post"),
            "Lunch": account("Lunch", in_scope=False),
        }
        small = {"Stamps": "1", "Toll": "2", "Bonus": "-3"}
        (self.owed,) = (each["id"] for each in self.listed() if each["name"] == "Trade receivables")
        keep_items(person, self.owed)
        self.customers = [self.bank.merchant(name) for name in ("Halden", "Brook")]
        self.project = self.bank.project("Villa")
        for _ in range(ENTRIES):
            self.write()
        for name, steps in small.items():
            amount = str(Decimal(steps) * Decimal(STEPS[base]))
            self.post(
                {"accountId": self.cash, "amount": f"-{amount}".replace("--", "")}, account(name), amount
            )

    def listed(self):
        return self.person.get("/api/accounts?limit=200").json["accounts"]

    def day(self):
        return MONTHS[2][0] + timedelta(days=self.chance.randrange((TODAY - MONTHS[2][0]).days + 1))

    def write(self):
        """Post an entry by chance: mostly a sale or a cost, now and then a refund."""
        name = self.chance.choice([*self.accounts, "Sales", "Sales"])
        size = self.chance.randint(1, 90_000) * Decimal(STEPS[self.base])
        amount = size if (name == "Sales") != (self.chance.random() < 0.1) else -size
        against = {"accountId": self.cash, "amount": str(amount)}
        if name == "Sales" and self.chance.random() < 0.5:
            due = str(TODAY - timedelta(days=self.chance.randrange(-20, 120)))
            against |= {
                "accountId": self.owed,
                "orgMerchantId": self.chance.choice(self.customers),
                "dueOn": due,
            }
        self.post(against, self.accounts[name], str(-amount))

    def post(self, against, account_id, amount):
        leg = {"accountId": account_id, "amount": amount, "projectId": self.project}
        body = {"effectiveAt": str(self.day()), "postings": [against, leg], "post": True}
        answer = self.person.post("/api/journal-entries", json=body)
        assert answer.status_code == 201, answer.json

    def page(self, path):
        answer = self.pages.get(path)
        assert answer.status_code == 200
        return answer.text

    def report(self, name="profit-and-loss", **query):
        asked = {"from": MONTHS[0][0], "to": TODAY, **query}
        answer = self.person.get(f"/api/reports/{name}", query_string=asked).json
        return answer[{"profit-and-loss": "profitAndLoss", "balance-sheet": "balanceSheet"}[name]]

    def amount(self, text):
        return Decimal(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


@pytest.fixture(params=STEPS)
def studio(request, app, keeps_in):
    return Studio(app, keeps_in(request.param), request.param)


def table(page, title="The figures of each month"):
    """Read the rows of the table behind a picture, the newest first; a dash is none."""
    body = page.split(f"<summary>{title}</summary>")[1].split("</tbody>")[0].split("<tbody>")[1]
    cells = (re.findall(r'value="([^"]*)"|class="(none)"', row) for row in body.split("</tr>"))
    return [[Decimal(figure) if figure else None for figure, _ in row] for row in cells if row]


def drawn(studio, page, word):
    """Read the amounts of the bars of a word, the oldest first."""
    texts = re.findall(rf">[A-Z][a-z]+ \d{{4}}: {word} ([^<]+)</text>", page)
    return [studio.amount(text) for text in texts]


def decimals(amounts, sign=1):
    return [sign * Decimal(each) for each in amounts]


def income_and_expenses_are_those_of_the_report(studio):
    report = studio.report(months="true")
    income, expenses = decimals(report["income"]["months"], -1), decimals(report["expenses"]["months"])
    for path in ("/reports/overview", f"/projects/{studio.project}"):
        page = studio.page(path)
        assert drawn(studio, page, "Income") == [each for each in income if each]
        assert drawn(studio, page, "Expenses") == [each for each in expenses if each]
    rows = table(studio.page("/reports/overview"))[::-1]
    results = decimals(report["result"]["months"])
    known = [number for number, row in enumerate(rows) if row[0] is not None]
    assert known == list(range(min(known), 12))
    assert not any(income[: min(known)] + expenses[: min(known)])
    for number in known:
        assert rows[number][:3] == [income[number], expenses[number], results[number]]


def cash_is_what_the_books_and_the_hub_say(studio):
    bank, base = studio.bank, studio.base
    other = "USD" if base != "USD" else "EUR"
    feeds = {bank.fa_id: base, bank.open("Abroad", other): other}
    for number, (fa_id, currency) in enumerate(feeds.items()):
        row = ProviderBalance(
            organization_id=studio.person.organization_id,
            feed_account_id=fa_id,
            day=MONTHS[5 + number][1],
            amount_minor=123_456,
            currency=currency,
            received_at=datetime.now(UTC),
        )
        bank.ask(lambda row=row: db.session.add(row))
        bank.at(fa_id).send_many(
            [(str(studio.day()), str(Money(4_321 * n, currency)), "A") for n in range(1, 9)]
        )
    # A month without a rate has no total.
    for number, (_, last) in enumerate(MONTHS):
        if number != 8:
            bank.quote(str(last - timedelta(days=3)), other, f"1.{number + 1}")
    rows = table(studio.page("/reports/overview"))[::-1]
    sheets = [studio.report("balance-sheet", to=last)["lines"] for _, last in MONTHS]
    cash = [
        sum(Decimal(line["amount"]) for line in each if line["accountId"] == studio.cash) for each in sheets
    ]
    begun = next(number for number, row in enumerate(rows) if row[3] is not None)
    assert [row[3] for row in rows[begun:]] == cash[begun:]
    assert not any(cash[:begun])
    hubs = [studio.page(f"/?asOf={last}").split("<tfoot>")[1] for _, last in MONTHS]
    totals = [re.search(r'class="figure[^"]* balance"\s+value="([^"]+)"', hub) for hub in hubs]
    assert rows[8][4] is totals[8] is None
    first = next(number for number, row in enumerate(rows) if row[4] is not None)
    assert [row[4] for row in rows[first:]] == [total and Decimal(total[1]) for total in totals[first:]]
    assert studio.page("/reports/overview").count('class="chart-dot') == 12 - first - (first < 8)


def cells(studio, page):
    """Read an icicle: the name, the amount and the row of each account."""
    found = re.findall(r'<title>([^:<]+): ([^<]+)</title>\s*<rect x="[^"]+" y="(\d+)"', page)
    return [(name, studio.amount(amount), int(y) // 34) for name, amount, y in found]


def the_icicle_adds_up_to_the_expenses(studio):
    report = studio.report()
    own = {line["name"]: Decimal(line["amount"]) for line in report["lines"]}
    path = f"/reports/profit-and-loss?from={MONTHS[0][0]}&to={TODAY}"
    page = studio.page(path)
    found = cells(studio, page)
    whole = Decimal(report["expenses"]["amount"])
    assert found[0] == ("All expenses", whole, 0)
    assert ("2 accounts", 3 * Decimal(STEPS[studio.base]), 1) in found
    left = page.split("not drawn:")[1].split("</p>")[0]
    below = sum(decimals(re.findall(r'value="([^"]+)"', left)))
    assert sum(amount for _, amount, row in found if row == 1) + below == whole
    group = own["Premises"] + own["Rent of rooms"] + own["Cleaning"]
    within = studio.page(f"{path}&within={studio.accounts['Premises']}")
    assert cells(studio, within)[0] == ("Premises", group, 0)
    assert re.search(r"Total expenses</th>\s*<td[^>]*>\s*<data[^>]*value=\"([^\"]+)", within)[1] == str(group)
    assert "Post" not in within.split("<tbody>")[1]
    assert "Profit</th>" not in within
    assert studio.pages.get(f"{path}&within=987654").status_code == 404


def a_year_of_an_account_is_that_of_its_reports(studio):
    report = studio.report(months="true")
    lines = {line["name"]: decimals(line["months"]) for line in report["lines"]}
    for name, sign in (("Rent of rooms", 1), ("Sales", -1), ("Lunch", 1)):
        account = studio.accounts[name.split(" ")[0]]
        rows = table(studio.page(f"/accounts/{account}"))[::-1]
        assert [row[0] or 0 for row in rows] == [sign * each for each in lines[name]]
    rows = table(studio.page(f"/accounts/{studio.owed}"))[::-1]
    for (_, last), (balance,) in zip(MONTHS, rows, strict=True):
        sheet = studio.report("balance-sheet", to=last)["lines"]
        owed = [Decimal(line["amount"]) for line in sheet if line["accountId"] == studio.owed]
        credit = [Decimal(line["amount"]) for line in sheet if line["name"] == "Customers in credit"]
        assert (balance or 0) == sum(owed + credit)


def the_bars_of_ages_are_those_of_the_aged_report(studio):
    report = studio.person.get("/api/reports/aged-receivables").json["agedReceivables"]
    bars = re.findall(r'<svg class="shares"[^>]*aria-label="([^"]*)"', studio.page("/owed"))
    sums = [sum(studio.amount(part.rsplit(" ", 1)[1]) for part in bar.split(", ")) for bar in bars]
    assert sums[0] == Decimal(report["totalBase"])
    assert sorted(sums[1:]) == sorted(Decimal(party["totalBase"]) for party in report["parties"])


@pytest.mark.rare
def test_the_figures_of_pictures_are_those_of_the_reports(studio):
    for holds in (
        income_and_expenses_are_those_of_the_report,
        the_icicle_adds_up_to_the_expenses,
        a_year_of_an_account_is_that_of_its_reports,
        the_bars_of_ages_are_those_of_the_aged_report,
        cash_is_what_the_books_and_the_hub_say,
    ):
        holds(studio)
