"""Over random books in three base currencies, layouts of statements leave no account out, and tie."""

from decimal import Decimal
from random import Random

import pytest

from webapp.ledger.closing.layouts import LAYOUTS

STEPS = {"EUR": "0.01", "JPY": "1", "KWD": "0.001"}
NEW = (
    ("Bank one", "ASSET", "BANK"), ("Bank two", "ASSET", "BANK"), ("Machine", "ASSET", "FIXED_ASSETS"),
    ("Deposit", "ASSET", None), ("Loan", "LIABILITY", "LOANS"), ("Card", "LIABILITY", None),
    ("Owner", "EQUITY", None), ("Fees", "INCOME", "SALES"), ("Refunds", "INCOME", None),
    ("Wages", "EXPENSE", "OVERHEADS"), ("Parts", "EXPENSE", "COST_OF_SALES"), ("Home", "EXPENSE", None),
)  # fmt: skip
OWN = ("Petty cash", "Realised exchange differences", "Unrealised exchange differences")
DAYS = ("2024-12-31", "2025-01-01", "2025-03-14", "2025-06-30", "2025-12-31", "2026-01-01", "2026-02-07")


@pytest.mark.parametrize("base", STEPS)
def test_layouts_tie(ada, bank, books, base, rounds):
    chance, step = Random(base), Decimal(STEPS[base])  # noqa: S311  (the same ones every time)
    bank.rebase(base)
    for name, type_, group in NEW:
        body = {"name": name, "type": type_, "group": group, "inScope": name != "Home"}
        assert ada.post("/api/accounts", json=body).status_code == 201
    ids = {name: books.account_id(name) for name in (*(each[0] for each in NEW), *OWN)}
    for _ in range(rounds(40, 400)):
        names = chance.sample(list(ids), chance.randint(2, 4))
        amounts = [chance.randint(-90_000, 90_000) * step for _ in names[1:]]
        legs = zip(names, [*amounts, -sum(amounts)], strict=True)
        postings = [{"accountId": ids[name], "amount": str(amount)} for name, amount in legs]
        body = {"effectiveAt": chance.choice(DAYS), "postings": postings, "post": True}
        assert ada.post("/api/journal-entries", json=body).status_code == 201
    for first, last in [sorted(chance.sample(DAYS, 2)) for _ in range(rounds(3, 40))]:
        ties(ada, f"from={first}&to={last}")


def ties(person, days):
    """Hold that each layout has each account of the report, and that its rows add up to the report's sums."""
    for layout in LAYOUTS:
        profit = person.get(f"/api/reports/profit-and-loss?{days}&layout={layout}").json["profitAndLoss"]
        sheet = person.get(f"/api/reports/balance-sheet?{days}&layout={layout}").json["balanceSheet"]
        for report in (profit, sheet):
            shown = {line["accountId"] for row in report["rows"] for line in row["lines"]}
            of = {line["accountId"] for line in report["lines"] if line["inScope"]}
            assert of <= shown, (layout, of - shown)
        groups = [Decimal(row["amount"]) for row in profit["rows"] if row["kind"] == "GROUP"]
        assert sum(groups) == Decimal(profit["rows"][-1]["amount"]) == Decimal(profit["result"]["amount"])
        rows = {row["code"]: Decimal(row["amount"]) for row in sheet["rows"]}
        left, right = ("ASSETS", "EQUITY_AND_LIABILITIES") if layout == "de" else ("NET_ASSETS", "EQUITY")
        assert rows[left] == rows.get(right, 0), layout
    equity = person.get(f"/api/reports/changes-in-equity?{days}").json["changesInEquity"]["total"]
    moves = [Decimal(equity[each]) for each in ("opening", "result", "contributions", "drawings", "other")]
    assert sum(moves) == Decimal(equity["closing"]) == rows["EQUITY"]
