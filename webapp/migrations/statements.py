"""Triggers and functions of the books, in files of SQL: `sql/<engine>/<revision>_<subject>.sql`.

Statements stand apart by an empty line. A file that is in a release is never edited: a later revision has files of its
own, and tests/test_migrations.py knows the digest of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from alembic import op

FOLDER = Path(__file__).parent / "sql"
FUNCTION = re.compile(r"^CREATE FUNCTION (\w+)", re.MULTILINE)
TRIGGER = re.compile(r"^CREATE TRIGGER (\w+)\b.*?\bON (\w+)", re.MULTILINE | re.DOTALL)
# What runs as the owner looks for tables where they are, and for a caller's temporary ones last: SET … FROM CURRENT.
OWN_PATH = sa.text("SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)")
PATH, SET_PATH = sa.text("SHOW search_path"), sa.text("SELECT set_config('search_path', :path, true)")


def run(*names: str) -> None:
    """Run files of this engine, each statement by itself."""
    with own_path() as bind:
        for name in names:
            for statement in statements(_text(name)):
                bind.exec_driver_sql(statement, execution_options={"no_parameters": True})


@contextmanager
def own_path() -> Iterator[sa.Connection]:
    """Let functions that are made within the block look for tables where the books are."""
    bind = op.get_bind()
    path = None if bind.dialect.name == "sqlite" else bind.scalar(PATH)
    if path is not None:
        bind.execute(OWN_PATH)
    yield bind
    if path is not None:
        bind.execute(SET_PATH, {"path": path})


def statements(text: str) -> list[str]:
    r"""List the statements of a file, each with the comment before it.

    >>> statements("-- What the file is about.\n\nSELECT 1;\n\n-- Why.\nSELECT 2;\n")
    ['SELECT 1;', '-- Why.\nSELECT 2;']
    """
    parts = text.strip().split("\n\n")
    return [part for part in parts if not all(line.startswith("--") for line in part.splitlines())]


def drop_functions(*names: str) -> None:
    """Drop the functions of files, which no table needs any more."""
    for name in names:
        for function in FUNCTION.findall(_text(name)):
            op.execute(f"DROP FUNCTION {function}")


def drop_triggers(*names: str) -> None:
    """Drop the triggers of files, whose tables stay."""
    of_table = "" if op.get_bind().dialect.name == "sqlite" else " ON {}"
    for name in names:
        for trigger, table in TRIGGER.findall(_text(name)):
            op.execute(f"DROP TRIGGER {trigger}{of_table.format(table)}")


def _text(name: str) -> str:
    return (FOLDER / op.get_bind().dialect.name / f"{name}.sql").read_text(encoding="utf-8")
