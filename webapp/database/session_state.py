"""What a session keeps beside its rows while its transactions last: one typed object, alone in `session.info`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from sqlalchemy import orm

    from webapp.ledger.references import Kind
    from webapp.services.audit.act import Act

_KEY: Final = "state"


@dataclass(frozen=True, slots=True)
class AtEnd:
    """What is done at the end of the transaction or savepoint that it waits inside."""

    inside: orm.SessionTransaction | None
    committed: Callable[[], None]
    taken_back: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Recording:
    """The acts recorded within a block, each with its status.

    `proposal_id` is the proposal that its one act becomes, `plan_id` the plan that its acts are of.
    """

    acts: list[tuple[Act, str]] = field(default_factory=list)
    proposal_id: str | None = None
    plan_id: str | None = None


@dataclass(frozen=True, slots=True)
class WaitingAct:
    """An act that is done and recorded with those beside it: the row of its request, and its status."""

    act: Act
    row: Mapping[str, Any]
    status: str


@dataclass(frozen=True, slots=True)
class ActWrites:
    """What an open act writes: when, and the rows that it touches without changing their own columns.

    `doing` is the act, none where rows are written beside one.
    """

    now: datetime
    doing: Act | None = None
    touched: dict[Kind, set[int]] = field(default_factory=dict)


@dataclass(slots=True)
class SessionState:
    """The state of a session.

    Its ORM reads see the rows of `organization_id` only, once that is set. `last_act` is the instant and the chance
    of the id that was made last, `acts_done` how many acts it has executed; `acts_together` wait to be recorded with
    each other. `warned` is what its acts warn of and nobody was told yet, each a code and a sentence. `kept` are rows
    that it may not forget.
    """

    organization_id: str | None = None
    is_trial: bool = False
    at_end: list[AtEnd] = field(default_factory=list)
    recording: Recording | None = None
    writes: ActWrites | None = None
    last_act: tuple[datetime, int] | None = None
    acts_done: int = 0
    acts_together: list[WaitingAct] | None = None
    warned: list[tuple[str, str]] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)


def state_of(session: orm.Session) -> SessionState:
    """Give the state of a session."""
    found: SessionState | None = session.info.get(_KEY)
    if found is None:
        found = session.info[_KEY] = SessionState()
    return found
