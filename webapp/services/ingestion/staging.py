"""Staging: new lines in a temporary table of the connection, filled while nobody waits for the books.

One statement then copies them into each table, which holds the writer's lock for a third of the time that rows sent
one by one need.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import insert_rows
from webapp.database.sqlite import has_begun
from webapp.ledger.journal.boxes import Boxes
from webapp.ledger.matching.lines import BankLine
from webapp.models.base import MONEY, BigId

METADATA = sa.MetaData()
TEMPORARY: dict[str, Any] = {"prefixes": ["TEMPORARY"]}
# How many rows are sent at once.
AT_ONCE: Final = 1000


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
    """What rules set of the counter legs of lines, None where they set nothing; and the id of the rule of each.

    Lines name it by its `number`; there is one for all lines for which rules chose the same.
    """

    number: int
    account_id: int | None
    merchant_id: int | None
    project_id: int | None
    currency: str | None
    tax_code_id: int | None
    account_rule_id: int | None = None
    merchant_rule_id: int | None = None
    project_rule_id: int | None = None
    currency_rule_id: int | None = None
    tax_code_rule_id: int | None = None


class StagedLeg(NamedTuple):
    """A leg of a line whose amount rules decided: its account, None for that of the choice, amount and boxes.

    `number` is that of the line. Behind the bank's leg comes the counter leg, in its own currency or without the tax of
    its code, and then the legs of that tax.
    """

    number: int
    position: int
    account_id: int | None
    amount_minor: int
    boxes: Boxes | None = None


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
    sa.Column("details", sa.JSON(none_as_null=True)),
    sa.Column("choice", BigId),
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
LEGS = sa.Table(
    "staged_legs",
    METADATA,
    sa.Column("number", BigId, primary_key=True, autoincrement=False),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("account_id", BigId),
    sa.Column("amount_minor", MONEY, nullable=False),
    sa.Column("boxes", sa.JSON(none_as_null=True)),
    sqlite_with_rowid=False,
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
    sa.Column("tax_code_id", BigId),
    sa.Column("account_rule_id", BigId),
    sa.Column("merchant_rule_id", BigId),
    sa.Column("project_rule_id", BigId),
    sa.Column("currency_rule_id", BigId),
    sa.Column("tax_code_rule_id", BigId),
    **TEMPORARY,
)


def stage(
    connection: sa.Connection,
    lines: Iterable[BankLine],
    legs: list[StagedLeg],
    choices: Iterable[StagedChoice] = (),
    verdicts: Iterable[StagedVerdict] | None = None,
) -> None:
    """Fill the temporary tables, in place of their earlier rows; only a file has verdicts.

    Lines come first: rules may make choices while they are staged, and put legs into `legs`, which is emptied.
    """
    _empty(connection, LEGS)
    for table, rows in ((LINES, lines), (CHOICES, choices), (VERDICTS, verdicts)):
        if rows is not None:
            _empty(connection, table)
            _fill(connection, table, iter(rows), legs)


def _empty(connection: sa.Connection, table: sa.Table) -> None:
    """Make a temporary table, for as long as the connection lasts, or the transaction where a pooler shares it out.

    One that is there has no rows then.
    """
    is_pooled = bool(connection.info.get("is_pooled"))
    connection.exec_driver_sql(_creation(table, connection.dialect, is_pooled=is_pooled))
    connection.execute(sa.delete(table))


@lru_cache(maxsize=16)
def _creation(table: sa.Table, dialect: sa.Dialect, *, is_pooled: bool) -> str:
    create = sa.schema.CreateTable(table, if_not_exists=True).compile(dialect=dialect)
    return f"{create} ON COMMIT DROP" if is_pooled else str(create)


def clear(connection: sa.Connection) -> None:
    """Empty the temporary tables."""
    for table in (LINES, LEGS, VERDICTS, CHOICES):
        connection.execute(sa.delete(table))


def _fill(connection: sa.Connection, table: sa.Table, rows: Iterator[Any], legs: list[StagedLeg]) -> None:
    """Fill a table, and that of legs with what its rows put into `legs`."""
    # Outside a transaction SQLite would make each row one of its own; a temporary table locks nobody out.
    is_alone = connection.dialect.name == "sqlite" and not has_begun(connection)
    if is_alone:
        connection.exec_driver_sql("BEGIN")
    filled: dict[sa.Table, None] = {}
    while portion := list(islice(rows, AT_ONCE)):
        for each, own in ((table, portion), (LEGS, legs)):
            if own:
                filled[each] = None
                insert_rows(connection, each, own[0]._fields, own, {})
        legs.clear()
    if is_alone:
        connection.exec_driver_sql("COMMIT")
    if connection.dialect.name == "postgresql":
        for each in filled:
            connection.exec_driver_sql(f"ANALYZE pg_temp.{each.name}")
