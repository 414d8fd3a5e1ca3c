"""Over random books, the parts of every figure add up to it, and each is what the report of that part alone shows."""

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest

from tests.fixtures.helpers.replays import everything

pytestmark = pytest.mark.both

REPORTS = "/api/reports"
KEYS = {"trial-balance": "trialBalance", "profit-and-loss": "profitAndLoss", "balance-sheet": "balanceSheet"}
SELECTED = {"project": "projectId", "project_group": "projectGroupId", "merchant": "orgMerchantId"}
FIRST, DAYS = date(2024, 6, 1), 700
ENTRIES = 25


@pytest.fixture
def chance():
    return Random(7)  # noqa: S311  (the same ones every time)


@pytest.fixture
def kept(ada, books, chance):
    """Two years of entries, most legs with a project or a merchant; one account is personal, two keep items."""
    books.post("account Bank ASSET\naccount Card LIABILITY\naccount Gifts INCOME\n")
    accounts = [
        books.account_id(each) for each in ("Bank", "Card", "Gifts", "Rent", "Sales of services", "Travel")
    ]
    ada.patch(f"/api/accounts/{accounts[2]}", json={"inScope": False})
    # What parties have on the other side of these stands apart.
    for account_id in accounts[:2]:
        assert ada.patch(f"/api/accounts/{account_id}", json={"keepsItems": True}).status_code == 200
    group = ada.post("/api/projects/groups", json={"name": "Houses"}).json["group"]["id"]
    projects = [
        ada.post("/api/projects", json={"name": f"Project {n}", "groupId": group if n else None}).json[
            "project"
        ]["id"]
        for n in range(3)
    ]
    merchants = [ada.post("/api/merchants", json={"name": f"M {n}"}).json["merchant"]["id"] for n in range(2)]
    for _ in range(ENTRIES):
        amount = chance.randint(1, 90_000)
        legs = [
            {
                "accountId": account,
                "amount": f"{sign * amount / 100:.2f}",
                "projectId": chance.choice([None, *projects]),
                "orgMerchantId": chance.choice([None, *merchants]),
            }
            for account, sign in zip(chance.sample(accounts, 2), (1, -1), strict=True)
        ]
        day = FIRST + timedelta(days=chance.randrange(DAYS))
        body = {"effectiveAt": f"{day}T00:00:00Z", "description": "An entry", "postings": legs, "post": True}
        assert ada.post("/api/journal-entries", json=body).status_code == 201
    return {"project": projects, "project_group": [group], "merchant": merchants}


def figures(of):
    """Every amount of a line, a sum or a part, as numbers."""
    names = ("opening", "change", "carry", "closing") if "closing" in of else ("amount",)
    return [Decimal(each) for each in (*(of[name] for name in names), of["before"], *of["months"])]


def added(parts, width):
    return [sum(each) for each in zip(*map(figures, parts), strict=True)] or [Decimal(0)] * width


def rows(report):
    lines = {line["accountId"] or line["name"]: line for line in report["lines"]}
    return lines | {name: each for name, each in report.items() if isinstance(each, dict) and "parts" in each}


def differences(person, by, ids, query):
    for report, key in KEYS.items():
        whole = rows(person.get(f"{REPORTS}/{report}?{query}&groupBy={by}").json[key])
        for name, each in whole.items():
            if added(each["parts"], len(figures(each))) != figures(each):
                yield report, name, each
        for one in ids:
            alone = rows(person.get(f"{REPORTS}/{report}?{query}&{SELECTED[by]}={one}").json[key])
            for name in whole.keys() | alone.keys():
                found = [each for each in whole.get(name, {"parts": []})["parts"] if each["id"] == one]
                shown = figures(alone[name]) if name in alone else [Decimal(0)]
                if any(shown if not found else map(Decimal.__sub__, figures(found[0]), shown)):
                    yield report, name, one, found, shown


def ledger_differences(person, by, ids, first, last):
    for one in ids:
        query = f"from={first}&to={last}&{SELECTED[by]}={one}"
        ends, balances = {}, defaultdict(Decimal)
        for line in everything(person, f"reports/general-ledger?{query}", "lines"):
            ends[line["accountId"]] = Decimal(line["balanceBase"])
        for line in person.get(f"{REPORTS}/trial-balance?{query}").json["trialBalance"]["lines"]:
            balances[line["accountId"]] = Decimal(line["closing"])
        yield from [(by, one, each) for each in ends if ends[each] != balances[each]]


def grouped_ledger_differences(person, by, ids, first, last):
    span = f"from={first}&to={last}"
    names = ("accountId", "journalEntryId", "amountBase", "balanceBase")
    whole = sections(everything(person, f"reports/general-ledger?{span}", "lines"))
    lines = list(everything(person, f"reports/general-ledger?{span}&groupBy={by}", "lines"))
    added = defaultdict(lambda: [Decimal(0), Decimal(0)])
    for (account, _), ends in sections(lines).items():
        added[account] = [one + more for one, more in zip(added[account], ends, strict=True)]
    yield from [key for key, ends in whole.items() if added[key[0]] != ends]
    yield from added.keys() - {account for account, _ in whole}
    for one in ids:
        alone = everything(person, f"reports/general-ledger?{span}&{SELECTED[by]}={one}", "lines")
        of_part = [line for line in lines if line["part"]["id"] == one and line["source"] != "forward"]
        if [[line[name] for name in names] for line in alone] != [
            [line[name] for name in names] for line in of_part
        ]:
            yield by, one


def sections(lines):
    ends = {}
    for line in lines:
        after = Decimal(line["balanceBase"])
        key = line["accountId"], (line["part"] or {}).get("id")
        ends.setdefault(key, [after - Decimal(line["amountBase"]), after])[1] = after
    return ends


@pytest.mark.rare
def test_parts_add_up_and_are_what_each_shows_alone(ada, kept, chance, rounds):
    for _ in range(rounds(1, 20)):
        first = FIRST + timedelta(days=chance.randrange(DAYS))
        last = min(first + timedelta(days=chance.randrange(500)), FIRST + timedelta(days=DAYS))
        query = f"from={first}&to={last}&months=true&compareWith=previous_year"
        for by, ids in kept.items():
            assert list(differences(ada, by, ids, query)) == []
            assert list(ledger_differences(ada, by, ids, first, last)) == []
            assert list(grouped_ledger_differences(ada, by, ids, first, last)) == []


@pytest.mark.rare
def test_they_do_once_merchants_are_merged(ada, kept, chance):
    one, other = kept["merchant"]
    assert ada.post(f"/api/merchants/{one}/merge", json={"mergedIntoId": other}).status_code == 200
    first, last = FIRST + timedelta(days=chance.randrange(300)), FIRST + timedelta(days=DAYS)
    query = f"from={first}&to={last}&months=true&compareWith=previous_year"
    for check in (ledger_differences, grouped_ledger_differences):
        assert list(check(ada, "merchant", [other], first, last)) == []
    assert list(differences(ada, "merchant", [other], query)) == []
    for path, key in (("profit-and-loss", "profitAndLoss"), ("trial-balance", "trialBalance")):
        by_either = [
            {**ada.get(f"{REPORTS}/{path}?{query}&orgMerchantId={each}").json[key], "orgMerchantId": None}
            for each in (one, other)
        ]
        assert by_either[0] == by_either[1]
