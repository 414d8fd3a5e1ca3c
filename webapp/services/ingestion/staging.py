"""Staging: new lines in a temporary table of the connection, filled while nobody waits for the books.

One statement then copies them into each table, which holds the writer's lock for a third of the time that rows sent
one by one need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.postgresql import asking_driver
from webapp.models.base import MONEY, BigId

METADATA = sa.MetaData()
TEMPORARY: dict[str, Any] = {"prefixes": ["TEMPORARY"]}


@dataclass(frozen=True, slots=True)
class NewLine:
    """A new bank line; `line_key` and `occurrence` are its identity among lines of files.

    One that `is_joined` is only another report of an existing line: it is stored without a draft, as REMOVED.
    """

    provider_transaction_id: str | None
    booked_on: date
    value_on: date | None
    amount_minor: int
    description: str
    counterparty: str | None
    reference: str | None
    iban: str | None
    line_key: str | None
    occurrence: int
    is_pending: bool
    is_joined: bool = False

    @property
    def state(self) -> str:
        """The status that the line is stored with; only a BOOKED one has a draft."""
        if self.is_joined:
            return "REMOVED"
        return "PENDING" if self.is_pending else "BOOKED"


class StagedLine(NamedTuple):
    """A new line: `number` is its place in the order of ids, `portion` the lines that are written together."""

    number: int
    portion: int
    provider_transaction_id: str | None
    booked_on: date
    value_on: date | None
    amount_minor: int
    amount_base_minor: int | None
    description: str
    counterparty: str | None
    reference: str | None
    iban: str | None
    line_key: str | None
    occurrence: int
    text_key: int
    state: str


class StagedVerdict(NamedTuple):
    """The verdict on a row of a file, with the id of an existing line, or the number of a staged one, or neither."""

    position: int
    row: int
    verdict: str
    reason: str
    text: str | None
    transaction_id: int | None
    number: int | None


class StagedChoice(NamedTuple):
    """What rules set of a staged line's counter leg, None where they set nothing; and the id of the rule of each."""

    number: int
    account_id: int | None
    merchant_id: int | None
    project_id: int | None
    currency: str | None
    amount_minor: int | None
    account_rule_id: int | None
    merchant_rule_id: int | None
    project_rule_id: int | None
    currency_rule_id: int | None


LINES = sa.Table(
    "staged_lines",
    METADATA,
    sa.Column("number", BigId, primary_key=True, autoincrement=False),
    sa.Column("portion", sa.Integer, nullable=False),
    sa.Column("provider_transaction_id", sa.Text),
    sa.Column("booked_on", sa.Date, nullable=False),
    sa.Column("value_on", sa.Date),
    sa.Column("amount_minor", MONEY, nullable=False),
    sa.Column("amount_base_minor", MONEY),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("counterparty", sa.Text),
    sa.Column("reference", sa.Text),
    sa.Column("iban", sa.Text),
    sa.Column("line_key", sa.Text),
    sa.Column("occurrence", sa.Integer, nullable=False),
    sa.Column("text_key", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("transaction_id", BigId),
    sa.Column("journal_entry_id", BigId),
    **TEMPORARY,
)
VERDICTS = sa.Table(
    "staged_verdicts",
    METADATA,
    sa.Column("position", BigId, primary_key=True, autoincrement=False),
    sa.Column("row", sa.Integer, nullable=False),
    sa.Column("verdict", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("text", sa.Text),
    sa.Column("transaction_id", BigId),
    sa.Column("number", BigId),
    **TEMPORARY,
)
CHOICES = sa.Table(
    "staged_choices",
    METADATA,
    sa.Column("number", BigId, primary_key=True, autoincrement=False),
    sa.Column("account_id", BigId),
    sa.Column("merchant_id", BigId),
    sa.Column("project_id", BigId),
    sa.Column("currency", sa.Text),
    sa.Column("amount_minor", MONEY),
    sa.Column("account_rule_id", BigId),
    sa.Column("merchant_rule_id", BigId),
    sa.Column("project_rule_id", BigId),
    sa.Column("currency_rule_id", BigId),
    **TEMPORARY,
)
_ROWS: dict[sa.Table, tuple[str, ...]] = {
    LINES: StagedLine._fields,
    VERDICTS: StagedVerdict._fields,
    CHOICES: StagedChoice._fields,
}


def stage(
    connection: sa.Connection,
    lines: Iterable[StagedLine],
    verdicts: Iterable[StagedVerdict] = (),
    choices: Iterable[StagedChoice] = (),
) -> None:
    """Fill the temporary tables, in place of their earlier rows.

    Choices come last: rules may make them while the lines are staged.
    """
    for table, rows in ((LINES, lines), (VERDICTS, verdicts), (CHOICES, choices)):
        _create(connection, table)
        connection.execute(sa.delete(table))
        if connection.dialect.name == "sqlite":
            _fill_on_sqlite(connection, table, rows)
        else:
            _fill_on_postgresql(connection, table, rows)


def _create(connection: sa.Connection, table: sa.Table) -> None:
    """Make a temporary table, for as long as the connection lasts, or the transaction where a pooler shares it out."""
    create = sa.schema.CreateTable(table, if_not_exists=True)
    if connection.info.get("is_pooled"):
        connection.exec_driver_sql(f"{create.compile(dialect=connection.dialect)} ON COMMIT DROP")
    else:
        connection.execute(create)


def clear(connection: sa.Connection) -> None:
    """Empty the temporary tables."""
    for table in _ROWS:
        connection.execute(sa.delete(table))


def _fill_on_sqlite(connection: sa.Connection, table: sa.Table, rows: Iterable[Any]) -> None:
    columns = _ROWS[table]
    cursor: Any = connection.connection.cursor()
    # Outside a transaction each row would be one of its own; a temporary table locks nobody out.
    is_alone = not connection.connection.driver_connection.in_transaction  # type: ignore[union-attr]
    if is_alone:
        cursor.execute("BEGIN")
    places = ", ".join("?" * len(columns))
    cursor.executemany(
        f"INSERT INTO temp.{table.name} ({', '.join(columns)}) VALUES ({places})",  # noqa: S608  (names of ours)
        (_plain(row) for row in rows),
    )
    if is_alone:
        cursor.execute("COMMIT")


def _plain(row: Any) -> tuple[Any, ...]:
    """Write days as this project's columns hold them; SQLite has no type for them."""
    return tuple(value.isoformat() if isinstance(value, date) else value for value in row)


def _fill_on_postgresql(connection: sa.Connection, table: sa.Table, rows: Iterable[Any]) -> None:
    names = ", ".join(_ROWS[table])
    copying = f"COPY pg_temp.{table.name} ({names}) FROM STDIN"
    with asking_driver(connection) as driver, driver.cursor().copy(copying) as copy:
        for row in rows:
            copy.write_row(row)
    connection.exec_driver_sql(f"ANALYZE pg_temp.{table.name}")
