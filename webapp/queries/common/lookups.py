"""Finding rows of an organization by id: an unknown id and another organization's are answered the same."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError, UnprocessableError
from webapp.ledger.references import Kind
from webapp.models.base import Numbered
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions

Row = TypeVar("Row", bound=Numbered)


class UnknownReferenceError(UnprocessableError):
    """Something that this names is not in the books."""

    code = "unknown_reference"
    # The address that lists what there is of its kind.
    listed_at: str | None = None


def get(model: type[Row], organization_id: str, row_id: int) -> Row:
    """Find one row by its id, or raise NotFoundError."""
    row = db.session.get(model, (organization_id, row_id))
    if row is None:
        raise NotFoundError
    return row


def refer(model: type[Row], organization_id: str, row_id: int, path: str) -> Row:
    """Find one row that a body refers to at `path`, or raise UnknownReferenceError (422)."""
    try:
        return get(model, organization_id, row_id)
    except NotFoundError:
        raise unknown(model, path) from None


def unknown(model: type[Row], path: str) -> UnknownReferenceError:
    """Make the error of an id at `path` under which there is nothing."""
    sentence = "There is nothing under this id."
    error = UnknownReferenceError(f"{path}: {sentence}", fields={path: [sentence]})
    error.listed_at = next(
        (kind.address for kind in Kind if kind.table == getattr(model, "__tablename__", None)), None
    )
    return error


def is_there(model: type[Row], organization_id: str, row_id: int) -> bool:
    """Tell whether there is a row of an id."""
    return bool(db.session.scalar(*_there(model)(organization_id, row_id)))  # type: ignore[arg-type]


@cache
def _there(model: Any) -> Callable[[str, int], tuple[sa.Select[Any], dict[str, Any]]]:
    @made_once
    def statement(organization_id: str, row_id: int) -> sa.Select[Any]:
        return sa.select(sa.literal(1)).where(model.organization_id == organization_id, model.id == row_id)

    return statement


def by_id(model: type[Row], organization_id: str, ids: Iterable[int | None]) -> dict[int | None, Row]:
    """Find the rows of some ids, ignoring None; without a statement where there are no ids."""
    found: dict[int | None, Row] = {}
    for portion in portions(set(ids) - {None}):
        rows = db.session.scalars(*_some(model)(organization_id, portion))  # type: ignore[arg-type]
        found |= {row.id: row for row in rows}
    return found


@cache
def _some(model: Any) -> Callable[[str, Sequence[int | None]], tuple[sa.Select[Any], dict[str, Any]]]:
    @made_once
    def statement(organization_id: str, row_ids: Sequence[int | None]) -> sa.Select[Any]:
        return sa.select(model).where(model.organization_id == organization_id, model.id.in_(row_ids))

    return statement
