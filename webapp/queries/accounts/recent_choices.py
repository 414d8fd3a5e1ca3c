"""The accounts that a person chose for lines lately, for the top of the list to choose from."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import ActionRequest

ACTS_LOOKED_AT: Final = 200
MOST: Final = 5


def recent(organization_id: str, user_id: int) -> list[int]:
    """List the ids of the accounts that the person gave to lines in the newest acts of the books, newest first."""
    newest = (
        sa.select(ActionRequest.kind, ActionRequest.status, ActionRequest.actor, ActionRequest.payload)
        .where(ActionRequest.organization_id == organization_id)
        .order_by(ActionRequest.id.desc())
        .limit(ACTS_LOOKED_AT)
    )
    found: dict[int, None] = {}
    for kind, status, actor, payload in db.session.execute(newest):
        is_mine = actor.get("kind") == "PERSON" and actor.get("id") == user_id
        account_id = payload.get("account_id", payload.get("accountId"))
        if kind == "edit_transaction" and status == "EXECUTED" and is_mine and isinstance(account_id, int):
            found.setdefault(account_id)
    return list(found)[:MOST]
