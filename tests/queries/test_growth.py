"""What an act takes the database and Python: behind lines that are all alike no more than behind few."""

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import line
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.steps import Steps, calls_of
from webapp.queries.common.among import among

FEW, MANY = 100, 1_500
# What a few more levels of a tree may take, and a row or two.
MOST_TIMES, MOST_MORE = 1.3, 600
LINES = 100
MOST_CALLS_FOR_A_LINE = 150


@pytest.fixture
def lines():
    """Write the next lines of one day, amount and text, each with a name of its own."""
    names = iter(range(1_000_000))
    return lambda count: [line(f"line-{next(names)}") for _ in range(count)]


@pytest.fixture
def acts(ada, bank, feed, lines):
    """What is done a thousand times a day, by its name."""
    account_id = bank.account("Groceries")

    def confirm():
        (waiting,) = feed.lines(limit="1", entryStatus="DRAFT")[:1]
        path = f"/api/transactions/{waiting['id']}/confirm"
        return lambda: ada.post(path, json={})

    def edit():
        (waiting,) = feed.lines(limit="1", entryStatus="DRAFT")[:1]
        return lambda: ada.patch(f"/api/transactions/{waiting['id']}", json={"accountId": account_id})

    def read(path):
        return lambda: lambda: ada.get(path)

    return {
        "push": lambda: lambda: feed.push(added=lines(1)),
        "push_changed": lambda: (
            lambda: feed.push(modified=[line("line-7", amount="-13.00", description="Coffee Bar Nero")])
        ),
        "confirm": confirm,
        "edit": edit,
        "hub": read("/api/reconciliations/accounts"),
        "list": read(f"/api/transactions?faId={feed.fa_id}&limit=25"),
        "register": read(f"/api/accounts/{bank.ledger_account()}/postings?limit=25"),
        "entry": read("/api/journal-entries/5"),
        "aged": read("/api/reports/aged-receivables"),
        "balances": read("/api/reports/balance-sheet"),
        "statement": read("/api/reports/party-statement"),
    }


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_an_act_takes_no_more_behind_many_lines_that_are_alike(app, feed, lines, acts):
    feed.push(added=lines(FEW))
    steps = Steps(app)
    few = {name: steps.of(act()) for name, act in acts.items()}
    for _ in range(MANY // 500):
        feed.push(added=lines(500))
    many = {name: steps.of(act()) for name, act in acts.items()}
    most = {name: MOST_TIMES * few[name] + MOST_MORE for name in acts}
    assert {name: (few[name], many[name]) for name in acts if many[name] > most[name]} == {}


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_new_line_takes_no_more_behind_many_suggestions_of_one_line(session, app, feed, lines):
    """A line that comes each day again is suggested to be the first one each time, and is never joined."""
    feed.push(added=lines(FEW))
    steps = Steps(app)
    few = steps.of(lambda: feed.push(added=lines(1)))
    feed.push(added=lines(MANY))
    session.execute(
        sa.text(
            "INSERT OR IGNORE INTO line_joins"
            " (organization_id, kept_id, joined_id, tier, status, reason, evidence, created_at)"
            " SELECT organization_id, (SELECT min(id) FROM transactions), id, 'REISSUED', 'SUGGESTED', '', '{}',"
            " '2026-03-02 00:00:00.000000' FROM transactions WHERE id > (SELECT min(id) FROM transactions)"
        )
    )
    session.commit()
    assert steps.of(lambda: feed.push(added=lines(1))) <= MOST_TIMES * few + MOST_MORE


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_one_of_a_list_is_a_condition_that_an_index_answers(session):
    statement = sa.select(sa.column("a")).where(among(sa.column("a", sa.Integer), sa.bindparam("ids")))
    assert str(statement.compile(session.get_bind())).endswith("WHERE a IN (SELECT value FROM json_each(?))")


@pytest.fixture
def send(bank):
    """Send so many more lines in two currencies, half of them out of one account, half into the other."""
    bank.quote("2026-03-02", "USD", "1.08")
    amounts = {bank.open("Euro bank", "EUR"): "-100.00", bank.open("Dollar bank", "USD"): "108.00"}

    def send_more(count):
        for bank.fa_id, amount in amounts.items():
            bank.send_many([("2026-03-02", amount, "From Euro bank to Dollar bank")] * (count // 2))

    return send_more


@on_sqlite
def test_a_line_that_fits_many_takes_few_calls(ada, send):
    def calls():
        answer, made = calls_of(lambda: ada.get("/api/transfers"))
        # As many as the list has at most.
        assert len(answer.json["transfers"]) == 250
        return made

    send(LINES)
    # The first call also makes the statements.
    _, few = calls(), calls()
    send(2 * LINES)
    more = calls() - few
    assert more < MOST_CALLS_FOR_A_LINE * 2 * LINES, more / (2 * LINES)
