"""Every check of a large table looks its other rows up in an index: without statistics as with them."""

import pytest
import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.queries.checks import ACROSS, OF_BOOKS

pytestmark = [
    pytest.mark.operates,
    pytest.mark.parametrize("database_kind", ["postgresql"]),
    pytest.mark.usefixtures("planned_each_time"),
]
# What grows with the lines of banks; everything else is read whole in a moment.
LARGE = {
    *("transactions", "journal_entries", "postings", "register_lines", "import_lines", "feed_lines"),
    *("audit_events", "action_requests", "reconciliation_items"),
}


@pytest.fixture
def statements(session, ada):
    asked = []

    def note(_connection, _cursor, statement, parameters, *_):
        if not statement.startswith("BEGIN"):
            asked.append((statement, parameters))

    sa.event.listen(db.engine, "before_cursor_execute", note)
    try:
        for check in (*ACROSS, *OF_BOOKS):
            list(check())
    finally:
        sa.event.remove(db.engine, "before_cursor_execute", note)
    return asked


def rescanned(plan, *, is_inner=False):
    """List the large tables that a plan reads whole for each row of another one."""
    if plan["Node Type"] == "Seq Scan" and is_inner and plan["Relation Name"] in LARGE:
        yield plan["Relation Name"]
    for place, child in enumerate(plan.get("Plans", [])):
        repeats = plan["Node Type"] == "Nested Loop" and place == 1
        # What is kept is read once, and a subquery that names no other row, too.
        is_kept = plan["Node Type"] in {"Materialize", "Memoize", "Hash"}
        is_repeated = child.get("Parent Relationship") == "SubPlan" or repeats
        yield from rescanned(child, is_inner=(is_inner or is_repeated) and not is_kept)


def test_no_check_reads_a_large_table_again_and_again(session, statements):
    """With no other way to join than row by row, and sequential scans as the last resort, none is left."""
    for way in ("hashjoin", "mergejoin", "seqscan", "material"):
        session.execute(sa.text(f"SET LOCAL enable_{way} = off"))
    found = {}
    for text, parameters in statements:
        cursor = session.connection().connection.cursor()
        cursor.execute(f"EXPLAIN (FORMAT JSON) {text}", parameters)
        (plan,) = cursor.fetchone()[0]
        tables = sorted(set(rescanned(plan["Plan"])))
        if tables:
            found[text] = tables
    assert found == {}
