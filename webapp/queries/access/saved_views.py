"""The saved views of a person: filters of lists under names."""

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.models import SavedView


def of_list(organization_id: str, user_id: int, path: str) -> list[SavedView]:
    """List a person's views of one list, in the order in which they were saved."""
    of_it = (
        SavedView.organization_id == organization_id,
        SavedView.user_id == user_id,
        SavedView.path == path,
    )
    return list(db.session.scalars(sa.select(SavedView).where(*of_it).order_by(SavedView.id)))


def get(organization_id: str, user_id: int, view_id: int) -> SavedView:
    """Find a person's view, or raise NotFoundError."""
    view = db.session.get(SavedView, (organization_id, view_id))
    if view is None or view.user_id != user_id:
        raise NotFoundError
    return view
