"""Lists as one parameter: a statement that names a thousand values one by one takes longer to write than to answer."""

import json
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.compiler import compiles


class _Listed(sa.TypeDecorator[Collection[Any]]):
    """A list of values of one type: an array on PostgreSQL, JSON on SQLite."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, item_type: sa.types.TypeEngine[Any]) -> None:
        super().__init__()
        self.item_type = item_type

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """Choose an array or text."""
        stored_as: sa.types.TypeEngine[Any] = (
            sa.Text() if dialect.name == "sqlite" else postgresql.ARRAY(self.item_type)
        )
        return dialect.type_descriptor(stored_as)

    def process_bind_param(self, value: Collection[Any] | None, dialect: sa.Dialect) -> Any:
        """Write the list for the database."""
        values = list(value or ())
        return json.dumps(values) if dialect.name == "sqlite" else values


class _Among(sa.ColumnElement[bool]):
    """The condition that a column has one of the values of a list."""

    inherit_cache = True
    type = sa.Boolean()
    # Otherwise SQLAlchemy writes `= 1` behind it for SQLite, which then looks through all rows instead of an index.
    _is_implicitly_boolean = True
    _traverse_internals = [  # noqa: RUF012  (as its base class declares it)
        ("column", sa.sql.visitors.InternalTraversal.dp_clauseelement),
        ("values", sa.sql.visitors.InternalTraversal.dp_clauseelement),
    ]

    def __init__(self, column: Any, values: sa.BindParameter[Any]) -> None:
        self.column, self.values = column, values


@compiles(_Among, "sqlite")
def _on_sqlite(element: _Among, compiler: Any, **kw: Any) -> str:
    column, values = compiler.process(element.column, **kw), compiler.process(element.values, **kw)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608  (texts of the compiler)


@compiles(_Among)
def _on_postgresql(element: _Among, compiler: Any, **kw: Any) -> str:
    column, values = compiler.process(element.column, **kw), compiler.process(element.values, **kw)
    return f"{column} = ANY ({values})"


def among(column: Any, values: Any) -> sa.ColumnElement[bool]:
    """Build the condition that a column has one of some values, in a statement that is made once.

    `values` is the parameter that `made_once` gives for a list of ids or texts.
    """
    expression = sa.sql.coercions.expect(sa.sql.roles.ExpressionElementRole, column)
    item = sa.Text() if isinstance(expression.type, sa.String) else sa.BigInteger()
    return _Among(expression, sa.bindparam(values.key, type_=_Listed(item)))


def each_of(named: Any) -> sa.TableValuedAlias:
    """Build the rows of the parameter that `made_once` gives for lists by their names: `key` and `value`."""
    columns: list[Any] = [sa.column("key", sa.Text), sa.column("value", sa.JSON)]
    return sa.func.json_each(sa.bindparam(named.key, type_=sa.JSON)).table_valued(*columns)


def number_in(each: sa.TableValuedAlias, place: int) -> sa.Cast[int]:
    """Build the whole number at a place of such a list, counted from 0."""
    return sa.cast(each.c.value[place].as_string(), sa.BigInteger)
