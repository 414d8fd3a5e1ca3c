"""What SQLite's planner is told of the books: the shape of large ones, written once with the schema.

Without statistics SQLite takes what an index finds by its first column for ten rows, an organization's lines too. With
those of the books as they are, its plans would change from day to day. So each index gets the numbers of books with a
million postings, as https://sqlite.org/queryplanner-ng.html#howtofix advises; how they are written stands in
https://sqlite.org/fileformat2.html#the_sqlite_stat1_table.
"""

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa

STATISTICS: Final = sa.table("sqlite_stat1", sa.column("tbl"), sa.column("idx"), sa.column("stat"))
MILLION: Final = 1_000_000
# Rows of the tables that grow with the lines of banks, and of those that they are counted by; others have some.
SOME: Final = 1_000
ROWS: Final = {
    **dict.fromkeys(("postings", "bound_rows"), MILLION),
    **dict.fromkeys(("transactions", "journal_entries", "feed_lines", "audit_events"), MILLION // 2),
    **dict.fromkeys(("import_lines", "register_lines", "reconciliation_items"), MILLION // 2),
    **dict.fromkeys(("line_changes", "rule_settings", "idempotency_keys"), MILLION // 10),
    **dict.fromkeys(("documents", "items", "settlements", "settlement_parts"), MILLION // 10),
    **dict.fromkeys(("line_joins", "document_relations"), MILLION // 10),
    "feed_accounts": 100,
    "users": 10,
    "organizations": 4,
}
# Values of columns that refer to no table: words of a short list, days; anything else differs from row to row.
WORDS: Final = dict.fromkeys(("status", "kind", "form", "currency", "role", "actor_kind", "occurrence"), 5)
DAYS: Final = 1_000
PART_OF_PARTIAL: Final = 10


def write_statistics(connection: sa.Connection) -> None:
    """Write the statistics of every index; connections made from now on plan by them."""
    inspector = sa.inspect(connection)
    # It makes the table of statistics, which no other statement may make.
    connection.exec_driver_sql("ANALYZE alembic_version")
    connection.execute(sa.delete(STATISTICS))
    tables = connection.exec_driver_sql("PRAGMA table_list").mappings().all()
    found = [
        {"tbl": table["name"], "idx": index, "stat": " ".join(map(str, numbers))}
        for table in tables
        if table["type"] == "table" and not table["name"].startswith("sqlite_")
        for index, numbers in _of_table(connection, inspector, table)
    ]
    connection.execute(sa.insert(STATISTICS), found)


def _of_table(
    connection: sa.Connection, inspector: sa.Inspector, table: sa.RowMapping
) -> Iterator[tuple[str | None, list[int]]]:
    """Give the rows of a table, and for each index its rows and how many share its first column, its first two, ..."""
    name = table["name"]
    rows = ROWS.get(name, SOME)
    values = _values(inspector, name, rows)
    yield None, [rows]
    for index in connection.exec_driver_sql(f'PRAGMA index_list("{name}")').mappings().all():
        columns = connection.exec_driver_sql(f'PRAGMA index_info("{index["name"]}")').mappings().all()
        numbers = [rows // PART_OF_PARTIAL if index["partial"] else rows]
        for column in columns:
            numbers.append(max(1, numbers[-1] // values[column["name"]]))
        if index["unique"]:
            numbers[-1] = 1
        # Where rows have no id of SQLite's own, the primary key is called as its table.
        yield name if table["wr"] and index["origin"] == "pk" else index["name"], numbers


def _values(inspector: sa.Inspector, table: str, rows: int) -> dict[str, int]:
    """Count the values of each column; of a key of several columns the last one refers, not the organization."""
    keys = sorted(inspector.get_foreign_keys(table), key=lambda each: -len(each["constrained_columns"]))
    referred = {each["constrained_columns"][-1]: ROWS.get(each["referred_table"], SOME) for each in keys}
    return {
        column["name"]: referred.get(column["name"])
        or WORDS.get(column["name"])
        or (DAYS if isinstance(column["type"], sa.Date) else rows)
        for column in inspector.get_columns(table)
    }
