"""Statements that are made once: to build a large one takes longer than the database takes to answer it."""

from collections.abc import Callable, Collection, Mapping
from functools import cache, wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa

P = ParamSpec("P")
S = TypeVar("S", bound=sa.Executable)


def made_once(build: Callable[P, S]) -> Callable[P, tuple[S, dict[str, Any]]]:
    """Make a function that builds a statement of its arguments build it once, with a parameter for each of them.

    What it then answers is executed: `session.execute(*statement(organization_id, ids))`. The arguments are values
    of columns, or lists of them for `in_`, and never None: that is compared by other words than a value is.

    >>> @made_once
    ... def among(ids: list[int]) -> sa.Select[Any]:
    ...     return sa.select(sa.column("name")).where(sa.column("id").in_(ids))
    >>> statement, values = among([1, 2])
    >>> values, statement is among([3])[0]
    ({'ids': [1, 2]}, True)
    """
    names = tuple(signature(build).parameters)

    @cache
    def made() -> S:
        make: Callable[..., S] = build
        return make(**{name: sa.bindparam(name) for name in names}).execution_options(is_made_once=True)

    @wraps(build)
    def with_values(*args: P.args, **kwargs: P.kwargs) -> tuple[S, dict[str, Any]]:
        values = dict(zip(names, args, strict=False)) | kwargs
        return made(), {name: _value(value) for name, value in values.items()}

    return with_values


def _value(value: Any) -> Any:
    is_list = isinstance(value, Collection) and not isinstance(value, (str, bytes, Mapping))
    return list(value) if is_list else value
