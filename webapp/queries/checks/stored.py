"""The constraints of the models, checked row by row: a restored or repaired database may have lost its own."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import sqlalchemy as sa

from webapp.database.session_state import state_of
from webapp.database.sessions import Base, db
from webapp.ledger.currencies import DIGITS
from webapp.queries.checks.violations import Violation


def unnamed() -> Iterator[Violation]:
    """Find columns without a value that must have one."""
    for table in Base.metadata.sorted_tables:
        for row in db.session.execute(_rows_with_gaps(table)).mappings():
            empty = [column.name for column in _needed(table) if row[column.name] is None]
            yield _violation("value_missing", table, row, f"has no {', '.join(empty)}")


def _needed(table: sa.Table) -> list[sa.Column[Any]]:
    return [column for column in table.columns if not column.nullable]


@cache
def _rows_with_gaps(table: sa.Table) -> sa.Executable:
    return sa.select(table).where(sa.or_(*(column.is_(None) for column in _needed(table))))


def refused_values() -> Iterator[Violation]:
    """Find rows that a check constraint refuses."""
    for table in Base.metadata.sorted_tables:
        for constraint in sorted(table.constraints, key=lambda each: str(each.name)):
            if isinstance(constraint, sa.CheckConstraint):
                for row in db.session.execute(_refused_rows(table, constraint)).mappings():
                    yield _violation("value_refused", table, row, f"breaks the rule {constraint.sqltext}")


@cache
def _refused_rows(table: sa.Table, constraint: sa.CheckConstraint) -> sa.Executable:
    return sa.select(table).where(sa.func.coalesce(constraint.sqltext, sa.true()).is_(sa.false()))


def unknown_currencies() -> Iterator[Violation]:
    """Find rows in a currency that is none."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            if column.name.endswith("currency"):
                for row in db.session.execute(_rows_of_no_currency(table, column)).mappings():
                    fact = f"has the {column.name} {row[column.name]!r}, which is none of ISO 4217"
                    yield _violation("unknown_currency", table, row, fact)


@cache
def _rows_of_no_currency(table: sa.Table, column: sa.Column[Any]) -> sa.Executable:
    return sa.select(table).where(column.not_in(sorted(DIGITS)))


def duplicates() -> Iterator[Violation]:
    """Find rows with the same unique key: line keys, codes, open drafts, correction markers and more."""
    for table in Base.metadata.sorted_tables:
        for columns, where in _unique_keys(table, db.engine.dialect.name):
            for row in db.session.execute(_same_keys(columns, where)):
                key = {column.name: str(value) for column, value in zip(columns, row, strict=False)}
                text = ", ".join(f"{name} {value}" for name, value in key.items())
                yield Violation(
                    "not_unique",
                    f"{row.duplicates} rows of {table.name} have the same {text}.",
                    key.get("organization_id"),
                    {"table": table.name, "key": key},
                )


def lost_references() -> Iterator[Violation]:
    """Find rows of the books whose foreign key names no row, or a row of another organization."""
    yield from lost_of(each for each in Base.metadata.sorted_tables if "organization_id" in each.columns)


def lost_references_across() -> Iterator[Violation]:
    """Find rows of no organization whose foreign key names no row, and rows whose organization is not there."""
    for table in Base.metadata.sorted_tables:
        if "organization_id" not in table.columns:
            yield from lost_of([table])
            continue
        for row in db.session.execute(_rows_without_organization(table)).mappings():
            named = f"organization_id {row['organization_id']}"
            yield _violation("orphan", table, row, f"names {named}, which is not there")


def lost_of(tables: Iterable[sa.Table]) -> Iterator[Violation]:
    """Find rows of some tables whose foreign key names no row of their organization, or of none."""
    for table in tables:
        for constraint in sorted(table.foreign_key_constraints, key=lambda each: str(each.name)):
            if [*constraint.column_keys] != ["organization_id"]:
                yield from _lost(table, constraint)


_UniqueKey = tuple[tuple[sa.Column[Any], ...], sa.ColumnElement[bool]]


@cache
def _unique_keys(table: sa.Table, dialect: str) -> tuple[_UniqueKey, ...]:
    """Give the columns of each unique key of a table, and the condition on the rows that it holds for."""
    found: list[_UniqueKey] = [
        (tuple(constraint.columns), sa.true())
        for constraint in table.constraints
        if isinstance(constraint, (sa.UniqueConstraint, sa.PrimaryKeyConstraint))
    ]
    for index in table.indexes:
        if index.unique:
            where = index.dialect_options[dialect]["where"]
            found.append((tuple(index.columns), sa.true() if where is None else where))
    return tuple(found)


@cache
def _same_keys(columns: tuple[sa.Column[Any], ...], where: sa.ColumnElement[bool]) -> sa.Executable:
    return (
        sa.select(*columns, sa.func.count().label("duplicates"))
        .where(*(column.is_not(None) for column in columns), where)
        .group_by(*columns)
        .having(sa.func.count() > 1)
    )


def _lost(table: sa.Table, constraint: sa.ForeignKeyConstraint) -> Iterator[Violation]:
    *_, child = constraint.columns
    *_, key = constraint.elements
    rows = _rows_without_parent(table, constraint)
    organization_id = state_of(db.session()).organization_id
    if organization_id is not None:
        rows = rows.where(table.c.organization_id == organization_id)
    for row in db.session.execute(rows).mappings():
        named = f"{child.name} {row[child.name]}"
        # Only a row that was found missing is looked for everywhere.
        is_elsewhere = len(constraint.columns) > 1 and db.session.scalar(
            sa.select(sa.func.count()).where(key.column == row[child.name])
        )
        if is_elsewhere:
            yield _violation("other_organization", table, row, f"names {named} of another organization")
        else:
            yield _violation("orphan", table, row, f"names {named}, which is not there")


@cache
def _rows_without_parent(table: sa.Table, constraint: sa.ForeignKeyConstraint) -> sa.Select[Any]:
    """Look for the row in the same organization, on whose node it is."""
    *_, child = constraint.columns
    parent = constraint.referred_table.alias()
    pairs = zip(constraint.columns, constraint.elements, strict=True)
    same = sa.and_(*(parent.c[element.column.name] == column for column, element in pairs))
    *_, key = constraint.elements
    return (
        sa.select(table)
        .select_from(table.outerjoin(parent, same))
        .where(child.is_not(None), parent.c[key.column.name].is_(None))
    )


@cache
def _rows_without_organization(table: sa.Table) -> sa.Executable:
    organizations = Base.metadata.tables["organizations"]
    return (
        sa.select(table)
        .select_from(table.outerjoin(organizations, organizations.c.id == table.c.organization_id))
        .where(organizations.c.id.is_(None))
    )


def _violation(code: str, table: sa.Table, row: sa.RowMapping, fact: str) -> Violation:
    key = {column.name: str(row[column.name]) for column in table.primary_key}
    return Violation(
        code,
        f"{table.name} {' '.join(key.values())} {fact}.",
        row.get("organization_id"),
        {"table": table.name, "key": key},
    )


CHECKS = (lost_references,)
ACROSS = (unnamed, refused_values, unknown_currencies, duplicates, lost_references_across)
