"""What SQLite and PostgreSQL write differently, for queries to use as one."""

import json
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles

from webapp.database.column_types import Instant


def _write(function: type[Any], **by_dialect: Callable[..., str]) -> None:
    """Let each dialect write a function with the texts of its arguments."""
    for dialect, text_of in by_dialect.items():

        @compiles(function, dialect)
        def written(element: Any, compiler: Any, text_of: Callable[..., str] = text_of, **kwargs: Any) -> str:
            return text_of(*(compiler.process(each, **kwargs) for each in element.clauses))


class fold(sa.sql.functions.GenericFunction[str]):  # noqa: N801  (it is written as a function)
    """Text in lower case, for search: SQLite's LOWER only converts ASCII, so each connection has Python's."""

    type = sa.String()
    inherit_cache = True


_write(fold, postgresql=lambda text: f"lower({text})")


class from_hex(sa.sql.functions.GenericFunction[bytes]):  # noqa: N801  (it is written as a function)
    """The bytes that a text writes in hexadecimal; SQLite has none before 3.41, so each connection has Python's."""

    type = sa.LargeBinary()
    inherit_cache = True


_write(from_hex, postgresql=lambda text: f"decode({text}, 'hex')")


class first_of_month(sa.sql.functions.GenericFunction[date]):  # noqa: N801  (it is written as a function)
    """The first day of a day's month, the key of monthly sums."""

    type = sa.Date()
    inherit_cache = True


_write(
    first_of_month,
    sqlite=lambda day: f"(substr({day}, 1, 8) || '01')",
    postgresql=lambda day: f"CAST(date_trunc('month', CAST({day} AS date)) AS date)",
)


class leakproof_coalesce(sa.sql.functions.ReturnTypeFromArgs[Any]):  # noqa: N801  (it is written as a function)
    """The first of some columns that is not null, as COALESCE, in words that PostgreSQL looks through.

    Beside row-level security it lets an index answer only what surely tells nothing of a hidden row. It knows that of
    CASE and not of COALESCE (`contain_leaked_vars`), so that a join with that reads a whole table.
    """

    inherit_cache = True


def _looked_through(*columns: str) -> str:
    *others, last = columns
    return f"CASE {' '.join(f'WHEN {each} IS NOT NULL THEN {each}' for each in others)} ELSE {last} END"


_write(
    leakproof_coalesce,
    sqlite=lambda *columns: f"coalesce({', '.join(columns)})",
    postgresql=_looked_through,
)


class is_among(sa.sql.functions.GenericFunction[Any]):  # noqa: N801  (it is written as a function)
    """Whether a column is one of what a subquery finds, which PostgreSQL asks first and alone: it joins nothing.

    It has no type: a boolean is compared with 1 on SQLite, which then finds it by no index.
    """

    inherit_cache = True


_write(
    is_among,
    sqlite=lambda column, found: f"{column} IN {found}",
    postgresql=lambda column, found: f"{column} = ANY(ARRAY{found})",
)


class _Ids(sa.TypeDecorator[list[int]]):
    """Ids as one value: an array on PostgreSQL, JSON on SQLite."""

    impl = sa.Text
    cache_ok = True

    def process_result_value(self, value: Any, _dialect: sa.Dialect) -> list[int] | None:
        """Read the ids."""
        found: list[int] | None = json.loads(value) if isinstance(value, str) else value
        return found


class listed_ids(sa.sql.functions.GenericFunction[list[int]]):  # noqa: N801  (it is written as a function)
    """The ids that a subquery finds, in its order, as one value: `listed_ids(selected.scalar_subquery())`."""

    type = _Ids()
    inherit_cache = True


_write(
    listed_ids,
    sqlite=lambda found: f"(SELECT json_group_array(id) FROM {found})",  # noqa: S608  (texts of the compiler)
    postgresql=lambda found: f"ARRAY{found}",
)


class days_after(sa.sql.functions.GenericFunction[date]):  # noqa: N801  (it is written as a function)
    """The day so many days after one: `days_after(day, number)`."""

    type = sa.Date()
    inherit_cache = True


_write(
    days_after,
    sqlite=lambda day, number: f"date({day}, '+' || {number} || ' days')",
    postgresql=lambda day, number: f"CAST({day} AS date) + {number}",
)


class seconds_from_now(sa.sql.functions.GenericFunction[datetime]):  # noqa: N801  (it is written as a function)
    """The instant so many seconds after the database's own present: what several machines can agree on."""

    type = Instant()
    inherit_cache = True


_write(
    seconds_from_now,
    sqlite=lambda number: f"strftime('%Y-%m-%d %H:%M:%f000', 'now', {number} || ' seconds')",
    postgresql=lambda number: f"(clock_timestamp() + {number} * interval '1 second')",
)
