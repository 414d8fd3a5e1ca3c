"""What SQLite and PostgreSQL write differently, for queries to use as one."""

from __future__ import annotations

from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles


class fold(sa.sql.functions.GenericFunction[str]):  # noqa: N801  (it is written as a function)
    """Text in lower case, for search: SQLite's LOWER only converts ASCII, so each connection has Python's."""

    type = sa.String()
    inherit_cache = True


@compiles(fold, "postgresql")
def _fold_on_postgresql(element: Any, compiler: Any, **kwargs: Any) -> str:
    return f"lower({compiler.process(element.clauses, **kwargs)})"


class first_of_month(sa.sql.functions.GenericFunction[date]):  # noqa: N801  (it is written as a function)
    """The first day of a day's month, the key of monthly sums."""

    type = sa.Date()
    inherit_cache = True


@compiles(first_of_month, "sqlite")
def _first_of_month_on_sqlite(element: Any, compiler: Any, **kwargs: Any) -> str:
    return f"(substr({compiler.process(element.clauses, **kwargs)}, 1, 8) || '01')"


@compiles(first_of_month, "postgresql")
def _first_of_month_on_postgresql(element: Any, compiler: Any, **kwargs: Any) -> str:
    return f"CAST(date_trunc('month', CAST({compiler.process(element.clauses, **kwargs)} AS date)) AS date)"


class leakproof_coalesce(sa.sql.functions.ReturnTypeFromArgs[Any]):  # noqa: N801  (it is written as a function)
    """The first of some columns that is not null, as COALESCE, in words that PostgreSQL looks through.

    Beside row-level security it lets an index answer only what surely tells nothing of a hidden row. It knows that of
    CASE and not of COALESCE (`contain_leaked_vars`), so that a join with that reads a whole table.
    """

    inherit_cache = True


@compiles(leakproof_coalesce, "sqlite")
def _leakproof_coalesce_on_sqlite(element: Any, compiler: Any, **kwargs: Any) -> str:
    return f"coalesce({compiler.process(element.clauses, **kwargs)})"


@compiles(leakproof_coalesce, "postgresql")
def _leakproof_coalesce_on_postgresql(element: Any, compiler: Any, **kwargs: Any) -> str:
    *columns, last = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"CASE {' '.join(f'WHEN {each} IS NOT NULL THEN {each}' for each in columns)} ELSE {last} END"


class is_among(sa.sql.functions.GenericFunction[Any]):  # noqa: N801  (it is written as a function)
    """Whether a column is one of what a subquery finds, which PostgreSQL asks first and alone: it joins nothing.

    It has no type: a boolean is compared with 1 on SQLite, which then finds it by no index.
    """

    inherit_cache = True


@compiles(is_among, "sqlite")
def _is_among_on_sqlite(element: Any, compiler: Any, **kwargs: Any) -> str:
    column, found = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"{column} IN {found}"


@compiles(is_among, "postgresql")
def _is_among_on_postgresql(element: Any, compiler: Any, **kwargs: Any) -> str:
    column, found = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"{column} = ANY(ARRAY{found})"


class is_exactly(sa.sql.functions.GenericFunction[bool]):  # noqa: N801  (it is written as a function)
    """Whether a column equals a value, which PostgreSQL expects of few rows however often its values come again.

    Whether there is any such row it would otherwise look for in any order, where it expects one soon, and so read all
    rows where there is none. Of a range it expects one row in 200, whatever the statistics say
    (`DEFAULT_RANGE_INEQ_SEL`), and looks for it in the index.
    """

    type = sa.Boolean()
    inherit_cache = True


@compiles(is_exactly, "sqlite")
def _is_exactly_on_sqlite(element: Any, compiler: Any, **kwargs: Any) -> str:
    column, value = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"{column} = {value}"


@compiles(is_exactly, "postgresql")
def _is_exactly_on_postgresql(element: Any, compiler: Any, **kwargs: Any) -> str:
    column, value = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"{column} BETWEEN {value} AND {value}"


class unindexed(sa.sql.functions.GenericFunction[Any]):  # noqa: N801  (it is written as a function)
    """A column that SQLite may look for in no index, where another column of the statement finds fewer rows.

    Without statistics SQLite takes an organization for a few rows, and so prefers an index that begins with it to the
    ids that are listed. PostgreSQL knows better. https://sqlite.org/optoverview.html#manual_control_of_query_plans
    """

    inherit_cache = True


@compiles(unindexed, "sqlite")
def _unindexed_on_sqlite(element: Any, compiler: Any, **kwargs: Any) -> str:
    return f"+{compiler.process(element.clauses, **kwargs)}"


@compiles(unindexed, "postgresql")
def _unindexed_on_postgresql(element: Any, compiler: Any, **kwargs: Any) -> str:
    return str(compiler.process(element.clauses, **kwargs))


class days_after(sa.sql.functions.GenericFunction[date]):  # noqa: N801  (it is written as a function)
    """The day so many days after one: `days_after(day, number)`."""

    type = sa.Date()
    inherit_cache = True


@compiles(days_after, "sqlite")
def _days_after_on_sqlite(element: Any, compiler: Any, **kwargs: Any) -> str:
    day, number = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"date({day}, '+' || {number} || ' days')"


@compiles(days_after, "postgresql")
def _days_after_on_postgresql(element: Any, compiler: Any, **kwargs: Any) -> str:
    day, number = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"CAST({day} AS date) + {number}"
