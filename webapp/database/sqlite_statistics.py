"""What SQLite's planner is told of the books: the shape of large ones, written once with the schema.

Without statistics SQLite takes what an index finds by its first column for ten rows, an organization's lines too. With
those of the books as they are, its plans would change from day to day. So each index gets the numbers of books with a
million postings, as https://sqlite.org/queryplanner-ng.html#howtofix advises; how they are written stands in
https://sqlite.org/fileformat2.html#the_sqlite_stat1_table.
"""

from typing import Any, Final

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
    **dict.fromkeys(("users", "feed_accounts"), 10),
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
    found = [
        each for table in inspector.get_table_names() for each in _of_table(connection, inspector, table)
    ]
    connection.execute(sa.insert(STATISTICS), found)


def _of_table(connection: sa.Connection, inspector: sa.Inspector, table: str) -> list[dict[str, Any]]:
    rows = ROWS.get(table, SOME)
    values = _values(inspector, table, rows)
    found = [{"tbl": table, "idx": None, "stat": str(rows)}]
    for _, index, is_unique, _, is_partial in connection.exec_driver_sql(
        f'PRAGMA index_list("{table}")'
    ).all():
        columns = [each[2] for each in connection.exec_driver_sql(f'PRAGMA index_info("{index}")')]
        held = rows // PART_OF_PARTIAL if is_partial else rows
        alike, numbers = held, [held]
        for column in columns:
            alike = max(1, alike // values[column])
            numbers.append(alike)
        if is_unique:
            numbers[-1] = 1
        found.append({"tbl": table, "idx": index, "stat": " ".join(map(str, numbers))})
    return found


def _values(inspector: sa.Inspector, table: str, rows: int) -> dict[str, int]:
    """Count the values of each column."""
    referred = {
        column: ROWS.get(key["referred_table"], SOME)
        # What refers by several columns tells most of its last one: the others are the organization and the like.
        for key in sorted(
            inspector.get_foreign_keys(table), key=lambda each: -len(each["constrained_columns"])
        )
        for column in key["constrained_columns"][-1:]
    }
    found = {}
    for column in inspector.get_columns(table):
        name = column["name"]
        other = DAYS if isinstance(column["type"], sa.Date) else rows
        found[name] = referred.get(name) or WORDS.get(name) or other
    return found
