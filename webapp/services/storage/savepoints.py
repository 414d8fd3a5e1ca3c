"""Savepoints: trials, taken back whatever comes of them, and what outside the books follows the fate of one."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import event, orm

from webapp.database.session_state import AtEnd, state_of
from webapp.database.sessions import db

log = logging.getLogger("tieout.files")


@contextmanager
def trial() -> Iterator[None]:
    """Do something in the open transaction, and take it back; nothing outside the books may be touched meanwhile."""
    session = db.session()
    savepoint = session.begin_nested()
    state = state_of(session)
    was_trial, state.is_trial = state.is_trial, True
    told = len(state.warned)
    try:
        yield
    finally:
        state.is_trial = was_trial
        del state.warned[told:]
        savepoint.rollback()


def is_trial() -> bool:
    """Return whether what is done now will be taken back."""
    return state_of(db.session()).is_trial


def nothing() -> None:
    """Leave what is outside the books as it is."""


def at_end(*, committed: Callable[[], None] = nothing, taken_back: Callable[[], None] = nothing) -> None:
    """Do one thing outside the books once what is open is committed, the other once it is taken back.

    What is open is the innermost savepoint, or else the transaction; one is opened where there is none. A savepoint
    that is released waits for the whole.
    """
    session = db.session()
    session.connection()
    inside = session.get_nested_transaction() or session.get_transaction()
    state_of(session).at_end.append(AtEnd(inside, committed, taken_back))


@event.listens_for(orm.Session, "after_commit")
def _commit(session: orm.Session) -> None:
    if not session.in_nested_transaction():
        waiting, state_of(session).at_end = state_of(session).at_end, []
        for each in waiting:
            _settle(each.committed)


@event.listens_for(orm.Session, "after_soft_rollback")
def _roll_back(session: orm.Session, ended: orm.SessionTransaction) -> None:
    """Take back what waits inside a transaction or savepoint, the last one first.

    What was read within it is read anew: Core statements change rows behind the session's back.
    """
    session.expire_all()
    waiting = state_of(session).at_end
    for each in [each for each in reversed(waiting) if _is_inside(each.inside, ended)]:
        waiting.remove(each)
        _settle(each.taken_back)


def _settle(step: Callable[[], None]) -> None:
    """Do a step whose transaction has ended: what its disk refuses changes nothing of that, and waits for a sweep."""
    try:
        step()
    except OSError as error:
        log.warning("A file was not kept or dropped after its transaction: %s", type(error).__name__)


def _is_inside(inner: orm.SessionTransaction | None, outer: orm.SessionTransaction) -> bool:
    while inner is not None and inner is not outer:
        inner = inner.parent
    return inner is outer
