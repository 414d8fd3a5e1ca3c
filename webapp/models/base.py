"""What models share: ids, the organization in every key and join, and the codes that a column may hold."""

from contextvars import ContextVar
from datetime import datetime
from functools import cache
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event, orm
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, attributes, declared_attr, mapped_column

from webapp.database.column_types import Instant
from webapp.database.session_state import state_of
from webapp.database.sessions import Base, db

BigId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MONEY = sa.BigInteger


class Organized:
    """A row that belongs to exactly one organization."""

    @declared_attr
    def organization_id(self) -> Mapped[str]:
        """Whose books the row is in."""
        return mapped_column(sa.String(40), sa.ForeignKey("organizations.id"), nullable=False)


class OrganizationKeyed(Organized):
    """An organization's row without an id of its own: its primary key begins with the organization."""

    @declared_attr
    def organization_id(self) -> Mapped[str]:
        """Whose books the row is in."""
        return mapped_column(sa.String(40), sa.ForeignKey("organizations.id"), primary_key=True)


def keyed_by(*columns: str) -> dict[str, Any]:
    """Mapper arguments of a model whose rows the session knows by these columns, whatever the table's own key is."""
    return {"primary_key": list(columns), "allow_partial_pks": False}


class Numbered(Organized):
    """An organization's row with an id of its own, which composite foreign keys can name.

    Ids are unique over all organizations. A row is still read, changed and deleted by organization and id, so that
    each such statement names the organization; the table's own key may be the id alone.
    """

    @declared_attr.directive
    def __mapper_args__(self) -> dict[str, Any]:
        """Let the session know a row by organization and id."""
        return keyed_by("organization_id", "id")

    @declared_attr
    def id(self) -> Mapped[int]:
        """The 64-bit id, which SQLite never assigns twice."""
        return mapped_column(BigId, primary_key=True, autoincrement=True)


def numbered(*more: Any) -> tuple[Any, ...]:
    """Table arguments of a Numbered model: the key that carries the organization, and ids never reused."""
    return (sa.UniqueConstraint("organization_id", "id"), *more, {"sqlite_autoincrement": True})


def foreign_key(column: str, table: str) -> sa.ForeignKeyConstraint:
    """Make a foreign key of organization and id, which the database refuses across organizations."""
    return sa.ForeignKeyConstraint(
        ["organization_id", column], [f"{table}.organization_id", f"{table}.id"], ondelete="RESTRICT"
    )


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    """Make an index of the rows that meet a condition, or have a flag.

    SQLite has the flag as queries write it there, or it would not use the index.
    """
    on_sqlite = f"{where} = 1" if where.isidentifier() else where
    return sa.Index(
        name, *columns, unique=unique, sqlite_where=sa.text(on_sqlite), postgresql_where=sa.text(where)
    )


def of_same_organization(left: Any, right: Any) -> sa.ColumnElement[bool]:
    """Build the condition that two models, aliases, tables or rows belong to the same organization."""
    same: sa.ColumnElement[bool] = _columns(left).organization_id == _columns(right).organization_id
    return same


def refers_to(key: orm.QueryableAttribute[Any] | sa.ColumnElement[Any], row: Any) -> sa.ColumnElement[bool]:
    """Build the condition that a foreign key names a row: `refers_to(Posting.journal_entry_id, JournalEntry)`.

    `key` is a column of a model, an alias or a table, `row` what it leads to: a model, an alias, a table, or one row
    that was read, whose organization is then in the statement as a constant. Foreign keys are pairs of organization
    and id, and a statement compares both: the database can then use the index of the pair, and a row of another
    organization is never met.
    """
    owner = key.parent.entity if isinstance(key, orm.QueryableAttribute) else key.table
    return sa.and_(of_same_organization(owner, row), key == _columns(row).id)


def _columns(row: Any) -> Any:
    return row.c if isinstance(row, sa.FromClause) else row


def one_of(column: str, *codes: str) -> sa.CheckConstraint:
    """Let a text column hold these codes only."""
    listed = ", ".join(f"'{code}'" for code in codes)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_word")


