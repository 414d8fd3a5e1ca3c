"""The saved views of a person: filters of lists under names."""

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.models import SavedView
from webapp.queries.common.made_once import made_once


def of_list(organization_id: str, user_id: int, path: str) -> list[SavedView]:
    """List a person's views of one list, in the order in which they were saved."""
    return list(db.session.scalars(*_of_list(organization_id, user_id, path)))


@made_once
def _of_list(organization_id: str, user_id: int, path: str) -> sa.Select[SavedView]:
    of_it = (
        SavedView.organization_id == organization_id,
        SavedView.user_id == user_id,
        SavedView.path == path,
    )
    return sa.select(SavedView).where(*of_it).order_by(SavedView.id)


def get(organization_id: str, user_id: int, view_id: int) -> SavedView:
    """Find a person's view, or raise NotFoundError."""
    view = db.session.get(SavedView, (organization_id, view_id))
    if view is None or view.user_id != user_id:
        raise NotFoundError
    return view
