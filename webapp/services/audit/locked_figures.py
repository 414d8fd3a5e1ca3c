"""The guard of locked days: an act that moves a figure that a report of one shows needs a reason."""

from collections.abc import Callable, Collection, Iterable
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.models import Posting
from webapp.queries.access import organizations
from webapp.queries.reports import locked_figures
from webapp.queries.reports.locked_figures import READ, Figures, Moved
from webapp.services.audit.act import Act


class LockedFiguresError(LedgerError):
    """This moves a figure of a locked day; say why in `note`, with the scope admin, or leave it."""

    code = "locked_figures"

    def __init__(self, found: Moved, *, has_reason: bool) -> None:
        """Name the report, its day, and the figure before and after."""
        figure = found.figure
        needed = (
            "Only who may change the settings says why." if has_reason else "Say why it moves, in `note`."
        )
        super().__init__(
            f"{figure} would go from {found.before} to {found.after}, and its day is locked. {needed}",
            details={
                "report": figure.report,
                "day": figure.day.isoformat(),
                "figure": figure.label,
                "before": found.before,
                "after": found.after,
            },
        )


def watch(doing: Act, table: str, changed: Iterable[str], *postings: sa.ColumnElement[bool]) -> None:
    """Compare the figures of locked days when an act ends, if it changes what reports read of postings there."""
    if any(READ[table].get(name, False) for name in changed):
        _watch(doing, lambda lock: locked_figures.has_postings(doing.actor.organization_id, lock, *postings))


def watch_rates(doing: Act, days: Collection[date], current_for: int) -> None:
    """Compare what revaluations of locked days are off by when an act ends that changes the rates of some days."""
    organization_id = doing.actor.organization_id
    lock = organizations.get(organization_id).lock_date
    if lock is None or not days or min(days) > lock:
        return
    asked = locked_figures.rate_days(lock, days, current_for)
    _begin(doing, lambda: locked_figures.revalued(organization_id, lock, asked))


def _watch(doing: Act, touches: Callable[[date], bool]) -> None:
    organization_id = doing.actor.organization_id
    lock = organizations.get(organization_id).lock_date
    if lock is None or not touches(lock):
        return
    _begin(doing, lambda: locked_figures.figures(organization_id, lock, doing.figures_by))


def _begin(doing: Act, read: Callable[[], Figures]) -> None:
    db.session.flush()
    before = read()
    doing.figures = lambda: locked_figures.moved(before, read())


def check(doing: Act) -> None:
    """Refuse an act without a reason that moved a figure of a locked day; with one, say what it moved."""
    if doing.figures is None:
        return
    db.session.flush()
    found = doing.figures()
    if found is None:
        return
    has_reason = bool(doing.note.strip())
    if not has_reason or not doing.actor.is_admin:
        raise LockedFiguresError(found, has_reason=has_reason)
    sentence = f"{found.figure} goes from {found.before} to {found.after}, and its day is locked."
    doing.warn(LockedFiguresError.code, sentence)
    doing.after = {
        **(doing.after or {}),
        "lockedFigures": {"figure": str(found.figure), "before": found.before, "after": found.after},
    }


def of_account(account_id: int) -> sa.ColumnElement[bool]:
    """Select the postings on an account."""
    return Posting.account_id == account_id