def table_of(model: type[Base]) -> sa.Table:
    """Return a model's table, for statements that write or read many rows past the unit of work."""
    table: sa.Table = model.__table__  # type: ignore[assignment]
    return table


def created() -> Mapped[datetime]:
    """Make the column of a creation instant."""
    return mapped_column(Instant, nullable=False)


def updated() -> Mapped[datetime]:
    """Make the column of the instant of the last change: first the creation, then each act that writes the row."""
    return mapped_column(Instant, nullable=False, default=_creation, onupdate=_act_instant)


def _creation(context: DefaultExecutionContext) -> datetime:
    created_at: datetime = context.get_current_parameters()["created_at"]  # type: ignore[no-untyped-call]
    return created_at


def _act_instant() -> datetime:
    """Give the instant of the open act, to whichever statement updates a row."""
    writes = state_of(db.session()).writes
    if writes is None:
        raise RuntimeError("Rows that say when they changed are updated within an act.")
    return writes.now


_seen: ContextVar[str | None] = ContextVar("seen", default=None)
_SEEN: Final = sa.bindparam("organization_of_session", callable_=_seen.get, type_=sa.String)
# One option for all organizations, whose parameter is evaluated with each statement: with a value of its own it would
# be made anew each time, and looked at by SQLAlchemy. Statements of loaders get it too, so that nothing hands it on.
_OF_ONE: Final = orm.with_loader_criteria(
    Organized,
    lambda model: model.organization_id == _SEEN,
    include_aliases=True,
    propagate_to_loaders=False,
    track_closure_variables=False,
)


def _of_one(statement: sa.Executable) -> sa.Executable:
    return statement.options(_OF_ONE)


# What SQLAlchemy remembers of a statement that is made once is lost with each copy of it: it gets one.
_kept_of_one = cache(_of_one)


@event.listens_for(orm.Session, "do_orm_execute")
def see_one_organization(state: orm.ORMExecuteState) -> None:
    """Show a session that was scoped to an organization the rows of that one only.

    A person belongs to several; a question about those says so by the execution option `across_organizations`. The
    statement itself says by which index SQLite may look for the organization; this guard behind it offers none.
    """
    organization_id = state_of(state.session).organization_id
    if state.is_select and not state.is_orm_statement and state.session.autoflush:
        # A question of tables sees what waits to be written, as one of models does.
        state.session.flush()
    if state.execution_options.get("across_organizations"):
        return
    if organization_id is None or not state.is_select or state.is_column_load or not state.is_orm_statement:
        return
    _seen.set(organization_id)
    of_one = _kept_of_one if state.execution_options.get("is_made_once") else _of_one
    state.statement = of_one(state.statement)


def update_rows(model: type[Numbered], *chosen: sa.ColumnElement[bool], **values: Any) -> int:
    """Update rows and the objects of the session that stand for them, and count them.

    SQLAlchemy's own way, `synchronize_session="fetch"`, has the table's key returned and looks for the mapper's: with
    keys of their own (`keyed_by`) it finds none of the objects, and leaves them as they were.
    """
    if "updated_at" in sa.inspect(model).columns:
        values.setdefault("updated_at", _act_instant())
    found = _change_rows(model, sa.update(model).where(*chosen).values(**values))
    for each in filter(None, found):
        for name, value in values.items():
            attributes.set_committed_value(each, name, value)
    return len(found)


def delete_rows(model: type[Numbered], *chosen: sa.ColumnElement[bool]) -> int:
    """Delete rows, take the objects that stand for them out of the session, and count the rows."""
    found = _change_rows(model, sa.delete(model).where(*chosen))
    for each in filter(None, found):
        db.session.expunge(each)
    return len(found)


def _change_rows(model: type[Numbered], change: sa.Update | sa.Delete) -> list[Any]:
    """Give the object of each row that a statement changes; None where the session holds none."""
    session = db.session()
    mapper = sa.inspect(model)
    keys = session.execute(
        change.returning(*mapper.primary_key).execution_options(synchronize_session=False)
    ).all()
    return [session.identity_map.get(mapper.identity_key_from_primary_key(tuple(key))) for key in keys]
