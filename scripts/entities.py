"""Write docs/entities.md: a diagram of the tables for each group of nouns, out of the models.

    python -m scripts.entities

A test holds the file current, and every module of the models to one group.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

import webapp.models
from webapp.db import Base

PAGE = Path(__file__).parent.parent / "docs" / "entities.md"
ORGANIZATION = "organization_id"
# Group -> what it is about, and the modules of webapp/models whose tables it has.
GROUPS = {
    "The books": (
        "What is posted, on which accounts, and what each posting was for.",
        ("accounts", "journal_entries", "merchants", "projects", "exchange_rates"),
    ),
    "Bank lines": (
        "What banks sent, by file or by feed, and which lines belong together.",
        ("feed_accounts", "transactions", "feed_lines", "line_joins", "transfer_pairs", "provider_balances"),
    ),
    "Imports": ("Bank files, their lines with their verdicts, and how columns are read.", ("imports",)),
    "Reconciliation": (
        "Open drafts and proofs, their cleared items, and what broke a proof.",
        ("reconciliations", "proof_breaks"),
    ),
    "Rules": (
        "Rules, their versions, their runs, and every field that a run set.",
        ("rules", "rule_runs", "suggestion_dismissals"),
    ),
    "Documents": ("Receipts, invoices and bills, and what they belong to.", ("documents",)),
    "Kept sums": (
        "What history adds up to, so that no balance reads history; rewritten in the transaction of each posting.",
        ("sums",),
    ),
    "Access": (
        "Organizations, their members, sessions and API keys.",
        ("organizations", "users", "sessions", "tokens"),
    ),
    "Audit": (
        "Who did what: the record of every write, its hash chain, proposals, and answers kept for a retry.",
        ("action_requests", "audit_events", "idempotency_keys"),
    ),
}
HEAD = """# The tables

Written by `python -m scripts.entities` out of `webapp/models`; a test holds it current.

The rows of a table belong to one organization by their `organization_id`. A foreign key between two tables carries
it, so that no row can point into other books, and the diagrams leave it out. Without one are
{outside}. A table without columns belongs to another group.
"""


def page() -> str:
    """Give the whole file; raises LookupError for a module of no group."""
    tables = tables_by_module()
    grouped = [module for _, modules in GROUPS.values() for module in modules]
    if sorted(grouped) != sorted(tables):
        raise LookupError(f"In no group, or in several: {sorted(set(tables) ^ set(grouped))}")
    outside = [
        f"`{name}`" for name, table in sorted(Base.metadata.tables.items()) if ORGANIZATION not in table.c
    ]
    return HEAD.format(outside=", ".join(outside[:-1]) + f" and {outside[-1]}") + "".join(
        section(group, about, [table for module in modules for table in tables[module]])
        for group, (about, modules) in GROUPS.items()
    )


def tables_by_module() -> dict[str, list[tuple[sa.Table, str]]]:
    """Give the tables of each module in the order of their classes, each with what it holds."""
    found: dict[str, list[tuple[sa.Table, str]]] = {}
    for mapper in sorted(Base.registry.mappers, key=lambda each: inspect.getsourcelines(each.class_)[1]):
        module = mapper.class_.__module__.removeprefix(f"{webapp.models.__name__}.")
        sentence = " ".join((inspect.getdoc(mapper.class_) or "").partition("\n\n")[0].split())
        found.setdefault(module, []).append((mapper.class_.__table__, sentence))
    return found


def section(group: str, about: str, tables: list[tuple[sa.Table, str]]) -> str:
    """Write a group: what each of its tables holds, and the diagram."""
    lines = ["", f"## {group}", "", about, ""]
    lines += [f"* `{table.name}`: {sentence}" for table, sentence in tables]
    lines += ["", "```mermaid", "erDiagram"]
    for table, _ in tables:
        lines += [f"  {relation}" for relation in relations(table)]
    for table, _ in tables:
        lines += [f"  {table.name} {{", *(f"    {column}" for column in columns(table)), "  }"]
    return "\n".join([*lines, "```", ""])


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
