"""The ends of sessions: one by its secret, all of a person, and whatever is too old, in whichever books they are."""

from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.database.tenancy import asking_owner, is_bound
from webapp.models import BrowserSession
from webapp.queries.access.sessions import reference as reference_of


def close(id_hash: str) -> None:
    """End a session."""
    if is_bound(db.session()):
        with asking_owner(db.session()) as connection:
            connection.execute(sa.select(sa.func.end_session(id_hash)))
    else:
        db.session.execute(sa.delete(BrowserSession).where(BrowserSession.id_hash == id_hash))


def end_before(instant: datetime) -> None:
    """End the sessions that began before an instant."""
    if is_bound(db.session()):
        with asking_owner(db.session()) as connection:
            connection.execute(sa.select(sa.func.end_sessions_before(instant)))
    else:
        db.session.execute(sa.delete(BrowserSession).where(BrowserSession.created_at < instant))


def end_of_person(user_id: int, reference: str | None = None) -> int:
    """End all sessions of a person, or the one that a reference names; answers how many they were."""
    if is_bound(db.session()):
        ended_ids = sa.select(sa.func.end_sessions_of_person(user_id, reference))
        with asking_owner(db.session()) as connection:
            return len(connection.scalars(ended_ids).all())
    named = [] if reference is None else [reference_of() == reference]
    of_person = sa.delete(BrowserSession).where(BrowserSession.user_id == user_id, *named)
    # No object of the session stands for a browser's session.
    ended = db.session.execute(of_person, execution_options={"synchronize_session": False})
    return int(ended.rowcount)  # type: ignore[attr-defined]
