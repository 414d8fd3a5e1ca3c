"""How the tables of the models are keyed on each engine.

SQLite gives out ids of single columns only, and an index costs it less the shorter its rows are. On PostgreSQL every
key of an organization's table carries the organization, as one that is spread over nodes by organizations demands.
"""

from __future__ import annotations

import sqlalchemy as sa

ORGANIZATION = "organization_id"
# What finds a row before its organization is known comes first in its key.
SECRETS = {"id_hash", "token_hash"}


def shaped(metadata: sa.MetaData, engine: str) -> sa.MetaData:
    """Give the tables as they are on an engine, by its name."""
    if engine == "sqlite":
        return metadata
    shape = sa.MetaData(naming_convention=metadata.naming_convention)
    for table in metadata.sorted_tables:
        copy = table.to_metadata(shape)
        if ORGANIZATION in copy.columns:
            _widen(copy)
    return shape


def _widen(table: sa.Table) -> None:
    """Let every key carry the organization, and the primary key be the one that other tables name."""
    primary = table.primary_key
    columns = widened(primary.columns.keys())
    for column in table.columns:
        column.primary_key = column.name in columns
    table.append_constraint(sa.PrimaryKeyConstraint(*columns))
    for key in [each for each in table.constraints if isinstance(each, sa.UniqueConstraint)]:
        table.constraints.remove(key)
        if key.columns.keys() != columns:
            table.append_constraint(sa.UniqueConstraint(*widened(key.columns.keys()), name=key.name))


def widened(columns: list[str]) -> list[str]:
    """Give a key's columns with the organization in front, or behind a secret.

    >>> widened(["journal_entry_id", "position"])
    ['organization_id', 'journal_entry_id', 'position']
    >>> widened(["organization_id", "code"])
    ['organization_id', 'code']
    >>> widened(["token_hash"])
    ['token_hash', 'organization_id']
    """
    if ORGANIZATION in columns:
        return columns
    return [*columns, ORGANIZATION] if SECRETS & set(columns) else [ORGANIZATION, *columns]
