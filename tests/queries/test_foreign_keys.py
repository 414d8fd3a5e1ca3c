"""Lines and drafts are deleted by the thousand: what may name one of them is found by an index, not by reading all."""

import pytest
import sqlalchemy as sa

from webapp.database.sessions import Base

DELETED = ("transactions", "journal_entries")


def keys_to(*tables):
    return [
        (key.table, next(column for column in key.column_keys if column != "organization_id"))
        for table in Base.metadata.sorted_tables
        for key in table.foreign_key_constraints
        if key.referred_table.name in tables
    ]


def indexed(table):
    """List what each index of a table begins with; one of some rows only counts where those are all that have a key."""
    unique = [each for each in table.constraints if isinstance(each, sa.UniqueConstraint)]
    for index in (table.primary_key, *unique, *table.indexes):
        where = getattr(index, "dialect_options", {}).get("sqlite", {}).get("where")
        names = [column.name for column in index.columns]
        first = names[1 if names[0] == "organization_id" and len(names) > 1 else 0]
        if where is None or str(where) == f"{first} IS NOT NULL":
            yield first


@pytest.mark.parametrize(("table", "column"), keys_to(*DELETED), ids=lambda each: getattr(each, "name", each))
def test_what_names_a_line_or_an_entry_is_found_by_an_index(table, column):
    assert column in set(indexed(table))
