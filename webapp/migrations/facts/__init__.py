"""What an upgrade must leave as it is, asked before and after it in its own transaction.

`<revision>.sql` asks for figures that people know, by columns that exist since that revision; a later file asks the same
questions where names have changed. Besides, each table has a
digest of its rows, organization by organization, and the last id that it gave out. A migration that is to change rows
names them beside itself: `changes = ("accounts.is_revalued", "day_sums")`, a column or a table with all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from webapp.migrations.revisions import TABLE as OF_ALEMBIC

FOLDER: Final = Path(__file__).parent
FIRST: Final = min(path.stem for path in FOLDER.glob("*.sql"))
DIGESTS: Final = {
    "sqlite": "rows_digest({columns})",
    "postgresql": "sum(('x' || substr(md5(ROW({columns})::text), 1, 15))::bit(60)::bigint)",
}
LAST_IDS: Final = {
    "sqlite": "SELECT name, seq FROM sqlite_sequence",
    "postgresql": "SELECT regexp_replace(sequencename, '_id_seq$', ''), last_value FROM pg_sequences"
    " WHERE schemaname = current_schema()",
}
Facts = dict[tuple[str, str, str], tuple[object, ...]]


class Difference(NamedTuple):
    """A fact that is not the same after an upgrade: of what, whose, which, and its figures before and after."""

    subject: str
    organization_id: str
    name: str
    before: tuple[object, ...] | None
    after: tuple[object, ...] | None


class RowsDigest:
    """An aggregate of SQLite: the same for the same rows in whatever order."""

    def __init__(self) -> None:
        self._sum = 0

    def step(self, *values: object) -> None:
        """Add a row."""
        self._sum += int.from_bytes(blake2b(repr(values).encode(), digest_size=8).digest(), "big")

    def finalize(self) -> str:
        """Give the digest."""
        return str(self._sum)


def columns(connection: sa.Connection, changes: Sequence[str]) -> dict[str, list[str]]:
    """List the columns of each table that are to stay as they are."""
    inspector = sa.inspect(connection)
    names = set(inspector.get_table_names()) - _of_search(connection) - {OF_ALEMBIC} - set(changes)
    listed = {name: [each["name"] for each in inspector.get_columns(name)] for name in sorted(names)}
    return {
        table: [column for column in found if f"{table}.{column}" not in changes]
        for table, found in listed.items()
    }


def of_books(connection: sa.Connection, revision: str, kept: Mapping[str, Sequence[str]]) -> Facts:
    """Ask for all facts of the books at a revision, with the digests of these columns where they are there."""
    facts: Facts = {}
    for subject, statement in _asked(revision):
        rows = connection.exec_driver_sql(statement, execution_options={"no_parameters": True})
        facts |= {(subject, owner, name): tuple(map(_plain, figures)) for owner, name, *figures in rows}
    return facts | dict(_digests(connection, kept)) | _last_ids(connection, kept)


def differences(before: Facts, after: Facts) -> list[Difference]:
    """List what differs, in the order of the facts; a table that is new has no facts before."""
    keys = dict.fromkeys([*before, *after])
    return [
        Difference(*key, before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)
    ]


def _asked(revision: str) -> Iterator[tuple[str, str]]:
    """Give the newest questions that books of this revision can answer, each with its subject."""
    newest = max(path for path in FOLDER.glob("*.sql") if path.stem <= revision)
    _about, *questions = newest.read_text(encoding="utf-8").split("\n\n")
    for each in questions:
        subject, _, statement = each.partition("\n")
        yield subject.removeprefix("-- "), statement


def _plain(figure: Any) -> object:
    """Read a sum as the same number whether the database calls it an integer or a decimal."""
    return figure if figure is None or isinstance(figure, int) else str(figure)


def _digests(
    connection: sa.Connection, kept: Mapping[str, Sequence[str]]
) -> Iterator[tuple[tuple[str, str, str], tuple[object, ...]]]:
    engine = connection.dialect.name
    if engine == "sqlite":
        driver: Any = connection.connection.dbapi_connection
        driver.create_aggregate("rows_digest", -1, RowsDigest)
    there = columns(connection, ())
    for table, names in kept.items():
        found = [name for name in names if name in there.get(table, ())]
        if found != list(names):
            gone = sorted(set(names) - set(found))
            yield ("columns that are gone", "", table), (", ".join(gone),)
        if not found:
            continue
        owner = (
            "organization_id" if "organization_id" in found else "id" if table == "organizations" else "''"
        )
        digest = DIGESTS[engine].format(columns=", ".join(f'"{name}"' for name in found))
        statement = f'SELECT {owner}, count(*), {digest} FROM "{table}" GROUP BY 1'  # noqa: S608  (names of ours)
        for organization_id, count, sum_ in connection.exec_driver_sql(statement):
            yield ("rows", organization_id, table), (count, f"digest {sum_}")


def _last_ids(connection: sa.Connection, kept: Mapping[str, Sequence[str]]) -> Facts:
    rows = connection.exec_driver_sql(LAST_IDS[connection.dialect.name])
    return {("last ids", "", name): (last,) for name, last in rows if name in kept}


def _of_search(connection: sa.Connection) -> set[str]:
    """Name SQLite's virtual tables of words, and the tables in which it keeps them."""
    if connection.dialect.name != "sqlite":
        return set()
    found = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all()
    virtual = tuple(name for name, sql in found if sql.upper().startswith("CREATE VIRTUAL"))
    return {name for name, _ in found if name.startswith(virtual)} if virtual else set()
