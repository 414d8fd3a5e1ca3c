"""Undoing one person's edits of several lines together, the newest first."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.models import ActionRequest
from webapp.services.audit.act import Actor
from webapp.services.undo import transactions
from webapp.services.undo.reasons import Undoing


def undo(
    organization_id: str, act_ids: Sequence[str], *, actor: Actor, now: datetime
) -> tuple[int, list[str]]:
    """Give lines back what these edits of the same person changed; answers how many, and why the others stay."""
    found = sa.select(ActionRequest).where(
        ActionRequest.organization_id == organization_id,
        ActionRequest.id.in_(act_ids),
        ActionRequest.kind == "edit_transaction",
        ActionRequest.status == "EXECUTED",
    )
    requests = db.session.scalars(found.order_by(ActionRequest.id.desc())).all()
    mine = [each for each in requests if each.actor == actor.as_json()]
    undoing = Undoing(actor, now, "Undoes a change of several lines", Path())
    kept = [why for why in (_undo_one(undoing, each) for each in mine) if why]
    return len(mine) - len(kept), kept


def _undo_one(undoing: Undoing, request: ActionRequest) -> str | None:
    """Undo one edit in a savepoint of its own; answers why it stays, where it does."""
    try:
        with db.session.begin_nested():
            transactions.unedit(undoing, request)
            db.session.flush()
        db.session.expire_all()
    except LedgerError as error:
        return str(error)
    return None
