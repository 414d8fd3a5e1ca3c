"""A violation of an invariant, with its message and the rows that it is about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from webapp.database.session_state import state_of
from webapp.database.sessions import db
from webapp.models import Organization


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that does not hold; `about` names the rows by the keys of the interface."""

    code: str
    message: str
    organization_id: str | None
    about: Mapping[str, object] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Give the violation as `tieout check --json` lists it."""
        return {
            "code": self.code,
            "message": self.message,
            "organizationId": self.organization_id,
            **self.about,
        }


Check = Callable[[], Iterable[Violation]]


def checked_organizations() -> Sequence[str]:
    """Give the ids of the organizations whose books are checked: the session's own, or all."""
    own = state_of(db.session()).organization_id
    if own is not None:
        return [own]
    return db.session.scalars(sa.select(Organization.id).order_by(Organization.id)).all()


def found(
    code: str,
    statement: sa.Executable,
    sentence: Callable[[Any], str],
    about: Callable[[Any], Mapping[str, object]],
) -> Iterable[Violation]:
    """Make a violation of every row that a statement finds; its first column is the organization."""
    for row in db.session.execute(statement):
        yield Violation(code, sentence(row), row[0], about(row))


def entry(row: Any) -> dict[str, object]:
    """Name the entry that a row is about; the column is called `entry_id`."""
    return {"journalEntryId": row.entry_id}


def line(row: Any) -> dict[str, object]:
    """Name the bank line that a row is about; the column is called `line_id`."""
    return {"transactionId": row.line_id}
