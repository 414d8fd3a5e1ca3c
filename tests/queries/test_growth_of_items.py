"""What acts on open items take the database: behind many that are alike, of one party, no more than behind few."""

import gc
from collections import Counter
from datetime import date

import pytest

from tests.fixtures.feeds import line
from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.steps import Steps
from tests.fixtures.payers import owed_in_bulk
from tests.fixtures.payers.owed_in_bulk import FIRST, write
from webapp.ledger.periods import Period
from webapp.queries import checks
from webapp.queries.items import party_statements

FEW, MANY = 100, 3_000
# What a few more levels of a tree may take, and some rows.
MOST_TIMES, MOST_MORE = 1.3, 600


@pytest.fixture
def acts(ada, bank, books, feed):
    """What is done with items, by its name; each is made ready, and then done."""
    party = bank.merchant("Customer 0")

    def entry():
        account, income = books.account_id("Trade receivables"), books.account_id("Sales of services")
        owed = {"accountId": account, "amount": "50.00", "currency": "EUR", "orgMerchantId": party}
        other = {"accountId": income, "amount": "-50.00", "currency": "EUR"}
        body = {"effectiveAt": "2026-03-01", "description": "Work", "postings": [owed, other], "post": True}
        return lambda: ada.post("/api/journal-entries", json=body)

    def pair():
        for amount in ("70.00", "-70.00"):
            owe(ada, books, amount, party, day="2026-10-30")
        return [{"itemId": each["id"]} for each in items(ada, limit=2)]

    def settle():
        parts = pair()
        return lambda: ada.post("/api/settlements", json={"parts": parts})

    def undo():
        made = ada.post("/api/settlements", json={"parts": pair()}).json["settlement"]
        return lambda: ada.post(f"/api/settlements/{made['id']}/undo", json={"reason": "Wrong"})

    def due():
        item = pair()[0]["itemId"]
        return lambda: ada.patch(f"/api/items/{item}", json={"dueOn": "2026-12-24"})

    def void():
        made = owe(ada, books, "60.00", party, day="2026-10-30")
        return lambda: ada.post(f"/api/journal-entries/{made}/void", json={"reason": "Wrong"})

    def pay():
        item = pair()[1]["itemId"]
        feed.push(added=[line(f"paid-{item}", amount="70.00", day="2026-10-31")])
        path = f"/api/transactions/{feed.lines(limit='1')[0]['id']}"
        answer = ada.patch(path, json={"settles": [{"itemId": item, "amount": "70.00"}]})
        assert answer.status_code == 200, answer.json
        return lambda: ada.post(f"{path}/confirm", json={})

    def read(path):
        return lambda: lambda: ada.get(path)

    return {
        "owe": entry,
        "settle": settle,
        "undo": undo,
        "due": due,
        "void": void,
        "pay": pay,
        "items": read("/api/items?limit=3"),
        "settlements": read("/api/settlements?limit=25"),
    }


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_an_act_on_items_takes_no_more_behind_many_of_one_party(app, ada, acts):
    steps, found = Steps(app), {}
    for count in (FEW, MANY):
        with app.app_context():
            write(ada.organization_id, count, alike=True)
        # The next act forgets which rows were written here past acts.
        ada.post("/api/projects", json={"name": f"Bound {count}"})
        found[count] = {name: steps.of(act()) for name, act in acts.items()}
    few, many = found[FEW], found[MANY]
    assert {
        name: (few[name], many[name]) for name in acts if many[name] > MOST_TIMES * few[name] + MOST_MORE
    } == {}


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_books_with_thrice_the_items_are_checked_in_thrice_the_steps(app, ada, bank):
    steps, found = Steps(app), []
    for count in (1_000, 2_000):
        with app.app_context():
            write(ada.organization_id, count, alike=True)
        steps.count = 0
        # Written in bulk, no act says who posted them.
        assert bank.ask(lambda: {each.code for each in checks.violations()}) <= {
            "posted_by_nobody",
            "row_not_bound",
        }
        found.append(steps.count)
    one, three = found
    assert three <= 3.3 * one, found


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_page_of_what_is_open_reads_nothing_that_is_settled(app, ada, monkeypatch):
    monkeypatch.setattr(owed_in_bulk, "PAID", 10)
    steps, found = Steps(app), {}
    for count in (FEW, MANY):
        with app.app_context():
            write(ada.organization_id, count, alike=True)
        found[count] = steps.of(lambda: ada.get("/api/items"))
    assert found[MANY] <= MOST_TIMES * found[FEW] + MOST_MORE, found


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_statement_of_a_party_reads_nothing_of_others(app, ada, bank, books):
    party = bank.merchant("Ferry Line")
    owe(ada, books, "60.00", party, day="2026-03-02")
    period = f"orgMerchantId={party}&from={FIRST}&to=2026-10-31"
    pages, steps, found = ada.browser(), Steps(app), {}
    for count in (FEW, MANY):
        with app.app_context():
            write(ada.organization_id, count, alike=True)
        found[count] = (
            steps.of(lambda: ada.get(f"/api/reports/party-statement?{period}")),
            steps.of(lambda: pages.get(f"/owed/statement?{period}")),
        )
    assert all(
        many <= MOST_TIMES * few + MOST_MORE for few, many in zip(found[FEW], found[MANY], strict=True)
    ), found


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_statement_makes_a_movement_only_as_it_is_read(app, ada, bank):
    party = bank.merchant("Customer 0")
    with app.app_context():
        write(ada.organization_id, MANY, alike=True)
    period = Period(FIRST, date(2026, 10, 31))
    made = bank.ask(lambda: party_statements.statement(ada.organization_id, party, period))
    (currency,) = made.currencies
    kinds = Counter(type(each) for each in gc.get_objects())
    assert kinds[party_statements.StatementMovement] == 0 < len(currency.movements)
    first, *_, last = currency.movements
    assert (first, last.balance) == (currency.movements[0], currency.closing)
