"""Write docs/entities.md: a diagram of the tables for each noun of webapp/models.

    python -m scripts.entities

A test holds the file current.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import sqlalchemy as sa

import webapp.models
from webapp.database.sessions import Base
from webapp.models.base import table_of

PAGE = Path(__file__).parent.parent / "docs" / "entities.md"
ORGANIZATION = "organization_id"
HEAD = """# The tables

Written by `python -m scripts.entities` out of `webapp/models`; a test holds it current.

The rows of a table belong to one organization by their `organization_id`. A foreign key between two tables carries
it, so that no row can point into other books, and the diagrams leave it out. Without one are
{outside}. A table without columns belongs to another noun.
"""


def page() -> str:
    """Give the whole file."""
    outside = [
        f"`{name}`" for name, table in sorted(Base.metadata.tables.items()) if ORGANIZATION not in table.c
    ]
    head = HEAD.format(outside=", ".join(outside[:-1]) + f" and {outside[-1]}")
    return head + "".join(section(noun, tables) for noun, tables in sorted(tables_by_noun().items()))


def tables_by_noun() -> dict[str, list[type[Base]]]:
    """Give the models of each package or module of webapp/models, module by module in the order of their classes."""
    found: dict[str, list[type[Base]]] = {}
    models = [mapper.class_ for mapper in Base.registry.mappers]
    for model in sorted(models, key=lambda each: (each.__module__, inspect.getsourcelines(each)[1])):
        noun = model.__module__.removeprefix(f"{webapp.models.__name__}.").partition(".")[0]
        found.setdefault(noun, []).append(model)
    return found


def section(noun: str, models: list[type[Base]]) -> str:
    """Write the tables of a noun: what each of them holds, and the diagram."""
    lines = [
        "",
        f"## {noun.capitalize()}",
        "",
        sentence_of(import_module(f"{webapp.models.__name__}.{noun}")),
        "",
    ]
    lines += [f"* `{model.__tablename__}`: {sentence_of(model)}" for model in models]
    lines += ["", "```mermaid", "erDiagram"]
    tables = [table_of(model) for model in models]
    for table in tables:
        lines += [f"  {relation}" for relation in relations(table)]
    for table in tables:
        lines += [f"  {table.name} {{", *(f"    {column}" for column in columns(table)), "  }"]
    return "\n".join([*lines, "```", ""])


def sentence_of(documented: object) -> str:
    """Give the first sentence of a docstring on one line."""
    return " ".join((inspect.getdoc(documented) or "").partition("\n\n")[0].split())


def relations(table: sa.Table) -> list[str]:
    """Write the foreign keys of a table, each with whether it may be empty, and whether several rows may share one."""
    found = []
    for key in table.foreign_key_constraints:
        own = [column for column in key.columns if column.name != ORGANIZATION]
        if not own:
            continue
        one = "|o" if any(column.nullable for column in own) else "||"
        many = "o|" if is_unique(table, {column.name for column in own}) else "o{"
        names = ", ".join(column.name for column in own)
        found.append(f'{key.referred_table.name} {one}--{many} {table.name} : "{names}"')
    return sorted(found)


def is_unique(table: sa.Table, names: set[str]) -> bool:
    """Tell whether these columns appear once in an organization."""
    keys: Iterator[set[str]] = (
        {column.name for column in each.columns}
        for each in [table.primary_key, *table.constraints, *table.indexes]
        if isinstance(each, sa.PrimaryKeyConstraint | sa.UniqueConstraint)
        or (isinstance(each, sa.Index) and each.unique and not has_condition(each))
    )
    return any(key - {ORGANIZATION} == names for key in keys)


def has_condition(index: sa.Index) -> bool:
    """Tell whether an index is of some rows only."""
    return any(name.endswith("_where") and value is not None for name, value in index.dialect_kwargs.items())


def columns(table: sa.Table) -> list[str]:
    """Write the columns of a table: the type, the name, and whether it is a key."""
    foreign = {column.name for key in table.foreign_key_constraints for column in key.columns}
    found = []
    for column in sorted(table.columns, key=lambda each: not each.primary_key):
        if column.name == ORGANIZATION:
            continue
        keys = ["PK"] * column.primary_key + ["FK"] * (column.name in foreign)
        kind = str(column.type).partition("(")[0].lower()
        found.append(" ".join([kind, column.name, ", ".join(keys)]).rstrip())
    return found


def main() -> None:
    """Write the file anew."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
