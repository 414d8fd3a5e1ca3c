"""The last use of a token or a session: stored at most once a minute, after the answer was sent."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any, cast

from flask import Response, current_app
from sqlalchemy.exc import SQLAlchemyError

from webapp.db import own_transaction
from webapp.ledger.errors import LedgerError
from webapp.models import ApiToken, BrowserSession
from webapp.web.access import requests
from webapp.web.access.request_state import state

UPDATED_EVERY = timedelta(minutes=1)

log = logging.getLogger("tieout.auth")


def note_last_use(response: Response) -> Response:
    """Store a token's or session's last use, at most once a minute, after the answer was sent."""
    found = state().principal
    if found is None or (found.last_seen_at and found.last_seen_at > requests.now() - UPDATED_EVERY):
        return response
    app, at = cast("Any", current_app)._get_current_object(), requests.now()  # noqa: SLF001  (Flask's own idiom)

    def write() -> None:
        with app.app_context(), own_transaction() as session:
            if found.token_id is not None:
                session.query(ApiToken).filter_by(id=found.token_id).update({"last_used_at": at})
            else:
                session.query(BrowserSession).filter_by(id_hash=found.session_hash).update(
                    {"last_seen_at": at}
                )

    def write_or_log() -> None:
        # The answer was sent; a failure here is not important, as the next request stores the last use.
        try:
            write()
        except (LedgerError, SQLAlchemyError) as error:
            log.warning("The last use was not stored: %s", type(error).__name__)

    response.call_on_close(write_or_log)
    return response
