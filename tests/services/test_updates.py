"""Rows that an act touches: in portions that PostgreSQL's triggers compare in time, however many there are."""

from datetime import UTC, datetime

import sqlalchemy as sa

from webapp.database.sessions import begin_write, db
from webapp.ledger.references import Kind
from webapp.services.audit import updates

NOW = datetime(2026, 11, 1, tzinfo=UTC)
TOUCHED = 1_800


def test_a_long_act_settles_in_small_portions(session, ada):
    """Each statement's trigger compares every row before it with every row after it."""
    asked = []

    def note(_connection, _cursor, statement, parameters, *_):
        if statement.startswith("UPDATE transactions"):
            asked.append(len(parameters))

    begin_write(ada.organization_id)
    sa.event.listen(db.engine, "before_cursor_execute", note)
    try:
        with updates.writing(NOW):
            for kind in (Kind.JOURNAL_ENTRY, Kind.TRANSACTION):
                updates.touch(kind, range(1, TOUCHED + 1))
            updates.write_instants(ada.organization_id)
    finally:
        sa.event.remove(db.engine, "before_cursor_execute", note)
    session.rollback()
    # Beside the ids a statement has the instant, and the organization once or twice.
    assert len(asked) == 2 * -(-TOUCHED // updates.ROWS_AT_ONCE)
    assert max(asked) < 510
