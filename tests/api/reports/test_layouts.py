"""Statements by layouts: groups of accounts, subtotals, their columns, and shares of the sales."""

import pytest

from webapp.ledger.chart import GROUPS, AccountType
from webapp.ledger.closing.layouts import LAYOUTS, ComputedGroup, layout_of, members

REPORTS = "/api/reports"
DAYS = "from=2026-01-01&to=2026-06-30"


class Books:
    """Accounts of some groups, and what stands on them against petty cash."""

    def __init__(self, person, bank):
        self.person, self.bank = person, bank

    def account(self, name, type_, group=None, **content):
        body = {"name": name, "type": type_, "group": group, **content}
        answer = self.person.post("/api/accounts", json=body)
        assert answer.status_code == 201, answer.json
        return answer.json["account"]["id"]

    def post(self, day, *legs):
        body = {
            "effectiveAt": day,
            "post": True,
            "postings": [{"accountId": a, "amount": m} for a, m in legs],
        }
        answer = self.person.post("/api/journal-entries", json=body)
        assert answer.status_code == 201, answer.json

    def rows(self, report, query=DAYS):
        answer = self.person.get(f"{REPORTS}/{report}?{query}")
        assert answer.status_code == 200, answer.json
        return answer.json["profitAndLoss" if report == "profit-and-loss" else "balanceSheet"]["rows"]


@pytest.fixture
def kept(ada, bank):
    return Books(ada, bank)


def test_every_layout_takes_each_group_once_and_adds_rows_of_one_sign():
    sheet = frozenset().union(*(GROUPS[each] for each in list(AccountType)[:3]), {*ComputedGroup})
    profit = GROUPS[AccountType.INCOME] | GROUPS[AccountType.EXPENSE]
    for each in map(layout_of, LAYOUTS):
        for rows, groups in ((each.profit, profit), (each.sheet, sheet)):
            assert sorted(group for row in rows for group in row.groups) == sorted(groups), each.code
            signs = {row.code: row.sign for row in rows}
            assert all(signs[of] == row.sign for row in rows for of in row.of), each.code
        assert members(each.profit)["RESULT"] == profit
        assert each.reviewer


def test_profit_has_subtotals_and_shares_of_the_sales(kept):
    cash = kept.account("Till", "ASSET")
    for name, type_, group, amount in (
        ("Fees", "INCOME", "SALES", "-812.50"),
        ("Grant", "INCOME", None, "-40.00"),
        ("Parts", "EXPENSE", "COST_OF_SALES", "301.25"),
        ("Desk", "EXPENSE", None, "100.00"),
        ("Wear", "EXPENSE", "DEPRECIATION", "51.00"),
        ("Loan interest", "EXPENSE", "FINANCE", "9.75"),
        ("Levy", "EXPENSE", "INCOME_TAX", "60.00"),
        ("Home", "EXPENSE", "OVERHEADS", "77.00"),
    ):
        account = kept.account(name, type_, group, inScope=name != "Home")
        kept.post("2026-02-10", (account, amount), (cash, amount[1:] if amount[0] == "-" else f"-{amount}"))
    found = {row["code"]: (row["amount"], row["percentOfSales"]) for row in kept.rows("profit-and-loss")}
    assert found == {
        "SALES": ("812.50", "100.0"),
        "COST_OF_SALES": ("-301.25", "-37.1"),
        "GROSS_PROFIT": ("511.25", "62.9"),
        "OTHER_INCOME": ("40.00", "4.9"),
        "OVERHEADS": ("-100.00", "-12.3"),
        "DEPRECIATION": ("-51.00", "-6.3"),
        "OPERATING_RESULT": ("400.25", "49.3"),
        "FINANCE": ("-9.75", "-1.2"),
        "RESULT_BEFORE_TAX": ("390.50", "48.1"),
        "INCOME_TAX": ("-60.00", "-7.4"),
        "RESULT": ("330.50", "40.7"),
    }
    lines = {line["name"] for row in kept.rows("profit-and-loss") for line in row["lines"]}
    assert "Home" not in lines
    assert len(lines) == 7
    for layout in LAYOUTS:
        assert kept.rows("profit-and-loss", f"{DAYS}&layout={layout}")[-1]["amount"] == "330.50"
    without = kept.rows("profit-and-loss", "from=2026-03-01&to=2026-03-31&yearToDate=true")
    assert (without[-1]["amount"], without[-1]["percentOfSales"]) == ("0.00", None)
    assert without[-1]["yearToDate"] == "330.50"


