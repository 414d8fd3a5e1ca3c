"""What PostgreSQL reads for one call while it knows little of its tables: beside many rows no more than beside few."""

from collections import Counter

import pytest
import sqlalchemy as sa

from tests.fixtures import feeds
from webapp.database.sessions import db

pytestmark = [
    pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True),
    pytest.mark.usefixtures("planned_each_time"),
]
POSTED, MANY = 20_000, 600
# A plan that begins with the drafts, or looks through all legs, reads some thousands.
MOST_ROWS = 800
# What this connection has read of each table and not told the server yet.
ROWS = """
    SELECT relname, seq_tup_read + COALESCE(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
    WHERE seq_tup_read + COALESCE(idx_tup_fetch, 0) > 0"""


@pytest.fixture
def rows_read(app):
    with app.app_context():
        engine = db.engine
    begun, counted = [], []

    def read(connection):
        return Counter(dict(connection.connection.dbapi_connection.execute(ROWS).fetchall()))

    listening = {
        "begin": lambda connection: begun.append(read(connection)),
        # What came before this transaction may be told to the server behind it: so it is subtracted here.
        "commit": lambda connection: counted.append(read(connection) - begun[-1]),
    }

    def call(act):
        begun.clear()
        counted.clear()
        for name, listener in listening.items():
            sa.event.listen(engine, name, listener)
        try:
            answer = act()
            assert answer.status_code == 200, answer.json
            assert answer.json.get("changed", True)
        finally:
            for name, listener in listening.items():
                sa.event.remove(engine, name, listener)
        return counted[-1]

    return call


@pytest.fixture(params=[0, 60], ids=["none", "old"])
def lines_before(request, session, bank):
    """Lines that the server knows of, whose entries have all lower keys than those that come."""
    bank.send_many([("2026-02-01", "-5.00", "Same")] * request.param)
    session.execute(sa.text("ANALYZE"))
    session.commit()


@pytest.fixture
def posted(session, ada):
    """Thousands of entries, without legs, which the server looks at; none is a draft, or has a line."""
    session.execute(sa.text("SET LOCAL session_replication_role = replica"))
    session.execute(
        sa.text("""
            INSERT INTO journal_entries (organization_id, created_at, effective_on, description, status, source,
                base_currency, number, posted_at)
            SELECT :organization_id, now(), DATE '2026-01-01', 'Posted', 'POSTED', 'manual', 'EUR', n, now()
            FROM generate_series(100001, 100000 + :count) n"""),
        {"organization_id": ada.organization_id, "count": POSTED},
    )
    session.commit()
    session.execute(sa.text("ANALYZE journal_entries"))
    session.commit()
    # The first act is that of a new connection, which has no plans yet.
    db.engine.dispose()


@pytest.fixture(params=[False, True], ids=["unknown", "analyzed"])
def look(request, session):
    """A function after which the server knows what its tables have, or still does not."""

    def look():
        if request.param:
            session.execute(sa.text("ANALYZE"))
            session.commit()

    return look


@pytest.mark.usefixtures("posted")
@pytest.mark.parametrize(
    "are_posted",
    [pytest.param(False, id="drafts"), pytest.param(True, id="postings", marks=pytest.mark.rare)],
)
def test_an_act_reads_little_beside_many_lines(ada, feed, rows_read, look, are_posted):
    """All lines are of one day, one amount and one text."""
    names = iter(range(MANY + 2))

    def push(count):
        same = [feeds.line(f"F{next(names)}", "-5.00", "2026-03-01", "The same") for _ in range(count)]
        return feed.push(added=same)

    lines = [each["transactionId"] for each in push(MANY).json["results"]]
    changed, confirmed, lines = lines[:2], lines[2:4], lines[4:]
    if are_posted:
        for begin in range(0, len(lines), 100):
            ada.post("/api/transactions/confirm", json={"ids": lines[begin : begin + 100]})
    look()
    acts = {
        "edit": lambda each: ada.patch(f"/api/transactions/{changed[each]}", json={"description": "Another"}),
        "confirm": lambda each: ada.post(f"/api/transactions/{confirmed[each]}/confirm"),
        "push": lambda _each: push(1),
    }
    for name, act in acts.items():
        act(0)
        read = rows_read(lambda act=act: act(1))
        assert read.total() <= MOST_ROWS, (name, read)


@pytest.fixture
def rows_shown(app):
    counted = []

    def ended(connection):
        driver = connection.connection.dbapi_connection
        counted.append(Counter(dict(driver.execute(ROWS).fetchall())))
        # Told now, so that the next transaction begins with none.
        driver.execute("SELECT pg_stat_force_next_flush()")

    with app.app_context():
        engine = db.engine
    for name in ("rollback", "commit"):
        sa.event.listen(engine, name, ended)

    def call(act):
        counted.clear()
        answer = act()
        assert answer.status_code == 200, answer.json
        assert counted
        return sum(counted, Counter())

    yield call
    for name in ("rollback", "commit"):
        sa.event.remove(engine, name, ended)


@pytest.mark.usefixtures("lines_before", "posted")
@pytest.mark.parametrize(
    "path",
    [
        "reconciliations/accounts",
        "reconciliations/accounts/{fa_id}",
        "transactions?entryStatus=DRAFT",
        "transfers",
        "open-items",
    ],
)
def test_what_few_rows_answer_reads_no_table(ada, bank, rows_shown, path):
    """Beside row-level security PostgreSQL finds by no index what is joined with COALESCE, and read all entries.

    What it knows of may be old: then it merged all entries with a few legs that it thought to be the first of them.
    """
    first, second = bank.open("One"), bank.open("Another")
    lines = [
        line
        for bank.fa_id in (first, second)
        for line in bank.send_many([("2026-03-01", "-5.00", "Same")] * 9)
    ]
    ada.post(f"/api/transactions/{lines[0]}/confirm")
    address = f"/api/{path.format(fa_id=first)}"
    rows_shown(lambda: ada.get(address))
    confirm = f"/api/transactions/{lines[2]}/confirm"
    read = [rows_shown(lambda: ada.post(confirm)), rows_shown(lambda: ada.get(address))]
    assert max(each.total() for each in read) <= MOST_ROWS, read
