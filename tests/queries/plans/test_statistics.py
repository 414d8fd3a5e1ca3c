"""SQLite plans by the shape of large books, which every migration writes anew."""

import pytest
import sqlalchemy as sa

from webapp.database.sqlite_statistics import ROWS, STATISTICS, write_statistics
from webapp.models import Transaction

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


def test_each_index_has_its_numbers_and_each_number_its_table(session):
    inspector = sa.inspect(session.connection())
    tables = inspector.get_table_names()
    indexes = sa.select(sa.column("name")).select_from(sa.table("sqlite_schema"))
    named = set(session.scalars(indexes.where(sa.column("type") == "index")))
    found = {idx: stat.split() for _, idx, stat in session.execute(sa.select(STATISTICS)) if idx}
    # The primary key of a table without ids of SQLite's own has the name of the table.
    assert named <= found.keys() <= named | {*tables}
    assert ROWS.keys() <= {*tables}
    for numbers in (list(map(int, each)) for each in found.values()):
        assert numbers == sorted(numbers, reverse=True)


def test_a_few_ids_are_looked_up_though_all_are_of_one_organization(session):
    """Without statistics SQLite takes all lines of an organization for ten."""
    statement = sa.select(Transaction.id).where(
        Transaction.organization_id == "org_1", Transaction.journal_entry_id.in_([1, 2])
    )
    text = statement.compile(session.get_bind(), compile_kwargs={"literal_binds": True})

    def plan():
        return session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").all()[0].detail

    assert "ix_transactions_entry" in plan()
    # Written again they are the same, in the place of those before.
    before = session.execute(sa.select(STATISTICS)).all()
    write_statistics(session.connection())
    assert session.execute(sa.select(STATISTICS)).all() == before