def test_the_sheet_sets_overdrafts_and_what_is_due_of_loans_apart(kept, ada):
    van, bank = kept.account("Van", "ASSET", "FIXED_ASSETS"), kept.account("Bank One", "ASSET", "BANK")
    over, owed = kept.account("Bank Two", "ASSET", "BANK"), kept.account("Debts", "LIABILITY")
    loan = kept.account("Mortgage", "LIABILITY", "LOANS")
    capital, fees = kept.account("Capital", "EQUITY"), kept.account("Fees", "INCOME", "SALES")
    kept.post("2026-01-02", (van, "4000.00"), (loan, "-2400.00"), (capital, "-1600.00"))
    kept.post("2026-01-03", (bank, "900.00"), (over, "-250.00"), (owed, "-310.00"), (fees, "-340.00"))
    body = {
        "kind": "LOAN",
        "name": "Mortgage",
        "accountId": loan,
        "counterAccountId": kept.account("Cost", "EXPENSE"),
    }
    body |= {"amount": "2400.00", "rate": "0", "payment": "100.00", "startsOn": "2026-07-15", "periods": 24}
    assert ada.post("/api/schedules", json=body).status_code == 201
    found = {row["code"]: row["amount"] for row in kept.rows("balance-sheet")}
    assert found == {
        "FIXED_ASSETS": "4000.00",
        "CURRENT_ASSETS": "900.00",
        "CURRENT_LIABILITIES": "-1760.00",
        "NET_CURRENT_ASSETS": "-860.00",
        "LONG_TERM_LIABILITIES": "-1200.00",
        "NET_ASSETS": "1940.00",
        "EQUITY": "1940.00",
    }
    german = {row["code"]: row["amount"] for row in kept.rows("balance-sheet", f"{DAYS}&layout=de")}
    assert german["ASSETS"] == german["EQUITY_AND_LIABILITIES"] == "4900.00"


def test_a_group_is_of_the_type_and_moves_with_it(kept, ada):
    account = kept.account("Van", "ASSET", "FIXED_ASSETS")
    address = f"/api/accounts/{account}"
    refused = ada.patch(address, json={"group": "SALES"})
    assert (refused.status_code, refused.json["code"]) == (422, "account_group")
    assert ada.patch(address, json={"type": "LIABILITY"}).json["account"]["group"] == "CURRENT_LIABILITIES"
    assert ada.patch(address, json={"group": "LOANS"}).json["account"]["group"] == "LOANS"
    assert ada.patch(address, json={"group": None}).json["account"]["group"] == "CURRENT_LIABILITIES"


def test_the_group_of_an_account_with_locked_figures_needs_a_reason(kept, ada, bank):
    wages, cash = kept.account("Wages", "EXPENSE"), kept.account("Till", "ASSET")
    kept.post("2026-02-10", (wages, "50.00"), (cash, "-50.00"))
    bank.lock("2026-03-31")
    change = {"group": "COST_OF_SALES"}
    refused = ada.patch(f"/api/accounts/{wages}", json=change)
    assert (refused.status_code, refused.json["code"]) == (409, "locked_figures")
    assert ada.patch(f"/api/accounts/{wages}", json={**change, "note": "Direct work"}).status_code == 200
    fa_id = bank.open()
    backing = bank.ledger_account(fa_id)
    refused = ada.patch(f"/api/accounts/{backing}", json={"group": "FIXED_ASSETS"})
    assert (refused.status_code, refused.json["code"]) == (409, "feed_backed")
