"""Lists of lines by what they are booked on: the first page is read without the legs of all lines."""

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.steps import Steps
from webapp.database.sessions import db, scope_session
from webapp.queries.transactions import line_lists
from webapp.queries.transactions.line_lists import TransactionFilters

pytestmark = pytest.mark.usefixtures("planned_each_time")
LINES = 300


@pytest.fixture
def plan(session, ada, bank):
    bank.send_many([("2026-03-01", "-5.00", "The same")] * LINES)

    def planned(filters):
        asked = []
        scope_session(ada.organization_id)

        def note(_connection, _cursor, statement, parameters, *_):
            asked.append((statement, parameters))

        sa.event.listen(db.engine, "before_cursor_execute", note)
        try:
            line_lists.listed(ada.organization_id, filters, after=None, limit=25)
        finally:
            sa.event.remove(db.engine, "before_cursor_execute", note)
        text, parameters = next(each for each in asked if "ORDER BY transactions.booked_on" in each[0])
        cursor = session.connection().connection.cursor()
        cursor.execute(f"EXPLAIN (FORMAT JSON) {text}", parameters)
        (found,) = cursor.fetchone()[0]
        return found["Plan"]

    return planned


def apart(plan, *, is_apart=False):
    """List the tables that a plan reads apart from its rows, as a whole, whatever its limit."""
    is_apart = is_apart or plan.get("Parent Relationship") == "SubPlan"
    if is_apart and "Relation Name" in plan:
        yield plan["Relation Name"]
    for each in plan.get("Plans", []):
        yield from apart(each, is_apart=is_apart)


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
@pytest.mark.parametrize("is_analysed", [False, True])
def test_uncategorised_lines_are_found_leg_by_leg(session, plan, is_analysed):
    """Behind an OR it hashed the postings of all lines before it had the first one."""
    if is_analysed:
        session.execute(sa.text("ANALYZE"))
    assert "postings" not in apart(plan(TransactionFilters(uncategorised=True)))


@pytest.mark.rare
@on_sqlite
@pytest.mark.parametrize("asked", ["entryStatus=DRAFT", "uncategorised=true", "accountId={}"])
def test_the_few_oldest_lines_that_are_wanted_are_found_without_the_others(app, ada, bank, asked):
    """One line waits; all that came later is posted to accounts of its own."""
    others, own = (bank.account(name, "EXPENSE") for name in ("Rent", "Wanted"))
    steps = Steps(app)

    def more():
        lines = bank.send_many([("2026-03-01", "-5.00", "The same")] * 50)
        changes = [{"id": each, "accountId": others} for each in lines]
        assert ada.patch("/api/transactions", json={"changes": changes}).status_code == 200
        assert ada.post("/api/transactions/confirm", json={"ids": lines}).status_code == 200

    def listed(number):
        path = f"/api/transactions?{asked.format(own)}&limit={number}"
        assert len(ada.get(path).json["transactions"]) == 1
        return steps.of(lambda: ada.get(f"{path}0"))

    (wanted,) = bank.send_many([("2026-01-01", "-5.00", "The first")])
    if "accountId" in asked:
        assert ada.patch(f"/api/transactions/{wanted}", json={"accountId": own}).status_code == 200
    elif "uncategorised" in asked:
        assert ada.post(f"/api/transactions/{wanted}/confirm", json={}).status_code == 200
    more()
    listed(1)
    few = listed(2)
    for _ in range(4):
        more()
    assert listed(3) < few + 200


@on_sqlite
def test_what_a_lock_cuts_off_is_found_without_the_other_entries(app, ada, bank):
    """None that is in the books behind the locked day is about it, or about one before."""
    steps = Steps(app)

    def read(count):
        lines = bank.send_many([("2026-03-01", "-5.00", "The same")] * count)
        assert ada.post("/api/transactions/confirm", json={"ids": lines}).status_code == 200
        return steps.of(lambda: ada.get("/api/reports/profit-and-loss?from=2026-01-01&to=2026-01-31"))

    bank.lock("2026-01-31")
    few = read(30)
    assert max(read(90), read(91)) < few + 500
