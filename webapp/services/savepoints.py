"""Trials: something done to the books in a savepoint, and taken back whatever comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import orm

from webapp.db import db

TRYING = "is_trial"


@contextmanager
def trial() -> Iterator[None]:
    """Do something in the open transaction, and take it back; nothing outside the books may be touched meanwhile.

    What was read before is read anew after it: Core statements change rows behind the session's back.
    """
    session = db.session()
    savepoint = session.begin_nested()
    was_trial = is_trial()
    session.info[TRYING] = True
    try:
        yield
    finally:
        session.info[TRYING] = was_trial
        savepoint.rollback()
        session.expire_all()


def is_trial() -> bool:
    """Tell whether what is done now will be taken back."""
    return bool(db.session().info.get(TRYING))


def innermost(session: orm.Session) -> orm.SessionTransaction | None:
    """Give the savepoint, or else the transaction, in which a session is; one is opened where it is in none."""
    session.connection()
    return session.get_nested_transaction() or session.get_transaction()


def is_inside(inner: orm.SessionTransaction | None, outer: orm.SessionTransaction) -> bool:
    """Tell whether a savepoint or transaction is another one, or lies within it."""
    while inner is not None and inner is not outer:
        inner = inner.parent
    return inner is outer
