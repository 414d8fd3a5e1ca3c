"""The views of lists that people save: a filter under a name, of their own in these books."""

from datetime import datetime

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.models import SavedView
from webapp.queries.access import saved_views


class ViewNameTakenError(LedgerError):
    """Another saved view of this list has this name; choose another one."""

    code = "view_name_taken"


def save(organization_id: str, user_id: int, *, path: str, query: str, name: str, now: datetime) -> SavedView:
    """Save a filter of a list."""
    view = SavedView(
        organization_id=organization_id, user_id=user_id, path=path, query=query, name=name, created_at=now
    )
    _check_name(view)
    db.session.add(view)
    db.session.flush()
    return view


def rename(view: SavedView, name: str) -> SavedView:
    """Give a view another name."""
    with db.session.no_autoflush:
        view.name = name
        _check_name(view)
    db.session.flush()
    return view


def delete(view: SavedView) -> None:
    """Delete a view; what it showed stays."""
    db.session.delete(view)
    db.session.flush()


def _check_name(view: SavedView) -> None:
    others = saved_views.of_list(view.organization_id, view.user_id, view.path)
    if any(each.name == view.name and each is not view for each in others):
        raise ViewNameTakenError(fields={"name": [str(ViewNameTakenError.__doc__)]})
