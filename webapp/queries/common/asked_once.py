"""Statements that are made of SQLAlchemy's words once, then asked as SQL in a snapshot or a session."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import signature
from typing import Any, Final, Generic, ParamSpec

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import psycopg

from webapp.database.messages import Planning
from webapp.database.sqlite import Compiler
from webapp.snapshots.statements import ask, dialect_name
from webapp.snapshots.stored_values import POSTGRESQL, SQLITE

P = ParamSpec("P")
_DIALECTS: Final[dict[str, sa.Dialect]] = {
    SQLITE: sqlite.dialect(paramstyle="named"),
    POSTGRESQL: psycopg.dialect(),  # type: ignore[no-untyped-call]
}
_DIALECTS[SQLITE].statement_compiler = Compiler
# SQLAlchemy writes IN with as many parameters as there are values, and makes the statement anew for each number.
_IN: Final = re.compile(r" IN \(__\[POSTCOMPILE_(\w+)\]\)")
_LISTS: Final = {
    SQLITE: r" IN (SELECT value FROM json_each(:\1))",
    POSTGRESQL: r" = ANY(%(\1)s)",
}


class AskedOnce(Generic[P]):
    """A function that builds a SELECT of its arguments, which are values of columns and lists of ids."""

    def __init__(self, build: Callable[P, Any], planning: Planning = Planning.ANEW) -> None:
        """Take the function, and how PostgreSQL plans what it builds."""
        self._build, self._planning = build, planning
        self._names = tuple(signature(build).parameters)
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, *args: P.args, **kwargs: P.kwargs) -> list[Any]:
        """Ask with these arguments, and give the rows with the types of the columns."""
        values = dict(zip(self._names, args, strict=False)) | kwargs
        compiled = self._in_dialect(dialect_name())
        return compiled.read(ask(compiled.text, compiled.parameters(values), self._planning))

    def scalar(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Ask, and give the first column of the first row; None where there is no row."""
        rows = self.rows(*args, **kwargs)
        return rows[0][0] if rows else None

    def _in_dialect(self, name: str) -> _Compiled:
        found = self._compiled.get(name)
        if found is None:
            build: Callable[..., Any] = self._build
            found = self._compiled[name] = _Compiled(build(*map(sa.bindparam, self._names)), name)
        return found


class _Compiled:
    """A statement as a driver takes it, with what it makes of values and rows."""

    def __init__(self, select: Any, name: str) -> None:
        dialect = _DIALECTS[name]
        compiled = select.compile(dialect=dialect)
        self.text = _IN.sub(_LISTS[name], str(compiled))
        if "__[POSTCOMPILE" in self.text:
            raise ValueError(self.text)
        self._into = compiled._bind_processors  # noqa: SLF001  (no public way leads to what SQLAlchemy itself calls)
        self._constants = {
            key: self._into[key](value) if key in self._into else value
            for key, value in compiled.params.items()
            if value is not None
        }
        columns = compiled._result_columns  # noqa: SLF001  (as above)
        self._out = [
            (place, read)
            for place, column in enumerate(columns)
            if name == SQLITE or isinstance(column.type, sa.TypeDecorator)
            if (read := column.type.dialect_impl(dialect).result_processor(dialect, None)) is not None
        ]

    def parameters(self, values: dict[str, Any]) -> dict[str, Any]:
        """Give values as the driver takes them."""
        into = self._into
        return self._constants | {
            key: into[key](value) if key in into and type(value) is not list else value
            for key, value in values.items()
        }

    def read(self, rows: list[Any]) -> list[Any]:
        """Give rows with the types of the columns."""
        if not self._out:
            return rows
        found = []
        for row in rows:
            values = list(row)
            for place, read in self._out:
                values[place] = read(values[place])
            found.append(tuple(values))
        return found


def asked_once(build: Callable[P, Any]) -> AskedOnce[P]:
    """Make a function that builds a SELECT build it once, with a parameter for each of its arguments.

    What it then is, is asked: `lines.rows(organization_id, ids)`. The arguments are never None, which is compared by
    other words than a value is.
    """
    return AskedOnce(build)


def planned_once(build: Callable[P, Any]) -> AskedOnce[P]:
    """Do the same where PostgreSQL keeps the plan: of rows that keys name, for which no other could be better."""
    return AskedOnce(build, Planning.ONCE)


def asked_by_keys(build: Callable[P, Any]) -> AskedOnce[P]:
    """Do the same where it begins with a few rows, whatever PostgreSQL expects, and finds each next one by its key."""
    return AskedOnce(build, Planning.BY_KEYS)
