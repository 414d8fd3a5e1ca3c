"""The last use of a token or a session: stored at most once a minute, after the answer was sent, if nobody waits."""

import logging
from datetime import datetime, timedelta

from flask import Response
from flask.globals import app_ctx
from sqlalchemy.exc import SQLAlchemyError

from webapp.database.failures import BusyError
from webapp.database.sessions import own_transaction
from webapp.ledger.errors import LedgerError
from webapp.models import ApiToken, BrowserSession
from webapp.queries.access.principals import Principal
from webapp.web.access import requests
from webapp.web.access.request_state import requested_view, state

UPDATED_EVERY = timedelta(minutes=1)

log = logging.getLogger("tieout.auth")


def note_last_use(response: Response) -> Response:
    """Store a token's or session's last use, at most once a minute, after the answer was sent."""
    found = state().principal
    if found is None or (found.last_seen_at and found.last_seen_at > requests.now() - UPDATED_EVERY):
        return response
    if not getattr(requested_view(), "is_use", True):
        return response
    app, at = app_ctx.app, requests.now()

    def write_or_log() -> None:
        # The answer was sent; a failure here is not important, as the next request stores the last use.
        try:
            with app.app_context():
                _write(found, at)
        except BusyError:
            log.debug("The last use was not stored: somebody else writes")
        except (LedgerError, SQLAlchemyError) as error:
            log.warning("The last use was not stored: %s", type(error).__name__)

    response.call_on_close(write_or_log)
    return response


def _write(found: Principal, at: datetime) -> None:
    """Store a last use, without waiting: not for SQLite's writer, and not for a row that an act has locked."""
    unlocked = {"skip_locked": True, "key_share": True}
    books = found.session_books or found.organization_id
    with own_transaction(waits=False, organization_id=books) as session:
        if found.token_id is not None:
            named = books, found.token_id
            token = session.get(ApiToken, named, with_for_update=unlocked)
            if token is not None:
                token.last_used_at = at
        else:
            hashed = found.session_hash, books
            signed_in = session.get(BrowserSession, hashed, with_for_update=unlocked)
            if signed_in is not None:
                signed_in.last_seen_at = at
